"""lesson.tiles((48, 64, 80), place=(1, 2, 2), threadIdx=(9, 5))"""

from __future__ import annotations

from gemmlab.notebook.arguments import Shape, row_col, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def tiles(
    desk: Desk,
    shape: Shape,
    place: Shape,
    thread: tuple[int, int] | None = None,
    threadIdx: tuple[int, int] | None = None,
) -> None:
    """Draw the tiles of one step. `shape` is (M, N, K), `place` which tile along each, `threadIdx` a thread's (x, y).

    `thread` is the same thread in the order of older notebooks, (ty, tx).
    """
    from gemmlab.pictures.tiles.tiles import tile_picture

    show_picture(tile_picture(sizes(shape), desk.lesson.tile, sizes(place, least=0), row_col(threadIdx, thread)))
