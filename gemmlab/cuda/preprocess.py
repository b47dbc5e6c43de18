"""A small C preprocessor for readers of a source: what stands in comments or in a branch not taken is not there.

Lines keep their numbers; columns do not, and a call of a macro that goes over several lines comes to stand in its
first. It knows #define, #undef and conditions; #include is not followed. The compiler, of course, uses its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.macros import Macros, Unclosed

_COMMENT_OR_TEXT = re.compile(
    r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\[^'\n]+|[^'\\\n])'", re.DOTALL
)
_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_MOST_LINES_OF_A_CALL = 40
_BOTH = {"__CUDACC__": "1", "__cplusplus": "201703"}
_DEVICE = {**_BOTH, "__CUDACC_RTC__": "1", "__CUDA_ARCH__": "800"}
_HOST = {**_BOTH, "__NVCC__": "1"}


def preprocess(source: str, options: Sequence[str] = (), *, host: bool = False) -> str:
    """The text that is left, line by line, for the device, or for the host as nvcc would see it.

    `options` are the compiler's; their -DNAME and -DNAME=VALUE count.
    """
    macros = Macros(_HOST if host else _DEVICE)
    for option in options:
        if option.startswith("-D"):
            name, _, value = option[2:].partition("=")
            macros.define(f"{name} {value or '1'}")
    return "\n".join(_with_calls_closed(_lines(without_comments(source), macros), macros))


def without_comments(source: str) -> str:
    def keep(match: re.Match[str]) -> str:
        return match[0] if match[0][0] in "\"'" else re.sub(r"[^\n]", " ", match[0])

    return _COMMENT_OR_TEXT.sub(keep, source)


def _lines(source: str, macros: Macros) -> Iterator[str | None]:
    """The lines before macros are replaced; empty ones for branches not taken, None for directives."""
    branches = _Branches()
    for line in _joined(source):
        directive = _DIRECTIVE.match(line)
        if directive:
            name, rest = directive[1], directive[2].strip()
            if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
                branches.turn(name, _condition(name, rest, macros))
            elif branches.taken and name == "define":
                macros.define(rest)
            elif branches.taken and name == "undef":
                macros.undefine(rest)
        yield None if directive else line if branches.taken else ""


def _with_calls_closed(lines: Iterator[str | None], macros: Macros) -> Iterator[str]:
    """The lines with macros replaced. Lines that a call takes in are joined to its first; empty ones follow."""
    held: list[str] = []
    for line in lines:
        held.append(line or "")
        try:
            yield macros.expand(" ".join(held))
        except Unclosed:
            if line is not None and len(held) < _MOST_LINES_OF_A_CALL:
                continue
            yield from held
        else:
            yield from [""] * (len(held) - 1)
        held = []
    yield from held


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


def _condition(directive: str, text: str, macros: Macros) -> bool:
    if directive in ("ifdef", "ifndef"):
        return (text.split()[0] in macros if text else False) == (directive == "ifdef")
    known = _DEFINED.sub(lambda match: str(int((match[1] or match[2]) in macros)), text)
    try:
        plain = macros.expand(known)
    except Unclosed:
        return False
    return bool(evaluate(re.sub(r"\b(?!true\b|false\b)[A-Za-z_]\w*", "0", plain), {}))  # an unknown name counts as 0
