"""lesson.recorded_search((1024, 1024, 1024), BK=(8, 16))"""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.errors import UserError
from gemmlab.models import autotune
from gemmlab.models.landscape import Cell
from gemmlab.notebook.arguments import TIMED_SHAPE, Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.records.landscapes import label, measured, recorded_landscapes, search_table


@verb
def recorded_search(desk: Desk, shape: Shape = TIMED_SHAPE, BK: int | Sequence[int] = 16) -> None:
    """The same landscape as GPUs measured it, where such a search was recorded."""
    depths = autotune.require_depths(BK)
    if desk.owes(*desk.lesson.predictions):
        return
    shape = sizes(shape)
    for record in recorded_landscapes():
        _show(record, shape, depths)


def _show(record: dict, shape: Shape, depths: Sequence[int]) -> None:
    """The landscape of one record at that shape."""
    from gemmlab.pictures.speed.landscape import landscape

    speeds = measured(record, shape)
    if speeds is None:
        shapes = "; ".join(", ".join(map(str, search["shape"])) for search in record["searches"])
        raise UserError(f"no search was recorded at that shape; there are {shapes}")
    cells = {}
    for choice in autotune.space(depths):
        speed = speeds.get(choice)
        left_out = autotune.pruned_by(choice) or "registers"
        cells[choice] = Cell(speed, f"{speed / 1000:.1f} TFLOPS") if speed else Cell(0, left_out)
    show_picture(landscape(f"M, N, K = {', '.join(map(str, shape))}, {label(record)}", cells))
    show(Markdown(search_table(record, shape, depths)))
