"""The requests of one warp, line by line of a kernel: the addresses of its lanes, as the emulator met them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.limits import WARP
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.models.requests import SIDES, LineRequests, WarpRequest
from gemmlab.trials.trace import BARRIER, COPY, STORE, Access, Place, Trace, trace_block

if TYPE_CHECKING:
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
_SEED = 7


def first_block(program: Program, launch: Launch, shape: Shape) -> Trace:
    """What the threads of block (0, 0) do."""
    return trace_block(program, launch, shape, 0, *make_inputs("integer", shape, _SEED, launch.layout.element))


def requests_by_line(trace: Trace, shape: Shape, warp: int = 0) -> list[LineRequests]:
    """What a warp of the block asks for, in the order of the lines. UserError where it has no such warp."""
    if warp not in range(trace.warps):
        raise UserError(f"a block has the warps 0 to {trace.warps - 1}; {warp!r} is none of them")
    found: dict[tuple, list[list[int | None]]] = {}
    for lane, thread in enumerate(range(warp * WARP, min((warp + 1) * WARP, len(trace)))):
        seen: dict[tuple, int] = {}
        for key, offset in _accesses(trace.of(thread)):
            number = seen.get(key, 0)
            seen[key] = number + 1
            requests = found.setdefault(key, [])
            if number == len(requests):
                requests.append([None] * WARP)
            requests[number][lane] = offset
    return [
        LineRequests(line, array, is_store, size, tuple(map(tuple, requests)), _sides(array, shape))
        for (line, array, is_store, size), requests in sorted(found.items(), key=lambda entry: entry[0])
    ]


def _accesses(accesses: list[Access]):
    """(line, array, whether it is a store, bytes) with the offset, for each access inside of an array."""
    for access in accesses:
        if access.site.kind == BARRIER:
            continue
        size = access.site.size * access.site.count
        yield from _one(access.place, access.site.line, access.site.kind in (STORE, COPY), size)
        if access.source is not None and access.taken:
            yield from _one(access.source, access.site.line, False, access.taken)


def _one(place: Place, line: int, is_store: bool, size: int):
    if place.array is not None:
        yield (line, place.array, is_store, size), place.offset


def _sides(array: str, shape: Shape) -> tuple[int, int] | None:
    if array not in SIDES:
        return None
    rows, cols = SIDES[array]
    return shape[rows], shape[cols]


def requests_of(program: Program, launch: Launch, shape: Shape) -> list[WarpRequest]:
    """The first load from A and from B and the first store to C of warp 0 in block 0, as far as the kernel has them."""
    found: dict[str, WarpRequest] = {}
    for line in requests_by_line(first_block(program, launch, shape), shape):
        if line.is_global and line.is_store == (line.array == "C"):
            found.setdefault(line.array, line.in_sectors(0))
    return [found[array] for array in "ABC" if array in found]
