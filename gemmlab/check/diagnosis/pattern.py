"""Reads wrong results: one sentence that says what the wrong elements of C have in common and where to look.

First the values: does one of the usual slips (hypotheses.py) give this very C, in every case tried? Else
the places: which elements are wrong or were never written, seen over the grid of tiles, and which cases are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gemmlab.check.diagnosis.displaced import Displaced, displaced
from gemmlab.check.diagnosis.hypotheses import HYPOTHESES, Hypothesis
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.tolerance import EXACT, Comparison, Shape, rounding_bound

_USUAL_TILES = (16, 32, 8, 4)
_LARGEST_TILE = 1024  # a larger one only means that the grid does not grow with C
_LARGEST_REPLAY = 2**21  # products M·N·K; beyond, the slips are not replayed
_MOST = 0.5
_ROUGHNESS = 2.0**-8  # of the sum of absolute products: what bfloat16's eight bits may come to
_TELLING_SIZE = 256  # elements of C; fewer values are alike by chance

Tile = tuple[int, int]


@dataclass(frozen=True)
class Trial:
    """One judged result: the shape (M, N, K), the kind of inputs, A, B, C, and the comparison with the reference."""

    shape: Shape
    inputs: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    comparison: Comparison

    @property
    def work(self) -> int:
        """Products of the multiplication."""
        return math.prod(self.shape)

    @property
    def unwritten(self) -> np.ndarray:
        """M×N bool: never written. C starts as NaN, so that NaN stands for it where the executor cannot tell."""
        known = self.comparison.unwritten
        return np.isnan(self.C) if known is None else known

    @property
    def has_wrong_values(self) -> bool:
        """Whether an element was written that is wrong."""
        return bool((self.comparison.wrong & ~self.unwritten).any())


@dataclass(frozen=True)
class Reading:
    """The pattern's name, one sentence for the student, and the wrong result that shows it."""

    name: str
    sentence: str
    trial: Trial


@dataclass(frozen=True)
class _Evidence:
    """The wrong trials, smallest first, the right ones, and the (rows, columns) of C that a block computes."""

    wrong: list[Trial]
    right: list[Trial]
    tile: Tile

    @property
    def masks(self) -> list[np.ndarray]:
        return [trial.comparison.wrong for trial in self.wrong]


def read_pattern(trials: Sequence[Trial], tile: Tile) -> Reading:
    """The best reading of these results, at least one of them wrong; `tile` is the (rows, columns) of C of a block."""
    wrong = sorted((trial for trial in trials if not trial.comparison.ok), key=lambda trial: trial.work)
    evidence = _Evidence(wrong, [trial for trial in trials if trial.comparison.ok], tile)
    slip = None if _nothing_written(evidence) else _slip(evidence)
    if slip:
        return Reading(slip.name, slip.sentence, wrong[0])
    name, sentence, _ = next(place for place in _PLACES if place[2](evidence))
    shown = _shown(name, wrong)
    return Reading(name, sentence.format(**_numbers(shown, tile), **_origin(name, shown)), shown)


def _slip(evidence: _Evidence) -> Hypothesis | None:
    """The first slip that gives C in every case, right ones too, and wrong values of C from inputs not all alike."""
    trials = [trial for trial in evidence.wrong + evidence.right if trial.work <= _LARGEST_REPLAY]
    with np.errstate(invalid="ignore", over="ignore"):
        for T in dict.fromkeys(T for T in (*evidence.tile[::-1], *_USUAL_TILES) if T <= _LARGEST_TILE):
            for slip in HYPOTHESES:
                if (T in evidence.tile or not slip.of_block_tile) and _explains(slip, trials, T):
                    return slip
    return None


def _explains(slip: Hypothesis, trials: list[Trial], T: int) -> bool:
    telling = False
    for trial in trials:
        agrees = _agrees(slip, trial, T)
        if agrees is False:
            return False
        telling = telling or (bool(agrees) and trial.has_wrong_values and trial.inputs != "ones")
    return telling


def _agrees(slip: Hypothesis, trial: Trial, T: int) -> bool | None:
    """Whether the slip gives this C where it was written; None where it cannot happen or nothing was written."""
    A, B = trial.A.astype(np.float64), trial.B.astype(np.float64)
    expected, written = slip.candidate(A, B, T), ~trial.unwritten
    if expected is None or not written.any():
        return None
    bound = np.zeros(expected.shape)
    if trial.inputs == "random" or np.abs(expected).max() > EXACT:
        bound = rounding_bound(A.shape[1], (1 + np.abs(A)) @ (1 + np.abs(B)))
    return bool((np.abs(trial.C - expected) <= bound)[written].all())


# What follows reads places. Each rule looks at the evidence and says whether its pattern is there.


def _nothing_written(evidence: _Evidence) -> bool:
    return all(trial.unwritten.all() for trial in evidence.wrong)


def _corner_written(holds: Callable[[Shape, Tile, Tile], bool]) -> Callable[[_Evidence], bool]:
    """Where elements were never written, the written ones are a corner C[:rows, :cols] whose size fits the rule."""

    def rule(evidence: _Evidence) -> bool:
        trials = [trial for trial in evidence.wrong if trial.unwritten.any()]
        corners = [_written_corner(trial) for trial in trials]
        if not trials or None in corners:
            return False
        return all(holds(trial.shape, corner, evidence.tile) for trial, corner in zip(trials, corners, strict=True))

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


def _diagonal(evidence: _Evidence) -> bool:
    """Whether just those elements were written whose row and column are alike within their tile."""
    T = evidence.tile
    trials = [trial for trial in evidence.wrong if trial.unwritten.any()]
    rows_and_cols = [np.indices(trial.unwritten.shape) for trial in trials]
    return bool(trials) and all(
        np.array_equal(~trial.unwritten, rows % T[0] == cols % T[1])
        for trial, (rows, cols) in zip(trials, rows_and_cols, strict=True)
    )


def _holes(evidence: _Evidence) -> bool:
    return any(trial.unwritten.any() for trial in evidence.wrong)


def _last_rows(evidence: _Evidence) -> bool:
    return all(_only_in_last_tile(mask, evidence.tile[0]) for mask in evidence.masks)


def _last_columns(evidence: _Evidence) -> bool:
    return all(_only_in_last_tile(mask.T, evidence.tile[1]) for mask in evidence.masks)


def _only_in_last_tile(mask: np.ndarray, side: int) -> bool:
    """Whether the marked rows lie in a last, partial tile, other tiles being there."""
    first = len(mask) // side * side
    return 0 < first < len(mask) and not mask[:first].any()


def _edges(evidence: _Evidence) -> bool:
    return all(_only_in_partial_tiles(mask, evidence.tile) for mask in evidence.masks)


def _only_in_partial_tiles(mask: np.ndarray, tile: Tile) -> bool:
    rows, cols = _whole_tiles(mask.shape, tile)
    return rows > 0 and cols > 0 and (rows, cols) != mask.shape and not mask[:rows, :cols].any()


def _not_a_number(evidence: _Evidence) -> bool:
    return any(map(_has_nan, evidence.wrong))


def _has_nan(trial: Trial) -> bool:
    """Whether NaN was written into an element."""
    return bool((np.isnan(trial.C) & ~trial.unwritten).any())


def _rough(evidence: _Evidence) -> bool:
    """Whether no element is far off: the errors are those of a shorter type."""
    return all(_is_rough(trial) for trial in evidence.wrong)


def _is_rough(trial: Trial) -> bool:
    A, B = trial.A.astype(np.float64), trial.B.astype(np.float64)
    return bool((np.abs(trial.C - A @ B) <= _ROUGHNESS * (np.abs(A) @ np.abs(B))).all())


def _never_added(evidence: _Evidence) -> bool:
    return all((trial.C[trial.comparison.wrong] == 0).mean() >= _MOST for trial in evidence.wrong)


def _moved(evidence: _Evidence) -> bool:
    """Whether the wrong values belong elsewhere, wherever the inputs are such that values tell."""
    telling = [trial for trial in evidence.wrong if _values_tell(trial)]
    return bool(telling) and all(_displaced(trial) for trial in telling)


def _values_tell(trial: Trial) -> bool:
    return trial.inputs == "random" and trial.C.size >= _TELLING_SIZE


def _displaced(trial: Trial) -> Displaced | None:
    A, B = trial.A.astype(np.float64), trial.B.astype(np.float64)
    return displaced(trial.C, A @ B, trial.comparison.wrong, rounding_bound(A.shape[1], np.abs(A) @ np.abs(B)))


def _ragged_k(evidence: _Evidence) -> bool:
    T = evidence.tile[1]
    wrong, right = ([trial.shape[2] % T > 0 for trial in trials] for trials in (evidence.wrong, evidence.right))
    return all(wrong) and bool(right) and not any(right)


def _everywhere(evidence: _Evidence) -> bool:
    return not evidence.right and all(mask.mean() >= _MOST for mask in evidence.masks)


def _same_offset(evidence: _Evidence) -> bool:
    return all(_is_off_by_one_value(trial) for trial in evidence.wrong)


def _is_off_by_one_value(trial: Trial) -> bool:
    """Whether every element of C is wrong, and by the same amount up to rounding."""
    A, B = trial.A.astype(np.float64), trial.B.astype(np.float64)
    with np.errstate(invalid="ignore"):
        offset = trial.C - A @ B
        spread = np.ptp(offset)
    bound = rounding_bound(A.shape[1], np.abs(A) @ np.abs(B) + np.abs(offset)).max()
    return trial.C.size > 1 and bool(trial.comparison.wrong.all() and spread <= bound)


def _same_places(evidence: _Evidence) -> bool:
    return all(_is_same_in_tiles(mask, evidence.tile) for mask in evidence.masks)


def _is_same_in_tiles(mask: np.ndarray, tile: Tile) -> bool:
    """Whether several whole tiles have the same wrong places, and not all of them."""
    rows, cols = _whole_tiles(mask.shape, tile)
    tiles = mask[:rows, :cols].reshape(rows // tile[0], tile[0], cols // tile[1], tile[1])
    several = tiles.shape[0] * tiles.shape[2] > 1
    return several and bool((tiles == tiles[:1, :, :1]).all()) and bool(tiles.any()) and not tiles.all()


def _anything(evidence: _Evidence) -> bool:
    return True


# Name, sentence and rule, the telling ones first. The fields of the sentences are those of `_numbers`.
_PLACES: tuple[tuple[str, str, Callable[[_Evidence], bool]], ...] = (
    (
        "nothing_written",
        "No element of C was written: look at the store to C, at its guard and at the grid.",
        _nothing_written,
    ),
    (
        "one_tile",
        "Only the first tile of C was written{at}: row needs the offset of blockIdx.y and col that of blockIdx.x, "
        "or the grid is one block.",
        _corner_written(_one_tile),
    ),
    (
        "grid_swapped",
        "{missing} of C were never written{at}: x and y are swapped; blockIdx.x must walk along the columns (N) and "
        "blockIdx.y along the rows (M).",
        _corner_written(_grid_swapped),
    ),
    (
        "rounded_down",
        "{missing} of C were never written{at}: the last, partial tiles are left out; round the number of blocks up, "
        "or widen the guard of the store.",
        _corner_written(_rounded_down),
    ),
    (
        "one_short",
        "{missing} of C were never written{at}: the guard of the store is one too strict; it is row < M and col < N.",
        _corner_written(_one_short),
    ),
    (
        "corner",
        "{missing} of C were never written{at}: look at the grid and at the guard of the store.",
        _corner_written(_any_corner),
    ),
    (
        "diagonal",
        "Only the diagonal of each tile of C was written{at}: row and col come from the same thread index; take one "
        "from threadIdx.x, the other from threadIdx.y.",
        _diagonal,
    ),
    (
        "holes",
        "{holes} of {size} elements of C were never written{at}: look at the guard of the store and at its index.",
        _holes,
    ),
    (
        "last_rows",
        "Only the last row of tiles of C is wrong{at}: look at the guards against M.",
        _last_rows,
    ),
    (
        "last_columns",
        "Only the last column of tiles of C is wrong{at}: look at the guards against N.",
        _last_columns,
    ),
    (
        "edges",
        "Only the partial tiles at the edges of C are wrong{at}: look at the guards against M and N.",
        _edges,
    ),
    (
        "nan",
        "{nans} elements of C hold NaN{at}: a value in their sums was never set, or read where nothing was written.",
        _not_a_number,
    ),
    (
        "never_added",
        "{zeros} elements of C are 0{at}: nothing but zeros was added to their sums; look at the loops over the sums "
        "of a thread, and at what fills the tiles.",
        _never_added,
    ),
    (
        "rough",
        "C is right to a few digits only{at}: factors or sums are kept in fewer bits than a float has.",
        _rough,
    ),
    (
        "moved",
        "{here} holds the value of {there}, and so on{at}: a thread multiplies for one {which} and "
        "stores to another; look at the indices of the tiles and of C.",
        _moved,
    ),
    (
        "same_offset",
        "Every element of C is off by the same amount{at}: the running sum must start at 0 and take products only.",
        _same_offset,
    ),
    (
        "ragged_k",
        "C is right where K is a multiple of {tile_k} and wrong where it is not{at}: look at the guards against K, and "
        "fill the slots of a tile that lie outside A or B with 0.",
        _ragged_k,
    ),
    (
        "everywhere",
        "C is wrong nearly everywhere and in every case: the mistake is in the sum itself; look at the multiply-add "
        "and at the indices of A, B and the tiles.",
        _everywhere,
    ),
    (
        "same_places",
        "The same places of every tile of C are wrong{at}, the first at row {ty}, column {tx} of the tile: look at "
        "what depends on tx and ty, not on the block.",
        _same_places,
    ),
    (
        "some",
        "{wrong} of {size} elements of C are wrong{at}: follow the sum of one of them by hand.",
        _anything,
    ),
)


def _numbers(trial: Trial, tile: Tile) -> dict[str, str | int]:
    M, N, K = trial.shape
    row, col = (int(place) for place in np.argwhere(trial.comparison.wrong)[0])
    return {
        "at": f" at M, N, K = {M}, {N}, {K}",
        "missing": _missing(trial),
        "holes": int(trial.unwritten.sum()),
        "wrong": int(trial.comparison.wrong.sum()),
        "size": M * N,
        "nans": int(np.isnan(trial.C).sum()),
        "zeros": int((trial.C == 0).sum()),
        "tile_k": tile[1],
        "ty": row % tile[0],
        "tx": col % tile[1],
    }


def _shown(name: str, wrong: list[Trial]) -> Trial:
    """The smallest wrong result in which the pattern of that name can be seen."""
    seen = {"moved": _values_tell, "nan": _has_nan}.get(name, _is_partly_written)
    return next(filter(seen, wrong), wrong[0])


def _is_partly_written(trial: Trial) -> bool:
    return bool(trial.unwritten.any() and not trial.unwritten.all())


def _origin(name: str, trial: Trial) -> dict[str, str]:
    """Where a displaced value stands and belongs, as C's indices."""
    if name != "moved":
        return {}
    found = _displaced(trial)
    places = {"here": found.here, "there": found.there}
    return {key: f"C[{row}][{col}]" for key, (row, col) in places.items()} | {"which": found.which}


def _missing(trial: Trial) -> str:
    """The rows and columns of C in which nothing was written, as 'Rows from 32 on and columns from 48 on'."""
    written = ~trial.unwritten
    ends = [("rows", int(written.any(axis=1).sum()), trial.shape[0])]
    ends.append(("columns", int(written.any(axis=0).sum()), trial.shape[1]))
    return " and ".join(f"{what} from {first} on" for what, first, size in ends if first < size).capitalize()


def _whole_tiles(shape: tuple[int, ...], tile: Tile) -> tuple[int, int]:
    """The rows and columns of C that lie in whole tiles."""
    return shape[0] // tile[0] * tile[0], shape[1] // tile[1] * tile[1]
