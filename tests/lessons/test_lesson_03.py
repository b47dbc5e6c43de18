"""Lesson 03: hazards as the library plays them, the loop as the compiler made it, and a text that gives nothing
away."""

from __future__ import annotations

import pytest
from lesson_text import computed, diff_of, prose_of

from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from gemmlab.models.tile_loop import foreign_reads, play
from gemmlab.pictures.warps.timeline import _who, describe_playback, part_names, timeline
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.order.find import find_order
from gemmlab.trials.order.playback import playbacks
from gemmlab.trials.order.report import report
from gemmlab.trials.tile_loop import loop_parts
from gemmlab.trials.variant import variant


@pytest.fixture(scope="module")
def lesson():
    return load("03")


def parts_of(lesson, **bodies):
    source = variant(lesson.starter, lesson.solution, bodies)
    return loop_parts(compile_source(source, "k.cu"), "gemm")


def played(lesson, **bodies):
    """(in step, warp 0 early)"""
    return play(parts_of(lesson, **bodies), lesson.tile, 3)


def test_one_decision_makes_C_wrong_without_the_second_barrier(lesson):
    source = variant(lesson.starter, lesson.solution, {"second_barrier": ""})
    told, story = report(*find_order(Candidate(source, "k.cu", lesson.launch), [((48, 48, 48), "integer", 1)]))
    assert [(one["does"], one["warp"]) for one in told["decisions"]] == [("wait", 1)] and told["right_in_step"]
    assert told["wrong"] == next(one.answer for one in lesson.predictions if one.id == "late_use")
    in_step, in_order = playbacks(story)[0]
    assert not any(span.hazard for span in in_step.spans)
    assert {(span.warps, span.hazard) for span in in_order.spans if span.hazard} == {((1,), "WAR")}
    assert "warps 0, 2 to 7" in {_who(span) for span in in_order.spans}


def test_the_predictions_are_the_librarys_numbers(lesson):
    others, other_warps = foreign_reads(lesson.tile)
    played_elsewhere = "late_use"  # by test_one_decision_makes_C_wrong_without_the_second_barrier
    assert {one.id: one.answer for one in computed(lesson) if one.id != played_elsewhere} == {
        "others": others,
        "other_warps": other_warps,
        "early_use": played(lesson, first_barrier="")[1].wrong,
        "early_fill": played(lesson, second_barrier="")[1].wrong,
    }


def test_the_loop_is_read_from_the_compiled_code(lesson):
    kinds = [part.kind for part in parts_of(lesson)]
    assert kinds == ["fill", "barrier", "use", "barrier"]
    lines = lesson.solution.split("\n")
    fill, first, use, second = parts_of(lesson)
    assert [lines[line - 1].strip()[:2] for line in fill.lines] == ["As", "Bs"]
    assert all("__syncthreads" in lines[part.lines[0] - 1] for part in (first, second))
    assert "acc +=" in lines[use.lines[0] - 1]
    assert [part.kind for part in parts_of(lesson, first_barrier="")] == ["fill", "use", "barrier"]
    assert [part.kind for part in parts_of(lesson, second_barrier="")] == ["fill", "barrier", "use"]


def test_with_both_barriers_no_order_does_harm(lesson):
    assert [playback.wrong for playback in played(lesson)] == [0, 0]
    assert not any(span.hazard for playback in played(lesson) for span in playback.spans)


@pytest.mark.parametrize(("name", "hazard"), [("first_barrier", "RAW"), ("second_barrier", "WAR")])
def test_a_missing_barrier_does_harm_in_one_order_only(lesson, name, hazard):
    in_step, early = played(lesson, **{name: ""})
    assert in_step.wrong == 0 < early.wrong
    assert {span.hazard for span in early.spans} == {None, hazard}
    assert ("not filled yet" if hazard == "RAW" else "filled anew already") in describe_playback(early)


def test_the_picture_is_described_and_can_be_drawn(lesson):
    picture = timeline(played(lesson, second_barrier=""))
    assert "224 of 256 elements of C wrong" in picture.alt and picture.png()
    assert part_names(parts_of(lesson)).count("barrier") == 2


def test_a_kernel_without_tiles_has_no_such_loop():
    with pytest.raises(UserError, match="writes nothing to shared memory"):
        loop_parts(compile_source(load("01").solution, "k.cu"), "gemm")


def test_a_variant_asks_for_known_and_filled_blanks(lesson):
    with pytest.raises(UserError, match="no blank 'third'; it has first_barrier, second_barrier"):
        variant(lesson.starter, lesson.solution, {"third": ""})
    with pytest.raises(UserError, match="fill in the blank second_barrier first"):
        variant(lesson.starter, lesson.starter, {"first_barrier": ""})
    assert variant(lesson.starter, lesson.solution, {}).split() == lesson.solution.split()
    twice = variant(lesson.starter, lesson.solution, {"first_barrier": "one();\ntwo();"})
    assert "\n        one();\n        two();\n" in twice


def test_a_variant_may_hold_the_students_own_code(lesson):
    around = variant(lesson.starter, lesson.solution, {"first_barrier": "one();\n______"})
    assert "\n        one();\n        __syncthreads();\n" in around
    changed = variant(lesson.starter, lesson.solution, {"first_barrier": ("__syncthreads", "__syncwarp")})
    assert changed.count("__syncwarp();") == 1 and changed.count("__syncthreads();") == 1
    with pytest.raises(UserError, match="what you wrote into first_barrier has no 0.0f"):
        variant(lesson.starter, lesson.solution, {"first_barrier": ("0.0f", "1.0f")})
    for body in ("one();\n______", ("__syncthreads", "__syncwarp")):
        with pytest.raises(UserError, match="fill in the blank first_barrier first"):
            variant(lesson.starter, lesson.starter, {"first_barrier": body, "second_barrier": ""})


def test_the_text_does_not_tell(lesson):
    prose = prose_of(lesson)
    assert "224" not in prose and "30 of" not in prose


def test_the_barriers_are_the_only_new_lines(lesson):
    assert diff_of(load("02").solution, lesson.solution) == []
    assert {blank.answer for blank in lesson.blanks} == {"__syncthreads();"}
    assert not any("__syncthreads" in hint for blank in lesson.blanks for hint in blank.hints)
