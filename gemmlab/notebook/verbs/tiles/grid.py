"""lesson.grid((70, 100, 40), tx=5)"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.kernel.limits import WARP
from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def grid(desk: Desk, shape: Shape, tx: int = 0) -> None:
    """Draw grid, block and threads over C, and the element that thread (tx, 0) of block (0, 0) stores."""
    from gemmlab.pictures.tiles.grid import grid_picture
    from gemmlab.trials.variant import compiled
    from gemmlab.trials.warp_lines import requests_of

    kernel, shape = desk.lesson.kernel, sizes(shape)
    source = desk.source()
    launch = kernel.launch.at(*shape)
    across = min(launch.block[0], WARP)
    if tx not in range(across):
        raise UserError(f"tx is one of 0 to {across - 1} here; {tx!r} is none of them")
    store = next((one for one in requests_of(compiled(kernel, source), launch, shape) if one.is_store), None)
    offset = store.offsets[tx] if store else None
    if store is None or offset is None:
        raise UserError(f"thread ({tx}, 0) of block (0, 0) stores nothing at this shape")
    show_picture(grid_picture(shape, launch, tx, divmod(offset // 4, store.cols)))
