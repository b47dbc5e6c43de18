"""The requests of one warp, line by line of a kernel: the addresses of its lanes, as the emulator met them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.kernel.warp import WARP
from gemmlab.models.banks import BankRequest
from gemmlab.trials.trace import BARRIER, COPY, STORE, Access, Place, trace_block
from gemmlab.trials.warp_requests import SIDES, WarpRequest

if TYPE_CHECKING:
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

_SEED = 7
_WORD = 4


@dataclass(frozen=True)
class LineRequests:
    """What a line of the kernel asks of one array, request by request, in the order in which the warp makes them.

    A request has one entry a lane: bytes from the array's start, None where the lane takes no part. Each lane touches
    `size` bytes. `sides` are the array's rows and columns where it is a matrix in global memory, else None.
    """

    line: int
    array: str
    is_store: bool
    size: int
    requests: tuple[tuple[int | None, ...], ...]
    sides: tuple[int, int] | None

    @property
    def is_global(self) -> bool:
        """Whether it goes to a matrix in global memory; else to shared memory."""
        return self.sides is not None

    def in_sectors(self, number: int) -> WarpRequest:
        """One request to global memory."""
        return WarpRequest(self.array, self.is_store, self.line, self.requests[number], self.size, *self.sides)

    def in_banks(self, number: int) -> BankRequest:
        """One request to shared memory, of the lanes that take part."""
        words = tuple(offset // _WORD for offset in self.requests[number] if offset is not None)
        return BankRequest(words, max(1, self.size // _WORD), not self.is_store)

    @property
    def costs(self) -> list[int]:
        """Sectors or wavefronts of each request."""
        numbers = range(len(self.requests))
        if self.is_global:
            return [len(self.in_sectors(number).sectors) for number in numbers]
        return [self.in_banks(number).wavefronts for number in numbers]

    @property
    def name(self) -> str:
        """'line 24, load from A'."""
        return f"line {self.line}, {'store to' if self.is_store else 'load from'} {self.array}"


def requests_by_line(
    program: Program, launch: Launch, shape: tuple[int, int, int], warp: int = 0
) -> list[LineRequests]:
    """What warp `warp` of block (0, 0) asks for, in the order of the lines. UserError where it has no such warp."""
    warps = -(-prod(launch.block) // WARP)
    if warp not in range(warps):
        raise UserError(f"a block has the warps 0 to {warps - 1}; {warp!r} is none of them")
    threads = trace_block(program, launch, shape, 0, *make_inputs("integer", shape, _SEED))
    lanes = threads[warp * WARP : (warp + 1) * WARP]
    found: dict[tuple, list[list[int | None]]] = {}
    for lane, accesses in enumerate(lanes):
        seen: dict[tuple, int] = {}
        for key, offset in _accesses(accesses):
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
        if access.site.kind == COPY and access.taken:
            yield from _one(access.source, access.site.line, False, access.taken)


def _one(place: Place, line: int, is_store: bool, size: int):
    if place.array is not None:
        yield (line, place.array, is_store, size), place.offset


def _sides(array: str, shape: tuple[int, int, int]) -> tuple[int, int] | None:
    return tuple(shape[side] for side in SIDES[array]) if array in SIDES else None


def partner(request: LineRequests, others: list[LineRequests], mine: list[LineRequests]) -> LineRequests | None:
    """What another version of the kernel does in the same place: the access to the same array of the same kind, first
    with first and second with second; the one of the same line where there is one."""
    alike = [one for one in others if (one.array, one.is_store) == (request.array, request.is_store)]
    same_line = [one for one in alike if one.line == request.line]
    if same_line:
        return same_line[0]
    number = [one for one in mine if (one.array, one.is_store) == (request.array, request.is_store)].index(request)
    return alike[min(number, len(alike) - 1)] if alike else None
