"""gradescope/STUDENT.json: the results.json of a Gradescope autograder, with all lessons of the student.

The format is Gradescope's own: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from grading.model import Graded, HandItem, KernelMark
from grading.reports.page import RESULT_WORDS, STATUS_WORDS, marks


def text(student: str, lessons: Sequence[Graded]) -> str:
    """The JSON text. All of it is plain text, and nothing in it tells of hidden shapes or data."""
    results = {
        "score": _round(sum(one.total for one in lessons)),
        "output": "\n\n".join(_summary(one) for one in lessons),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test for one in lessons for test in _tests(one)],
        "extra_data": {
            "student": student,
            "lessons": {one.lesson: {"status": one.status, "result": one.result, "veto": one.veto} for one in lessons},
        },
    }
    return json.dumps(results, indent=2) + "\n"


def _summary(one: Graded) -> str:
    lines = [f"{_title(one)}: {marks(one.total)} of 10 marks, {RESULT_WORDS[one.result]}."]
    if one.veto:
        lines.append(f"This fails the lesson whatever the marks are: {one.veto}.")
    if one.unmarked:
        lines.append(f"Not marked yet: {', '.join(item.id for item in one.unmarked)}.")
    return "\n".join([*lines, *one.remarks])


def _title(one: Graded) -> str:
    number = one.lesson[:2]
    return f"{number} {one.title}" if one.title else one.lesson


def _tests(one: Graded) -> Iterator[dict]:
    groups = {"ordinary": ("ordinary shapes", one.code), "boundary": ("boundary shapes", one.boundary)}
    for group, (words, score) in groups.items():
        most = one.marks.get(group, 0.0)
        yield {
            "name": f"{_title(one)}: {words}",
            "score": _round(score),
            "max_score": most,
            "status": "passed" if score >= most else "failed",
            "output": "\n".join(line for kernel in one.kernels for line in _lines(kernel, group))
            or STATUS_WORDS[one.status],
        }
    yield from (_by_hand(one, item) for item in one.hand_items)


def _lines(kernel: KernelMark, group: str) -> Iterator[str]:
    """What became of each kind of hidden case of the group, or why there is nothing to tell."""
    patient = kernel.name.partition("/")[2]
    where = f"{patient}: " if patient else ""
    if not kernel.cases:
        yield f"{where}{STATUS_WORDS[kernel.status]}\n{kernel.note}".strip()
    for case in kernel.cases:
        if case.group == group:
            yield f"{where}{case.kind}: {'right' if case.ok else case.message}"


def _by_hand(one: Graded, item: HandItem) -> dict:
    """A test without a score is shown as text alone, so that what is not marked yet costs nothing."""
    test = {"name": f"{_title(one)}: {item.id}", "output": item.comment or "Marked by hand."}
    if item.marks is None:
        return test | {"output": "Not marked yet."}
    return test | {"score": _round(item.marks), "max_score": item.possible}


def _round(value: float) -> float:
    return round(value, 2)
