"""nbgrader's step that would execute a notebook, replaced: the marks for the code come from this grader's report.

Nothing that a student wrote is executed by nbgrader. The report must be newer than what was handed in, so that no mark
is that of an older kernel.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from gemmlab.course.lesson import is_name
from gemmlab.errors import UserError
from grading.hand_out import sentences as say
from grading.hand_out.nbgrader_export import MARKS_ID
from grading.marking import csv_text


class TakeMarks(NbGraderPreprocessor):
    """Gives the cell with the marks for the code its output: a line of text and the number that nbgrader takes."""

    course = Unicode(".", help="The folder of nbgrader's course.").tag(config=True)
    report = Unicode("report", help="The report of `python -m grading grade`, from that folder.").tag(config=True)
    submitted = Unicode("submitted", help="What was handed in, from that folder.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Raises UserError where the report does not have this student's marks, or has older ones."""
        known = resources["nbgrader"]
        student, lesson = known["student"], known["notebook"]
        if is_name(lesson):
            grades = Path(self.course, self.report, "grades.csv")
            _reject_older(grades, Path(self.course, self.submitted, student, known["assignment"], f"{lesson}.ipynb"))
            outputs = _outputs(_row(grades, student, lesson))
            for cell in nb.cells:
                if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade_id") == MARKS_ID:
                    cell.outputs = outputs
        return nb, resources


def _row(grades: Path, student: str, lesson: str) -> dict[str, str]:
    rows = _rows(grades, grades.stat().st_mtime_ns)
    if (student, lesson) not in rows:
        raise UserError(say.NO_ROW(grades=grades, student=student, lesson=lesson))
    return rows[student, lesson]


@lru_cache(maxsize=1)
def _rows(grades: Path, changed: int) -> dict[tuple[str, str], dict[str, str]]:
    """The rows by student and lesson, read again where the file was changed."""
    return {(row["student"], row["lesson"]): row for row in csv_text.read(grades.read_bytes())}


def _reject_older(grades: Path, handed_in: Path) -> None:
    if not grades.is_file():
        raise UserError(say.NO_GRADES(grades=grades))
    if handed_in.is_file() and handed_in.stat().st_mtime_ns > grades.stat().st_mtime_ns:
        raise UserError(say.OLD_GRADES(handed_in=handed_in, grades=grades))


def _outputs(row: dict[str, str]) -> list[NotebookNode]:
    """What a student may read, and the marks. A veto takes them all, as nbgrader knows no lesson that is failed."""
    marks = 0.0 if row["veto"] else float(row["code"] or 0) + float(row["boundary"] or 0)
    status = row["status"].replace("_", " ")
    told = say.MARKED_WITH_VETO(status=status, veto=row["veto"]) if row["veto"] else status
    return [
        v4.new_output("stream", name="stdout", text=f"{told}\n"),
        v4.new_output("execute_result", data={"text/plain": f"{marks:g}"}, execution_count=1),
    ]
