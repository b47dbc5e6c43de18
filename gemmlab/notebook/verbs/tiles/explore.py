"""lesson.explore((35, 45, 25), blockIdx=(1, 0), interval=1, threadIdx=(5, 3))"""

from __future__ import annotations

from gemmlab.notebook.arguments import Shape, row_col, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def explore(
    desk: Desk,
    shape: Shape,
    block: tuple[int, int] = (0, 0),
    interval: int = 0,
    thread: tuple[int, int] = (0, 0),
    blockIdx: tuple[int, int] | None = None,
    threadIdx: tuple[int, int] | None = None,
    **bodies: str,
) -> None:
    """The tiles of one block, interval by interval, as your kernel fills and uses them; with other code in some
    blanks where it is given. `blockIdx` and `threadIdx` are (x, y).

    `block` and `thread` are the same in the order of older notebooks: (row, column) of the grid, and (ty, tx).
    """
    from gemmlab.pictures.tiles.explorer import explorer_picture
    from gemmlab.trials.explore import Spot, explorer_of

    explorer = explorer_of(desk.lesson.kernel, desk.source_beside(bodies), bodies, sizes(shape))
    spot = explorer.require(Spot(row_col(blockIdx, block), interval, row_col(threadIdx, thread)))
    if desk.is_live:
        from gemmlab.panels.explorer_controls import ExplorerControls

        ExplorerControls(explorer, spot).show()
    else:
        show_picture(explorer_picture(*explorer.seen(spot)))
