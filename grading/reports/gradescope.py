"""gradescope/STUDENT.json: the results.json of a Gradescope autograder, with all lessons of the student.

The format is Gradescope's own: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from grading.model import Graded, HandItem, KernelMark
from grading.reports import sentences as say
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
    lines = [say.TOTAL(lesson=_title(one), total=marks(one.total), result=RESULT_WORDS[one.result])]
    if one.veto:
        lines.append(say.VETO(veto=one.veto))
    if one.unmarked:
        lines.append(say.NOT_MARKED(items=", ".join(item.id for item in one.unmarked)))
    return "\n".join([*lines, *one.remarks])


def _title(one: Graded) -> str:
    return say.TITLE(number=one.lesson[:2], title=one.title) if one.title else one.lesson


def _tests(one: Graded) -> Iterator[dict]:
    groups = {"ordinary": (say.ORDINARY, one.code), "boundary": (say.BOUNDARY, one.boundary)}
    for group, (name, score) in groups.items():
        most = one.marks.get(group, 0.0)
        yield {
            "name": name(lesson=_title(one)),
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
    for text in _told(kernel, group):
        yield say.OF_KERNEL(kernel=patient, text=text) if patient else text


def _told(kernel: KernelMark, group: str) -> Iterator[str]:
    if not kernel.cases:
        yield f"{STATUS_WORDS[kernel.status]}\n{kernel.note}".strip()
    for case in kernel.cases:
        if case.group == group:
            right = say.CASE_RIGHT(kind=case.kind)
            yield right if case.ok else say.CASE_WRONG(kind=case.kind, message=case.message)
    if kernel.holds and group == "ordinary":
        yield kernel.holds
    yield from (say.WARNING(warning=warning) for warning in kernel.warnings)


def _by_hand(one: Graded, item: HandItem) -> dict:
    """A test without a score is shown as text alone, so that what is not marked yet costs nothing."""
    test = {"name": say.BY_HAND(lesson=_title(one), item=item.id), "output": item.comment or say.MARKED_BY_HAND()}
    if item.marks is None:
        return test | {"output": say.NOT_MARKED_YET()}
    return test | {"score": _round(item.marks), "max_score": item.possible}


def _round(value: float) -> float:
    return round(value, 2)
