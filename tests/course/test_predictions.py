"""Predictions: which typed texts are numbers, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from gemmlab.course.lesson import find_root, load_all
from gemmlab.course.parts import Misconception, Prediction
from gemmlab.course.predictions import is_right, read_number, remark
from gemmlab.errors import UserError

COUNT = Prediction("lanes", "How many?", "sectors", 5288, 0.001, (Misconception(32, "All lanes want one float."),))
MEASURE = Prediction("bytes", "How many?", "MB", 536.87, 0.02)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.25", 0.25), ("0,25", 0.25), ("1,0625", 1.0625), ("17/16", 1.0625), ("1 / 3", 1 / 3), ("5 288", 5288),
        ("5\N{NO-BREAK SPACE}288", 5288), ("1,024,000", 1024000), ("1,024.5", 1024.5), ("0,125", 0.125), ("1e9", 1e9),
        (".5", 0.5), ("12.", 12), ("3,5/2", 1.75), ("12345,678", 12345.678), ("1_000", 1000), ("0", 0),
    ],
)  # fmt: skip
def test_what_is_typed_is_read(text, number):
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "thirty", "12.5 MB", "25%", "1/0", "0/0", "-3", "1/2/3", "1.234,5", "nan", "inf", "0x10", "1,2,3", "/2"],
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(UserError, match="is no prediction"):
        read_number(text)


def test_a_comma_that_leaves_two_numbers_open_is_asked_about():
    with pytest.raises(UserError, match="5,288 may mean 5288 or 5.288: write it without the comma"):
        read_number("5,288")


def test_of_a_count_only_the_number_itself_is_right():
    assert remark(COUNT, 5288, 16) == "right" and is_right(COUNT, 5288)
    assert not is_right(COUNT, 5287) and "too small" in remark(COUNT, 5287, 16)
    assert remark(MEASURE, 536.87, 16) == "right" and remark(MEASURE, 537, 16) == "right, within 2 %"


def test_a_known_wrong_answer_is_told_its_misconception():
    assert remark(COUNT, 32, 16) == "All lanes want one float."
    assert "too small" in remark(COUNT, 33, 16)


PREDICTIONS = [
    pytest.param(prediction, id=f"{lesson.number}-{prediction.id}")
    for lesson in load_all(find_root())
    for prediction in lesson.predictions
]


@pytest.mark.parametrize("prediction", PREDICTIONS)
def test_a_misconception_of_a_lesson_is_wrong_and_told_apart(prediction):
    for wrong in prediction.misconceptions:
        assert not is_right(prediction, wrong.answer)
        assert remark(prediction, wrong.answer, 16) == wrong.says


def test_a_misconception_may_be_that_there_is_none():
    none = Prediction("barriers", "How many?", "barriers", 2, 0.001, (Misconception(0, "One buffer needs both."),))
    assert remark(none, 0, 16) == "One buffer needs both."
    assert remark(none, 4, 16) == "2 times too large"
    assert remark(COUNT, 0, 16) == "it is not 0"
