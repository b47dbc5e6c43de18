"""lesson.roofline(20_000, 500)"""

from __future__ import annotations

from dataclasses import replace

from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.simulator import traffic_naive
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture
from gemmlab.records.ceilings import ceilings_here


@verb
def roofline(desk: Desk, gflops: float | None = None, gbs: float | None = None) -> None:
    """The naive kernel under the roof of a machine of so many GFLOPS and GB/s, of this or a recorded one."""
    from gemmlab.pictures.speed import roofline as pictures

    ceilings = Ceilings(gflops, gbs, "an example, not a measurement") if gflops and gbs else ceilings_here()
    ceilings = ceilings and replace(ceilings, nearer=())  # caches are for later lessons
    show_picture(pictures.roofline([Point("naive", traffic_naive(1, 1, 1).intensity)], ceilings))
