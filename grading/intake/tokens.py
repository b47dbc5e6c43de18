"""CUDA C++ as the compiler takes it apart: tokens and lines of a piece of source, which need not be a whole file, nor
right.

It follows the phases of translation as NVRTC does them: a backslash before a line end joins two lines, comments count
as a space, a quote that is not closed takes the rest of its line, trigraphs mean nothing. A `#` in the middle of a line
counts as a directive too: it becomes one where the compiler's caller leaves out the host code before it. Where NVRTC
and other compilers differ (blanks after that backslash), `readings` gives both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<newline> \n )
    | (?P<space> [^\S\n]+ )
    | (?P<comment> //[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<raw> (?:u8|[uUL])?R"(?P<fence>[^\s()\\"]*)\(.*?(?:\)(?P=fence)"|\Z)\w* | (?:u8|[uUL])?R"[^\n]* )
    | (?P<text> (?:u8|[uUL])?(?:"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*')\w* )
    | (?P<unclosed> (?:u8|[uUL])?["'][^\n]* )
    | (?P<word> (?:[^\W\d]|\$|\\u[0-9a-fA-F]{4})(?:\w|\$|\\u[0-9a-fA-F]{4})* )
    | (?P<number> \.?\d(?:[eEpP][+-]|'?\w|\.)* )
    | (?P<mark>
        <% | %> | %:%: | %: | <:(?!:[^:>]) | :> | \#\# | \+\+ | -- | <<=? | >>=? | [-+*/%&|^=!<>]= | && | \|\| | -> | ::
        | .
    )
    """,
    re.DOTALL | re.VERBOSE,
)
_SAME = {"<%": "{", "%>": "}", "%:": "#", "%:%:": "##", "<:": "[", ":>": "]"}  # other spellings of the language
_UNIVERSAL = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^\n]))")
_LAST_CHARACTER = 0x10FFFF
_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")


@dataclass(frozen=True)
class Token:
    """`kind` is word, number, text (of a string or character), raw (a raw string), unclosed (a quote), mark or comment.

    `text` has one spelling for those that the language has two of: `{` for `<%`.
    """

    kind: str
    text: str

    @property
    def content(self) -> str:
        """What a string holds, its escapes read."""
        opening = min((place for place in map(self.text.find, "\"'") if place >= 0), default=-1)
        closing = self.text.rfind(self.text[opening]) if opening >= 0 else -1
        return _ESCAPED.sub(_character, self.text[opening + 1 : closing])


def _character(match: re.Match) -> str:
    hexadecimal, octal, short, long, other = match.groups()
    number = int(hexadecimal or short or long, 16) if hexadecimal or short or long else int(octal, 8) if octal else None
    if number is None:
        return {"n": "\n", "t": "\t"}.get(other, other)
    return chr(number) if number <= _LAST_CHARACTER else " "


Line = list[Token]  # a logical line: comments may reach over several of the text's


def scan(text: str) -> Iterator[Line]:
    """The lines of the text with their tokens, comments among them. Lines without any are left out. A directive has a
    line of its own."""
    line: Line = []
    for match in _TOKEN.finditer(text.replace("\\\n", "")):
        kind = str(match.lastgroup if match.lastgroup != "fence" else "raw")
        if kind == "newline":
            yield from [line] if line else []
            line = []
        elif kind != "space":
            token = Token(kind, _one_spelling(kind, match[0]))
            if token.text == "#" and code_of(line) and not directive(line):
                yield line
                line = []
            line.append(token)
    yield from [line] if line else []


def _one_spelling(kind: str, text: str) -> str:
    if kind == "word":
        return _UNIVERSAL.sub(lambda match: chr(int(match[1], 16)), text)
    return _SAME.get(text, text) if kind == "mark" else text


def readings(text: str) -> list[list[Line]]:
    """The text's lines that are compiled, in each of the ways that a compiler may read it."""
    joined = re.sub(r"\\[^\S\n]+\n", "", text)
    return [compiled(list(scan(one))) for one in dict.fromkeys((text, joined))]


def code_of(line: Line) -> Line:
    """The line without its comments."""
    return [token for token in line if token.kind != "comment"]


def directive(line: Line) -> list[str]:
    """The tokens of a line for the preprocessor from its name on, [''] where it has none; empty for other lines."""
    code = [token.text for token in code_of(line)]
    return (code[1:] or [""]) if code[:1] == ["#"] else []


def is_conditional(line: Line) -> bool:
    return directive(line)[:1] != [] and directive(line)[0] in _CONDITIONALS


def compiled(lines: Sequence[Line]) -> list[Line]:
    """The lines without those that stand behind `#if 0` or in the `#else` of `#if 1`."""
    kept: list[Line] = []
    groups: list[_Group] = []
    for line in lines:
        name, *rest = directive(line) or [""]
        around = groups[:-1] if name in _CONDITIONALS and not name.startswith("if") else groups
        if not any(group.is_dead for group in around):
            kept.append(line)
        if name in ("if", "ifdef", "ifndef"):
            truth = {"if 0": False, "if 1": True}.get(" ".join((name, *rest)))
            groups.append(_Group(truth is True, truth is False))
        elif name == "endif":
            del groups[-1:]
        elif name in _CONDITIONALS and groups:
            groups[-1] = _Group(groups[-1].was_true, groups[-1].was_true)
    return kept


@dataclass(frozen=True)
class _Group:
    """One `#if`: whether a branch of it was surely taken, and whether the branch at hand surely is not."""

    was_true: bool
    is_dead: bool


def are_conditionals_closed(text: str) -> bool:
    """Whether each `#if` of the text ends in it, and nothing ends one that begins elsewhere."""
    depth = 0
    for line in scan(text):
        name = (directive(line) or [""])[0]
        depth += name in ("if", "ifdef", "ifndef")
        if name in _CONDITIONALS and depth < 1:
            return False
        depth -= name == "endif"
    return depth == 0


def tokens(text: str) -> list[str]:
    """The texts of all tokens but comments, in order."""
    return [token.text for line in scan(text) for token in code_of(line)]
