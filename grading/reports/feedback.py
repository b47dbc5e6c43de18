"""feedback/STUDENT.html: what a student may see. It names kinds of hidden cases, and never a shape or data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grading.model import TO_PASS, CaseMark, Graded, KernelMark
from grading.reports.page import render

_LINE = re.compile(r"\b[Ll]ine (\d+)")


@dataclass(frozen=True)
class SourceLine:
    """A line of what was compiled; `is_named` where a message speaks of it."""

    number: int
    text: str
    is_named: bool


@dataclass(frozen=True)
class KernelPart:
    """What the page says of one kernel."""

    mark: KernelMark
    patient: str
    source: tuple[SourceLine, ...]
    changes: tuple[tuple[str, str], ...]

    @property
    def right(self) -> list[CaseMark]:
        return [case for case in self.mark.cases if case.ok]

    @property
    def faults(self) -> dict[tuple[str, str], list[CaseMark]]:
        """The cases that failed, by finding and message: one fault mostly fails several."""
        found: dict[tuple[str, str], list[CaseMark]] = {}
        for case in self.mark.cases:
            if not case.ok:
                found.setdefault((case.finding, case.message), []).append(case)
        return found


def text(student: str, lessons: Sequence[Graded]) -> str:
    """The page with all lessons of the student."""
    parts = [(one, [_part(kernel) for kernel in one.kernels]) for one in lessons]
    return render("feedback.html", student=student, lessons=parts, to_pass=TO_PASS)


def _part(kernel: KernelMark) -> KernelPart:
    return KernelPart(kernel, kernel.name.partition("/")[2], tuple(_source(kernel)), tuple(_diff(kernel.changes)))


def _source(kernel: KernelMark) -> Iterator[SourceLine]:
    """The lines that the messages name, with the others around them; nothing where no message names a line."""
    told = [kernel.note, *kernel.warnings, *(case.message for case in kernel.cases if not case.ok)]
    named = {int(number) for message in told for number in _LINE.findall(message)}
    if named:
        for number, line in enumerate(kernel.source.rstrip("\n").split("\n"), 1):
            yield SourceLine(number, line, number in named)


def _diff(changes: str) -> Iterator[tuple[str, str]]:
    """Each line of a diff with its kind: taken, put, or ''."""
    for line in changes.split("\n") if changes else ():
        is_head = line.startswith(("---", "+++"))
        yield ("" if is_head else {"-": "taken", "+": "put"}.get(line[:1], "")), line
