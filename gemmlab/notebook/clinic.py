"""The claims clinic: kernels as they were published, wrong, and what came with them, at work in a notebook.

A diagnosis is scored against what the check finds in the published kernel. Numbers alone tell no line: there, and
wherever the check points elsewhere, the line counts that the student's own mend changes, once the mend passes.
"""

from __future__ import annotations

from functools import partial

from gemmlab.course import patients
from gemmlab.course.lesson import Claim, Kernel, Lesson
from gemmlab.course.progress import Progress
from gemmlab.errors import UserError
from gemmlab.kernel.kinds import KINDS as FINDING_KINDS
from gemmlab.kernel.verdict import Verdict
from gemmlab.panels.controls import there_are_widgets
from gemmlab.pictures.output import Markdown, Report, escape, show, show_picture

KINDS = tuple(name for name, kind in FINDING_KINDS.items() if kind.diagnosed)


def kinds_found(verdict: Verdict) -> list[str]:
    """The kinds of fault in a verdict, in order; wrong numbers only where no other fault explains them."""
    errors = [finding for finding in verdict.findings if finding.is_error]
    own = [finding for finding in errors if finding.kind != "wrong_result" or "pattern" in finding.details]
    return list(dict.fromkeys(finding.kind for finding in own))


def lines_found(verdict: Verdict, kind: str) -> list[int]:
    """The lines that findings of that kind name, in order."""
    named = [
        line
        for finding in verdict.findings
        if finding.is_error and finding.kind == kind
        for line in (finding.line, *finding.details.get("lines", ()))
    ]
    return sorted({line for line in named if line})


class Clinic:
    """A lesson's patients and claims. In a solved notebook (`solved`) nothing is owed before something is shown."""

    def __init__(self, lesson: Lesson, progress: Progress, solved: bool) -> None:
        self.lesson, self.progress, self.solved = lesson, progress, solved

    # ---- patients

    def read(self, patient: str) -> None:
        """Show the kernel as it was published, with line numbers."""
        from rich.text import Text

        lines = self.lesson.kernel_named(patient).starter.rstrip("\n").split("\n")
        listing = [f"{number:3} | {line}" for number, line in enumerate(lines, 1)]
        show(Report(Text("\n".join(listing)), text_width=max(map(len, listing))))

    def diagnose(self, patient: str, kind: str | None, line: int | None) -> None:
        """Keep the first diagnosis and then show what the check finds; None asks for one."""
        kernel = self.lesson.kernel_named(patient)
        if kind is not None or line is not None or self.solved:
            show(*self._diagnosed(kernel, kind, line))
            return
        kinds = ", ".join(f"`{kind}`" for kind in KINDS)
        words = f"**{patient}**, not attempted: write a kind and a line in place of `None`. Kinds: {kinds}."
        if not there_are_widgets():
            show(Markdown(words))
            return
        from gemmlab.panels.quiz import show_fault_field

        show_fault_field(Markdown(words), KINDS, _line_count(kernel), partial(self._diagnosed, kernel))

    def _diagnosed(self, kernel: Kernel, kind: str | None, line: int | None) -> list[object]:
        """What is said of a diagnosis, which is kept, if there is one, and what the check finds."""
        from gemmlab.check.check import check_source
        from gemmlab.pictures.verdict import VerdictReport

        if kind is not None or line is not None:
            _require_diagnosis(kernel, kind, line)
        verdict = check_source(kernel.starter, f"{kernel.patient}.cu", kernel.launch, kernel.cases, "emulator")
        said = [Markdown(self._scored(kernel.patient, kind, line, verdict))] if kind is not None else []
        return [*said, VerdictReport(verdict, kernel.starter)]

    def _scored(self, patient: str, kind: str, line: int, verdict: Verdict) -> str:
        first = self.diagnosis(patient)
        if first is None:
            self.progress.record(
                self.lesson.number,
                "diagnosis",
                patient=patient,
                named=kind,
                line=line,
                kind_right=kind in kinds_found(verdict),
                line_right=line in lines_found(verdict, kind),
            )
        text = f"**{patient}**: you say {_words(kind)} in line {line}. {remark(kind, line, verdict)}"
        if first is not None and (first["named"], first["line"]) != (kind, line):
            text += f" Your first diagnosis stands: {_words(first['named'])} in line {first['line']}."
        return text

    def diagnosis(self, patient: str) -> dict | None:
        """The first diagnosis of a patient."""
        entries = self.progress.entries(self.lesson.number, "diagnosis", patient=patient)
        return entries[0] if entries else None

    def line_is_right(self, patient: str) -> bool | None:
        """Whether a finding names the diagnosed line, or a mend that passes changed it; None while that is open."""
        first = self.diagnosis(patient)
        if first is None or first["line_right"]:
            return first and True
        mends = self.progress.entries(self.lesson.number, "attempt", patient=patient, status="passed")
        return any(first["line"] in entry["changed"] for entry in mends) if mends else None

    # ---- claims

    def evidence(self, id: str) -> None:
        """Run the experiment of a claim and show its numbers, without a conclusion."""
        from gemmlab.notebook import claims

        claim = self._claim(id)
        found = claims.examine(claim.id, self.lesson)
        show(Markdown(found.text))
        if found.picture:
            show_picture(found.picture)

    def judge(self, id: str, holds: bool | None) -> None:
        """Keep the first judgement and say what the experiment says; None asks for one."""
        claim = self._claim(id)
        if holds is not None or self.solved:
            show(self._judged(claim, holds))
            return
        words = f"**{id}**: “{escape(claim.text)}” Write `True` if it holds, `False` if not, for `None`."
        if not there_are_widgets():
            show(Markdown(words))
            return
        from gemmlab.panels.quiz import show_choice

        answers = {"It holds": True, "It does not hold": False}
        show_choice(Markdown(words), answers, lambda holds: [self._judged(claim, holds)])

    def _judged(self, claim: Claim, holds: bool | None) -> Markdown:
        """Keep the judgement if it is the first, and say what the experiment says."""
        from gemmlab.notebook import claims

        if holds is not None and not isinstance(holds, bool):
            raise UserError(f"{holds!r} is no judgement: write True or False")
        truth = claims.examine(claim.id, self.lesson).holds
        if holds is not None and self.judgement(claim.id) is None:
            self.progress.record(self.lesson.number, "judgement", id=claim.id, value=holds, right=holds == truth)
        said = "" if holds is None else f" You said {holds}: {'right' if holds == truth else 'wrong'}."
        state = "holds" if truth else "does not hold"
        return Markdown(f"“{escape(claim.text)}” **{state}.**{said} {escape(claim.truth)}")

    def judgement(self, id: str) -> dict | None:
        """The first judgement of a claim."""
        entries = self.progress.entries(self.lesson.number, "judgement", id=id)
        return entries[0] if entries else None

    def _claim(self, id: str) -> Claim:
        known = {claim.id: claim for claim in self.lesson.claims}
        if id not in known:
            raise UserError(f"this lesson has no claim '{id}'; it has {', '.join(known) or 'none'}")
        return known[id]

    # ---- the round

    def round(self) -> None:
        """One row a patient: the diagnosis, the mend, and the judgement of its claim."""
        rows = [self._row(kernel.patient) for kernel in self.lesson.kernels]
        show(Markdown("\n".join(["| patient | kind | line | mended | claim |", "|:--|:--|:--|:--|:--|", *rows])))

    def _row(self, patient: str) -> str:
        first = self.diagnosis(patient)
        kind = _mark(first and first["kind_right"])
        line = _mark(self.line_is_right(patient), "mend it first" if first else "–")
        attempts = [entry["status"] for entry in self.progress.entries(self.lesson.number, "attempt", patient=patient)]
        mended = "yes" if "passed" in attempts else "not yet" if attempts else "–"
        judged = [self.judgement(claim.id) for claim in self.lesson.claims if claim.patient == patient]
        return f"| {patient} | {kind} | {line} | {mended} | {', '.join(_mark(j and j['right']) for j in judged)} |"


def remark(kind: str, line: int, verdict: Verdict) -> str:
    """Two sentences on a diagnosis, by what the check found."""
    kinds, lines = kinds_found(verdict), lines_found(verdict, kind)
    if kind not in kinds:
        text = f"The check finds no such fault, but {' and '.join(map(_words, kinds))}."
        lines = sorted({line for found in kinds for line in lines_found(verdict, found)})
    else:
        text = "The kind is right."
    if line in lines:
        return f"{text} The line is one that the check names."
    if lines:
        text += f" The check names {_lines(lines)}."
    else:
        text += " Numbers alone tell no line."
    return f"{text} Your line counts as right if the mend that passes changes it."


def _require_diagnosis(kernel: Kernel, kind: str | None, line: int | None) -> None:
    if kind not in KINDS:
        raise UserError(f"{kind!r} is no kind of fault; the kinds are {', '.join(KINDS)}")
    most = _line_count(kernel)
    if type(line) is not int or not 1 <= line <= most:
        raise UserError(f"{line!r} is no line of {kernel.patient}; it has the lines 1 to {most}")


def _line_count(kernel: Kernel) -> int:
    return kernel.starter.rstrip("\n").count("\n") + 1


def changed_lines(kernel: Kernel, source: str) -> list[int]:
    """The lines of the published kernel that a mend changes."""
    return sorted(patients.changed_lines(kernel.starter, source))


def _words(kind: str) -> str:
    return f"`{kind}`"


def _lines(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _mark(right: bool | None, unknown: str = "–") -> str:
    return unknown if right is None else "right" if right else "wrong"
