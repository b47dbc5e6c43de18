"""A student's kernel with another body in some of its blanks: to see what would happen."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from gemmlab.course.blanks import find_slots, open_blanks, splice
from gemmlab.course.bodies import extract_bodies
from gemmlab.errors import UserError
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel
    from gemmlab.kernel.program import Program


OWN = "______"
Body = str | tuple[str, str]


def variant(starter: str, text: str, bodies: Mapping[str, Body]) -> str:
    """The student's `text` with these bodies in place of their own; "" leaves a blank empty.

    In a body ______ stands for the student's own, and (old, new) is their own with another text in place of `old`.
    Raises UserError for a name that is no blank of the starter, where a blank that is needed is still open, and where
    `old` is not in it.
    """
    slots = {slot.name: slot for slot in find_slots(starter)}
    unknown = next((name for name in bodies if name not in slots), None)
    if unknown:
        raise UserError(f"this lesson has no blank '{unknown}'; it has {', '.join(slots) or 'none'}")
    replaced = {name for name, body in bodies.items() if isinstance(body, str) and OWN not in body}
    still_open = [name for name, _ in open_blanks(text) if name not in replaced]
    if still_open:
        raise UserError(f"fill in the blank {still_open[0]} first, and run the cell that writes the file")
    lines = starter.split("\n")
    own = extract_bodies(starter, text)
    for name, body in bodies.items():
        line = lines[slots[name].line - 1]
        margin = line[: len(line) - len(line.lstrip())]
        own[name] = _changed(name, own[name], body) if isinstance(body, tuple) else _placed(own[name], body, margin)
    return splice(starter, own)


def _changed(name: str, own: str, body: tuple[str, str]) -> str:
    old, new = body
    if old not in own:
        raise UserError(f"what you wrote into {name} has no {old}, which would become {new} here")
    return own.replace(old, new)


def _placed(own: str, body: str, margin: str) -> str:
    return indent(dedent(body), margin).replace(f"{margin}{OWN}", own).replace(OWN, own.strip())


def compiled(kernel: Kernel, source: str, arch: str | None = None) -> Program:
    """The kernel, compiled for `arch` or the compiler's default. UserError where a blank is open or it has an error."""
    from gemmlab.compiler.compile import CompileError

    still_open = open_blanks(source)
    if still_open:
        raise UserError(f"fill in the blank {still_open[0][0]} first, and run the cell that writes the file")
    try:
        return Candidate(source, kernel.path.name, kernel.launches_of(source)).compiled(arch)
    except CompileError:
        raise UserError("the kernel does not compile: run the check, which says why") from None
