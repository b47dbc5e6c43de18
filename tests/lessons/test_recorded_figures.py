"""The committed record reaches what the ladder promises."""

from __future__ import annotations

import re

import pytest
from ladder_numbers import (
    ACCURACY,
    decides_in,
    decides_now,
    h200,
    recorded_fusion,
    recorded_gflops,
    shares_now,
    speedup,
)
from lesson_text import SPEEDUP

from gemmlab.course.lesson import load
from gemmlab.course.parts import Prediction

GOALS = {"05_register_1d": 42, "06_register_2d": 60, "07_vector_and_banks": 72, "08_double_buffer": 80,
         "09_warp_tile_autotune": 85, "fast/two_fragments": 90}  # per cent of cuBLAS at 4096  # fmt: skip


def asked_of(number: str) -> Prediction:
    return next(prediction for prediction in load(number).predictions if prediction.id == SPEEDUP)


@pytest.mark.parametrize("name", GOALS)
def test_the_record_reaches_what_the_ladder_promises(name):
    (ratio,) = [one.ratio for one in h200().at((4096, 4096, 4096)).kernels if one.name == name]
    assert 100 * ratio >= GOALS[name]


@pytest.mark.parametrize("number", [f"{n:02}" for n in range(1, 10)])
def test_the_speed_up_of_a_step_is_the_recorded_one(number):
    asked = asked_of(number)
    (side,) = map(int, re.findall(r"M = N = K = (\d+)", asked.text))
    assert asked.answer == pytest.approx(speedup(number, side), abs=0.006) and asked.unit == "times"
    assert asked.answer * asked.tolerance >= 0.02, "from day to day it differs by so much"


@pytest.mark.skipif(not ACCURACY.exists(), reason="no accuracy of the model is recorded")
@pytest.mark.parametrize("number", [f"{n:02}" for n in range(1, 10)])
def test_the_model_gives_the_reason_that_the_lesson_tells(number):
    asked = asked_of(number)
    side = min([2048, *map(int, re.findall(r"M = N = K = (\d+)", asked.text))])  # the largest cube of the record
    told = dict.fromkeys(re.findall(r"(\w+) decides (here|in lesson \d\d)", asked.follows))
    assert told and told == {
        (decides_in(where.removeprefix("in lesson ").replace("here", number), side), where): None for _, where in told
    }


def test_the_later_lessons_gain_what_was_recorded_and_the_model_says_why():
    split, tensor, fused = (asked_of(number) for number in ("10", "11", "12"))
    few, large, short = (256, 256, 8192), (4096, 4096, 4096), (4096, 11008, 128)
    assert split.answer == pytest.approx(recorded_gflops("10", *few) / recorded_gflops("09", *few), abs=0.05)
    assert tensor.answer == pytest.approx(recorded_gflops("11", *large) / recorded_gflops("09", *large), abs=0.005)
    assert fused.answer == pytest.approx(recorded_fusion(*short).ratio, abs=0.005)
    says = [word for one in (split, tensor, fused) for word in re.findall(r"(\w+) decides", one.follows.lower())]
    assert says == [decides_now(*where) for where in (("09", few), ("10", few), ("11", large), ("12", short))]
    assert shares_now("11", large)["memory"] < 10 > shares_now("12", short)["memory"], "they do not wait for bytes"
