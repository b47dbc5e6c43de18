"""lesson.diagnose("store_loop", "race", 12)"""

from __future__ import annotations

from functools import partial

from gemmlab.course.lesson import Kernel
from gemmlab.kernel.verdict import Verdict
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.clinic.diagnoses import (
    KINDS,
    first_diagnosis,
    kinds_found,
    line_count,
    lines_found,
    remark,
    require_diagnosis,
    words,
)
from gemmlab.pictures.output import Markdown, show


@verb
def diagnose(desk: Desk, patient: str, kind: str | None = None, line: int | None = None) -> None:
    """Say what is wrong with a published kernel, and in which line, before the check shows what it finds."""
    from gemmlab.panels.controls import there_are_widgets

    kernel = desk.lesson.kernel_named(patient)
    if kind is not None or line is not None or desk.solved:
        show(*_diagnosed(desk, kernel, kind, line))
        return
    kinds = ", ".join(map(words, KINDS))
    question = f"**{patient}**, not attempted: write a kind and a line in place of `None`. Kinds: {kinds}."
    if not there_are_widgets():
        show(Markdown(question))
        return
    from gemmlab.panels.quiz import show_fault_field

    show_fault_field(Markdown(question), KINDS, line_count(kernel), partial(_diagnosed, desk, kernel))


def _diagnosed(desk: Desk, kernel: Kernel, kind: str | None, line: int | None) -> list[object]:
    """What is said of a diagnosis, which is kept, if there is one, and what the check finds."""
    from gemmlab.check.check import check_source
    from gemmlab.pictures.verdict import VerdictReport

    if kind is not None or line is not None:
        require_diagnosis(kernel, kind, line)
    verdict = check_source(kernel.starter, f"{kernel.patient}.cu", kernel.launch, kernel.cases, "emulator")
    said = [Markdown(_scored(desk, kernel.patient, kind, line, verdict))] if kind is not None else []
    return [*said, VerdictReport(verdict, kernel.starter)]


def _scored(desk: Desk, patient: str, kind: str, line: int, verdict: Verdict) -> str:
    """Keep the diagnosis if it is the first, and say what the check says of it."""
    first = first_diagnosis(desk, patient)
    if first is None:
        desk.record(
            "diagnosis",
            patient=patient,
            named=kind,
            line=line,
            kind_right=kind in kinds_found(verdict),
            line_right=line in lines_found(verdict, kind),
        )
    text = f"**{patient}**: you say {words(kind)} in line {line}. {remark(kind, line, verdict)}"
    if first is not None and (first["named"], first["line"]) != (kind, line):
        text += f" Your first diagnosis stands: {words(first['named'])} in line {first['line']}."
    return text
