"""lesson.patch(threadIdx=(20, 1), k=5)"""

from __future__ import annotations

from gemmlab.cuda.sizes import sizes_of
from gemmlab.errors import UserError
from gemmlab.notebook.arguments import row_col
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def patch(
    desk: Desk, thread: tuple[int, int] | None = None, k: int = 0, threadIdx: tuple[int, int] | None = None
) -> None:
    """Draw what a thread, `threadIdx` its (x, y), computes of a block's tile of C, and what it reads for one k.

    `thread` is the same thread in the order of older notebooks, (ty, tx).
    """
    from gemmlab.pictures.tiles.patch import patch_picture

    chosen = row_col(threadIdx, thread)
    if chosen is None:
        raise UserError("say which thread: threadIdx is its x and y, such as threadIdx=(20, 1)")
    show_picture(patch_picture(sizes_of(desk.lesson.kernel.starter), chosen, k))
