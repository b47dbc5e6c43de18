"""The blanks of a kernel file: mark them, strip them, find them, and put what a student wrote into the starter.

In solutions/NN_slug.cu a blank is marked, in whole lines:

    // TODO row: the row of C that this thread computes
    // BEGIN SOLUTION row: const int row = ______;
    const int row = blockIdx.y * TILE + threadIdx.y;
    // END SOLUTION

The starter keeps the TODO line and puts one line under it: the text after the colon of the BEGIN line (its stub), or
`______;` where there is none. The marker words are nbgrader's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gemmlab.course.code_lines import code_lines
from gemmlab.errors import UserError
from gemmlab.files import normalize

BLANK = "______"
DEFAULT_STUB = f"{BLANK};"
_BLANK = re.compile(rf"(?<!\w){BLANK}(?!\w)")
_TODO = re.compile(r"\s*// TODO (\w+):\s*(\S.*?)\s*$")
_BEGIN = re.compile(r"\s*//\s*BEGIN SOLUTION(?:[ \t]+(\w+))?[ \t]*(?::\s*(.*?))?\s*$")
_END = re.compile(r"\s*//\s*END SOLUTION\s*$")


@dataclass(frozen=True)
class Marked:
    """One marked blank of a solution. `line` is its BEGIN line, from 1; `stub` and `body` carry their indentation."""

    name: str
    todo: str
    line: int
    stub: str
    body: str


@dataclass(frozen=True)
class Slot:
    """One blank of a starter: the name and text of its TODO line, and the line, from 1, that the student replaces."""

    name: str
    todo: str
    line: int


def find_blanks(solution: str) -> list[Marked]:
    """The marked blanks of a solution, in order. Raises UserError, with the line, where a marker is not well formed."""
    lines = normalize(solution).split("\n")
    blanks: list[Marked] = []
    begin: int | None = None
    for index, line in enumerate(lines):
        if _BEGIN.match(line):
            if begin is not None:
                raise UserError(f"line {index + 1}: BEGIN SOLUTION inside the block that line {begin + 1} began")
            begin = index
        elif _END.match(line):
            if begin is None:
                raise UserError(f"line {index + 1}: END SOLUTION without a BEGIN SOLUTION above it")
            blanks.append(_marked(lines, begin, index))
            begin = None
    if begin is not None:
        raise UserError(f"line {begin + 1}: BEGIN SOLUTION without an END SOLUTION below it")
    _reject_duplicates(blanks)
    _reject_stray_todos(lines, blanks)
    return blanks


def _marked(lines: list[str], begin: int, end: int) -> Marked:
    """The blank between the marker lines at the two indexes."""
    marker = _BEGIN.match(lines[begin])
    assert marker is not None, "find_blanks found it there"
    name, stub = marker.groups()
    where = f"line {begin + 1}: "
    if name is None:
        raise UserError(f"{where}BEGIN SOLUTION has no name; write // BEGIN SOLUTION name")
    todo = _TODO.match(lines[begin - 1]) if begin else None
    if todo is None or todo[1] != name:
        raise UserError(f"{where}the line above BEGIN SOLUTION {name} must be // TODO {name}: what to do")
    if stub is not None and not _BLANK.search(stub):
        raise UserError(f"{where}the stub of {name} has no {BLANK} in it")
    body = "\n".join(lines[begin + 1 : end])
    if not body.strip():
        raise UserError(f"{where}the solution of {name} is empty")
    if _BLANK.search(body):
        raise UserError(f"{where}the solution of {name} still holds {BLANK}")
    indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
    return Marked(name, todo[2], begin + 1, indent + (stub or DEFAULT_STUB), body)


def _reject_duplicates(blanks: list[Marked]) -> None:
    first: dict[str, int] = {}
    for blank in blanks:
        if blank.name in first:
            raise UserError(f"line {blank.line}: the blank {blank.name} was already marked in line {first[blank.name]}")
        first[blank.name] = blank.line


def _reject_stray_todos(lines: list[str], blanks: list[Marked]) -> None:
    begins = {blank.line for blank in blanks}
    for number, line in enumerate(lines, 1):
        todo = _TODO.match(line)
        if todo and number + 1 not in begins:
            raise UserError(f"line {number}: TODO {todo[1]} has no BEGIN SOLUTION {todo[1]} under it")


def strip_solution(solution: str) -> str:
    """The starter: each marked block replaced by its stub line."""
    return _replace_blocks(solution, lambda blank: blank.stub)


def without_markers(solution: str) -> str:
    """The solved kernel as a student would hand it in: the marker lines are gone, everything else stays."""
    return _replace_blocks(solution, lambda blank: blank.body)


def _replace_blocks(solution: str, text_for: Callable[[Marked], str]) -> str:
    lines = normalize(solution).split("\n")
    for blank in reversed(find_blanks(solution)):
        begin = blank.line - 1
        end = begin + blank.body.count("\n") + 2
        lines[begin : end + 1] = [text_for(blank)]
    return "\n".join(lines)


def find_slots(starter: str) -> list[Slot]:
    """The blanks of a starter: TODO lines with a line that holds `______` under them."""
    lines = normalize(starter).split("\n")
    todos = [(index, _TODO.match(line)) for index, line in enumerate(lines[:-1])]
    return [Slot(todo[1], todo[2], index + 2) for index, todo in todos if todo and _BLANK.search(lines[index + 1])]


def open_blanks(text: str) -> list[tuple[str, int]]:
    """(name, line) of each `______` still in the code of a student's file; comments do not count.

    The name is that of the TODO line last met above it, and "" where there is none.
    """
    raw = normalize(text).split("\n")
    found, name = [], ""
    for number, (line, code) in enumerate(zip(raw, code_lines(text), strict=True), 1):
        todo = _TODO.match(line)
        name = todo[1] if todo else name
        if _BLANK.search(code):
            found.append((name, number))
    return found


def is_untouched(text: str) -> bool:
    """Whether every TODO line still has its blank: the file is a starter, perhaps an old one, and nobody's work."""
    todos = sum(_TODO.match(line) is not None for line in normalize(text).split("\n"))
    return 0 < todos == len(find_slots(text)) == len(open_blanks(text))


def splice(template: str, bodies: Mapping[str, str]) -> str:
    """The starter with the given bodies in place of its blanks. Blanks without one stay; unknown names are errors."""
    lines = normalize(template).split("\n")
    slots = find_slots(template)
    unknown = sorted(set(bodies) - {slot.name for slot in slots})
    if unknown:
        raise UserError(f"the template has no blank {', '.join(unknown)}")
    for slot in reversed(slots):
        if slot.name in bodies:
            body = normalize(bodies[slot.name])
            lines[slot.line - 1 : slot.line] = body.split("\n") if body else []
    return "\n".join(lines)
