"""lesson.patch(thread=(1, 20), k=5)"""

from __future__ import annotations

from gemmlab.cuda.sizes import sizes_of
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def patch(desk: Desk, thread: tuple[int, int], k: int = 0) -> None:
    """Draw what thread (ty, tx) computes of a block's tile of C, and what it reads of As and Bs for one k."""
    from gemmlab.pictures.tiles.patch import patch_picture

    show_picture(patch_picture(sizes_of(desk.lesson.kernel.starter), thread, k))
