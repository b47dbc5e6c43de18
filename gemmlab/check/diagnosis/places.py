"""Where wrong elements are, seen over the grid of tiles: each rule says whether its pattern is in the evidence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gemmlab.check.diagnosis.displaced import Displaced, displaced
from gemmlab.check.diagnosis.evidence import Evidence, Tile, Trial
from gemmlab.check.diagnosis.sentences import COLUMNS_MISSING, PLACES, ROWS_AND_COLUMNS_MISSING, ROWS_MISSING
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.tolerance import Shape, rounding_bound

_MOST = 0.5
_ROUGHNESS = 2.0**-8  # of the sum of absolute products: what bfloat16's eight bits may come to
_TELLING_SIZE = 256  # elements of C; fewer values are alike by chance


def read_place(evidence: Evidence) -> tuple[str, str, Trial]:
    """Name and sentence of the most telling pattern that is there, and the result that shows it."""
    name = next(name for name, holds in _RULES if holds(evidence))
    shown = _shown(name, evidence.wrong)
    sentence = PLACES[_told_as(name, shown)]
    return name, sentence(**{field: FIELDS[field](shown, evidence.tile) for field in sentence.fields}), shown


def nothing_written(evidence: Evidence) -> bool:
    return all(trial.unwritten.all() for trial in evidence.wrong)


def _corner_written(holds: Callable[[Shape, Tile, Tile], bool]) -> Callable[[Evidence], bool]:
    """Where elements were never written, the written ones are a corner C[:rows, :cols] whose size fits the rule."""

    def rule(evidence: Evidence) -> bool:
        trials = [trial for trial in evidence.wrong if trial.unwritten.any()]
        corners = [(trial.shape, _written_corner(trial)) for trial in trials]
        return bool(trials) and all(corner and holds(shape, corner, evidence.tile) for shape, corner in corners)

    return rule


def _written_corner(trial: Trial) -> tuple[int, int] | None:
    """(rows, cols) if exactly the elements C[:rows, :cols] were written."""
    written = ~trial.unwritten
    rows, cols = int(written.any(axis=1).sum()), int(written.any(axis=0).sum())
    return (rows, cols) if written[:rows, :cols].all() and written.sum() == rows * cols else None


def _one_tile(shape: Shape, corner: Tile, tile: Tile) -> bool:
    return corner == tile


def _grid_swapped(shape: Shape, corner: Tile, tile: Tile) -> bool:
    M, N, _ = shape
    return corner == (min(M, cdiv(N, tile[1]) * tile[0]), min(N, cdiv(M, tile[0]) * tile[1]))


def _rounded_down(shape: Shape, corner: Tile, tile: Tile) -> bool:
    return corner == _whole_tiles(shape, tile)


def _one_short(shape: Shape, corner: Tile, tile: Tile) -> bool:
    return corner[0] >= shape[0] - 1 and corner[1] >= shape[1] - 1


def _any_corner(shape: Shape, corner: Tile, tile: Tile) -> bool:
    return True


def _diagonal(evidence: Evidence) -> bool:
    """Whether just those elements were written whose row and column are alike within their tile."""
    T = evidence.tile
    trials = [trial for trial in evidence.wrong if trial.unwritten.any()]
    rows_and_cols = [np.indices(trial.unwritten.shape) for trial in trials]
    return bool(trials) and all(
        np.array_equal(~trial.unwritten, rows % T[0] == cols % T[1])
        for trial, (rows, cols) in zip(trials, rows_and_cols, strict=True)
    )


def _holes(evidence: Evidence) -> bool:
    return any(trial.unwritten.any() for trial in evidence.wrong)


def _last_rows(evidence: Evidence) -> bool:
    return all(_only_in_last_tile(mask, evidence.tile[0]) for mask in evidence.masks)


def _last_columns(evidence: Evidence) -> bool:
    return all(_only_in_last_tile(mask.T, evidence.tile[1]) for mask in evidence.masks)


def _only_in_last_tile(mask: np.ndarray, side: int) -> bool:
    """Whether the marked rows lie in a last, partial tile, other tiles being there."""
    first = len(mask) // side * side
    return 0 < first < len(mask) and not mask[:first].any()


def _edges(evidence: Evidence) -> bool:
    return all(_only_in_partial_tiles(mask, evidence.tile) for mask in evidence.masks)


def _only_in_partial_tiles(mask: np.ndarray, tile: Tile) -> bool:
    rows, cols = _whole_tiles(mask.shape, tile)
    return rows > 0 and cols > 0 and (rows, cols) != mask.shape and not mask[:rows, :cols].any()


def _not_a_number(evidence: Evidence) -> bool:
    return any(map(_has_nan, evidence.wrong))


def _has_nan(trial: Trial) -> bool:
    """Whether NaN was written into an element."""
    return bool((np.isnan(trial.C) & ~trial.unwritten).any())


def _rough(evidence: Evidence) -> bool:
    """Whether no element is far off: the errors are those of a shorter type."""
    return all(_is_rough(trial) for trial in evidence.wrong)


def _is_rough(trial: Trial) -> bool:
    A, B = np.abs(trial.A.astype(np.float64)), np.abs(trial.B.astype(np.float64))
    return bool((np.abs(trial.C - trial.right) <= _ROUGHNESS * trial.terms.product(A, B)).all())


def _never_added(evidence: Evidence) -> bool:
    return all((trial.C[trial.comparison.wrong] == 0).mean() >= _MOST for trial in evidence.wrong)


def _moved(evidence: Evidence) -> bool:
    """Whether the wrong values belong elsewhere, wherever the inputs are such that values tell."""
    telling = [trial for trial in evidence.wrong if _values_tell(trial)]
    return bool(telling) and all(_displaced(trial) for trial in telling)


def _values_tell(trial: Trial) -> bool:
    return trial.inputs == "random" and trial.C.size >= _TELLING_SIZE


def _displaced(trial: Trial) -> Displaced | None:
    return displaced(trial.C, trial.right, trial.comparison.wrong, trial.bound)


def _ragged_k(evidence: Evidence) -> bool:
    T = evidence.tile[1]
    wrong, right = ([trial.shape[2] % T > 0 for trial in trials] for trials in (evidence.wrong, evidence.right))
    return all(wrong) and bool(right) and not any(right)


def _everywhere(evidence: Evidence) -> bool:
    return not evidence.right and all(mask.mean() >= _MOST for mask in evidence.masks)


def _same_offset(evidence: Evidence) -> bool:
    return all(_is_off_by_one_value(trial) for trial in evidence.wrong)


def _is_off_by_one_value(trial: Trial) -> bool:
    """Whether every element of C is wrong, and by the same amount up to rounding."""
    A, B = np.abs(trial.A.astype(np.float64)), np.abs(trial.B.astype(np.float64))
    with np.errstate(invalid="ignore"):
        offset = trial.C - trial.right
        spread = np.ptp(offset)
    bound = rounding_bound(A.shape[1], trial.terms.product(A, B) + np.abs(offset), trial.element).max()
    return trial.C.size > 1 and bool(trial.comparison.wrong.all() and spread <= bound)


def _same_places(evidence: Evidence) -> bool:
    return all(_is_same_in_tiles(mask, evidence.tile) for mask in evidence.masks)


def _is_same_in_tiles(mask: np.ndarray, tile: Tile) -> bool:
    """Whether several whole tiles have the same wrong places, and not all of them."""
    rows, cols = _whole_tiles(mask.shape, tile)
    tiles = mask[:rows, :cols].reshape(rows // tile[0], tile[0], cols // tile[1], tile[1])
    several = tiles.shape[0] * tiles.shape[2] > 1
    return several and bool((tiles == tiles[:1, :, :1]).all()) and bool(tiles.any()) and not tiles.all()


def _anything(evidence: Evidence) -> bool:
    return True


# The telling ones first.
_RULES: tuple[tuple[str, Callable[[Evidence], bool]], ...] = (
    ("nothing_written", nothing_written),
    ("one_tile", _corner_written(_one_tile)),
    ("grid_swapped", _corner_written(_grid_swapped)),
    ("rounded_down", _corner_written(_rounded_down)),
    ("one_short", _corner_written(_one_short)),
    ("corner", _corner_written(_any_corner)),
    ("diagonal", _diagonal),
    ("holes", _holes),
    ("last_rows", _last_rows),
    ("last_columns", _last_columns),
    ("edges", _edges),
    ("nan", _not_a_number),
    ("never_added", _never_added),
    ("rough", _rough),
    ("moved", _moved),
    ("same_offset", _same_offset),
    ("ragged_k", _ragged_k),
    ("everywhere", _everywhere),
    ("same_places", _same_places),
    ("some", _anything),
)


def _told_as(name: str, trial: Trial) -> str:
    """The name of the sentence: of displaced values, by the index that differs."""
    if name != "moved":
        return name
    return {"row": "moved_row", "column": "moved_column"}.get(_displaced_in(trial).which, name)


def _shown(name: str, wrong: list[Trial]) -> Trial:
    """The smallest wrong result in which the pattern of that name can be seen."""
    seen = {"moved": _values_tell, "nan": _has_nan}.get(name, _is_partly_written)
    return next(filter(seen, wrong), wrong[0])


def _is_partly_written(trial: Trial) -> bool:
    return bool(trial.unwritten.any() and not trial.unwritten.all())


def _missing(trial: Trial, tile: Tile) -> str:
    """The rows and columns of C in which nothing was written."""
    written = ~trial.unwritten
    row, column = int(written.any(axis=1).sum()), int(written.any(axis=0).sum())
    if column == trial.shape[1]:
        return ROWS_MISSING(row=row)
    return COLUMNS_MISSING(column=column) if row == trial.shape[0] else ROWS_AND_COLUMNS_MISSING(row=row, column=column)


def _first_wrong(trial: Trial) -> tuple[int, int]:
    row, column = (int(place) for place in np.argwhere(trial.comparison.wrong)[0])
    return row, column


def _displaced_in(trial: Trial) -> Displaced:
    found = _displaced(trial)
    assert found is not None, "the rule holds where values are displaced"
    return found


def _element(place: tuple[int, int]) -> str:
    return f"C[{place[0]}][{place[1]}]"


# The fields of the sentences, each read off the result that is shown.
FIELDS: dict[str, Callable[[Trial, Tile], object]] = {
    "M": lambda trial, tile: trial.shape[0],
    "N": lambda trial, tile: trial.shape[1],
    "K": lambda trial, tile: trial.shape[2],
    "missing": _missing,
    "holes": lambda trial, tile: int(trial.unwritten.sum()),
    "wrong": lambda trial, tile: int(trial.comparison.wrong.sum()),
    "size": lambda trial, tile: trial.C.size,
    "nans": lambda trial, tile: int(np.isnan(trial.C).sum()),
    "zeros": lambda trial, tile: int((trial.C == 0).sum()),
    "tile_k": lambda trial, tile: tile[1],
    "ty": lambda trial, tile: _first_wrong(trial)[0] % tile[0],
    "tx": lambda trial, tile: _first_wrong(trial)[1] % tile[1],
    "here": lambda trial, tile: _element(_displaced_in(trial).here),
    "there": lambda trial, tile: _element(_displaced_in(trial).there),
}


def _whole_tiles(shape: tuple[int, ...], tile: Tile) -> tuple[int, int]:
    """The rows and columns of C that lie in whole tiles."""
    return shape[0] // tile[0] * tile[0], shape[1] // tile[1] * tile[1]
