"""Macros of C: plain ones and those with parameters, with # and ##, replaced in text.

A macro is not replaced inside of its own value, so that nothing expands for ever; one that grows too large, or a file
that asks for too much work, stays as it is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|'?[\w.])*|##|\s+|.", re.DOTALL
)
_DEFINE = re.compile(r"([A-Za-z_]\w*)(?:\(([^)]*)\))?(.*)", re.DOTALL)
_LONGEST = 10_000  # characters of one value
_DEEPEST = 60
_MOST_EXPANSIONS = 200_000  # in one file
_MOST_IN_A_LINE = 5_000


class Unclosed(Exception):
    """The arguments of a macro go on in the next line."""


class _TooMuch(Exception):
    """The text would grow too large."""


@dataclass(frozen=True)
class _Macro:
    """`parameters` is None for a plain macro; the last of them may be '...'."""

    body: str
    parameters: tuple[str, ...] | None = None


class Macros:
    """The macros defined so far."""

    def __init__(self, plain: dict[str, str]) -> None:
        self._macros = {name: _Macro(body) for name, body in plain.items()}
        self._left = _MOST_EXPANSIONS
        self._left_in_line = 0

    def __contains__(self, name: str) -> bool:
        return name in self._macros

    def define(self, text: str) -> None:
        """Take what stands behind #define; text that defines nothing is passed over."""
        match = _DEFINE.match(text)
        if match:
            parameters = None if match[2] is None else tuple(filter(None, re.split(r"[\s,]+", match[2])))
            self._macros[match[1]] = _Macro(match[3].strip(), parameters)

    def undefine(self, name: str) -> None:
        self._macros.pop(name, None)

    def expand(self, text: str) -> str:
        """The text with macros replaced. Raises Unclosed where the arguments of one do not end in it."""
        self._left_in_line = _MOST_IN_A_LINE
        try:
            return self._expanded(text, frozenset())
        except _TooMuch:
            return text

    def _expanded(self, text: str, hidden: frozenset[str]) -> str:
        tokens, parts, at, length = _TOKEN.findall(text), [], 0, 0
        while at < len(tokens):
            value, at = self._next(tokens, at, hidden)
            parts.append(value)
            length += len(value)
            if length > _LONGEST and hidden:
                raise _TooMuch
        return "".join(parts)

    def _next(self, tokens: list[str], at: int, hidden: frozenset[str]) -> tuple[str, int]:
        """What the token at that place becomes, with the place behind it and its arguments."""
        name = tokens[at]
        macro = self._macros.get(name)
        if macro is None or name in hidden:
            return name, at + 1
        self._count(hidden)
        if macro.parameters is None:
            value = self._expanded(macro.body, hidden | {name})
            stands_for = self._macros.get(value.strip())
            if stands_for is None or stands_for.parameters is None or value.strip() in hidden | {name}:
                return value, at + 1
            tokens[at] = value.strip()  # a plain macro that stands for one with parameters
            return self._next(tokens, at, hidden | {name})
        try:
            arguments, end = _arguments(tokens, at + 1)
        except Unclosed:
            if not hidden:
                raise
            return name, at + 1
        if arguments is None:
            return name, at + 1
        return self._expanded(self._filled(macro, arguments, hidden), hidden | {name}), end

    def _count(self, hidden: frozenset[str]) -> None:
        self._left -= 1
        self._left_in_line -= 1
        if self._left < 0 or self._left_in_line < 0 or len(hidden) > _DEEPEST:
            raise _TooMuch

    def _filled(self, macro: _Macro, arguments: list[str], hidden: frozenset[str]) -> str:
        """The value of a macro with its arguments in place."""
        parameters = macro.parameters or ()
        named = dict(zip(parameters, arguments))
        if parameters[-1:] == ("...",):
            named["__VA_ARGS__"] = ",".join(arguments[len(parameters) - 1 :])
        body = re.sub(r",\s*##\s*__VA_ARGS__", ", __VA_ARGS__" if named.get("__VA_ARGS__") else "", macro.body)
        tokens, parts = _TOKEN.findall(body), []
        for at, token in enumerate(tokens):
            if token in named:
                raw = "##" in (_neighbour(tokens, at, -1), _neighbour(tokens, at, 1))
                quoted = _neighbour(tokens, at, -1) == "#"
                value = named[token].strip()
                parts.append(_quoted(value) if quoted else value if raw else self._expanded(value, hidden))
            elif token != "#" or _neighbour(tokens, at, 1) not in named:
                parts.append(token)
        return re.sub(r"\s*##\s*", "", "".join(parts)) if "##" in tokens else "".join(parts)


def _neighbour(tokens: list[str], at: int, step: int) -> str:
    """The nearest token in that direction that is not white space."""
    at += step
    while 0 <= at < len(tokens) and tokens[at].isspace():
        at += step
    return tokens[at] if 0 <= at < len(tokens) else ""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _arguments(tokens: list[str], at: int) -> tuple[list[str] | None, int]:
    """The arguments in the parentheses that open at that place, and the place behind them; None where none open."""
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    if at == len(tokens) or tokens[at] != "(":
        return None, at
    depth, arguments = 0, [""]
    for place in range(at, len(tokens)):
        token = tokens[place]
        depth += (token == "(") - (token == ")")
        if depth == 0:
            return arguments, place + 1
        if token == "," and depth == 1:
            arguments.append("")
        elif place > at:
            arguments[-1] += token
    raise Unclosed
