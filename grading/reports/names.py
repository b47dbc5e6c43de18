"""Names of files for names of students, who may be called '../x', 'CON' or as somebody else in capitals."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable

_ALLOWED = " ,-_.()@+"
_LONGEST = 60  # characters; at most 4 bytes each, and file systems allow 255
_RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}
_DIGITS = (0, 8, 64)  # of the digest that is added, where names would meet


def file_names(students: Iterable[str]) -> dict[str, str]:
    """A file name, without its ending, for each student. No two are the same, also where capitals do not count.

    A name that is fit for a file is kept as it is; any other gets a part of its digest.
    """
    levels = {student: int(_clean(student) != student) for student in sorted(set(students))}
    while True:
        names = {student: _name(student, _DIGITS[level]) for student, level in levels.items()}
        count = Counter(map(_seen, names.values()))
        met = [one for one, name in names.items() if count[_seen(name)] > 1 and levels[one] < len(_DIGITS) - 1]
        if not met:
            return names
        for student in met:
            levels[student] += 1


def _name(student: str, digits: int) -> str:
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return f"{_clean(student)}-{digest}" if digest else student


def _clean(student: str) -> str:
    """What of the name every file system takes."""
    text = "".join(letter if letter.isalnum() or letter in _ALLOWED else "-" for letter in student)
    text = text[:_LONGEST].lstrip(" .-").rstrip(" .") or "unnamed"
    return f"_{text}" if text.lower().partition(".")[0] in _RESERVED else text


def _seen(name: str) -> str:
    """The same for names that some file system takes for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
