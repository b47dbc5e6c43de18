"""overview.html: the class at a glance, for the instructor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from grading.marking.copies import likely_copies
from grading.model import Graded
from grading.reports import statistics
from grading.reports.page import render


def text(graded: Sequence[Graded], files: Mapping[str, str], problems: Sequence[str]) -> str:
    """The page. `problems` are what could not be used of the marks by hand, a sentence each."""
    return render(
        "overview.html",
        graded=graded,
        links={student: f"feedback/{quote(name)}.html" for student, name in files.items()},
        lessons=statistics.by_lesson(graded),
        copies=likely_copies(graded, _solutions(graded)),
        problems=problems,
        unmarked=sum(len(one.unmarked) for one in graded),
    )


def _solutions(graded: Sequence[Graded]) -> dict[str, dict[str, str]]:
    """The answers of the course itself, by lesson and blank."""
    return {name: _answers(name) for name in sorted({one.lesson for one in graded})}


def _answers(lesson: str) -> dict[str, str]:
    try:
        return {blank.name: blank.answer or "" for blank in load(lesson).blanks}
    except UserError:  # a lesson that this course does not have any more
        return {}
