"""The blanks of a kernel file: mark, strip, find, take out what a student wrote, put it into the pristine template.

In solutions/NN_slug.cu a blank is marked, in whole lines:

    // TODO row: the row of C that this thread computes
    // BEGIN SOLUTION row: const int row = ______;
    const int row = blockIdx.y * TILE + threadIdx.y;
    // END SOLUTION

The starter keeps the TODO line and puts one line under it: the text after the colon of the BEGIN line (its stub), or
`______;` where there is none. The marker words are nbgrader's.

A kernel that is handed out wrong, as it was published, has no blanks. Its source holds both versions:

    // BEGIN MENDED
    As[ty][tx] = 0.0f;
    // AS PUBLISHED
    As[tx][ty] = 0.0f;
    // END MENDED
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from itertools import dropwhile
from pathlib import Path

from gemmlab.errors import UserError

BLANK = "______"
DEFAULT_STUB = f"{BLANK};"
MAX_SOURCE_BYTES = 1 << 18
_BLANK = re.compile(rf"(?<!\w){BLANK}(?!\w)")
_TODO = re.compile(r"\s*// TODO (\w+):\s*(\S.*?)\s*$")
_BEGIN = re.compile(r"\s*//\s*BEGIN SOLUTION(?:[ \t]+(\w+))?[ \t]*(?::\s*(.*?))?\s*$")
_END = re.compile(r"\s*//\s*END SOLUTION\s*$")
_MENDED = re.compile(r"\s*//\s*(BEGIN MENDED|AS PUBLISHED|END MENDED)\s*$")
_COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_SIMILAR = 0.6


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


def normalize(text: str) -> str:
    """The text with line feeds only and no byte order mark, as the compiler will count its lines."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_source(path: Path) -> str:
    """The normalized text of a kernel file. Raises UserError where it cannot be read, is too large or is not UTF-8."""
    try:
        if not path.is_file():
            raise UserError(f"there is no file {path}; give the path of a .cu file")
        if path.stat().st_size > MAX_SOURCE_BYTES:
            raise UserError(f"{path} is larger than {MAX_SOURCE_BYTES >> 10} KiB, which is no kernel file")
        return normalize(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


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
    name, stub = _BEGIN.match(lines[begin]).groups()
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


def as_published(text: str) -> str:
    """The wrong version of a kernel that holds both."""
    return _one_version(text, "AS PUBLISHED")


def as_mended(text: str) -> str:
    """The right version of a kernel that holds both."""
    return _one_version(text, "BEGIN MENDED")


def _one_version(text: str, wanted: str) -> str:
    """Lines outside the marked blocks, and of each block the part after the wanted marker. UserError as for blanks."""
    kept, part, blocks = [], "END MENDED", 0
    follows = {"BEGIN MENDED": "AS PUBLISHED", "AS PUBLISHED": "END MENDED", "END MENDED": "BEGIN MENDED"}
    for number, line in enumerate(normalize(text).split("\n"), 1):
        marker = _MENDED.match(line)
        if marker:
            if marker[1] != follows[part]:
                raise UserError(f"line {number}: {marker[1]} where {follows[part]} must come first")
            part = marker[1]
            blocks += part == "BEGIN MENDED"
        elif part in ("END MENDED", wanted):
            kept.append(line)
    if part != "END MENDED" or not blocks:
        raise UserError("the markers BEGIN MENDED, AS PUBLISHED and END MENDED are missing or not closed")
    return "\n".join(kept)


def changes(before: str, after: str) -> str:
    """What changed in the code from one kernel to the other, comments left out, as a unified diff without a header."""
    old, new = ([line for line in normalize(text).split("\n") if _is_code(line.strip())] for text in (before, after))
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    return "\n".join("" if line.startswith("@@") else line for line in lines).strip("\n")


def changed_lines(before: str, after: str) -> set[int]:
    """The lines of `before`, from 1, whose code `after` changes or leaves out, and those around what it puts in."""
    old, new = ([(i, key) for i, key in enumerate(_keys(text), 1) if _is_code(key)] for text in (before, after))
    matcher = SequenceMatcher(None, [key for _, key in old], [key for _, key in new], autojunk=False)
    changed: set[int] = set()
    for tag, i1, i2, _, _ in matcher.get_opcodes():
        if tag == "insert":
            changed |= set(range(old[max(i1 - 1, 0)][0], old[min(i1, len(old) - 1)][0] + 1))
        elif tag != "equal":
            changed |= {line for line, _ in old[i1:i2]}
    return changed


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
    for number, (line, code) in enumerate(zip(raw, _code_lines(text), strict=True), 1):
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


def extract_bodies(template: str, text: str) -> dict[str, str]:
    """What a student wrote in each blank, without empty lines around it; "" where nothing is left.

    A blank reaches from the template line above it to the one below. Comments and spacing may differ, and the lines
    around it may have been edited. Raises UserError where the file does not come from this template, or where the
    given lines between two blanks are gone.
    """
    raw, theirs, given = normalize(text).split("\n"), _keys(text), _keys(template)
    blanks = [slot.line - 1 for slot in find_slots(template)]
    pairs = _exact(given, theirs, blanks) or _alike(given, theirs, blanks)
    bodies, previous = {}, -1
    for slot, blank in zip(find_slots(template), blanks, strict=True):
        above, first = max((pair for pair in pairs if pair[0] < blank), default=(-1, -1))
        below, last = min((pair for pair in pairs if pair[0] > blank), default=(len(given), len(raw)))
        if above < previous:
            raise UserError(f"cannot tell where the blank {slot.name} begins: the given lines above it are gone")
        expected = given[above + 1 : blank] + given[blank + 1 : below]
        inner = [index for index in range(first + 1, last) if theirs[index]]
        own = list(dropwhile(lambda index: _is_edited(theirs[index], expected), inner))
        while own and _is_edited(theirs[own[-1]], expected):
            own.pop()
        bodies[slot.name] = "\n".join(raw[own[0] : own[-1] + 1]) if own else ""
        previous = blank
    return bodies


def _exact(given: list[str], theirs: list[str], blanks: list[int]) -> list[tuple[int, int]]:
    """Pairs (template index, student index) where all given lines are in place, or all of code; else an empty list."""
    for counts in (bool, _is_code):
        edges = zip([0, *(blank + 1 for blank in blanks)], [*blanks, len(given)], strict=True)
        segments = [[index for index in range(*edge) if counts(given[index])] for edge in edges]
        own = [index for index, key in enumerate(theirs) if counts(key)]
        places = _places([[given[i] for i in segment] for segment in segments], [theirs[i] for i in own])
        if places is not None:
            return [
                pair
                for place, segment in zip(places, segments, strict=True)
                for pair in zip(segment, own[place : place + len(segment)], strict=True)
            ]
    return []


def _places(segments: list[list[str]], lines: list[str]) -> list[int] | None:
    """Where each segment begins in the lines: the first at the top, the last at the end, the others early; or None."""
    places, start = [], 0
    for number, segment in enumerate(segments):
        latest = len(lines) - len(segment)
        first = max(start, latest) if number == len(segments) - 1 else start
        last = 0 if number == 0 < len(segments) - 1 else latest
        place = next((p for p in range(first, last + 1) if lines[p : p + len(segment)] == segment), None)
        if place is None:
            return None
        places.append(place)
        start = place + len(segment)
    return places


def _alike(given: list[str], theirs: list[str], blanks: list[int]) -> list[tuple[int, int]]:
    """Pairs (template index, student index) of the given lines that an edited file still has."""
    ours = [index for index, key in enumerate(given) if key and index not in blanks]
    own = [index for index, key in enumerate(theirs) if key]
    matcher = SequenceMatcher(None, [given[index] for index in ours], [theirs[index] for index in own], autojunk=False)
    pairs = [
        (ours[block.a + step], own[block.b + step])
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    if 2 * sum(_is_code(given[index]) for index, _ in pairs) < sum(_is_code(given[index]) for index in ours):
        raise UserError("this file does not come from the lesson's template: most of the given lines are missing")
    return pairs


def _is_edited(key: str, expected: list[str]) -> bool:
    """Whether the line is an edited version of one of the `expected` template lines, which the file lacks."""
    kin = [line for line in expected if line and _is_code(line) == _is_code(key)]
    return any(SequenceMatcher(None, key, line).ratio() >= _SIMILAR for line in kin)


def outside_changes(template: str, text: str) -> str:
    """What a student changed outside the blanks, as a unified diff; "" where nothing but comments and spacing.

    Line numbers are those of the template with the student's bodies spliced in.
    """
    pristine = splice(template, extract_bodies(template, text))
    before, raw = pristine.split("\n"), normalize(text).split("\n")
    given, theirs = ([(i, key) for i, key in enumerate(_keys(file)) if _is_code(key)] for file in (pristine, text))
    matcher = SequenceMatcher(None, [key for _, key in given], [key for _, key in theirs], autojunk=False)
    after = list(before)
    for tag, i1, i2, j1, j2 in reversed(matcher.get_opcodes()):
        if tag != "equal":
            place = given[i1][0] if i1 < len(given) else len(after)
            for index, _ in reversed(given[i1:i2]):
                del after[index]
            after[place:place] = [raw[index] for index, _ in theirs[j1:j2]]
    return "\n".join(unified_diff(before, after, "given", "handed in", lineterm=""))


def _keys(text: str) -> list[str]:
    """One key a line by which lines are compared, spacing left out: its code, or else its comment after `//`."""
    pairs = zip(normalize(text).split("\n"), _code_lines(text), strict=True)
    raw_and_code = (("".join(raw.split()), "".join(code.split())) for raw, code in pairs)
    return [code or (raw and "//" + raw) for raw, code in raw_and_code]


def _is_code(key: str) -> bool:
    return key != "" and not key.startswith("//")


def _code_lines(text: str) -> list[str]:
    """The lines of the text with comments blanked out; strings stay, so that // inside one is no comment."""

    def blank_out(match: re.Match) -> str:
        return "\n" * match[0].count("\n") if match[0].startswith("/") else match[0]

    return _COMMENT_OR_STRING.sub(blank_out, normalize(text)).split("\n")
