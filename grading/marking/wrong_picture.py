"""The wrong elements of C as a small SVG. It is drawn to one size whatever the shape is: where, and not how many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from gemmlab.pictures.picture import COLOR, FAINT, PAPER
from grading.marking import sentences as say

CELLS = 16
_PIXELS = 8  # a side of a cell
_SOME = 0.45  # opacity of a cell that is wrong in part


def wrong_picture(wrong: np.ndarray) -> str:
    """SVG text for a mask of wrong elements (M×N, bool): a square of CELLS×CELLS; '' where nothing is wrong."""
    if not wrong.any():
        return ""
    side = CELLS * _PIXELS
    size = f'width="{side}" height="{side}" viewBox="0 0 {side} {side}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        f"<title>{say.PICTURE[where(wrong)]()}</title>"
        f'<rect width="{side}" height="{side}" fill="{PAPER}" stroke="{FAINT}"/>{"".join(_cells(wrong))}</svg>'
    )


def where(wrong: np.ndarray) -> str:
    """Where the wrong elements lie: the key of the sentences on it, 'everywhere', 'lower edge' and so on."""
    rows, cols = np.asarray(wrong.any(axis=1)), np.asarray(wrong.any(axis=0))
    if wrong.all():
        return "everywhere"
    if not rows[: len(rows) // 2].any() and cols.all():
        return "lower edge"
    if not cols[: len(cols) // 2].any() and rows.all():
        return "right edge"
    return "places"


def _cells(wrong: np.ndarray) -> Iterator[str]:
    """The cells with wrong elements in them. Where C has fewer rows or columns than cells, several show the same."""
    parts = [[_part(cell, size) for cell in range(CELLS)] for size in wrong.shape]
    for (row, rows), (col, cols) in product(*map(enumerate, parts)):
        share = wrong[rows, cols].mean()
        if share:
            place = f'x="{col * _PIXELS}" y="{row * _PIXELS}" width="{_PIXELS}" height="{_PIXELS}"'
            opacity = "" if share == 1 else f' fill-opacity="{_SOME}"'
            yield f'<rect {place} fill="{COLOR["wrong"]}"{opacity}/>'


def _part(cell: int, size: int) -> slice:
    start, end = cell * size // CELLS, (cell + 1) * size // CELLS
    return slice(start, max(end, start + 1))
