"""Wrong values that tell where they come from: the right values of other elements of C."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class Displaced:
    """A wrong element (row, col), and where the value that it holds belongs. `which` names the indices that differ in
    nearly all such elements: 'row', 'column' or 'row and column'."""

    here: tuple[int, int]
    there: tuple[int, int]
    which: str


def displaced(C: np.ndarray, right: np.ndarray, wrong: np.ndarray, bound: np.ndarray) -> Displaced | None:
    """Where the wrong values belong, if nearly all of them are right values of other elements; else None.

    `right` is what C should be, `wrong` (bool) marks where it is not, `bound` is how far rounding takes each right
    value; all are M×N. Zeros are left out: values from beyond the edge of A or B are 0. It tells something only where
    the right values are distinct, as from random inputs.
    """
    order = np.argsort(right, axis=None)
    wrong = wrong & (C != 0)
    found = C[wrong].astype(np.float64)
    nearest = order[_nearest(right.ravel()[order], found)]
    near = np.abs(right.ravel()[nearest] - found) <= bound.ravel()[nearest]
    if not near.any() or near.mean() < _NEARLY_ALL:
        return None
    here = np.argwhere(wrong)[near]
    there = np.stack(np.unravel_index(nearest[near], right.shape), axis=1)
    differs = (here != there).mean(axis=0) > 1 - _NEARLY_ALL
    which = " and ".join(name for name, moved in zip(("row", "column"), differs, strict=True) if moved)
    return Displaced(_pair(here[0]), _pair(there[0]), which)


def _nearest(values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """For each wanted number the index of the nearest of the sorted values."""
    above = np.searchsorted(values, wanted).clip(0, len(values) - 1)
    below = (above - 1).clip(0)
    return np.where(np.abs(values[below] - wanted) < np.abs(values[above] - wanted), below, above)


def _pair(place: np.ndarray) -> tuple[int, int]:
    return int(place[0]), int(place[1])
