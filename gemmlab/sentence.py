"""Sentences for people: whole text with named fields, so that another language may order them as it likes.

They stand together, one file a room: a `sentences.py`, with a constant for each sentence, or a dict where a name from
elsewhere chooses one. Another edition of the course is another such file; no sentence is glued from pieces of one word.
"""

from __future__ import annotations

from string import Formatter


class Sentence:
    """One text in the style of str.format. Called with just its fields, it gives the text for a reader."""

    __slots__ = ("text", "fields")

    def __init__(self, text: str) -> None:
        self.text = text
        self.fields = frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)
        if not all(name.isidentifier() for name in self.fields):
            raise ValueError(f"each field of a sentence has a name alone, unlike those of {text!r}")

    def __call__(self, **fields: object) -> str:
        """The text with its fields filled in. TypeError where one is missing or is none of the sentence's."""
        if fields.keys() != self.fields:
            missing, unknown = (", ".join(sorted(some)) or "none" for some in self._differences(fields))
            raise TypeError(f"{self.text!r} lacks the fields: {missing}; and has no place for: {unknown}")
        return self.text.format(**fields)

    def _differences(self, fields: dict[str, object]) -> tuple[frozenset[str], frozenset[str]]:
        return self.fields - fields.keys(), frozenset(fields) - self.fields

    def __repr__(self) -> str:
        return f"Sentence({self.text!r})"
