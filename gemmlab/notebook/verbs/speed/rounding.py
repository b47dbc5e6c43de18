"""lesson.rounding()"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture

_LENGTHS = tuple(2**power for power in range(6, 14))


@verb
def rounding(desk: Desk, slices: int = 32) -> None:
    """How the error of a sum grows with K: one running sum, partial sums of so many slices, a sum in float64."""
    from gemmlab.models.rounding import ways_of_summing
    from gemmlab.pictures.speed.splits import growth_picture

    if type(slices) is not int or not 1 <= slices <= _LENGTHS[0]:
        raise UserError(f"{slices!r} slices do not fit: write a whole number from 1 to {_LENGTHS[0]}")
    show_picture(growth_picture(ways_of_summing(_LENGTHS, slices)))
