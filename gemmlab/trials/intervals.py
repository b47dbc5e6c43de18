"""One block of the student's kernel, barrier interval by interval: what goes into shared memory, and who uses it.

A and B are filled with marks, so that what lies in shared memory tells where it came from: element i of A is i + 1/4,
element j of B is -(j + 1/4). A kernel fills in whole numbers, if anything, so these are neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.models.block_story import FROM_A, FROM_B, OTHER, ZERO, BlockStory, Interval, Origin, SharedArray, Touch
from gemmlab.trials.trace import BARRIER, COPY, STORE, Access, Place, trace_block

if TYPE_CHECKING:
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
MOST_ELEMENTS = 1 << 16  # of A, and of B
_ELEMENT_BYTES = 4
_MARK = 0.25


def block_story(
    program: Program, launch: Launch, shape: Shape, place: tuple[int, int], k_step: int, extents: Mapping[str, Sequence]
) -> BlockStory:
    """Run one block and tell its intervals. `k_step` is how many k a tile holds, `extents` those of the shared arrays.

    UserError for a block that is not there, a shape too large to follow, and a kernel that uses no shared memory.
    """
    M, N, K = shape
    _require(launch, shape, place)
    A = (np.arange(M * K, dtype=np.float32) + _MARK).reshape(M, K)
    B = -(np.arange(K * N, dtype=np.float32) + _MARK).reshape(K, N)
    trace = trace_block(program, launch, shape, place[0] * launch.grid[0] + place[1], A, B)
    parts = [_split(trace.of(thread)) for thread in range(len(trace))]
    count = max(map(len, parts))
    intervals = []
    for number in range(count):
        touches, outside = [], 0
        for thread, own in enumerate(parts):
            for access in own[number] if number < len(own) else ():
                found = _touches(thread, access)
                outside += not found
                touches += found
        intervals.append(_interval(number, touches, outside, shape, k_step))
    arrays = tuple(SharedArray(name, *_sides(name, extents, intervals)) for name in _shared_names(intervals))
    if not arrays:
        raise UserError("this kernel uses no shared memory, so there are no tiles to explore")
    while len(intervals) > 1 and not intervals[-1].touches:
        intervals.pop()
    return BlockStory(shape, place, launch, k_step, arrays, tuple(intervals))


def _require(launch: Launch, shape: Shape, place: tuple[int, int]) -> None:
    M, N, K = shape
    if launch.layout.element.cuda != "float":
        raise UserError("the tile explorer follows matrices of float; this kernel's A and B hold others")
    if max(M * K, K * N) > MOST_ELEMENTS:
        raise UserError(f"the shape {M},{N},{K} is too large to explore; take one like 35, 45, 25")
    rows, cols = launch.grid[1], launch.grid[0]
    if place[0] not in range(rows) or place[1] not in range(cols):
        row, col = place
        raise UserError(f"there is no block (x, y) = ({col}, {row}): x is 0 to {cols - 1}, y is 0 to {rows - 1}")


def _split(accesses: Sequence[Access]) -> list[list[Access]]:
    """The accesses of a thread between its barriers."""
    parts: list[list[Access]] = [[]]
    for access in accesses:
        if access.site.kind == BARRIER:
            parts.append([])
        else:
            parts[-1].append(access)
    return parts


def _touches(thread: int, access: Access) -> list[Touch]:
    """One touch an element. None where the access lies outside of all arrays."""
    site, place = access.site, access.place
    source = access.source if access.taken else None
    if place.array is None or (source is not None and source.array is None):
        return []
    found = []
    origins = _origins(access)
    for part in range(max(1, site.size * site.count // _ELEMENT_BYTES)):
        element = place.offset // _ELEMENT_BYTES + part
        found.append(Touch(thread, place.array, element, site.kind in (STORE, COPY), site.line, origins[part]))
    if source is not None and source.array is not None:
        first = source.offset // _ELEMENT_BYTES
        taken = range(access.taken // _ELEMENT_BYTES)
        found += [Touch(thread, source.array, first + part, False, site.line) for part in taken]
    return found


def _origins(access: Access) -> Sequence[Origin | None]:
    if access.site.kind == COPY:
        taken = access.taken // _ELEMENT_BYTES
        known = _copied(access.source, taken) if access.source is not None else []
        return known + [Origin(ZERO)] * (access.site.count - taken)
    if access.place.array in ("A", "B", "C"):
        return [None] * len(access.words)
    return [_origin(float(np.uint32(word).view(np.float32))) for word in access.words]


def _copied(source: Place, taken: int) -> list[Origin]:
    first = source.offset // _ELEMENT_BYTES
    return [Origin(source.array or OTHER, first + part) for part in range(taken)]


def _origin(value: float) -> Origin:
    if value == 0:
        return Origin(ZERO)
    index = abs(value) - _MARK
    if not index.is_integer() or index >= MOST_ELEMENTS:
        return Origin(OTHER)
    return Origin(FROM_A if value > 0 else FROM_B, int(index))


def _interval(number: int, touches: list[Touch], outside: int, shape: Shape, k_step: int) -> Interval:
    fills, uses = (_k_tiles(touches, writes, shape, k_step) for writes in (True, False))
    return Interval(number, tuple(touches), fills, uses, outside)


def _k_tiles(touches: Sequence[Touch], writes: bool, shape: Shape, k_step: int) -> tuple[int, ...]:
    """The K tiles whose elements went into shared memory, or came from there."""
    origins = [touch.origin for touch in touches if touch.origin is not None and touch.writes == writes]
    tiles = (_k_tile(origin, shape, k_step) for origin in origins)
    return tuple(sorted({tile for tile in tiles if tile is not None}))


def _k_tile(origin: Origin, shape: Shape, k_step: int) -> int | None:
    _, N, K = shape
    if origin.what == FROM_A:
        return origin.index % K // k_step
    return origin.index // N // k_step if origin.what == FROM_B else None


def _shared_names(intervals: Sequence[Interval]) -> list[str]:
    names = {touch.array for interval in intervals for touch in interval.touches}
    return sorted(names - {"A", "B", "C"})


def _sides(name: str, extents: Mapping[str, Sequence], intervals: Sequence[Interval]) -> tuple[int, int]:
    """Rows and columns: all extents but the last are rows. Of an array without known extents, 32 columns."""
    known = extents.get(name)
    if known and all(known):
        return max(1, prod(known[:-1])), known[-1]
    last = max(touch.element for interval in intervals for touch in interval.touches if touch.array == name)
    return last // 32 + 1, 32
