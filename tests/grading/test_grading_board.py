"""The leaderboard: its order, its two files, and what stands in them of what students wrote."""

from __future__ import annotations

import csv
import io
import sys

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from gemmlab.errors import UserError
from gemmlab.models.board import SHAPES
from grading.marking.standings import Standing, ranked
from grading.reports import leaderboard
from grading.reports.leaderboard import Board

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
