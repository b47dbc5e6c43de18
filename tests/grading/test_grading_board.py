"""The leaderboard: its order, its two files, and what stands in them of what students wrote."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from gemmlab.gpu.child.process import COMMAND
from gemmlab.models.board import SHAPES
from grading import leaderboard as board
from grading.marking import cases
from grading.marking.standings import Standing, ranked
from grading.model import HiddenCase
from grading.progress import Progress
from grading.reports import leaderboard
from grading.reports.leaderboard import Board
from grading.run import Options
from grading.sandbox.board_lane import BoardLane

EVIL = '=HYPERLINK("http://x")<script>alert(1)</script>'


def at(ratio: float, student: str = "x", **more) -> Standing:
    return Standing(student, dict.fromkeys(SHAPES, ratio), **more)


def order(*standings: Standing) -> list[tuple[str, int | None]]:
    return [(one.student, one.rank) for one in ranked(standings)]


def test_the_fastest_comes_first_and_equal_scores_share_a_rank():
    found = order(at(0.5, "e"), at(1.2, "b"), at(1.2001, "a"), at(0.9, "d"), at(1.3, "c"))
    assert found == [("c", 1), ("a", 2), ("b", 2), ("d", 4), ("e", 5)]


def test_what_is_shown_decides_who_is_equal():
    assert order(at(1.0004, "a"), at(0.9996, "b")) == [("a", 1), ("b", 1)]
    assert order(at(1.0006, "b"), at(0.9996, "a")) == [("b", 1), ("a", 2)]


def test_the_courses_own_entry_stands_in_its_place_and_takes_none():
    found = order(at(1.0, "course", reference=True), at(1.1, "a"), at(0.9, "b"), at(1.0, "c"))
    assert found == [("a", 1), ("c", 2), ("course", None), ("b", 3)]


def test_without_a_time_at_every_shape_or_with_a_reason_there_is_no_rank():
    part = Standing("part", {shape: 9.0 for shape in list(SHAPES)[1:]})
    found = order(
        part, at(2.0, "veto", reason="a race"), Standing("broken", reason="does not compile"), at(0.1, "slow")
    )
    assert found == [("slow", 1), ("broken", None), ("part", None), ("veto", None)]


def test_both_files_are_written_and_nothing_in_them_is_a_formula_or_markup(tmp_path):
    standings = ranked([at(1.25, EVIL), Standing("@b", reason="=1+1 <b>wrong</b>"), at(1.0, "course", reference=True)])
    leaderboard.write(tmp_path / "new", Board("13 <i>", "GPU <x>", tuple(standings)))
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"leaderboard.csv", "leaderboard.html"}
    rows = list(csv.DictReader(io.StringIO((tmp_path / "new/leaderboard.csv").read_text("utf-8"))))
    assert [(row["rank"], row["student"][:2], row["score"]) for row in rows] == [
        ("1", "'=", "125.0"), ("", "co", "100.0"), ("", "'@", ""),
    ]  # fmt: skip
    assert rows[0]["1×11008×4096"] == "125.0" and rows[2]["reason"].startswith("'=1+1")
    page = (tmp_path / "new/leaderboard.html").read_text("utf-8")
    assert "<script>" not in page and "<b>" not in page and "GPU &lt;x&gt;" in page and "&lt;script&gt;" in page
    assert "125.0" in page and "is ranked" not in page


def test_the_same_board_gives_the_same_bytes():
    board = Board("13", "GPU", tuple(ranked([at(1.0, "a"), at(0.5, "b")])))
    assert leaderboard.page(board) == leaderboard.page(board)


def test_without_a_gpu_the_page_says_that_nothing_is_ranked():
    page = leaderboard.page(Board("13", "", (Standing("a"), Standing("b", reason="a race between threads"))))
    assert "Nothing is ranked: there is no GPU here." in page
    assert "passed the gate" in page and "a race between threads" in page and "Rank" not in page


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot write"):
        leaderboard.write(tmp_path / "file", Board("13", "", ()))


# ---- the whole way, with tests/fake_gpu for the GPU: it multiplies right, whatever a kernel called gemm does

NAIVE = """extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
"""
HANDED_IN = {
    "ann": NAIVE,
    "bob": NAIVE + "// the same, and a remark\n",
    "=cho<b>": NAIVE.replace("acc += A", "acc -= A"),
    "dee": load("13").kernel.starter,
    "eve": NAIVE.replace("    gemm<<<", "    if (M == 24) return;\n    gemm<<<"),
    "fay": NAIVE.replace('extern "C" __global__ void gemm', "__global__ void gemm2").replace(" gemm<<<", " gemm2<<<"),
}
SMALL = {(24, 16, 32): "ordinary", (5, 7, 9): "ragged"}


@pytest.fixture
def class_(tmp_path, monkeypatch):
    """A class that hands in, a board of two small shapes, and the course's own entry by a name that the fake knows."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))
    shapes = dict(SHAPES)
    SHAPES.clear()
    SHAPES.update(SMALL)
    lesson = load("13")
    kernel = replace(lesson.kernel, solved=NAIVE)
    monkeypatch.setattr(board, "load", lambda which: replace(lesson, kernels=(kernel,)))
    monkeypatch.setattr(cases, "draw", lambda kernel, secret: CASES)
    monkeypatch.setattr(board, "BoardLane", lambda: BoardLane(COMMAND))  # the walls would hide the stand-in
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name, text in HANDED_IN.items():
        (folder / f"{name.replace('<b>', '')} 13_beat_cublas.cu").write_text(text)
    (tmp_path / "secret").write_text("correct horse battery staple")
    (tmp_path / "secret").chmod(0o600)
    yield folder
    SHAPES.clear()
    SHAPES.update(shapes)


CASES = (
    HiddenCase("x", "ordinary", (16, 16, 16), "integer", 3),
    HiddenCase("x", "boundary", (17, 5, 9), "integer", 4),
)


def lead(folder: Path, backend: str) -> Board:
    options = Options(secret_file=folder.parent / "secret", jobs=2, backend=backend)
    return board.leaderboard(folder, folder.parent / "board", options, Progress())


def test_from_a_folder_to_a_leaderboard(class_, monkeypatch):
    found = lead(class_, "cuda")
    by_name = {one.student: one for one in found.standings}
    assert found.machine == "Fake GPU" and {*by_name} >= {"ann", "bob", "=cho", "dee", "eve", "fay"}
    assert {one.student for one in found.standings if one.rank} == {"ann", "bob"}
    assert by_name["(the course's own entry)"].reference and by_name["(the course's own entry)"].score > 0
    assert "as it was given" in by_name["dee"].reason and by_name["=cho"].reason.startswith("x: ")
    assert by_name["eve"].reason == "At 24×16×32 (M×N×K): A GPU would not run it to its end with this launch"
    assert "At 24×16×32 (M×N×K): " in by_name["fay"].reason
    kept = {path.name for path in (class_.parent / "board/times").iterdir()}
    assert len(kept) == 4, "what is timed is kept: ann's, which is the course's, bob's, eve's, and fay's"
    page = (class_.parent / "board/leaderboard.html").read_text()
    monkeypatch.setattr(BoardLane, "time", lambda *_: pytest.fail("it was timed already"))
    lead(class_, "cuda")
    assert (class_.parent / "board/leaderboard.html").read_text() == page
    assert "Per cent of cuBLAS" in board.summary(found, class_.parent / "board")


def test_without_a_gpu_the_gate_is_all(class_):
    found = lead(class_, "emulator")
    assert found.machine == "" and not any(one.rank for one in found.standings)
    assert [one.student for one in found.standings if not one.reason] == ["ann", "bob", "eve", "fay"]
    assert "Nothing is ranked" in board.summary(found, class_.parent / "board")


def test_a_lesson_with_given_code_has_no_board(tmp_path):
    with pytest.raises(UserError, match="no leaderboard of lesson 02"):
        board.leaderboard(tmp_path, tmp_path / "out", Options(lesson="02"), Progress())
