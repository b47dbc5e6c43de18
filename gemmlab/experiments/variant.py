"""A student's kernel with another body in some of its blanks: to see what would happen."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.source import extract_bodies, find_slots, open_blanks, splice

if TYPE_CHECKING:
    from gemmlab.compile import Program
    from gemmlab.lesson import Kernel


def variant(starter: str, text: str, bodies: Mapping[str, str]) -> str:
    """The student's `text` with these bodies in place of their own; "" leaves a blank empty.

    Raises UserError for a name that is no blank of the starter, and where another blank is still open.
    """
    slots = {slot.name: slot for slot in find_slots(starter)}
    unknown = next((name for name in bodies if name not in slots), None)
    if unknown:
        raise UserError(f"this lesson has no blank '{unknown}'; it has {', '.join(slots) or 'none'}")
    still_open = [name for name, _ in open_blanks(text) if name not in bodies]
    if still_open:
        raise UserError(f"fill in the blank {still_open[0]} first, and run the cell that writes the file")
    lines = starter.split("\n")
    own = extract_bodies(starter, text)
    for name, body in bodies.items():
        line = lines[slots[name].line - 1]
        own[name] = indent(dedent(body), line[: len(line) - len(line.lstrip())])
    return splice(starter, own)


def compiled(kernel: Kernel, source: str, arch: str | None = None) -> Program:
    """The kernel, compiled for `arch` or the compiler's default. UserError where a blank is open or it has an error."""
    from gemmlab.compile import CompileError, compile_source

    still_open = open_blanks(source)
    if still_open:
        raise UserError(f"fill in the blank {still_open[0][0]} first, and run the cell that writes the file")
    try:
        return compile_source(source, kernel.path.name, arch=arch)
    except CompileError:
        raise UserError("the kernel does not compile: run the check, which says why") from None
