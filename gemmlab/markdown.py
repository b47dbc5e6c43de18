"""Text inside Markdown: characters as themselves, numbers for reading, and whole sentences."""

from __future__ import annotations

NO_BREAK = "\N{NO-BREAK SPACE}"


def escape(text: str) -> str:
    """The text for use inside Markdown, every character as itself."""
    return "".join(f"\\{char}" if char in r"\`*_{}[]()<>#+-.!|~$" else char for char in text)


def plain(value: float) -> str:
    """The number for reading: two decimals at most, or three digits where it is below 1."""
    return f"{value:,.2f}".rstrip("0").rstrip(".") if value >= 1 else f"{value:.3g}"


def sentence(text: str) -> str:
    """A message, which begins small and has no full stop, as a sentence of Markdown."""
    return escape(text[:1].upper() + text[1:].rstrip(".") + ".")
