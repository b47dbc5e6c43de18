"""lesson.reuse((4, 1), (2, 2))"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def reuse(desk: Desk, *patches: tuple[int, int]) -> None:
    """Draw what a thread reads and multiplies for one k, for patches (TM, TN)."""
    from gemmlab.pictures.tiles.patch import reuse_picture

    if not patches:
        raise UserError("give one patch or more, each as TM and TN, such as (4, 4)")
    for patch in patches:
        if not (isinstance(patch, tuple) and len(patch) == 2 and all(type(n) is int and 1 <= n <= 16 for n in patch)):
            raise UserError(f"{patch!r} is no patch; write TM and TN, 1 to 16 each, such as (4, 4)")
    show_picture(reuse_picture(patches))
