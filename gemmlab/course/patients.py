"""Kernels that are handed out wrong, as they were published. They have no blanks; their source holds both versions:

// BEGIN MENDED
As[ty][tx] = 0.0f;
// AS PUBLISHED
As[tx][ty] = 0.0f;
// END MENDED
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher, unified_diff

from gemmlab.course.code_lines import is_code, keys
from gemmlab.errors import UserError
from gemmlab.files import normalize

_BRACES = ("{", "}")
_MENDED = re.compile(r"\s*//\s*(BEGIN MENDED|AS PUBLISHED|END MENDED)\s*$")


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
    old, new = ([line for line in normalize(text).split("\n") if is_code(line.strip())] for text in (before, after))
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    return "\n".join("" if line.startswith("@@") else line for line in lines).strip("\n")


def changed_lines(before: str, after: str) -> set[int]:
    """The lines of `before`, from 1, whose code `after` changes or leaves out, and those beside what it puts in.

    Beside it are the statements before and after, whatever braces stand between. A barrier at the end of a loop holds
    back what one at its beginning does, so that both places are beside it.
    """
    old, new = ([(i, key) for i, key in enumerate(keys(text), 1) if is_code(key)] for text in (before, after))
    matcher = SequenceMatcher(None, [key for _, key in old], [key for _, key in new], autojunk=False)
    changed: set[int] = set()
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "insert":
            is_barrier = any("sync" in key for _, key in new[j1:j2])
            changed |= set().union(*(_beside(old, place) for place in _places(old, i1, is_barrier)))
        elif tag != "equal":
            changed |= {line for line, _ in old[i1:i2]}
    return changed


def _places(code: list[tuple[int, str]], place: int, is_barrier: bool) -> list[int]:
    """The gap before code[place]; of a barrier at one end of a loop's body the gap at its other end too."""
    loops = _loops(code) if is_barrier else {}
    ends = {close: head + 1 for head, close in loops.items()} | {head + 1: close for head, close in loops.items()}
    return [place, ends[place]] if place in ends else [place]


def _beside(code: list[tuple[int, str]], place: int) -> set[int]:
    """The lines from the last statement before the gap to what comes after it, comments between them included."""
    first, last = max(place - 1, 0), min(place, len(code) - 1)
    while first > 0 and code[first][1] in _BRACES:
        first -= 1
    return set(range(code[first][0], code[last][0] + 1))


def _loops(code: list[tuple[int, str]]) -> dict[int, int]:
    """The loops with braces, as indices: where the body begins, less one, and the line that closes it."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for index, (_, key) in enumerate(code):
        for brace in re.findall(r"[{}]", key):
            if brace == "{":
                opened.append(index)
            elif opened:
                head = opened.pop()
                loop = code[head - 1 if code[head][1] == "{" else head][1]
                if head < index and loop.startswith(("for(", "while(")):
                    found[head] = index
    return found
