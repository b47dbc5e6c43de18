"""lesson.writers((16, 16), row="ty", col="tx", floats=2)"""

from __future__ import annotations

from gemmlab.notebook.arguments import pair
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def writers(
    desk: Desk, tile: tuple[int, int], row: str, col: str, floats: int = 1, block: tuple[int, int] = (16, 16)
) -> None:
    """Draw how many threads write each slot of an array, if thread (tx, ty) writes `floats` from [row][col] on."""
    from gemmlab.pictures.tiles.writers import writers_picture

    show_picture(writers_picture(pair(tile), pair(block), row, col, floats))
