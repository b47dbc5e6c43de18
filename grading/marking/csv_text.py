"""Cells of spreadsheets: nothing that a student wrote may be taken for a formula, and what a spreadsheet saved is read
again whatever it made of the file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from gemmlab.errors import UserError
from grading.marking import sentences as say

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # also their wide forms
_INNER = re.compile(r"([;\t][\s\"]*)(?=[=+@-])")
_ESCAPED_INNER = re.compile(r"([;\t][\s\"]*)'(?=[=+@-])")
_SEPARATORS = ",;\t"
_MOST_CELL = 1 << 20  # characters


def escaped(text: str) -> str:
    """The text with an apostrophe where a spreadsheet would begin to compute, be it one that splits at semicolons."""
    text = _INNER.sub(r"\1'", _with_line_feeds(text))
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def unescaped(text: str) -> str:
    """What `escaped` was given."""
    text = text[1:] if text[:1] == "'" and text[1:].lstrip(" ").startswith(_FORMULA) else text
    return _ESCAPED_INNER.sub(r"\1", text)


def written(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """The text of a CSV file. Cells are escaped, numbers are not."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: escaped(cell) if isinstance(cell, str) else cell for name, cell in row.items()})
    return text.getvalue()


def read(data: bytes) -> list[dict[str, str]]:
    """The rows by column, names of columns in lower case. Raises UserError with the reason where it is none.

    Takes what spreadsheets save: a mark of the encoding, UTF-16, Windows text, semicolons or tabs for commas.
    """
    text = _decoded(data)
    first = text.lstrip("\n").partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    csv.field_size_limit(_MOST_CELL)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=separator, strict=True))
    except csv.Error as error:
        raise UserError(str(error)) from None
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines:
        return []
    columns = [name.strip().lower() for name in lines[0]]
    return [{name: unescaped(cell) for name, cell in zip(columns, line)} for line in lines[1:]]


def _decoded(data: bytes) -> str:
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252", "latin-1")
    for encoding in encodings:
        try:
            return _with_line_feeds(data.decode(encoding))
        except UnicodeDecodeError:
            continue
    raise UserError(say.NO_ENCODING())


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
