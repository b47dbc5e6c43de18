"""One rule for the check and for grading: every kernel that the check fails, by its own test, fails in grading too, and
what it passes passes.

The grader's talk with its child is whole here, over a channel; only the child is a thread and not a sandboxed process,
so that what was compiled once is found again. What the class of test_grading_class.py hands in is not tried here again:
there the real command grades it.
"""

from __future__ import annotations

import socket
import sys
import threading
from math import prod
from pathlib import Path
from zlib import crc32

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

import grading_class
from field_kernels import OWN, FieldKernel, read_kernels
from student_kernels import StudentKernel, student_kernels

from gemmlab.check.check import check_kernel
from gemmlab.course.lesson import Kernel, load, load_all
from grading.intake.splice import splice
from grading.marking import score
from grading.marking.cases import OWN_KIND, draw
from grading.marking.hand_marks import HandMarks
from grading.marking.judge import Judged, judge
from grading.model import Attempt, HiddenCase, Job, Submission
from grading.sandbox import child, worker

SECRET = bytes(32)
FEW = 4
IN_THE_CLASS = grading_class.kernels()


def is_settled_by_the_class(one: StudentKernel) -> bool:
    """Whether its kernel, and not only a veto, decides in the class that it passes or fails as the check has it."""
    due = IN_THE_CLASS.get(one.name)
    return due is not None and (due.marks == grading_class.FULL) == (one.expect == "passed")


# From the last: test_student_kernels.py begins with the first at the same time, and each finds what the other compiled.
STUDENTS = [one for one in reversed(student_kernels()) if not is_settled_by_the_class(one)]
PATIENTS = [kernel for lesson in load_all() for kernel in lesson.kernels if kernel.patient]
FIELD = read_kernels(OWN)


def graded(kernel: Kernel, source: str, cases: list[HiddenCase]) -> Judged:
    """What grading makes of a source, whose blanks are spliced already."""
    ours, theirs = socket.socketpair()
    served = threading.Thread(target=child.serve, args=(theirs,))
    served.start()
    try:
        job = Job(kernel, source, tuple(cases))
        return judge(job, worker._Talk(ours).execute(job))
    finally:
        ours.close()
        served.join()


def some_of(cases: list[HiddenCase], name: str) -> list[HiddenCase]:
    """A few, of all sizes, and others for another name: that a solution passes all, test_grading_cases.py shows."""
    step = max(1, len(cases) // FEW)
    return sorted(cases, key=lambda case: prod(case.shape))[crc32(name.encode()) % step :: step]


def assert_fails(kernel: Kernel, source: str) -> None:
    """It mostly does at the smallest cases already; only where it does not, all are run."""
    cases = sorted(draw(kernel, SECRET), key=lambda case: prod(case.shape))
    if graded(kernel, source, cases[:FEW]).status == "passed":
        assert graded(kernel, source, cases).status != "passed"


@pytest.mark.parametrize("one", STUDENTS, ids=lambda one: one.name)
def test_kernels_that_students_write(one: StudentKernel):
    if one.expect == "passed":
        found = graded(one.kernel, one.text, some_of(list(draw(one.kernel, SECRET)), one.name))
        assert found.status == "passed", found
    else:
        assert_fails(one.kernel, one.text)


def test_a_shape_of_its_own_is_tried_and_named_whatever_the_hidden_cases_are():
    hidden = [case for case in draw(load("04").kernel, SECRET) if case.shape[1] % 24 and case.shape[2] <= 200][:2]
    for name, ok in (("n_a_multiple_of_24", False), ("right_path_of_its_own", True)):
        (one,) = (one for one in STUDENTS if one.name == f"04_ragged_edges/{name}")
        marks = graded(one.kernel, one.text, hidden).cases
        assert [mark.ok for mark in marks[:2]] == [True, True] and {mark.kind for mark in marks[2:]} == {OWN_KIND}
        assert all(mark.ok for mark in marks[2:]) == ok
        assert ok or "At M, N, K = 72, 24, 40, where a condition of this kernel" in marks[2].message


TILED = load("02").kernel
LINE = "acc += As[ty][k] * Bs[k][tx];"
HELPER = "__device__ float product(float a, float b) { return a * b; }\n"


def changed(*pairs: tuple[str, str]) -> str:
    text = TILED.solution or ""
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def without_todo(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if "TODO" not in line)


# What passes the check of the whole file, or of the blanks in it, and the words with which grading refuses it; none
# where it passes there too.
WHOLE_FILES = {
    "a lambda": (changed((LINE, "auto at = [&](int i) { return As[ty][i] * Bs[i][tx]; }; acc += at(k);")), ""),
    "a jump": (changed((LINE, f"goto on; on: {LINE}")), ""),
    "assembly of its own": (changed((LINE, f'asm volatile("{{ .reg .f32 t; mov.f32 t, 0f00000000; }}"); {LINE}')), ""),
    "an assertion": (changed((LINE, f"assert(M > 0); {LINE}")), ""),
    "tabs and Windows lines": (changed(("    ", "\t"), ("\n", "\r\n")), ""),
    "other names and no TODO": (without_todo(changed(("acc", "sum"), ("row", "my_row"))), "boundary check"),
    "no TODO": (without_todo(changed()), ""),
    "a loop in a message": (changed((LINE, f'if (k > 99) printf("the \\"FOR\\" loop"); {LINE}')), ""),
    "an include in a comment": (changed((LINE, f'{LINE}  // #include "mine.h"')), ""),
    "a helper": (changed((LINE, "acc += product(As[ty][k], Bs[k][tx]);"), ("extern", f"{HELPER}extern")), "product"),
    "a macro of its own": (changed((LINE, f"#define T 16\n{LINE}\n#undef T")), ""),
    "lines counted anew": (changed((LINE, f"\n#line 3\n{LINE}")), "#line"),
    "a raw string": (changed((LINE, f'if (k > 99) printf(R"(x)"); {LINE}')), "a raw string"),
    "a very long line": (changed((LINE, f"{LINE} /* {'x' * 2_000} */")), "far larger than any kernel"),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE_FILES)
def test_what_passes_the_check_passes_here_or_is_told_why_not(name: str):
    text, refused = WHOLE_FILES[name]
    assert check_kernel(TILED, text, "kernel.cu", "emulator").passed
    submission = Submission("ann", "02_tiled_fma", text)
    spliced = splice(submission, TILED)
    judged = graded(TILED, spliced.source, sorted(draw(TILED, SECRET), key=lambda case: prod(case.shape))[:FEW])
    marked = score.grade(submission, load("02"), [Attempt(TILED, spliced, "key", judged)], HandMarks())
    assert (judged.status == "passed" and not marked.veto) == (not refused), marked
    assert refused in f"{marked.veto} {marked.note}" and (not refused or marked.veto or marked.note)


@pytest.mark.parametrize("kernel", PATIENTS, ids=lambda kernel: kernel.name)
def test_patients_as_they_are_handed_out(kernel: Kernel):
    assert_fails(kernel, kernel.starter)


@pytest.mark.parametrize("kernel", FIELD, ids=lambda kernel: kernel.path.stem)
def test_kernels_from_the_field(kernel: FieldKernel):
    shapes = kernel.failing or kernel.passing
    cases = [HiddenCase("x", "ordinary", shape, inputs, 1) for shape in shapes for inputs in kernel.inputs]
    as_lesson = Kernel(Path(), kernel.path.stem, kernel.spec, 16, (), (), "", None)
    found = graded(as_lesson, kernel.source, cases)
    assert (found.status == "passed") == kernel.is_right, found
