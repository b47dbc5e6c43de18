"""Characters that look like C's but are others: a full-width semicolon, a sign for 'times', a space that is none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from gemmlab.cuda.preprocess import without_comments

_TEXT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\[^'\n]+|[^'\\\n])'")
_MEANT = {  # what NFKC does not tell
    **dict.fromkeys("×∗⋅·✕✖", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("−–—‐‑‒―", "-"),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("、，", ","),
    "。": ".",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "〈": "<",
    "〉": ">",
    "\u037e": ";",
    **dict(zip("АВЕЅІЈКМНОРСТХаеѕіјорсухԁ", "ABESIJKMHOPCTXaesijopcyxd")),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοντυ", "ABEZHIKMNOPTYXovtu")),
}
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e")


_SENTENCE = "'{char}' in line {line} is {name}, which only looks like '{meant}': type '{meant}' in its place"


@dataclass(frozen=True)
class LookAlike:
    """One character at a line and column, counted from 1. `is_letter`: C++ takes it as a part of a name."""

    line: int
    column: int
    message: str
    is_letter: bool


def look_alikes(source: str) -> list[LookAlike]:
    """The characters outside of comments and texts that were meant as others, in order."""
    code = _TEXT.sub(lambda match: " " * len(match[0]), without_comments(source))
    return [
        LookAlike(number, column, message, char.isalpha())
        for number, line in enumerate(code.split("\n"), 1)
        for column, char, message in _in_line(line, number)
    ]


def _in_line(line: str, number: int) -> Iterator[tuple[int, str, str]]:
    for column, char in enumerate(line, 1):
        if char.isascii():
            continue
        name = (
            f"U+{ord(char):04X} {unicodedata.name(char, 'without a name').lower().replace('fullwidth', 'full-width')}"
        )
        meant = _MEANT.get(char) or unicodedata.normalize("NFKC", char)
        if char in _INVISIBLE:
            yield (
                column,
                char,
                f"line {number} holds an invisible character ({name}); delete it and type the place anew",
            )
        elif meant.isspace():
            yield column, char, f"line {number} holds a space that is none to C ({name}); type an ordinary space"
        elif meant != char and meant.isascii():
            yield column, char, _SENTENCE.format(char=char, line=number, name=name, meant=meant)
