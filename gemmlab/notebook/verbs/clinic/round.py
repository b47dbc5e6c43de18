"""lesson.round()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.clinic.diagnoses import first_diagnosis, first_judgement, line_is_right
from gemmlab.pictures.output import Markdown, show


@verb
def round(desk: Desk) -> None:
    """All patients of the clinic: diagnosis, mend and claim."""
    rows = [_row(desk, kernel.patient) for kernel in desk.lesson.kernels if kernel.patient]
    show(Markdown("\n".join(["| patient | kind | line | mended | claim |", "|:--|:--|:--|:--|:--|", *rows])))


def _row(desk: Desk, patient: str) -> str:
    lesson, first = desk.lesson, first_diagnosis(desk, patient)
    kind = _mark(first["kind_right"] if first else None)
    line = _mark(line_is_right(desk, patient), "mend it first" if first else "–")
    attempts = [entry["status"] for entry in desk.progress.entries(lesson.number, "attempt", patient=patient)]
    mended = "yes" if "passed" in attempts else "not yet" if attempts else "–"
    judged = [first_judgement(desk, claim.id) for claim in lesson.claims if claim.patient == patient]
    claims = ", ".join(_mark(one["right"] if one else None) for one in judged)
    return f"| {patient} | {kind} | {line} | {mended} | {claims} |"


def _mark(right: bool | None, unknown: str = "–") -> str:
    return unknown if right is None else "right" if right else "wrong"
