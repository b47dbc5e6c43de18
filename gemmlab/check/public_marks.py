"""The marks that a student's code would get for the public cases, as a number: the value of a notebook's last cell."""

from __future__ import annotations

from gemmlab.check.check import check_kernel, read_kernel
from gemmlab.course.lesson import Kernel, Lesson, load
from gemmlab.kernel.verdict import Verdict

_GROUPS = {"ordinary": "ordinary", "boundary": "ragged"}  # a mark, and the cases that it is given for


def public_marks(which: str) -> float:
    """The marks for the code of that lesson, without those for words; 0 for a kernel that is not right or not there.

    The emulator judges, so that they are the same on every machine.
    """
    lesson = load(which)
    shares = [_marks(lesson, kernel) for kernel in lesson.kernels]
    return round(sum(shares) / len(shares), 2)


def _marks(lesson: Lesson, kernel: Kernel) -> float:
    """Those of a group where all of its cases are right. A fault beside them, such as too much memory traffic, costs
    the marks for ordinary shapes."""
    if not kernel.path.is_file():
        return 0.0
    source = read_kernel(kernel.path)
    if kernel.whole and kernel.is_untouched(source):  # it is right, and nobody's work
        return 0.0
    verdict = check_kernel(kernel, source, kernel.path.name, backend="emulator")
    right = {mark: _all_right(verdict, kernel, label) for mark, label in _GROUPS.items()}
    if all(right.values()) and not verdict.passed:
        right["ordinary"] = False
    return sum(lesson.marks[mark] for mark in _GROUPS if right[mark])


def _all_right(verdict: Verdict, kernel: Kernel, label: str) -> bool:
    results = [result.ok for case, result in zip(kernel.cases, verdict.cases) if case.label == label]
    return bool(results) and all(results)
