"""The reports of a batch, one module each, all made from the same Graded objects.

    grades.csv               a row for each student and lesson
    feedback/STUDENT.html    what a student may see
    gradescope/STUDENT.json  the same in Gradescope's results.json format
    overview.html            the class: what fails most, totals, likely copies
    times.html, audit.jsonl  what was executed, and how long it took
    hand_marks.csv           to be filled in by hand (grading/hand_marks.py)

The same results give the same bytes. Times differ from run to run and stand in times.html and audit.jsonl alone, as
they were when a kernel was executed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gemmlab.errors import UserError
from gemmlab.files import forget_drafts, write_whole
from grading.marking import hand_marks
from grading.model import Graded
from grading.reports import audit_log, feedback, grades_csv, gradescope, names, overview, times
from grading.reports import sentences as say


def write(out: Path, graded: Sequence[Graded], audit: Sequence[dict]) -> None:
    """All the files, each of them whole. Raises UserError where the folder cannot be written to.

    A feedback page or Gradescope file of a student who is not in this batch any more is taken away.
    """
    hand = hand_marks.read(out)
    files = names.file_names(one.student for one in graded)
    by_student: dict[str, list[Graded]] = {student: [] for student in files}
    for one in graded:
        by_student[one.student].append(one)
    try:
        forget_drafts(out)
        hand_marks.write(out, graded, hand)
        write_whole(out / "grades.csv", grades_csv.text(graded, files))
        _write_folder(out / "feedback", ".html", by_student, files, feedback.text)
        _write_folder(out / "gradescope", ".json", by_student, files, gradescope.text)
        write_whole(out / "overview.html", overview.text(graded, files, hand_marks.problems(graded, hand)))
        write_whole(out / "times.html", times.text(audit))
        write_whole(out / "audit.jsonl", audit_log.text(audit))
    except OSError as error:
        raise UserError(say.CANNOT_WRITE(folder=out, reason=error.strerror or error)) from None


def _write_folder(
    folder: Path,
    ending: str,
    by_student: Mapping[str, Sequence[Graded]],
    files: Mapping[str, str],
    text: Callable[[str, Sequence[Graded]], str],
) -> None:
    """One file a student."""
    folder.mkdir(exist_ok=True)
    forget_drafts(folder)
    for student, lessons in by_student.items():
        write_whole(folder / f"{files[student]}{ending}", text(student, lessons))
    kept = {f"{name}{ending}" for name in files.values()}
    for path in folder.glob(f"*{ending}"):
        if path.name not in kept:
            path.unlink()
