"""How close a student's prediction came, and what the factor between it and the number usually means."""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

from gemmlab.course.lesson import Prediction
from gemmlab.errors import UserError

_NEAR = 0.01
_SLIPS = (
    (2.0, "one of two things was counted twice or left out: A and B are both read, a multiply-add is two operations"),
    (4.0, "elements and bytes were mixed up: a float32 has 4 bytes"),
    (8.0, "the 8 bytes that one multiply-add reads (one element of A, one of B) were left out or counted twice"),
    (1000.0, "the unit is off by one step: 1 GB is 1000 MB"),
    (2.0**30 / 1e9, "GiB and GB were mixed up: 1 GB is 10^9 bytes, 1 GiB is 2^30"),
    (2.0**20 / 1e6, "MiB and MB were mixed up: 1 MB is 10^6 bytes, 1 MiB is 2^20"),
)


def as_number(value: object) -> float:
    """The value as a positive float. UserError where it is none."""
    number = math.nan
    if isinstance(value, SupportsFloat | SupportsIndex) and not isinstance(value, bool):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    if not 0 < number < math.inf:
        raise UserError(f"{value!r} is no prediction; write a positive number, such as 12.5, without its unit")
    return number


def is_right(prediction: Prediction, value: float) -> bool:
    return abs(value - prediction.answer) <= prediction.tolerance * prediction.answer


def remark(prediction: Prediction, value: float, tile: int) -> str:
    """One phrase on the distance between `value` and the answer, in a lesson with tiles of this side."""
    if is_right(prediction, value):
        return f"right, within {100 * prediction.tolerance:g} %"
    ratio = value / prediction.answer
    factor = max(ratio, 1 / ratio)
    size = f"{factor:.3g} times too {'large' if ratio > 1 else 'small'}"
    reuse = (tile, f"the reuse was misjudged: an element of a {tile}×{tile} tile is used {tile} times")
    slips = (*_SLIPS, reuse) if "B" in prediction.unit else ()  # all of them are slips in counting bytes
    slip = next((text for slip, text in slips if abs(factor / slip - 1) < _NEAR and factor > 1 + _NEAR), None)
    return f"{size}; perhaps {slip}" if slip else size
