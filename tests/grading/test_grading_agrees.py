"""One rule for the check and for grading: every kernel that the check fails, by its own test, fails in grading too, and
what it passes passes.

The grader's talk with its child is whole here, over a channel; only the child is a thread and not a sandboxed process,
so that what was compiled once is found again.
"""

from __future__ import annotations

import socket
import sys
import threading
from math import prod
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from field_kernels import OWN, FieldKernel, read_kernels
from student_kernels import StudentKernel, student_kernels

from gemmlab.course.lesson import Kernel, load_all
from grading.marking.cases import draw
from grading.marking.judge import Judged, judge
from grading.model import HiddenCase, Job
from grading.sandbox import child, worker

SECRET = bytes(32)
FEW = 4
STUDENTS = student_kernels()
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


def assert_fails(kernel: Kernel, source: str) -> None:
    """It mostly does at the smallest cases already; only where it does not, all are run."""
    cases = sorted(draw(kernel, SECRET), key=lambda case: prod(case.shape))
    if graded(kernel, source, cases[:FEW]).status == "passed":
        assert graded(kernel, source, cases).status != "passed"


@pytest.mark.parametrize("one", STUDENTS, ids=lambda one: one.name)
def test_kernels_that_students_write(one: StudentKernel):
    if one.expect == "passed":
        found = graded(one.kernel, one.text, list(draw(one.kernel, SECRET)))
        assert found.status == "passed", found
    else:
        assert_fails(one.kernel, one.text)


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
