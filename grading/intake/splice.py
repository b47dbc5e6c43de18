"""From what was handed in to what is compiled: the pristine template with the student's bodies in its blanks.

Whatever else the student changed is reported, and never compiled. A kernel without blanks, or one to be mended, is the
student's as a whole, and so is the file of a lesson that leaves all of it to the student. So is a file in which the
blanks cannot be told apart, say because its TODO lines were taken out: it is honest work more often than not, and the
checks and barriers that it lacks are vetoes all the same.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import unified_diff

from gemmlab.course import blanks
from gemmlab.course.bodies import in_template, outside_changes
from gemmlab.course.lesson import Kernel
from gemmlab.course.patients import changes
from gemmlab.cuda.tree import is_text
from gemmlab.errors import UserError
from gemmlab.files import normalize
from grading.intake import sentences as say
from grading.intake import smuggle, tamper
from grading.model import Spliced, Submission

_MOST_LINES = 2_000
_LONGEST_LINE = 1_000
_MOST_CHARACTERS = 1 << 16


def splice(submission: Submission, kernel: Kernel) -> Spliced:
    """The kernel as this student wrote it.

    `source` is '' where nothing was handed in for this kernel. Where the code may not be compiled, `source` is one
    line of `#error` that says why, so that the student is told, and `vetoes` has the reason. Never raises for what is
    in the text.
    """
    try:
        return _spliced(submission, kernel)
    except Exception as error:  # a fault of ours, which must not end a batch over one student's file
        return Spliced(say.CANNOT_BE_READ() + "\n", note=say.OWN_FAULT(kind=type(error).__name__))


def _spliced(submission: Submission, kernel: Kernel) -> Spliced:
    text = normalize(_text(submission, kernel))
    if not text.strip():
        return Spliced("")
    if unfit := _unfit(text):
        return _refused([unfit], Spliced(""))
    if kernel.patient or not blanks.find_slots(kernel.starter):
        return _checked(_whole(kernel, text))
    try:
        return _checked(_blanks(kernel, text))
    except UserError as error:
        return _checked(replace(_whole(kernel, text), note=say.TAKEN_WHOLE(reason=error)))


def _text(submission: Submission, kernel: Kernel) -> str:
    if kernel.patient:
        return submission.patients.get(kernel.patient, "")
    return submission.source or ""


def _unfit(text: str) -> str:
    """Why no time is spent on this text; '' where it can be a kernel."""
    if not is_text(text):
        return say.ODD_CHARACTERS()
    lines = text.split("\n")
    if len(text) > _MOST_CHARACTERS or len(lines) > _MOST_LINES or max(map(len, lines)) > _LONGEST_LINE:
        return say.FAR_TOO_LARGE()
    return ""


def _whole(kernel: Kernel, text: str) -> Spliced:
    """All of the file is the student's. What was mended of a patient is shown as a diff, in the place of a body."""
    if kernel.patient:
        untouched = (kernel.patient,) if kernel.is_untouched(text) else ()
        return Spliced(text, {kernel.patient: changes(kernel.starter, text)}, open_blanks=untouched)
    if kernel.whole:
        untouched = (say.THE_FILE(),) if kernel.is_untouched(text) else ()
        return Spliced(text, {say.THE_FILE(): changes(kernel.starter, text)}, open_blanks=untouched)
    left = _names_left(text)
    return Spliced(text, {}, _difference(kernel.starter, text), tamper.vetoes(kernel.starter, text), left)


def _blanks(kernel: Kernel, text: str) -> Spliced:
    """Raises UserError where the blanks cannot be found in the text."""
    bodies, pristine = in_template(kernel.starter, text)
    reasons = [*_smuggled(kernel, bodies), *smuggle.in_file(pristine)]
    changes = outside_changes(kernel.starter, text)
    vetoes = tamper.vetoes(pristine, text) if changes else ()
    spliced = Spliced(pristine, bodies, changes, vetoes, _names_left(pristine))
    return _refused(reasons, spliced) if reasons else spliced


def _names_left(text: str) -> tuple[str, ...]:
    """The blanks still open; those without a name are called by their line."""
    return tuple(dict.fromkeys(name or say.NAMELESS_BLANK(line=line) for name, line in blanks.open_blanks(text)))


def _smuggled(kernel: Kernel, bodies: dict[str, str]) -> list[str]:
    lines = kernel.starter.split("\n")
    slots = blanks.find_slots(kernel.starter)
    return [
        reason
        for slot in slots
        for reason in smuggle.in_body(slot.name, bodies[slot.name], kernel.starter, lines[slot.line - 1])
    ]


def _checked(spliced: Spliced) -> Spliced:
    """The same, or without its source where that may not be given to the compiler."""
    reasons = smuggle.in_file(spliced.source)
    return _refused(reasons, spliced) if reasons else spliced


def _refused(reasons: list[str], spliced: Spliced) -> Spliced:
    """The same with a source that does not compile and says why."""
    source_text = say.NOT_GRADED(reasons="; ".join(reasons)) + "\n"
    return replace(spliced, source=source_text, vetoes=(*reasons, *spliced.vetoes))


def _difference(given: str, text: str) -> str:
    """All that differs but comments and spacing, as a unified diff."""
    if not changes(given, text):
        return ""
    return "\n".join(unified_diff(given.split("\n"), text.split("\n"), "given", "handed in", lineterm=""))
