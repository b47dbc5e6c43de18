"""How the lanes of a student's kernel lie over the block's tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.cuda.sizes import Sizes, sizes_of
from gemmlab.errors import UserError
from gemmlab.kernel.warp import WARP
from gemmlab.models.simulator import FLOAT_BYTES
from gemmlab.models.warp_tile import WIDTH, WarpTile
from gemmlab.trials.variant import compiled
from gemmlab.trials.warp_lines import first_block, requests_by_line

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.program import Program


def warp_tile(kernel: Kernel, source: str) -> WarpTile:
    """Where the lanes of a kernel's warp 0 store, as the emulator meets it. UserError where a lane stores nothing."""
    return lanes_of(compiled(kernel, source), kernel.launch, sizes_of(source))


def lanes_of(program: Program, spec: LaunchSpec, sizes: Sizes) -> WarpTile:
    """The same of a program with tiles of these sizes."""
    shape = (sizes.BM, sizes.BN, sizes.BK)
    lanes: list[set[tuple[int, int]]] = [set() for _ in range(WARP)]
    for line in requests_by_line(first_block(program, spec.at(*shape), shape), shape):
        if line.array == "C" and line.is_store:
            for lane, offset in ((lane, offset) for request in line.requests for lane, offset in enumerate(request)):
                if offset is not None:
                    first = offset // FLOAT_BYTES
                    lanes[lane] |= {divmod(first + j, sizes.BN) for j in range(line.size // FLOAT_BYTES)}
    if not all(lanes):
        raise UserError("some lane of warp 0 stores nothing at the shape of one tile: run the check, which says more")
    rows, cols = ([sorted({place[side] for place in places}) for places in lanes] for side in (0, 1))
    first_rows, first_cols = (tuple(own[0] for own in side) for side in (rows, cols))
    return WarpTile(sizes, first_rows, first_cols, (_step(rows[0]), _step(cols[0])))


def _step(places: list[int]) -> int:
    """How far it is from a thread's first piece to its second; 0 where it has one."""
    return places[WIDTH] - places[0] if len(places) > WIDTH else 0
