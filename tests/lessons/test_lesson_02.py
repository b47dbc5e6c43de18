"""Lesson 02: the numbers in its spec are those of the simulator, and its text gives nothing away."""

from __future__ import annotations

import re

import pytest
from lesson_text import prose_of

from gemmlab.course.lesson import load
from gemmlab.models.simulator import traffic_naive, traffic_tiled

SHAPE = (1024, 1024, 1024)


@pytest.fixture(scope="module")
def lesson():
    return load("02")


@pytest.fixture(scope="module")
def prose(lesson) -> str:
    return prose_of(lesson)


def test_the_predictions_are_the_simulators_sums(lesson):
    naive, tiled = traffic_naive(*SHAPE), traffic_tiled(*SHAPE, lesson.tile)
    assert {prediction.id: (prediction.answer, prediction.unit) for prediction in lesson.predictions} == {
        "naive_intensity": (naive.intensity, "FLOP/B"),
        "naive_bytes": (naive.global_load_bytes / 1e9, "GB"),
        "tiled_intensity": (tiled.intensity, "FLOP/B"),
        "tiled_bytes": (tiled.global_load_bytes / 1e6, "MB"),
    }
    assert round(naive.global_load_bytes / 1e9, 2) == 8.59 and round(tiled.global_load_bytes / 1e6, 2) == 536.87


def test_the_text_does_not_tell_the_numbers(prose):
    assert not re.search(r"8[.,]59|53[67][.,]|0\.25|\b4 FLOP/B", prose)


def test_the_hints_come_nearer_without_giving_the_answer(lesson):
    (blank,) = lesson.blanks
    assert blank.name == "fma" and blank.answer == "acc += As[ty][k] * Bs[k][tx];"
    assert not any("As[ty][k]" in hint or "Bs[k][tx]" in hint for hint in blank.hints)
    assert "ty" not in blank.hints[0] and "ty" in blank.hints[2] and "acc" in blank.hints[2]


def test_the_smallest_and_the_most_ragged_shapes_are_public(lesson):
    assert {(35, 45, 25), (1, 1, 1)} <= {case.shape for case in lesson.cases if case.label == "ragged"}
