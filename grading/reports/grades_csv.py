"""grades.csv: a row for each student and lesson, for a spreadsheet or a learning platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grading.marking import csv_text
from grading.model import Graded

COLUMNS = ("student", "lesson", "code", "boundary", "total", "veto", "status", "note", "result", "hand")


def text(graded: Sequence[Graded], files: Mapping[str, str]) -> str:
    """`code` are the marks for ordinary shapes. After the columns that other tools rely on come the result of the
    lesson, the marks by hand and their parts, and the file of the feedback."""
    items = tuple(dict.fromkeys(item.id for one in graded for item in one.hand_items))
    return csv_text.written((*COLUMNS, *items, "feedback"), [_row(one, files) for one in graded])


def _row(one: Graded, files: Mapping[str, str]) -> dict[str, str | float]:
    marks = {"code": one.code, "boundary": one.boundary, "total": one.total, "hand": one.hand}
    marks |= {item.id: item.marks for item in one.hand_items}
    return {
        "student": one.student,
        "lesson": one.lesson,
        "veto": one.veto,
        "status": one.status,
        "note": " ".join(one.note.split()),
        "result": one.result,
        "feedback": f"feedback/{files[one.student]}.html",
        **{name: _number(value) for name, value in marks.items()},
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{round(value, 2):g}"
