"""One rule for the check and for grading: every kernel that the check fails, by its own test, fails in grading too.

The grader's talk with its child is whole here, over a channel; only the child is a thread and not a sandboxed process,
so that what was compiled once is found again.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from math import prod
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from field_kernels import OWN, FieldKernel, read_kernels

from gemmlab.course.lesson import Kernel, load
from grading.marking.cases import draw
from grading.marking.judge import Judged, judge
from grading.model import HiddenCase
from grading.sandbox import child, worker

KERNELS = Path(__file__).parents[1] / "kernels"
SECRET = bytes(32)
FEW = 4


def graded(kernel: Kernel, source: str, cases: tuple[HiddenCase, ...]) -> Judged:
    """What grading makes of a source, whose blanks are spliced already."""
    ours, theirs = socket.socketpair()
    served = threading.Thread(target=child.serve, args=(theirs,))
    served.start()
    try:
        job = worker.Job(kernel, source, cases)
        return judge(job, worker._Talk(ours).execute(job))
    finally:
        ours.close()
        served.join()


def of_lessons() -> Iterator[tuple[str, Kernel, str, bool]]:
    """Name, kernel, source, and whether the check passes it."""
    for path in sorted(KERNELS.glob("[0-9]*/**/*.cu")):
        lesson, *patient = path.relative_to(KERNELS).parts[:-1]
        kernel = load(lesson).kernel_named(*patient) if patient else load(lesson).kernel
        source = path.read_text()
        yield f"{kernel.name}/{path.stem}", kernel, source, source.startswith("// expect: passed")


def of_the_clinic() -> Iterator[tuple[str, Kernel, str, bool]]:
    """The patients, as they are handed out."""
    for kernel in load("14").kernels:
        yield f"{kernel.name}, ill", kernel, kernel.starter, False


STUDENTS = [*of_lessons(), *of_the_clinic()]
FIELD = read_kernels(OWN)


@pytest.mark.parametrize("name, kernel, source, is_right", STUDENTS, ids=[name for name, *_ in STUDENTS])
def test_kernels_of_lessons(name: str, kernel: Kernel, source: str, is_right: bool):
    """A wrong one mostly fails at the smallest cases already; only where it does not, all are run."""
    cases = sorted(draw(kernel, SECRET), key=lambda case: prod(case.shape))
    found = graded(kernel, source, tuple(cases if is_right else cases[:FEW]))
    if found.status == "passed" and not is_right:
        found = graded(kernel, source, tuple(cases))
    assert (found.status == "passed") == is_right, found


@pytest.mark.parametrize("kernel", FIELD, ids=lambda kernel: kernel.path.stem)
def test_kernels_from_the_field(kernel: FieldKernel):
    shapes = kernel.failing or kernel.passing
    cases = tuple(HiddenCase("x", "ordinary", shape, inputs, 1) for shape in shapes for inputs in kernel.inputs)
    as_lesson = Kernel(Path(), kernel.path.stem, kernel.spec, 16, (), (), "", None)
    found = graded(as_lesson, kernel.source, cases)
    assert (found.status == "passed") == kernel.is_right, found
