"""Inline assembly that names a file: `.file`, `.incbin`, `.loc` and their like, however their text is put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from grading.intake.pieces import can_be_formed, can_be_joined
from grading.intake.tokens import Line, Token, code_of, directive

_KEYWORDS = ("asm", "__asm", "__asm__")
_NAMES = ("file", "include", "incbin", "loc", "section")
_FILE = re.compile(rf"\.\s*(?:{'|'.join(_NAMES)})(?!\w)", re.IGNORECASE)


def names_a_file(lines: Sequence[Line]) -> bool:
    """Whether assembly in these lines does, or could where macros make its text."""
    found = [token for line in lines for token in code_of(line)]
    texts = [token.content for token in found if token.kind == "text"]
    known = _known_texts(lines)
    templates = [_template(found, place, known) for place, token in enumerate(found) if token.text in _KEYWORDS]
    if any(_FILE.search(template) for template in templates if template is not None):
        return True
    if None not in templates and not _can_be_pasted(found):
        return False
    pieces = [*texts, *(_stringified(lines) if _has_stringify(lines) else [])]
    whole = any(_FILE.search(text) for text in ("".join(texts), *texts))
    return whole or any(can_be_formed(f".{name}", [piece.lower() for piece in pieces]) for name in _NAMES)


def _can_be_pasted(found: Sequence[Token]) -> bool:
    words = {token.text for token in found if token.kind in ("word", "number")}
    return any(token.text == "##" for token in found) and any(can_be_joined(name, words) for name in _KEYWORDS)


def _known_texts(lines: Iterable[Line]) -> dict[str, str]:
    """The macros that stand for a text and nothing else. One that is defined twice is not known."""
    known: dict[str, str] = {}
    seen: set[str] = set()
    for line in lines:
        if directive(line)[:1] == ["define"]:
            name, *body = code_of(line)[2:] or [Token("word", "")]
            if all(token.kind == "text" for token in body) and name.text not in seen:
                known[name.text] = "".join(token.content for token in body)
            else:
                known.pop(name.text, None)
            seen.add(name.text)
    return known


def _template(found: Sequence[Token], place: int, known: dict[str, str]) -> str | None:
    """The text of the assembly that begins there; None where it is not known before macros are replaced."""
    start = next((at for at in range(place + 1, len(found)) if found[at].text == "("), len(found))
    template = ""
    for token in found[start + 1 :]:
        if token.text in (":", "::", ")"):
            return template
        if token.kind == "text":
            template += token.content
        elif token.kind == "word" and token.text in known:
            template += known[token.text]
        else:
            return None
    return None


def _has_stringify(lines: Iterable[Line]) -> bool:
    """Whether a macro makes texts of its arguments: a `#` within its definition."""
    return any("#" in directive(line)[1:] for line in lines if directive(line)[:1] == ["define"])


def _stringified(lines: Iterable[Line]) -> Iterator[str]:
    yield from (token.text for line in lines for token in code_of(line) if token.kind in ("word", "number", "mark"))
