"""Likely copies are told, and what everybody writes is not."""

from __future__ import annotations

import pytest

from grading.marking.copies import Copies, likely_copies, normalised
from grading.model import Graded

USUAL = "for (int m = 0; m < TM; ++m) { acc[m] += As[ty * TM + m][k] * b; }"
ODD = "float mine = As[ty][k]; for (int q = TM - 1; q >= 0; q--) acc[q] = mine * b + acc[q];"
OTHER = "for (int i = 0, j = TM; i < j; ++i) acc[i] = fmaf(As[ty * TM + i][k], b, acc[i]);"
SOLUTIONS = {"05_register_1d": {"column": USUAL}}


def by(student: str, lesson: str = "05_register_1d", **blanks: str) -> Graded:
    return Graded(student, lesson, "passed", blanks=blanks)


def found(*graded: Graded) -> list[Copies]:
    return likely_copies(graded, SOLUTIONS)


def test_two_students_with_the_same_odd_answer_are_told():
    class_ = [by(f"s{number}", column=USUAL) for number in range(20)]
    assert found(*class_, by("zoe", column=ODD), by("ann", column=ODD), by("bob", column=OTHER)) == [
        Copies("05_register_1d", ("ann", "zoe"), ("column",))
    ]


@pytest.mark.parametrize(
    "changed",
    [
        ODD.replace("q", "r").replace("mine", "yours"),
        ODD.replace(" ", "\n\t"),
        f"// my own idea\n{ODD} /* works */",
        ODD.replace("{", "<%").replace("}", "%>"),
    ],
    ids=["own names", "spacing", "comments", "digraphs"],
)
def test_disguises_do_not_help(changed):
    assert found(by("ann", column=ODD), by("zoe", column=changed))


@pytest.mark.parametrize(
    "changed",
    [ODD.replace("b + acc", "acc + b"), ODD.replace("ty", "tx"), ODD.replace(">=", ">")],
)
def test_other_code_is_no_copy(changed):
    assert found(by("ann", column=ODD), by("zoe", column=changed)) == []


def test_the_solution_and_short_answers_say_nothing():
    assert found(by("ann", column=USUAL.replace("m", "i")), by("zoe", column=USUAL)) == []
    assert found(by("ann", store="buf = 1 - buf;"), by("zoe", store="buf = 1 - buf;")) == []
    assert found(by("ann", column=""), by("zoe", column="")) == []


def test_what_many_write_is_common():
    assert found(*(by(f"s{number}", column=OTHER) for number in range(5))) == []
    assert found(*(by(f"s{number}", column=OTHER) for number in range(4)))
    large = [by(f"s{number}", column=USUAL) for number in range(90)]
    assert found(*large, *(by(f"t{number}", column=OTHER) for number in range(9)))


def test_blanks_of_one_pair_are_told_together_and_lessons_apart():
    pair = [by(name, column=ODD, store=OTHER) for name in ("ann", "zoe")]
    assert found(*pair) == [Copies("05_register_1d", ("ann", "zoe"), ("column", "store"))]
    assert found(by("ann", column=ODD), by("zoe", "06_register_2d", column=ODD)) == []


def test_names_that_the_template_gives_are_kept():
    assert normalised("const float* from = X;") == normalised("const float *place = X;")
    assert normalised("x = A[row];") != normalised("x = A[col];")
