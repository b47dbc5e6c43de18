"""How close a student's prediction came, and what the factor between it and the number usually means."""

from __future__ import annotations

import math
import re
from typing import SupportsFloat, SupportsIndex

from gemmlab.course.lesson import Prediction
from gemmlab.errors import UserError

_NEAR = 0.01
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d*)?"  # 1,024,000
_WITH_COMMA = r"\d+,\d+"  # 0,25
_NUMBER = re.compile(rf"{_GROUPED}|{_WITH_COMMA}|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_OPEN = re.compile(r"[1-9]\d{0,2},\d{3}")  # 5,288
_DECIMAL = re.compile(_WITH_COMMA)
_SLIPS = (
    (2.0, "one of two things was counted twice or left out: A and B are both read, a multiply-add is two operations"),
    (4.0, "elements and bytes were mixed up: a float32 has 4 bytes"),
    (8.0, "the 8 bytes that one multiply-add reads (one element of A, one of B) were left out or counted twice"),
    (1000.0, "the unit is off by one step: 1 GB is 1000 MB"),
    (2.0**30 / 1e9, "GiB and GB were mixed up: 1 GB is 10^9 bytes, 1 GiB is 2^30"),
    (2.0**20 / 1e6, "MiB and MB were mixed up: 1 MB is 10^6 bytes, 1 MiB is 2^20"),
)


def _no_prediction(value: object) -> UserError:
    return UserError(f"{value!r} is no prediction; write a number of 0 or more, such as 12.5, without its unit")


def as_number(value: object) -> float:
    """The value as a float of 0 or more. UserError where it is none."""
    number = math.nan
    if isinstance(value, SupportsFloat | SupportsIndex) and not isinstance(value, bool):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    if not 0 <= number < math.inf:
        raise _no_prediction(value)
    return number


def read_number(text: str) -> float:
    """The number that was typed: 0.25, 17/16, 1e9, 5 288 or 1,024,000; a comma may be that of a decimal, as in 0,25.

    UserError where it is none, where it is below 0, and where a comma leaves open which of two it is.
    """
    bare = "".join(text.split()).replace("_", "")
    parts = bare.split("/")
    if not 1 <= len(parts) <= 2 or not all(map(_NUMBER.fullmatch, parts)):
        raise _no_prediction(text.strip())
    if open_comma := next((part for part in parts if _OPEN.fullmatch(part)), None):
        raise UserError(
            f"{open_comma} may mean {open_comma.replace(',', '')} or {open_comma.replace(',', '.')}: write it without "
            "the comma, or with a point"
        )
    numbers = [float(part.replace(",", "." if _DECIMAL.fullmatch(part) else "")) for part in parts]
    if len(numbers) == 2 and numbers[1] == 0:
        raise _no_prediction(text.strip())
    return as_number(numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0])


def is_right(prediction: Prediction, value: float) -> bool:
    """Whether the value is within the prediction's tolerance; a count must be the number itself."""
    if prediction.is_count:
        return value == prediction.answer
    return abs(value - prediction.answer) <= prediction.tolerance * prediction.answer


def remark(prediction: Prediction, value: float, tile: int) -> str:
    """One phrase on the distance between `value` and the answer, in a lesson with tiles of this side."""
    if is_right(prediction, value):
        return "right" if value == prediction.answer else f"right, within {100 * prediction.tolerance:g} %"
    known = next((wrong for wrong in prediction.misconceptions if _is_near(value, wrong.answer)), None)
    if known:
        return known.says
    if value == 0:
        return "it is not 0"
    ratio = value / prediction.answer
    factor = max(ratio, 1 / ratio)
    size = f"{factor:.3g} times too {'large' if ratio > 1 else 'small'}"
    reuse = (tile, f"the reuse was misjudged: an element of a {tile}×{tile} tile is used {tile} times")
    slips = (*_SLIPS, reuse) if "B" in prediction.unit else ()  # all of them are slips in counting bytes
    slip = next((text for slip, text in slips if abs(factor / slip - 1) < _NEAR and factor > 1 + _NEAR), None)
    return f"{size}; perhaps {slip}" if slip else size


def _is_near(value: float, answer: float) -> bool:
    """Whether it is the answer that others gave, which may be 0."""
    return abs(value - answer) <= _NEAR * answer
