"""The one finding that tells of wrong numbers: the pattern they form, and one wrong element beside its right value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.check.diagnosis import sentences as say
from gemmlab.check.diagnosis.pattern import Reading, Tile, Trial, read_pattern
from gemmlab.cuda.sums import sum_lines
from gemmlab.errors import UserError
from gemmlab.kernel.plan import Launches, launches_of
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    pass

_IN_GROWTH = (
    *("sum_for_product", "difference_for_product", "minus", "twice", "only_A", "only_B", "A_squared", "B_squared"),
    *("last_k_of_padded_tile", "last_k", "last_k_of_each_tile", "whole_sum"),
)
_LARGE = (2**14, 2**11)  # of M, N and K; their products still fit an int, and the smaller ones a launcher's memory


def wrong_result(
    clean: Sequence[Trial], faulty: Sequence[Trial], tile: Tile, source: str = "", raced: bool = False
) -> Finding | None:
    """The finding for these results, None if all are right.

    `clean` are results of launches in which no other fault was found; their wrong numbers need an explanation. `faulty`
    are those of launches with a fault, which explains them; `raced` says that one of the faults is a race.
    """
    if not all(trial.comparison.ok for trial in clean):
        return _explained(read_pattern(clean, tile), source)
    wrong = sum(not trial.comparison.ok for trial in faulty)
    if not wrong:
        return None
    if raced:
        return Finding("wrong_result", say.RACE_FIRST_IN_ONE_CASE() if wrong == 1 else say.RACE_FIRST(cases=wrong))
    return Finding("wrong_result", say.FAULT_FIRST_IN_ONE_CASE() if wrong == 1 else say.FAULT_FIRST(cases=wrong))


def _explained(reading: Reading, source: str) -> Finding:
    trial, message = reading.trial, reading.sentence
    details: dict[str, object] = {"pattern": reading.name, "shape": list(trial.shape)}
    if trial.has_wrong_values:
        row, col = (int(place) for place in np.argwhere(trial.comparison.wrong & ~trial.unwritten)[0])
        got, right = float(trial.C[row, col]), float(trial.right[row, col])
        numbers = _apart(got, right)
        M, N, K = trial.shape
        if f"M, N, K = {M}, {N}, {K}" in message:
            message = say.WITH_EXAMPLE(pattern=message, row=row, column=col, got=numbers[0], right=numbers[1])
        else:
            message = say.WITH_EXAMPLE_AT(
                pattern=message, M=M, N=N, K=K, row=row, column=col, got=numbers[0], right=numbers[1]
            )
        details |= {"element": [row, col], "got": got if np.isfinite(got) else None, "right": right}
    return Finding("wrong_result", message, line=_line(reading.name, source), details=details)


def _line(pattern: str, source: str) -> int | None:
    """The line that a slip is in, where it can be no other: where the running sum grows, or where it is declared."""
    if pattern not in _IN_GROWTH:
        return None
    lines = sum_lines(source)
    return lines.declared if pattern == "whole_sum" and lines.type not in ("float", "double") else lines.grows


def _apart(got: float, right: float) -> tuple[str, str]:
    """Both numbers with as many digits as it takes to tell them apart."""
    digits = next((digits for digits in (6, 9) if f"{got:.{digits}g}" != f"{right:.{digits}g}"), 17)
    return f"{got + 0.0:.{digits}g}", f"{right + 0.0:.{digits}g}"


def output_tile(spec: Launches) -> Tile:
    """The (rows, columns) of C of a block, as the grid's growth with M and N tells; else the block's size. Of several
    launches it is the first one's, which multiplies."""
    for size in _LARGE:
        try:
            launches = launches_of(spec.at(size, size, size))
        except UserError:
            launches = ()
        if launches:
            cols, rows, _ = (
                size // blocks if 1 < blocks <= size else max(1, threads)
                for blocks, threads in zip(launches[0].grid, launches[0].block)
            )
            return rows, cols
    return 1, 1
