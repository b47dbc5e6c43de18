"""The check of a whole file, and of what grading would make of it: the given code with the student's blanks in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.check import sentences as say
from gemmlab.check.check import check_kernel, read_kernel
from gemmlab.course.blanks import find_slots
from gemmlab.course.bodies import in_template, outside_changes
from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Finding, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from gemmlab.course.lesson import Kernel, Lesson


def check_work(
    kernel: Kernel, source: str, filename: str, backend: str = "auto", tick: Callable[[], None] | None = None
) -> Verdict:
    """As check_kernel. A file that passes only with what stands outside of its blanks fails, and the finding says so;
    where it passes without that too, a warning does."""
    verdict = check_kernel(kernel, source, filename, backend, tick)
    if not verdict.passed or not _is_changed_outside(kernel, source):
        return verdict
    taken = in_template(kernel.starter, source)[1]
    graded = check_kernel(kernel, taken, filename, backend, tick)
    if graded.passed:
        return replace(verdict, findings=(*verdict.findings, Finding("compile_error", say.LEFT_OUT(), "warning")))
    return replace(verdict, status="failed", findings=(_lost(graded), *verdict.findings))


def check_lesson(
    lesson: Lesson, path: Path | None = None, backend: str = "auto", devices: int | None = None
) -> Verdict:
    """Check the student's file of a lesson, or the file at `path`, over the lesson's public cases; on so many devices,
    where it is for several. Raises UserError where it is not."""
    kernel = lesson.kernel if devices is None else lesson.kernel.on(devices)
    path = path or kernel.path
    return check_work(kernel, read_kernel(path), path.name, backend)


def _is_changed_outside(kernel: Kernel, source: str) -> bool:
    """Whether grading would leave something out. A file in which it cannot tell the blanks apart it takes as it is."""
    if kernel.patient or not find_slots(kernel.starter):
        return False
    try:
        in_template(kernel.starter, source)
    except UserError:
        return False
    return bool(outside_changes(kernel.starter, source))


def _lost(graded: Verdict) -> Finding:
    """The first error of what grading would compile. Its line is one of another text, and is left out."""
    first = next((finding for finding in graded.findings if finding.is_error), None)
    if first is None:
        return Finding("wrong_result", say.LOST_NUMBERS())
    fault = re.sub(r" \(line \d+\)", "", first.message).rstrip(".")
    return Finding(first.kind, say.LOST(fault=fault))
