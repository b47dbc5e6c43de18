"""lesson.recorded_lanes()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.warps.lanes import LANE_PREDICTIONS
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_lanes(desk: Desk) -> None:
    """What the arrangements of a warp were worth on GPUs, as recorded."""
    from gemmlab.records.landscapes import lanes_table, recorded_landscapes

    if desk.owes(*map(desk.prediction, LANE_PREDICTIONS)):
        return
    for record in recorded_landscapes():
        show(Markdown(lanes_table(record)))
