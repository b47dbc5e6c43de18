"""A small C preprocessor for readers of a source: what stands in comments or in a branch not taken is not there.

Lines keep their numbers; columns do not. It knows #define of plain names, #undef and conditions. Macros with parameters
stay as they are, and #include is not followed. The compiler, of course, uses its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gemmlab.c_constants import evaluate

_COMMENT_OR_TEXT = re.compile(
    r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\[^'\n]+|[^'\\\n])'", re.DOTALL
)
_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)", re.DOTALL)
_DEFINE = re.compile(r"([A-Za-z_]\w*)(\()?(.*)", re.DOTALL)
_WORD_OR_TEXT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\b[A-Za-z_]\w*\b")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_LONGEST_LINE = 10_000
_MOST_EXPANSIONS = 8
_PREDEFINED = {"__CUDACC__": "1", "__CUDACC_RTC__": "1", "__cplusplus": "201703", "__CUDA_ARCH__": "800"}


def preprocess(source: str, options: Sequence[str] = ()) -> str:
    """The text that is left, line by line. `options` are the compiler's; their -DNAME and -DNAME=VALUE count."""
    macros = dict(_PREDEFINED)
    for option in options:
        if option.startswith("-D"):
            name, _, value = option[2:].partition("=")
            macros[name] = value or "1"
    return "\n".join(_lines(_without_comments(source), macros))


def _without_comments(source: str) -> str:
    def keep(match: re.Match[str]) -> str:
        return match[0] if match[0][0] in "\"'" else re.sub(r"[^\n]", " ", match[0])

    return _COMMENT_OR_TEXT.sub(keep, source)


def _lines(source: str, macros: dict[str, str]) -> Iterator[str]:
    """The lines with macros in place; empty ones for directives and for branches not taken."""
    branches = _Branches()
    for line in _joined(source):
        directive = _DIRECTIVE.match(line)
        if directive:
            name, rest = directive[1], directive[2].strip()
            if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
                branches.turn(name, _condition(name, rest, macros))
            elif branches.taken and name in ("define", "undef"):
                _define(name, rest, macros)
        yield _expanded(line, macros) if branches.taken and not directive else ""


def _joined(source: str) -> Iterator[str]:
    """The lines, where one that ends in a backslash carries on; empty lines follow in place of what was joined."""
    parts: list[str] = []
    for line in source.split("\n"):
        continues = line.rstrip("\r").endswith("\\")
        parts.append(line.rstrip("\r")[:-1] if continues else line)
        if not continues:
            yield " ".join(parts)
            yield from [""] * (len(parts) - 1)
            parts = []
    if parts:
        yield " ".join(parts)
        yield from [""] * (len(parts) - 1)


class _Branches:
    """The open #if branches: for each, whether it is taken now and whether one of its group has been."""

    def __init__(self) -> None:
        self.open: list[tuple[bool, bool]] = []

    @property
    def taken(self) -> bool:
        return all(now for now, _ in self.open)

    def turn(self, directive: str, condition: bool) -> None:
        if directive in ("if", "ifdef", "ifndef"):
            self.open.append((condition, condition))
        elif not self.open:
            return
        elif directive == "endif":
            self.open.pop()
        else:
            been = self.open[-1][1]
            now = not been and (condition or directive == "else")
            self.open[-1] = (now, been or now)


def _condition(directive: str, text: str, macros: dict[str, str]) -> bool:
    if directive in ("ifdef", "ifndef"):
        return (text.split()[0] in macros if text else False) == (directive == "ifdef")
    known = _DEFINED.sub(lambda match: str(int((match[1] or match[2]) in macros)), text)
    plain = _expanded(known, macros)
    return bool(evaluate(re.sub(r"\b(?!true\b|false\b)[A-Za-z_]\w*", "0", plain), {}))  # an unknown name counts as 0


def _define(directive: str, text: str, macros: dict[str, str]) -> None:
    match = _DEFINE.match(text)
    if not match:
        return
    if directive == "undef" or match[2]:
        macros.pop(match[1], None)
    else:
        macros[match[1]] = match[3].strip()


def _expanded(line: str, macros: dict[str, str]) -> str:
    """The line with plain macros replaced, also inside of their values. One that grows too long stays as it was."""

    def replace(match: re.Match[str]) -> str:
        return macros.get(match[0], match[0])

    result = line
    for _ in range(_MOST_EXPANSIONS):
        after = _WORD_OR_TEXT.sub(replace, result)
        if after == result or len(after) > _LONGEST_LINE:
            break
        result = after
    return result
