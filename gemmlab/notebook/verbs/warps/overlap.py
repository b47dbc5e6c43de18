"""lesson.overlap(5)"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def overlap(desk: Desk, k_tiles: int, copy: float = 2, multiply: float = 3, after: str | None = None) -> None:
    """Draw the loop over the K tiles with one buffer and with two; `copy` and `multiply` are times a tile.

    `after` names a prediction that the picture would give away.
    """
    from gemmlab.models.overlap import schedule
    from gemmlab.pictures.warps.overlap import overlap_picture

    if after and desk.owes(desk.prediction(after)):
        return
    show_picture(overlap_picture([schedule(buffers, k_tiles, copy, multiply) for buffers in (1, 2)]))
