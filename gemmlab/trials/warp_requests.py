"""What one warp asks of global memory at a time: the addresses of its lanes, as the emulator meets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.warp import sector_range

if TYPE_CHECKING:
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

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


def requests_of(program: Program, launch: Launch, shape: tuple[int, int, int]) -> list[WarpRequest]:
    """The first load from A and from B and the first store to C of warp 0, as far as the kernel has them."""
    from gemmlab.emulator import runner
    from gemmlab.emulator.executor import decoded

    code = decoded(program.ptx, program.symbol(launch.kernel))
    if isinstance(code, str):
        raise UserError(code)
    M, N, K = shape
    matrices = [np.zeros(sides, np.float32) for sides in ((M, K), (K, N), (M, N))]
    memory = runner.global_memory(code, *matrices)
    arguments = [region.address for region in memory.regions[:3]] + [M, N, K]
    found: dict[str, WarpRequest] = {}
    for request in runner.first_requests(code, memory, launch, arguments):
        if request.region < len(matrices):
            made = _named(request, "ABC"[request.region], code.locations[request.pc].line, shape)
            found.setdefault(made.array, made)
    return [found[array] for array in "ABC" if array in found]


def _named(request, array: str, line: int, shape: Sequence[int]) -> WarpRequest:
    rows, cols = (shape[side] for side in SIDES[array])
    return WarpRequest(array, array == "C", line, request.offsets, request.size, rows, cols)
