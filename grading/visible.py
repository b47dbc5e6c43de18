"""What students wrote, made fit to be shown on a line."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text without line ends and control characters, which can do tricks on a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
