"""Characters that look like C's but are others: a full-width semicolon, a sign for 'times', a space that is none."""

from __future__ import annotations

import re
import unicodedata
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


_SUSPECTS = re.compile(r"(?<!\w)[^\W\d_a-zA-Z]{2,}(?!\w)|[^\x00-\x7f]")
_LOOKS_LIKE = "'{char}' in line {line} is {name}, which only looks like '{meant}': type '{meant}' in its place"
_NOTHING_SEEN = "line {line} holds an invisible character ({name}); type the place anew"
_OTHER_SPACE = "line {line} holds a space that is none to C ({name}); type an ordinary space"
_FOREIGN_NAME = "the compiler takes names in the letters A to Z only, not '{name}' (line {line}); rename it"


@dataclass(frozen=True)
class LookAlike:
    """One character, or a name, at a line and column, counted from 1. `is_letter`: it is, or is in, a name."""

    line: int
    column: int
    message: str
    is_letter: bool


def look_alikes(source: str) -> list[LookAlike]:
    """The characters outside of comments and texts that were meant as others, in order."""
    code = _TEXT.sub(lambda match: " " * len(match[0]), without_comments(source))
    return [
        LookAlike(number, match.start() + 1, message, match[0][0].isalpha())
        for number, line in enumerate(code.split("\n"), 1)
        for match in _SUSPECTS.finditer(line)
        if (message := _message(match[0], number))
    ]


def _message(text: str, line: int) -> str:
    """What is said of a character that is not ASCII, or of a name without a letter of ASCII."""
    if len(text) > 1:
        return _FOREIGN_NAME.format(name=text, line=line)
    spoken = unicodedata.name(text, "without a name").lower().replace("fullwidth", "full-width")
    name = f"U+{ord(text):04X} {spoken}"
    meant = _MEANT.get(text) or unicodedata.normalize("NFKC", text)
    if text in _INVISIBLE:
        return _NOTHING_SEEN.format(line=line, name=name)
    if meant.isspace():
        return _OTHER_SPACE.format(line=line, name=name)
    return _LOOKS_LIKE.format(char=text, line=line, name=name, meant=meant) if meant != text and meant.isascii() else ""
