"""The experiments of lessons 05 to 08 in a notebook: what they show, what they keep back, and how they refuse."""

from __future__ import annotations

import pytest

from gemmlab import notebook
from gemmlab.course.lesson import load
from gemmlab.notebook.desk import digest


def opened(number: str, solved: bool = True) -> notebook.OpenLesson:
    lesson = notebook.open(number)
    text = lesson.lesson.solution if solved else lesson.lesson.starter
    lesson.lesson.kernel_path.write_text(text, encoding="utf-8")
    return lesson


def predict_all(lesson: notebook.OpenLesson) -> None:
    for prediction in lesson.lesson.predictions:
        lesson.predict(prediction.id, prediction.answer)


def test_pictures_need_no_solved_kernel(shown):
    lesson = opened("06", solved=False)
    lesson.patch(thread=(6, 9), k=5)
    lesson.reuse((4, 1), (2, 2))
    lesson.banks("tx * 4", "ty * 4 * 16")
    lesson.overlap(5)
    assert [text.split()[0] for text in shown] == ["picture:"] * 4
    assert "rows 48 to 55" in shown[0] and "2-way conflict" in shown[2] and "a model" not in shown[3]


def test_x_comes_first_and_older_calls_mean_what_they_meant(shown):
    lesson = opened("06")
    lesson.patch(threadIdx=(9, 6), k=5)
    lesson.patch(thread=(6, 9), k=5)
    lesson.patch((6, 9), 5)
    assert shown[0] == shown[1] == shown[2] and "Thread (tx, ty) = (9, 6)" in shown[0]
    opened("02").tiles((48, 64, 80), (1, 2, 2), threadIdx=(9, 5))
    opened("02").tiles((48, 64, 80), (1, 2, 2), (5, 9))
    assert shown[3] == shown[4] and "(9, 5) reads row 5 of As and column 9 of Bs" in shown[3]


def test_a_picture_waits_for_the_prediction_that_it_gives_away(shown):
    lesson = opened("07", solved=False)
    lesson.banks("c * 64 + r", after="padded_store")
    lesson.overlap(5, after="plain_store")
    assert all("Predict first, for the answer is in here" in text for text in shown) and len(shown) == 2
    lesson.predict("padded_store", 3)
    lesson.banks("c * 64 + r", after="padded_store")
    assert "4-way conflict" in shown[-1]


def test_counts_wait_for_predictions_and_for_a_kernel(shown):
    lesson = opened("07", solved=False)
    lesson.compare()
    assert "Predict first" in shown[-1] and "`aligned_rows`" in shown[-1]
    predict_all(lesson)
    lesson.compare()
    assert "Fill in the blank pad first" in shown[-1]


def test_kernels_are_counted_side_by_side(shown):
    opened("06")
    lesson = opened("07")
    predict_all(lesson)
    shown.clear()
    lesson.compare("05", "06", shape=(64, 64, 32), pad="#define PAD 0")
    assert shown[0] == "One column is missing: lesson 05 is not solved yet: fill in its blanks first."
    assert "| lesson 06 | lesson 07 | with `#define PAD 0` |" in shown[1]
    assert "| barriers a K tile | 2 | 2 | 2 |" in shown[1] and "| occupancy on sm_90 |" in shown[1]


def test_a_kernel_is_counted_with_other_sizes_too(shown):
    lesson = opened("06")
    predict_all(lesson)
    shown.clear()
    lesson.compare(sizes=(128, 64, 16, 8, 8))
    assert "| lesson 06 | with 128×64×16, 8×8 a thread |" in shown[-1]
    assert "| wavefronts that are due to bank conflicts | 0 | 12,288 |" in shown[-1]
    lesson.compare(sizes=(128, 64))
    assert "(128, 64) does not fit: write BM, BN, BK, TM and TN" in shown[-1]


def test_sizes_are_compiled_once_the_check_has_passed(shown):
    lesson = opened("06")
    predict_all(lesson)
    shown.clear()
    lesson.sizes((64, 64, 16, 4, 4))
    assert "registers" not in shown[0] and "Pass the check" in shown[1]
    source = load("06").solution
    lesson.desk.note("attempt", status="passed", source=digest(source))
    lesson.sizes((64, 64, 16, 4, 4), (32, 32, 32, 1, 1), arch="sm_86")
    assert "| 32×32×32 | 1×1 | 1,024 |" in shown[-1] and "for sm_86, from the compiler's report" in shown[-1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda lesson: lesson.patch((99, 3)), "There is no thread (tx, ty) = (3, 99) in the block: tx is 0 to 15, ty"),
        (lambda lesson: lesson.patch("a"), "There is no thread 'a'"),
        (lambda lesson: lesson.patch(), "Say which thread"),
        (lambda lesson: lesson.patch(threadIdx=(3, -1)), "(3, -1) does not fit: write x and y"),
        (lambda lesson: lesson.patch(threadIdx=3), "3 does not fit: write x and y"),
        (lambda lesson: lesson.patch((0, 0), k=16), "k is 0 to 15; 16 is none"),
        (lambda lesson: lesson.reuse(), "Give one patch or more"),
        (lambda lesson: lesson.reuse((4, 17)), "(4, 17) is no patch"),
        (lambda lesson: lesson.banks(), "Say which float each lane touches"),
        (lambda lesson: lesson.banks("foo"), "Cannot read 'foo'"),
        (lambda lesson: lesson.overlap(0), "0 K tiles cannot be drawn"),
        (lambda lesson: lesson.sizes(), "() does not fit"),
        (lambda lesson: lesson.sizes((64, 64, 16, 4)), "(64, 64, 16, 4) does not fit"),
        (lambda lesson: lesson.sizes((64, 64, 16, 4, 3)), "4×3 does not divide"),
        (lambda lesson: lesson.compare(nothing=""), "no blank 'nothing'"),
        (lambda lesson: lesson.compare("77"), "no lesson '77'"),
    ],
)
def test_what_cannot_be_is_one_sentence(shown, call, words):
    lesson = opened("06")
    predict_all(lesson)
    shown.clear()
    call(lesson)
    assert len(shown) == 1 and words in shown[0]
