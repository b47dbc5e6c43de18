"""Lesson 04: what hangs over as the simulator counts it, cases at each edge, and a text that tells nothing."""

from __future__ import annotations

import numpy as np
import pytest
from lesson_text import computed, diff_of, prose_of

from gemmlab.course.lesson import load
from gemmlab.models.edges import edges_of
from gemmlab.pictures.tiles.edges import edge_picture

SHAPE = (35, 45, 25)


@pytest.fixture(scope="module")
def lesson():
    return load("04")


def test_the_predictions_are_the_simulators_counts(lesson):
    edges = edges_of(SHAPE, lesson.tile)
    assert {prediction.id: prediction.answer for prediction in computed(lesson)} == {
        "over": edges.blocks_over,
        "filled": edges.filled_steps,
        "idle": edges.idle_threads,
        "wasted": 100 * edges.wasted,
    }


def test_edges_agree_with_the_sizes():
    edges = edges_of(SHAPE, 16)
    assert edges.outside["A"].sum() == 48 * 32 - 35 * 25
    assert edges.outside["B"].sum() == 32 * 48 - 25 * 45
    assert edges.outside["C"].sum() == 48 * 48 - 35 * 45
    assert np.array_equal(edges.outside["C"] > 0, [[False, False, True]] * 2 + [[True] * 3])


def test_nothing_hangs_over_at_whole_tiles():
    edges = edges_of((32, 16, 48), 16)
    assert (edges.blocks_over, edges.filled_steps, edges.idle_threads, edges.wasted) == (0, 0, 0, 0)


def test_the_picture_is_described_and_can_be_drawn():
    picture = edge_picture(edges_of(SHAPE, 16), SHAPE, 16)
    assert "C: 5 of 9 tiles hang over" in picture.alt and picture.png()


def test_each_edge_has_a_case_of_its_own(lesson):
    ragged = [tuple(size % lesson.tile > 0 for size in case.shape) for case in lesson.cases if case.label == "ragged"]
    assert {(True, False, False), (False, True, False), (False, False, True), (True, True, True)} <= set(ragged)


def test_the_text_does_not_tell(lesson):
    prose = prose_of(lesson)
    assert "729" not in prose and "46.6" not in prose and "14 steps" not in prose


def test_the_guards_are_the_only_new_lines(lesson):
    assert diff_of(load("03").solution, lesson.solution) == []
    answers = {blank.name: blank.answer for blank in lesson.blanks}
    assert list(answers) == ["load_a", "load_b", "store"]
    assert not any("&& " + half in hint for blank in lesson.blanks for hint in blank.hints for half in ("k0", "col"))
