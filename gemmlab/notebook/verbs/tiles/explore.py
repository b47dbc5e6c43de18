"""lesson.explore((35, 45, 25), block=(0, 1), interval=1, thread=(3, 5))"""

from __future__ import annotations

from gemmlab.notebook.arguments import Shape, sizes
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
    **bodies: str,
) -> None:
    """The tiles of one block, interval by interval, as your kernel fills and uses them; with other code in some
    blanks where it is given. `block` is (row, column) of the grid, `thread` is (ty, tx)."""
    from gemmlab.pictures.tiles.explorer import explorer_picture
    from gemmlab.trials.explore import Spot, explorer_of

    explorer = explorer_of(desk.lesson.kernel, desk.source_beside(bodies), bodies, sizes(shape))
    spot = explorer.require(Spot(block, interval, thread))
    if desk.is_live:
        from gemmlab.panels.explorer_controls import ExplorerControls

        ExplorerControls(explorer, spot).show()
    else:
        show_picture(explorer_picture(*explorer.seen(spot)))
