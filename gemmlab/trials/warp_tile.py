"""How the lanes of a student's kernel lie over the block's tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.cuda.sizes import Sizes, sizes_of
from gemmlab.errors import UserError
from gemmlab.kernel.limits import WARP
from gemmlab.models.simulator import FLOAT_BYTES
from gemmlab.models.warp_tile import WarpTile
from gemmlab.trials.variant import compiled
from gemmlab.trials.warp_lines import requests_of

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
    stores = [request for request in requests_of(program, spec.at(*shape), shape) if request.is_store]
    offsets = [offset for offset in stores[0].offsets if offset is not None] if stores else []
    if len(offsets) < WARP:
        raise UserError("some lane of warp 0 stores nothing at the shape of one tile: run the check, which says more")
    places = [divmod(offset // FLOAT_BYTES, sizes.BN) for offset in offsets]
    return WarpTile(sizes, tuple(row for row, _ in places), tuple(col for _, col in places))
