"""The one finding that tells of wrong numbers: the pattern they form, and one wrong element beside its right value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.check.diagnosis.pattern import Reading, Tile, Trial, read_pattern
from gemmlab.errors import UserError
from gemmlab.kernel.plan import Launches, launches_of
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    pass

_LARGE = 2**14  # of M, N and K; their products still fit an int


def wrong_result(clean: Sequence[Trial], faulty: Sequence[Trial], tile: Tile) -> Finding | None:
    """The finding for these results, None if all are right.

    `clean` are results of launches in which no other fault was found; their wrong numbers need an explanation. `faulty`
    are those of launches with a fault, which explains them.
    """
    if not all(trial.comparison.ok for trial in clean):
        return _explained(read_pattern(clean, tile))
    wrong = sum(not trial.comparison.ok for trial in faulty)
    if not wrong:
        return None
    cases = "1 case" if wrong == 1 else f"{wrong} cases"
    return Finding("wrong_result", f"C is wrong in {cases}: mend the fault found there first, then check again.")


def _explained(reading: Reading) -> Finding:
    trial, details = reading.trial, {"pattern": reading.name, "shape": list(reading.trial.shape)}
    example = ""
    if trial.has_wrong_values:
        row, col = (int(place) for place in np.argwhere(trial.comparison.wrong & ~trial.unwritten)[0])
        got, right = float(trial.C[row, col]), float(trial.A[row].astype(np.float64) @ trial.B[:, col])
        shape = f"M, N, K = {', '.join(map(str, trial.shape))}"
        where = "" if shape in reading.sentence else f"At {shape}, "
        example = f" {where}C[{row}][{col}] is {_pair(got, right)}."
        details |= {"element": [row, col], "got": got if np.isfinite(got) else None, "right": right}
    return Finding("wrong_result", reading.sentence + example, details=details)


def _pair(got: float, right: float) -> str:
    """Both numbers with as many digits as it takes to tell them apart."""
    digits = next((digits for digits in (6, 9) if f"{got:.{digits}g}" != f"{right:.{digits}g}"), 17)
    return f"{got + 0.0:.{digits}g} and should be {right + 0.0:.{digits}g}"


def output_tile(spec: Launches) -> Tile:
    """The (rows, columns) of C of a block, as the grid's growth with M and N tells; else the block's size."""
    try:
        launches = launches_of(spec.at(_LARGE, _LARGE, _LARGE))
    except UserError:
        launches = ()
    if not launches:
        return 1, 1
    launch = launches[-1]
    sides = (
        _LARGE // blocks if 1 < blocks <= _LARGE else max(1, threads)
        for blocks, threads in zip(launch.grid, launch.block)
    )
    cols, rows, _ = sides
    return rows, cols
