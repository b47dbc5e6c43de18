"""Whether the blocks of a launch fit the kernel: a file with `#define TILE 16` wants blocks of 16×16."""

from __future__ import annotations

import re
from math import prod

from gemmlab.check.diagnosis import sentences as say
from gemmlab.cuda.own_element import OwnElement
from gemmlab.cuda.sizes import sizes_of
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.limits import MAX_THREADS
from gemmlab.kernel.verdict import Finding

_SIZES = {"M": 2**14, "N": 2**14, "K": 2**14}  # large: all of the first blocks' elements exist
_BLOCK_TILE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+BM\b", re.MULTILINE)


def misfit(source: str, launch: Launch, promised: int | None = None) -> Finding | None:
    """The finding on a launch whose blocks do not fit, None where they do or the source does not tell.

    `promised` are the threads of a block by the kernel's own __launch_bounds__: blocks of just so many fit, whatever
    the sizes of a tile say. Several groups of threads may share a tile.

    What tells is the element of C of each thread: those of a block must end where the next block's begin. Where threads
    compute several elements, the block's own sizes tell how many threads it takes.
    """
    if launch.block[2] != 1 or prod(launch.block) == promised:
        return None
    if _BLOCK_TILE.search(source):
        return _too_few_or_many(source, launch)
    own = OwnElement(source, launch.kernel)
    x, y, _ = launch.block
    first = _element(own, launch, (0, 0, 0), (0, 0, 0))
    last = _element(own, launch, (x - 1, y - 1, 0), (0, 0, 0))
    steps = [_element(own, launch, (0, 0, 0), block) for block in ((1, 0, 0), (0, 1, 0))]
    if first is None or last is None or None in steps:
        return None
    covered = last[0] - first[0] + 1, last[1] - first[1] + 1
    wanted = tuple(max(step[axis] for step in steps if step) - first[axis] for axis in (0, 1))
    if min(*covered, *wanted) < 1 or covered == wanted or not all(map(_are_sizes, covered, wanted)):
        return None
    message = say.BLOCK_DOES_NOT_FIT(
        block=_text(launch.block),
        rows=covered[0],
        columns=covered[1],
        wanted_rows=wanted[0],
        wanted_columns=wanted[1],
    )
    return Finding("launch_error", message, details={"block": list(launch.block), "wanted": list(wanted)})


def _are_sizes(covered: int, wanted: int) -> bool:
    """Whether both may be sizes of a tile: one divides the other. 15 beside 16 is a slip of an index."""
    return covered % wanted == 0 or wanted % covered == 0


def _too_few_or_many(source: str, launch: Launch) -> Finding | None:
    try:
        sizes = sizes_of(source)
    except UserError:
        return None
    threads = prod(launch.block)
    if sizes.threads in (0, threads) or sizes.threads > MAX_THREADS:  # tiles of warps: TM and TN are not what tells
        return None
    message = say.THREADS_DO_NOT_FIT(block=_text(launch.block), threads=threads, sizes=sizes, wanted=sizes.threads)
    return Finding("launch_error", message, details={"block": list(launch.block), "wanted": list(sizes.block)})


def _element(
    own: OwnElement, launch: Launch, thread: tuple[int, int, int], block: tuple[int, int, int]
) -> tuple[int, int] | None:
    return own.at(_SIZES, threadIdx=thread, blockIdx=block, blockDim=launch.block, gridDim=launch.grid)


def _text(block: tuple[int, int, int]) -> str:
    return f"{block[0]}×{block[1]}"
