"""lesson.lanes()"""

from __future__ import annotations

from gemmlab.cuda.sizes import sizes_of
from gemmlab.models.warp_tile import arrangements
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture

LANE_PREDICTIONS = ("order_floats", "rows_floats", "rows_wavefronts")  # what the costs of the arrangements give away


@verb
def lanes(desk: Desk, costs: bool = False) -> None:
    """Draw how a warp's lanes lie over the block's tile; with `costs`, in your kernel too, with what they read."""
    from gemmlab.pictures.warps.warp_tile import warp_picture, warp_table
    from gemmlab.trials.warp_tile import warp_tile

    if costs and desk.owes(*map(desk.prediction, LANE_PREDICTIONS)):
        return
    kernel = desk.lesson.kernel
    tiles = arrangements(sizes_of(kernel.starter))
    if costs and desk.has_passed():
        tiles["your kernel"] = warp_tile(kernel, desk.source())
    show_picture(warp_picture(tiles, costs))
    if costs:
        show(Markdown(warp_table(tiles)))
