"""The tokens of a piece of CUDA, which need not be a whole file, nor right. Comments are left out."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""
    (?P<space> \s+ | \\\n )
    | (?P<comment> //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
    | (?P<code>
        "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
        | [A-Za-z_]\w*
        | \.?\d(?:[eEpP][+-]|[\w.])*
        | <% | %> | %: | \+\+ | -- | <<=? | >>=? | [-+*/%&|^=!<>]= | && | \|\| | -> | ::
        | .
    )
    """,
    re.DOTALL | re.VERBOSE,
)
_SAME = {"<%": "{", "%>": "}", "%:": "#"}  # other spellings of the language


def tokens(text: str) -> list[str]:
    """The tokens, in order. What is not closed, a quote say, is a token by itself."""
    found = (match["code"] for match in _TOKEN.finditer(text))
    return [_SAME.get(token, token) for token in found if token]


def without_comments(text: str) -> str:
    """The text with a space in place of each comment, as the compiler has it."""
    return _TOKEN.sub(lambda match: " " if match["comment"] else match[0], text)


def comments(text: str) -> list[str]:
    return [match["comment"] for match in _TOKEN.finditer(text) if match["comment"]]
