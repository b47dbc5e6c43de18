"""Every number that a lesson says is recomputed, or is declared one that says nothing; bound_numbers.py has how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bound_numbers import COMMON, common_pieces, loose_numbers, names_of, pieces, text_of, unused_pieces

from gemmlab.course.lesson import Lesson, load, load_all

TABLES = Path(__file__).with_name("numbers")
NOT_YET: set[str] = set()  # lessons without a table; this set may only shrink
BOUND = [lesson for lesson in load_all() if lesson.number not in NOT_YET]

each_lesson = pytest.mark.parametrize("lesson", BOUND, ids=lambda lesson: lesson.name)


def table_of(lesson: Lesson) -> Path:
    return TABLES / f"{lesson.name}.txt"


@each_lesson
def test_every_number_of_a_lesson_has_a_source(lesson):
    loose = loose_numbers(lesson, table_of(lesson))
    assert not loose, (
        f"nothing says where these numbers of lesson {lesson.number} come from; put the words around each of them into "
        f"tests/lessons/numbers/{lesson.name}.txt, with an {{expression}} in place of the number:\n" + "\n".join(loose)
    )


@each_lesson
def test_the_lesson_says_what_its_table_has(lesson):
    unused = unused_pieces(lesson, table_of(lesson))
    assert not unused, "the lesson does not say this; its words changed, or its numbers are wrong:\n" + "\n".join(
        f"{piece.text}    from    {piece.line}" for piece in unused
    )


def test_each_common_piece_is_said_somewhere():
    found = [(piece, text_of(lesson)) for lesson in BOUND for piece in common_pieces(lesson, TABLES / COMMON)]
    said = {piece.line for piece, text in found if piece.pattern.search(text)}
    lines = [line for line in (TABLES / COMMON).read_text(encoding="utf-8").split("\n") if line.strip()]
    assert [line for line in lines if line not in said and not line.startswith("#")] == []


def test_the_lessons_without_a_table_are_known():
    known = {lesson.number: table_of(lesson).is_file() for lesson in load_all()}
    assert {number for number, is_bound in known.items() if not is_bound} == NOT_YET


# ---- a table can fail


@pytest.fixture
def changed(tmp_path):
    """Lesson 02 with other words, and a table of these lines beside the common one."""
    (tmp_path / COMMON).write_text("", encoding="utf-8")

    def change(says: str, *lines: str) -> tuple[Lesson, Path]:
        lesson = replace(load("02"), vetoes=(says,))
        table = tmp_path / "table.txt"
        table.write_text("\n".join(lines), encoding="utf-8")
        return lesson, table

    return change


def loose_in(lesson: Lesson, table: Path) -> list[str]:
    """What is loose in the words of the fixture, which stand between two marks."""
    return [words for words in loose_numbers(lesson, table) if "@" in words]


def test_a_new_number_is_loose_until_it_is_bound(changed):
    says = "@ A warp has 32 lanes, and 8 of them @"
    assert [words.count("[") for words in loose_in(*changed(says))] == [1, 1]
    (left,) = loose_in(*changed(says, "A warp has {WARP} lanes"))
    assert "[8]" in left
    assert loose_in(*changed(says, "A warp has {WARP} lanes", "free: and 8 of them")) == []


def test_a_wrong_number_is_told_twice(changed):
    lesson, table = changed("@ A warp has 33 lanes @", "A warp has {WARP} lanes")
    assert len(loose_in(lesson, table)) == 1
    assert [piece.text for piece in unused_pieces(lesson, table)] == ["A warp has 32 lanes"]


def test_a_number_is_covered_whole_and_in_its_own_words(changed):
    assert loose_in(*changed("@ it takes 132 lanes @", "{WARP} lanes"))
    assert loose_in(*changed("@ at 3.25 times @", "at {3} times", "free: 25 times"))
    assert loose_in(*changed("@ at 1,032 @", "free: 032"))
    assert not loose_in(*changed("@ at\n1,032 @", "at {1_032:,}"))


def test_code_and_names_hold_no_numbers_to_bind(changed):
    assert not loose_in(*changed("@ `As[16]` and float4 on sm_80 in lessons 02 and 03 of an H200 @"))


def test_a_line_without_an_expression_must_be_called_free(changed):
    with pytest.raises(ValueError, match="begin it with 'free:'"):
        list(pieces(*changed("@", "32 lanes")))


def test_evidence_must_show_the_number():
    shown = names_of(load("14"))["evidence"]
    assert shown("half_occupancy", "62.5") == "62.5"
    with pytest.raises(LookupError, match="does not show 63"):
        shown("half_occupancy", "63")


# ---- what follows from recorded figures


def test_memory_cannot_have_delivered_what_the_naive_kernel_asked_for():
    names = names_of(load("02"))
    naive, tiled = names["gflops"]("01") / names["naive_intensity"], names["gflops"]("02") / names["tiled_intensity"]
    assert naive > names["l2"] > names["copy"] > tiled


def test_l1_kept_something_of_the_coalesced_kernel_only():
    names = names_of(load("01"))
    answers = {prediction.id: prediction.answer for prediction in load("01").predictions}
    allowed = {
        way: names["allowed"]("L2", names["intensity_of_sectors"](answers[f"a_{way}"], answers[f"b_{way}"], of_c))
        for way, of_c in (("tx", answers["a_tx"]), ("ty", answers["b_ty"]))
    }
    assert names["gflops"]("00") < allowed["tx"] and names["gflops"]("01") > allowed["ty"]
