"""Likely copies: the same unusual answer in the hands of two students. A hint to look, and never a verdict.

Two answers are the same where only comments, spacing and the names of own variables differ. Short blanks have one
natural answer that many find by themselves; so the answers of the solution, and those that a good part of the class
has, say nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grading.intake.tokens import tokens
from grading.model import Graded

_COMMON_SHARE = 0.1  # of those who answered
_COMMON_COUNT = 4  # students; fewer are never called common
_FEWEST_TOKENS = 12  # a shorter answer says nothing
_TYPE = re.compile(r"(?:int|float|float2|float4|double|bool|auto|unsigned|size_t)")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Copies:
    """The students who gave the same unusual answer, and the blanks that they share."""

    lesson: str
    students: tuple[str, ...]
    blanks: tuple[str, ...]


def likely_copies(graded: Iterable[Graded], solutions: Mapping[str, Mapping[str, str]]) -> list[Copies]:
    """By lesson and students. `solutions` has the solution's own bodies, by lesson and blank."""
    shared: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (lesson, blank), answers in _answers(graded).items():
        usual = normalised(solutions.get(lesson, {}).get(blank, ""))
        for students in _groups(answers, usual):
            shared[lesson, students].append(blank)
    return [Copies(lesson, students, tuple(blanks)) for (lesson, students), blanks in sorted(shared.items())]


def _answers(graded: Iterable[Graded]) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    """What each student wrote, normalised, by lesson and blank."""
    answers: dict[tuple[str, str], dict[str, tuple[str, ...]]] = defaultdict(dict)
    for one in graded:
        for blank, body in one.blanks.items():
            answers[one.lesson, blank][one.student] = normalised(body)
    return answers


def _groups(answers: Mapping[str, tuple[str, ...]], usual: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The students who share an answer that is neither the usual one, nor short, nor common."""
    by_answer: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for student, answer in answers.items():
        by_answer[answer].append(student)
    most = max(_COMMON_COUNT, _COMMON_SHARE * len(answers))
    return [
        tuple(sorted(students))
        for answer, students in by_answer.items()
        if 1 < len(students) <= most and answer != usual and len(answer) >= _FEWEST_TOKENS
    ]


def normalised(body: str) -> tuple[str, ...]:
    """Its tokens, with numbered names in place of those that it declares."""
    found = tokens(body)
    own: dict[str, str] = {}
    for name in _declared(found):
        own.setdefault(name, f"own{len(own)}")
    return tuple(own.get(token, token) for token in found)


def _declared(found: Sequence[str]) -> Iterable[str]:
    """The names that follow a type, as in `float acc` or `const float* from`."""
    for place, token in enumerate(found):
        if _TYPE.fullmatch(token):
            after = [one for one in found[place + 1 : place + 4] if one not in ("*", "&", "const")]
            if after and _WORD.fullmatch(after[0]) and not _TYPE.fullmatch(after[0]):
                yield after[0]
