"""Whether macros can put a word together from pieces that a file has, in whatever order."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def can_be_joined(word: str, pieces: Collection[str]) -> bool:
    """Whether the word is two or more of the pieces, one after the other."""
    reached = {0}
    for start in range(len(word)):
        if start in reached:
            reached |= {start + len(one) for one in pieces if one and one != word and word.startswith(one, start)}
    return len(word) in reached


def can_be_formed(word: str, texts: Sequence[str]) -> bool:
    """Whether the texts, each used as often as one likes, can be lined up so that the word stands in them, with no
    letter right after it."""
    reached = {cut for text in texts for cut in range(1, len(word)) if text.endswith(word[:cut])}
    for start in range(1, len(word)):
        if start in reached:
            reached |= {start + len(one) for one in texts if one and word.startswith(one, start)}
    ends = {word[start:] for start in reached if start < len(word)}
    return len(word) in reached or any(_begins_with_word(text, end) for text in texts for end in ends)


def _begins_with_word(text: str, end: str) -> bool:
    after = text[len(end) : len(end) + 1]
    return text.startswith(end) and not (after.isalnum() or after == "_")
