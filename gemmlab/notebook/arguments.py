"""What a cell gives to a verb, read: shapes, pairs of sizes. UserError where it is something else."""

from __future__ import annotations

from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError

Shape = tuple[int, int, int]
TIMED_SHAPE = (1024, 1024, 1024)  # the ladder compares kernels at this one
COUNTED_SHAPE = (128, 128, 128)  # kernels are counted side by side at this one
ARCH = "sm_90"  # that the compiler's figures are for where there is no GPU: that of the recorded one


def target(arch: str | None = None) -> str:
    """The architecture that a page's figures are for: the one that is given, or this machine's GPU's, or else ARCH."""
    from gemmlab import gpu

    return arch or (gpu.device().arch if gpu.available() else ARCH)


def sizes(value: object, least: int = 1) -> Shape:
    """The value as three whole numbers of at least `least`."""
    given = tuple(value) if isinstance(value, tuple | list) else ()
    if len(given) != 3 or not all(type(size) is int and size >= least for size in given):
        raise UserError(f"{value!r} does not fit: write three whole numbers for M, N and K, such as (35, 45, 25)")
    return given


def tile_sizes(value: object) -> Sizes:
    """The value as the five sizes of a kernel."""
    given = tuple(value) if isinstance(value, tuple | list) else ()
    if len(given) != 5:
        raise UserError(f"{value!r} does not fit: write BM, BN, BK, TM and TN, such as (64, 64, 16, 4, 4)")
    return Sizes(*given)


def row_col(xy: object, legacy: tuple[int, int] | None = None) -> tuple[int, int] | None:
    """(row, column) of a thread or block that is given as CUDA gives it, (x, y), or else what an older notebook gives:
    (row, column) itself."""
    if xy is None:
        return legacy
    given = tuple(xy) if isinstance(xy, tuple | list) else ()
    if len(given) != 2 or not all(type(index) is int and index >= 0 for index in given):
        raise UserError(f"{xy!r} does not fit: write x and y, two whole numbers from 0 on, such as (5, 3)")
    return given[1], given[0]


def pair(value: object) -> tuple[int, int]:
    """The value as two whole numbers above 0."""
    given = tuple(value) if isinstance(value, tuple | list) else ()
    if len(given) != 2 or not all(type(size) is int and size >= 1 for size in given):
        raise UserError(f"{value!r} does not fit: write two whole numbers above 0, such as (16, 16)")
    return given
