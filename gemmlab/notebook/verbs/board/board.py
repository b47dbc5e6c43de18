"""lesson.board()"""

from __future__ import annotations

from dataclasses import replace

from gemmlab.models.board import SHAPES, bound, named
from gemmlab.models.ceilings import IF_COUNTED_SO, Point
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.records.boards import recorded_board
from gemmlab.records.ceilings import recorded_ceilings


@verb
def board(desk: Desk) -> None:
    """The shapes of the board: what bounds each, and how far cuBLAS and the course's own entry came where it was
    recorded."""
    from gemmlab.pictures.speed.board import board_table
    from gemmlab.pictures.speed.roofline import roofline

    if desk.owes(*desk.lesson.predictions):
        return
    recorded, ceilings = recorded_board(), recorded_ceilings()
    if recorded is None or ceilings is None:
        show(Markdown("Nothing is recorded yet."))
        return
    bounds = [bound(shape, ceilings) for shape in SHAPES]
    points = [Point(named(one.shape), one.intensity, condition=IF_COUNTED_SO["memory"]) for one in bounds]
    show_picture(roofline(points, replace(ceilings, nearer=())))
    show(Markdown(board_table(bounds, recorded)))
