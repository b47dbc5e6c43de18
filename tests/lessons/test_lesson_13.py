"""Lesson 13: its starter and entry, the predictions' sums, the verbs of the board, and the rule of precision."""

from __future__ import annotations

import re
from math import ceil

import pytest
from lesson_text import prose_of
from screen import Screen
from student_kernels import student_kernels

from gemmlab.check.check import check_kernel
from gemmlab.check.public_marks import public_marks
from gemmlab.course.lesson import load
from gemmlab.models.board import SHAPES, bound, named, score
from gemmlab.notebook import open
from gemmlab.notebook.verbs.board import rank
from gemmlab.notebook.verbs.work.profile import own_sizes, show_resources
from gemmlab.pictures.speed.board import board_table
from gemmlab.records.boards import RecordedBoard, recorded_board
from gemmlab.records.ceilings import recorded_ceilings
from gemmlab.trials.candidate import Candidate

LESSON = load("13")
ANSWERS = {prediction.id: prediction.answer for prediction in LESSON.predictions}
SMS = 132


def test_the_predictions_are_sums_over_the_board():
    assert ANSWERS["one_half"] == pytest.approx(100 * score(dict.fromkeys(SHAPES, 1.0) | {[*SHAPES][0]: 0.5}), abs=0.01)
    assert ANSWERS["idle_at_256"] == pytest.approx(100 * (1 - (256 / 128) ** 2 / SMS), abs=0.01)
    blocks = 4096 // 128 * (4096 // 256)
    assert ANSWERS["last_wave"] == pytest.approx(100 * blocks / (SMS * ceil(blocks / SMS)), abs=0.01)
    decode = bound((1, 11008, 4096), recorded_ceilings())
    assert decode.limit == "memory" and ANSWERS["decode_time"] == pytest.approx(1000 * decode.least_ms, abs=0.1)
    assert all(bound(shape, recorded_ceilings()).limit == "arithmetic" for shape in SHAPES if shape[0] > 1)


def test_every_shape_of_the_board_has_its_question():
    rows = re.findall(r"^\| (.+?) \|.*lessons? \d\d", prose_of(LESSON), re.MULTILINE)
    assert ", ".join(rows) == ", ".join(map(named, SHAPES))


def test_cublas_is_beaten_by_much_at_some_shapes_and_by_little_at_others():
    ratios = [one.ratio for one in recorded_board().ratios.values()]
    assert max(ratios) > 1.2 and 1 < min(ratios) < 1.05


def test_the_recorded_entry_is_faster_than_cublas_at_every_shape_of_the_board():
    recorded = recorded_board()
    ratios = {shape: recorded.ratios[shape].ratio for shape in SHAPES}
    table = board_table([bound(shape, recorded_ceilings()) for shape in SHAPES], recorded)
    assert min(ratios.values()) > 1 and f"is {100 * score(ratios):.1f} % of cuBLAS" in table
    assert all(f"| {named(shape)} |" in table and f"{100 * ratio:.1f} % |" in table for shape, ratio in ratios.items())
    without = RecordedBoard("recorded on X", {})
    assert "no recorded score" in board_table([bound(shape, recorded_ceilings()) for shape in SHAPES], without)


def test_the_starter_passes_the_gate_and_gives_no_marks(tmp_path, monkeypatch):
    kernel = LESSON.kernel
    assert kernel.whole and kernel.starter != kernel.solution and not LESSON.blanks
    assert check_kernel(kernel, kernel.starter, "starter.cu", "emulator").passed
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    (tmp_path / "kernels").mkdir()
    kernel.path.write_text(kernel.starter)
    assert public_marks("13") == 0
    kernel.path.write_text(kernel.starter.replace("acc[m] = ", "acc[m] =  ").replace("BK 16", "BK 8"))
    assert public_marks("13") == 3


def test_each_public_trick_is_a_kernel_of_the_tests_that_is_refused_or_gains_nothing():
    on_board = re.compile(r"^// board: (.+)$", re.MULTILINE)
    said = {
        one.path.stem: (one.expect, "".join(on_board.findall(one.path.read_text(encoding="utf-8"))))
        for one in student_kernels("13_beat_cublas")
    }
    assert len(said) >= 16 and {board for _, board in said.values()} <= {"wrong", "no gain", "right", ""}
    past_the_gate = {name for name, (expect, _) in said.items() if expect == "passed"}
    assert {name for name in past_the_gate if said[name][1] == "wrong"} == {"right_ten_times"}, (
        "tests/gpu/test_contest.py"
    )
    assert said["tf32_once"] == ("wrong_result", "wrong") and said["tf32_three_times"] == ("passed", "right")


# ---- the verbs


@pytest.fixture
def said(monkeypatch, tmp_path, capsys):
    """What a verb of the opened lesson says, in a work folder of its own."""
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    shown = []
    monkeypatch.setattr(rank, "show", lambda *views: shown.extend(view.text for view in views))
    monkeypatch.setattr(rank, "show_picture", lambda picture: shown.append(picture.alt))
    lesson = open("13")

    def say(*values):
        shown.clear()
        lesson.rank(*values)
        return " ".join(shown)

    return say


def test_without_a_gpu_rank_says_that_it_ranks_nothing(said, monkeypatch):
    monkeypatch.setattr("gemmlab.gpu.available", lambda: None)
    assert "Nothing is ranked" in said(80)


def test_with_a_gpu_rank_asks_for_a_prediction_and_a_check_and_then_ranks(said, monkeypatch):
    from gemmlab.kernel.timing import Ratio
    from gemmlab.notebook.desk import Desk

    monkeypatch.setattr("gemmlab.gpu.available", lambda: "GPU")
    monkeypatch.setattr(rank, "gpu_name", lambda: "GPU <x>")
    timed = [Ratio(shape, 2.0, 1.0, 0.5, (0.4, 0.6), 1e-6, 9, 1000.0) for shape in SHAPES]
    monkeypatch.setattr("gemmlab.trials.entry.time_entry", lambda candidate, tell: timed)
    assert said().startswith("Predict first")
    monkeypatch.setattr(Desk, "has_passed", lambda self: False)
    assert said(80).startswith("Pass the check first")
    monkeypatch.setattr(Desk, "has_passed", lambda self: True)
    monkeypatch.setattr(Desk, "is_live", False)
    LESSON.kernel.path.parent.mkdir(parents=True, exist_ok=True)
    LESSON.kernel.path.write_text(LESSON.kernel.starter)
    text = said(80)
    assert "Your score is 50.0 % of cuBLAS" in text and "You expected 80 %" in text
    assert text.count("50.0 %") >= 2 * len(SHAPES)


def test_the_profile_has_the_students_own_tiles_and_the_shared_memory_of_the_launch(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    desk, screen = open("13").desk, Screen()
    LESSON.kernel.path.write_text(LESSON.kernel.starter)
    assert str(own_sizes(desk)) == "64×64×16, 16×1 a thread"
    LESSON.kernel.path.write_text(LESSON.solution)
    assert own_sizes(desk) is None  # its tiles are templates' arguments
    monkeypatch.setattr("IPython.display.display", screen.display)
    monkeypatch.setattr("gemmlab.gpu.available", lambda: None)
    candidate = Candidate(LESSON.solution, "k.cu", LESSON.kernel.launches_of(LESSON.solution))
    (launch,) = candidate.launches((1024, 1024, 1024))
    text = screen.of(show_resources, candidate, (1024, 1024, 1024))
    assert f"{launch.smem:,} bytes of shared memory a block" in text and launch.smem > 48 * 1024
