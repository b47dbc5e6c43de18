"""What a student wrote into the blanks of a starter, taken out of a file that may have been edited elsewhere too."""

from __future__ import annotations

from difflib import SequenceMatcher, unified_diff
from itertools import dropwhile

from gemmlab.course.blanks import find_slots, splice
from gemmlab.course.code_lines import code_lines, is_code, keys
from gemmlab.errors import UserError
from gemmlab.files import normalize

_SIMILAR = 0.6


def extract_bodies(template: str, text: str) -> dict[str, str]:
    """What a student wrote in each blank, without empty lines around it; "" where nothing is left.

    A blank reaches from the template line above it to the one below. Comments and spacing may differ, and the lines
    around it may have been edited. Raises UserError where the file does not come from this template, or where the
    given lines between two blanks are gone.
    """
    raw, theirs, given = normalize(text).split("\n"), keys(text), keys(template)
    blanks = [slot.line - 1 for slot in find_slots(template)]
    pairs = _exact(given, theirs, blanks) or _alike(given, theirs, blanks)
    bodies, previous = {}, -1
    for slot, blank in zip(find_slots(template), blanks, strict=True):
        above, first = max((pair for pair in pairs if pair[0] < blank), default=(-1, -1))
        below, last = min((pair for pair in pairs if pair[0] > blank), default=(len(given), len(raw)))
        if above < previous:
            raise UserError(f"cannot tell where the blank {slot.name} begins: the given lines above it are gone")
        own = _own_lines(theirs, range(first + 1, last), given[above + 1 : blank] + given[blank + 1 : below])
        bodies[slot.name] = "\n".join(raw[own[0] : own[-1] + 1]) if own else ""
        previous = blank
    return bodies


def in_template(template: str, text: str) -> tuple[dict[str, str], str]:
    """What a student wrote in each blank, and the template with that in its blanks: all that grading takes of a file.

    Raises UserError as `extract_bodies`, and where a blank opens a brace that it does not close; grading takes such a
    file as it is.
    """
    bodies = extract_bodies(template, text)
    for name, body in bodies.items():
        code = "\n".join(code_lines(body)).replace("<%", "{").replace("%>", "}")
        if code.count("{") > code.count("}"):
            raise UserError(f"cannot tell where the blank {name} ends: a brace in it is not closed")
    return bodies, splice(template, bodies)


def _own_lines(theirs: list[str], between: range, expected: list[str]) -> list[int]:
    """The student's own lines between two given ones: none that is empty or an edited `expected` one at either end."""
    inner = [index for index in between if theirs[index]]
    own = list(dropwhile(lambda index: _is_edited(theirs[index], expected), inner))
    while own and _is_edited(theirs[own[-1]], expected):
        own.pop()
    return own


def _exact(given: list[str], theirs: list[str], blanks: list[int]) -> list[tuple[int, int]]:
    """Pairs (template index, student index) where all given lines are in place, or all of code; else an empty list."""
    for counts in (bool, is_code):
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
    if 2 * sum(is_code(given[index]) for index, _ in pairs) < sum(is_code(given[index]) for index in ours):
        raise UserError("this file does not come from the lesson's template: most of the given lines are missing")
    return pairs


def _is_edited(key: str, expected: list[str]) -> bool:
    """Whether the line is an edited version of one of the `expected` template lines, which the file lacks."""
    kin = [line for line in expected if line and is_code(line) == is_code(key)]
    return any(SequenceMatcher(None, key, line).ratio() >= _SIMILAR for line in kin)


def outside_changes(template: str, text: str) -> str:
    """What a student changed outside the blanks, as a unified diff; "" where nothing but comments and spacing.

    Line numbers are those of the template with the student's bodies spliced in.
    """
    pristine = splice(template, extract_bodies(template, text))
    before, raw = pristine.split("\n"), normalize(text).split("\n")
    given, theirs = ([(i, key) for i, key in enumerate(keys(file)) if is_code(key)] for file in (pristine, text))
    matcher = SequenceMatcher(None, [key for _, key in given], [key for _, key in theirs], autojunk=False)
    after = list(before)
    for tag, i1, i2, j1, j2 in reversed(matcher.get_opcodes()):
        if tag != "equal":
            place = given[i1][0] if i1 < len(given) else len(after)
            for index, _ in reversed(given[i1:i2]):
                del after[index]
            after[place:place] = [raw[index] for index, _ in theirs[j1:j2]]
    return "\n".join(unified_diff(before, after, "given", "handed in", lineterm=""))
