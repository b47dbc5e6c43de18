"""What students wrote, made fit to be shown on a line."""

from __future__ import annotations

import re
import unicodedata

# Letters and marks by their category, of which nothing is seen.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def plain(text: str) -> str:
    """The text without line ends and control characters, which can do tricks on a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def visible(text: str) -> str:
    """The text with a name, such as ⟨U+200B⟩, in place of all that cannot be seen, and of blanks at its ends. Texts
    that differ stay apart."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return "".join(
        letter if start <= place < end and _is_seen(letter) else f"⟨U+{ord(letter):04X}⟩"
        for place, letter in enumerate(text)
    )


def _is_seen(letter: str) -> bool:
    return letter == " " or (unicodedata.category(letter)[0] not in "CZ" and not _UNSEEN.match(letter))
