"""What a cell gives to a verb, read: shapes, pairs of sizes. UserError where it is something else."""

from __future__ import annotations

from gemmlab.errors import UserError

Shape = tuple[int, int, int]
TIMED_SHAPE = (1024, 1024, 1024)  # the ladder compares kernels at this one
COUNTED_SHAPE = (128, 128, 128)  # kernels are counted side by side at this one


def sizes(value: object, least: int = 1) -> Shape:
    """The value as three whole numbers of at least `least`."""
    given = tuple(value) if isinstance(value, tuple | list) else ()
    if len(given) != 3 or not all(type(size) is int and size >= least for size in given):
        raise UserError(f"{value!r} does not fit: write three whole numbers for M, N and K, such as (35, 45, 25)")
    return given


def pair(value: object) -> tuple[int, int]:
    """The value as two whole numbers above 0."""
    given = tuple(value) if isinstance(value, tuple | list) else ()
    if len(given) != 2 or not all(type(size) is int and size >= 1 for size in given):
        raise UserError(f"{value!r} does not fit: write two whole numbers above 0, such as (16, 16)")
    return given
