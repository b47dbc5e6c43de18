"""What one warp asks of memory at a time: the addresses of its lanes, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.kernel.warp import WORD_BYTES, sector_range
from gemmlab.models.banks import BankRequest

SIDES = {"A": (0, 2), "B": (2, 1), "C": (0, 1)}  # which of M, N, K are the rows and the columns


@dataclass(frozen=True)
class WarpRequest:
    """One load or store of warp 0 in block 0. `array` is A, B or C, of `rows` × `cols` elements of 4 bytes, row-major.

    `offsets` are the lanes' addresses in bytes from its start, None where a lane takes no part; each touches `size`
    bytes. `line` is the kernel's, 0 where it is not known.
    """

    array: str
    is_store: bool
    line: int
    offsets: tuple[int | None, ...]
    size: int
    rows: int
    cols: int

    @property
    def sectors(self) -> list[int]:
        """The numbers of the 32-byte sectors that hold what the lanes touch; the array begins with sector 0."""
        ends = (sector_range(offset, self.size) for offset in self.offsets if offset is not None)
        return sorted({sector for first, last in ends for sector in range(first, last + 1)})

    @property
    def used_bytes(self) -> int:
        """Distinct bytes that the lanes touch."""
        return self.size * len({offset for offset in self.offsets if offset is not None})

    @property
    def what(self) -> str:
        return "store to" if self.is_store else "load from"


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
        rows, cols = self.sides or (0, 0)
        return WarpRequest(self.array, self.is_store, self.line, self.requests[number], self.size, rows, cols)

    def in_banks(self, number: int) -> BankRequest:
        """One request to shared memory, of the lanes that take part."""
        words = tuple(offset // WORD_BYTES for offset in self.requests[number] if offset is not None)
        return BankRequest(words, max(1, self.size // WORD_BYTES), not self.is_store)

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


def partner(request: LineRequests, others: list[LineRequests], mine: list[LineRequests]) -> LineRequests | None:
    """What another version of the kernel does in the same place: the access to the same array of the same kind, first
    with first and second with second; the one of the same line where there is one."""
    alike = [one for one in others if (one.array, one.is_store) == (request.array, request.is_store)]
    same_line = [one for one in alike if one.line == request.line]
    if same_line:
        return same_line[0]
    number = [one for one in mine if (one.array, one.is_store) == (request.array, request.is_store)].index(request)
    return alike[min(number, len(alike) - 1)] if alike else None
