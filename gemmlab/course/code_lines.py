"""A kernel file line by line, comments told from code: how two versions of a file are compared."""

from __future__ import annotations

import re

from gemmlab.files import normalize

_COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def keys(text: str) -> list[str]:
    """One key a line by which lines are compared, spacing left out: its code, or else its comment after `//`."""
    pairs = zip(normalize(text).split("\n"), code_lines(text), strict=True)
    raw_and_code = (("".join(raw.split()), "".join(code.split())) for raw, code in pairs)
    return [code or (raw and "//" + raw) for raw, code in raw_and_code]


def is_code(key: str) -> bool:
    """Whether the key of a line is code, and neither a comment nor empty."""
    return key != "" and not key.startswith("//")


def code_lines(text: str) -> list[str]:
    """The lines of the text with comments blanked out; strings stay, so that // inside one is no comment."""

    def blank_out(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") if match[0].startswith("/") else match[0]

    return _COMMENT_OR_STRING.sub(blank_out, normalize(text)).split("\n")
