"""Marks given by hand: one CSV file that the instructor fills, by a spreadsheet or by `python -m grading marks`.

Each `grade` writes the file with a row for every student, lesson and item, and keeps what was filled in. A row that
cannot be used stays in the file as it was typed, with the reason in the column `problem`: nothing is ever lost.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gemmlab.errors import UserError
from gemmlab.files import write_whole
from grading.marking import csv_text, rubric
from grading.marking import sentences as say
from grading.model import Graded

FILE_NAME = "hand_marks.csv"
VETO = "veto"  # the item whose comment fails the lesson
COLUMNS = (
    "row",
    "student",
    "lesson",
    "item",
    "marks",
    "of",
    "comment",
    "problem",
    "question",
    "answer",
    "rubric",
    "answer_id",
)
_KEY = ("student", "lesson", "item")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class HandMark:
    """What was given for one item: `marks` is None where nothing was, or nothing that can be used, and why is in
    `problem`."""

    marks: float | None = None
    comment: str = ""
    problem: str = ""


class HandMarks:
    """The rows of the file, each with its cells by column."""

    def __init__(self, rows: Iterable[dict[str, str]] = ()) -> None:
        self.rows = [dict.fromkeys(COLUMNS, "") | row for row in rows]
        self._by_key: dict[str, list[dict[str, str]]] = {}
        for row in self.rows:
            for key in {_named(row), row["row"].strip()}:
                self._by_key.setdefault(key, []).append(row)
        self._ids = {row["row"].strip() for row in self.rows}

    def rows_of(self, student: str, lesson: str, item: str) -> list[dict[str, str]]:
        """The rows for that item. A spreadsheet may have changed a name (00123 to 123), but not the row's own id."""
        key = row_id(student, lesson, item)
        return [row for row in self._by_key.get(key, []) if not self._is_anothers(row, key)]

    def _is_anothers(self, row: dict[str, str], key: str) -> bool:
        """Whether the row was copied from this item's row and then given another name that is known as well."""
        return _named(row) != key and _named(row) in self._ids

    def veto_of(self, student: str, lesson: str) -> HandMark:
        """The veto by hand, whose reason is the comment."""
        given = self.of(student, lesson, VETO, math.inf)
        if given.comment or (given.marks is None and not given.problem):
            return HandMark(comment=given.comment)
        return HandMark(problem=say.VETO_WITHOUT_REASON())

    def of(self, student: str, lesson: str, item: str, possible: float) -> HandMark:
        """What was given for that item, of so many marks."""
        rows = [row for row in self.rows_of(student, lesson, item) if row["marks"].strip() or row["comment"].strip()]
        comment = " ".join(dict.fromkeys(row["comment"].strip() for row in rows if row["comment"].strip()))
        typed = list(dict.fromkeys(row["marks"].strip() for row in rows if row["marks"].strip()))
        if len(typed) > 1:
            return HandMark(None, comment, say.MARKED_TWICE(marks=", ".join(typed[:3])))
        if not typed:
            return HandMark(None, comment)
        marks, problem = _number(typed[0], possible)
        return HandMark(marks, comment, problem)

    def problem_of(self, row: dict[str, str]) -> str:
        """What is wrong with what stands in that row, which is one of those that `write` made; '' where nothing is."""
        key = (row["student"], row["lesson"])
        if row["item"] == VETO:
            return self.veto_of(*key).problem
        return self.of(*key, row["item"], float(row["of"])).problem


def _number(text: str, possible: float) -> tuple[float | None, str]:
    """The marks that were typed, or None and why they are none."""
    try:
        marks = float(text.replace(",", ".").replace("½", ".5"))
    except ValueError:
        marks = math.nan
    if not math.isfinite(marks):
        return None, say.NO_NUMBER(text=text[:20])
    if not 0 <= marks <= possible:
        return None, say.NOT_POSSIBLE(text=text[:20], possible=f"{possible:g}")
    return marks, ""


def row_id(student: str, lesson: str, item: str) -> str:
    """A name for a row that is the same on every run."""
    return _letters(student, lesson, item)


def answer_id(answer: str) -> str:
    """A name for an answer, so that one that was changed is noticed."""
    return _letters(answer)


def _letters(*texts: str) -> str:
    """A digest of the texts that no spreadsheet takes for a number or a date."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).digest()
    number = int.from_bytes(digest[:8], "big")
    return "".join(_LETTERS[number // 26**place % 26] for place in range(12))


def _named(row: dict[str, str]) -> str:
    """The id of the row that this one's cells name."""
    return row_id(*(row[name].strip() for name in _KEY))


def is_markable(row: dict[str, str]) -> bool:
    """Whether it is a row that `write` made and that nobody spoilt."""
    is_item = row["of"].replace(".", "", 1).isdecimal() or row["item"] == VETO
    return is_item and row["row"] == _named(row)


def read(folder: Path) -> HandMarks:
    """What the folder of reports has. Raises UserError where the file is not one of marks."""
    path = folder / FILE_NAME
    try:
        rows = csv_text.read(path.read_bytes())
    except FileNotFoundError:
        return HandMarks()
    except OSError as error:
        raise UserError(say.CANNOT_READ_MARKS(path=path, reason=error.strerror)) from None
    except UserError as error:
        raise UserError(say.MARKS_NO_CSV(path=path, reason=error)) from None
    if rows and not set(_KEY) | {"marks"} <= set(rows[0]):
        columns = ", ".join((*_KEY, "marks"))
        raise UserError(say.MARKS_LACK_COLUMNS(path=path, columns=columns))
    return HandMarks(rows)


def write(folder: Path, graded: Sequence[Graded], hand: HandMarks) -> None:
    """The file with a row for all that is to be marked, and those rows that belong to nothing in this run."""
    save(folder, rows_for(graded, hand))


def save(folder: Path, rows: Iterable[dict[str, str]]) -> None:
    """The file with just these rows. It begins with the mark that tells spreadsheets its encoding."""
    write_whole(folder / FILE_NAME, "\ufeff" + csv_text.written(COLUMNS, rows))


def rows_for(graded: Sequence[Graded], hand: HandMarks) -> Iterator[dict[str, str]]:
    """The cells of the file, in its order."""
    used: set[int] = set()
    for one in graded:
        for row in _rows_of(one, hand):
            found = hand.rows_of(*(row[name] for name in _KEY))
            used |= {id(other) for other in found}
            yield from _filled(row, found)
    lessons = {one.lesson for one in graded}
    yield from (_left_over(row, lessons) for row in hand.rows if id(row) not in used)


def _rows_of(one: Graded, hand: HandMarks) -> Iterator[dict[str, str]]:
    """The empty rows of one student's lesson."""
    rubrics = rubric.load(one.lesson)
    for item in one.hand_items:
        yield _row(
            one, item.id, of=f"{item.possible:g}", problem=item.problem, question=item.question, answer=item.answer,
            rubric=rubrics.of(item.id),
        )  # fmt: skip
    yield _row(one, VETO, question=say.VETO_HELP(), problem=hand.veto_of(one.student, one.lesson).problem)


def _row(one: Graded, item: str, **cells: str) -> dict[str, str]:
    key = (one.student, one.lesson, item)
    cells = {"problem": "", "answer": "", **cells}
    return {"row": row_id(*key), **dict(zip(_KEY, key)), **cells, "answer_id": answer_id(cells["answer"])}


def _filled(row: dict[str, str], found: Sequence[dict[str, str]]) -> Iterator[dict[str, str]]:
    """The row with what was typed, once for each that was typed in, the same ones only once."""
    typed = {(other["marks"].strip(), other["comment"].strip()): other["answer_id"].strip() for other in found}
    typed.pop(("", ""), None)
    for (marks, comment), marked in (typed or {("", ""): ""}).items():
        now = row["answer_id"]
        marked = marked if marked and marks else now
        problem = row["problem"] or ("" if marked == now else say.ANSWER_CHANGED())
        yield row | {"marks": marks, "comment": comment, "problem": problem, "answer_id": marked}


def _left_over(row: dict[str, str], lessons: set[str]) -> dict[str, str]:
    """A row of a lesson that was not graded this time stays as it is; any other is told about."""
    if not row["marks"].strip() and not row["comment"].strip():
        return row | {"problem": ""}
    if row["lesson"].strip() not in lessons:
        return row
    return row | {"problem": say.NO_SUCH_ROW()}


def problems(graded: Sequence[Graded], hand: HandMarks) -> list[str]:
    """A sentence for each row that could not be used."""
    told = []
    for row in rows_for(graded, hand):
        if row.get("problem"):
            told.append(say.OF_ROW(**{name: row[name] for name in (*_KEY, "problem")}))
    return list(dict.fromkeys(told))
