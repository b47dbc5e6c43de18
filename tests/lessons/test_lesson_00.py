"""Lesson 00: the numbers in its spec are those of the library, and its text gives nothing away."""

from __future__ import annotations

import re
from math import prod

import pytest
from lesson_text import prose_of

from gemmlab.check.check import check_launcher
from gemmlab.course.lesson import load
from gemmlab.kernel.launch import Launch
from gemmlab.launcher.launcher import Launcher
from gemmlab.models.ceilings import Ceilings
from gemmlab.models.simulator import traffic_naive

SHAPE = (70, 100, 40)
EXAMPLE = Ceilings(20_000, 500, "an example")


@pytest.fixture(scope="module")
def lesson():
    return load("00")


def test_the_predictions_are_the_librarys_numbers(lesson):
    launch = lesson.launch.at(*SHAPE)
    intensity = traffic_naive(*SHAPE).intensity
    assert {prediction.id: prediction.answer for prediction in lesson.predictions} == {
        "blocks": prod(launch.grid),
        "idle": prod(launch.grid) * prod(launch.block) - SHAPE[0] * SHAPE[1],
        "intensity": intensity,
        "ridge": EXAMPLE.ridge,
        "most": EXAMPLE.attainable(intensity),
    }


def test_the_text_does_not_tell(lesson):
    prose = prose_of(lesson)
    assert not any(number in prose for number in ("5,288", "5288", "0.25", "40 FLOP", "125", "12 blocks"))


def test_nothing_is_left_out_and_the_starter_is_the_solution(lesson):
    assert lesson.blanks == () and lesson.starter == lesson.solution
    assert (lesson.root / "kernels" / f"{lesson.name}.cu").read_text(encoding="utf-8") == lesson.solution


def test_the_example_of_the_prose_is_that_of_the_predictions(lesson):
    assert f"lesson.roofline({EXAMPLE.gflops:_}, {EXAMPLE.gbs})" in prose_of(lesson)


def test_the_hosts_part_starts_the_lessons_kernel_on_every_shape(lesson):
    """The prose shows a launcher; with the kernel under it, it is a whole file that passes the lesson's own cases."""
    (shown,) = re.findall(r"```cpp\n(#include.*?)```", prose_of(lesson), re.DOTALL)
    source = f"{lesson.solution}\n{shown}"
    for case in lesson.cases:
        (shown_launch,) = [
            step for step in Launcher(source, "multiply").at(*case.shape).steps if isinstance(step, Launch)
        ]
        launch = lesson.launch.at(*case.shape)
        assert (shown_launch.grid, shown_launch.block) == (launch.grid, launch.block)
    assert check_launcher(source, "k.cu", "multiply", lesson.cases, backend="emulator").passed
