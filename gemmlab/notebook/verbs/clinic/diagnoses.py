"""What is right and wrong about a diagnosis of a published kernel.

A diagnosis is scored against what the check finds in the published kernel. Numbers alone tell no line: there, and
wherever the check points elsewhere, the line counts that the student's own mend changes, once the mend passes.
"""

from __future__ import annotations

from gemmlab.course import patients
from gemmlab.course.lesson import Claim, Kernel
from gemmlab.errors import UserError
from gemmlab.kernel.kinds import KINDS as FINDING_KINDS
from gemmlab.kernel.verdict import Verdict
from gemmlab.notebook.desk import Desk

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


def first_diagnosis(desk: Desk, patient: str) -> dict | None:
    """The first diagnosis of a patient."""
    return _first(desk, "diagnosis", patient=patient)


def first_judgement(desk: Desk, claim: str) -> dict | None:
    """The first judgement of a claim."""
    return _first(desk, "judgement", id=claim)


def _first(desk: Desk, kind: str, **fields: object) -> dict | None:
    entries = desk.progress.entries(desk.lesson.number, kind, **fields)
    return entries[0] if entries else None


def line_is_right(desk: Desk, patient: str) -> bool | None:
    """Whether a finding names the diagnosed line, or a mend that passes changed it; None while that is open."""
    first = first_diagnosis(desk, patient)
    if first is None:
        return None
    if first["line_right"]:
        return True
    mends = desk.progress.entries(desk.lesson.number, "attempt", patient=patient, status="passed")
    return any(first["line"] in entry["changed"] for entry in mends) if mends else None


def claim_of(desk: Desk, id: str) -> Claim:
    """The claim of that id. UserError where the lesson has none."""
    known = {claim.id: claim for claim in desk.lesson.claims}
    if id not in known:
        raise UserError(f"this lesson has no claim '{id}'; it has {', '.join(known) or 'none'}")
    return known[id]


def remark(kind: str, line: int, verdict: Verdict) -> str:
    """Two sentences on a diagnosis, by what the check found."""
    kinds, lines = kinds_found(verdict), lines_found(verdict, kind)
    if kind not in kinds:
        text = f"The check finds no such fault, but {' and '.join(map(words, kinds))}."
        lines = sorted({line for found in kinds for line in lines_found(verdict, found)})
    else:
        text = "The kind is right."
    if line in lines:
        return f"{text} The line is one that the check names."
    if lines:
        text += f" The check names {_lines(lines)}."
    else:
        text += " Numbers alone tell no line."
    return f"{text} Your line counts as right if the mend that passes changes it, or puts something beside it."


def require_diagnosis(kernel: Kernel, kind: str | None, line: int | None) -> None:
    """UserError where there is no such kind of fault, or no such line."""
    if kind not in KINDS:
        raise UserError(f"{kind!r} is no kind of fault; the kinds are {', '.join(KINDS)}")
    most = line_count(kernel)
    if type(line) is not int or not 1 <= line <= most:
        raise UserError(f"{line!r} is no line of {kernel.patient}; it has the lines 1 to {most}")


def line_count(kernel: Kernel) -> int:
    """Lines of the kernel as it was published."""
    return kernel.starter.rstrip("\n").count("\n") + 1


def changed_lines(kernel: Kernel, source: str) -> list[int]:
    """The lines of the published kernel that a mend changes."""
    return sorted(patients.changed_lines(kernel.starter, source))


def words(kind: str) -> str:
    """A kind of fault as Markdown."""
    return f"`{kind}`"


def _lines(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
