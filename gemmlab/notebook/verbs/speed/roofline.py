"""lesson.roofline(20_000, 500), lesson.roofline(tiles=[(64, 64), (128, 256)])"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.simulator import traffic_naive
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture
from gemmlab.records.ceilings import ceilings_here

_FROM_L2 = "if every tile comes from the L2 cache"


@verb
def roofline(
    desk: Desk,
    gflops: float | None = None,
    gbs: float | None = None,
    tiles: Sequence[tuple[int, int]] = (),
) -> None:
    """The naive kernel under the roof of a machine of so many GFLOPS and GB/s, of this or a recorded one.

    With `tiles` (BM, BN) blocks with such tiles of this lesson's matrices, at the L2 cache, under the roof of what
    multiplies them.
    """
    from gemmlab.pictures.speed import roofline as pictures

    ceilings = Ceilings(gflops, gbs, "an example, not a measurement") if gflops and gbs else ceilings_here()
    if tiles:
        element = desk.lesson.kernel.element
        points = [
            Point(f"a tile of {BM}×{BN}", 2 * BM * BN / (element.size * (BM + BN)), level="L2", condition=_FROM_L2)
            for BM, BN in tiles
        ]
        show_picture(pictures.roofline(points, ceilings and ceilings.on_tensor_cores(element.name)))
        return
    ceilings = ceilings and replace(ceilings, nearer=())  # caches are for later lessons
    show_picture(pictures.roofline([Point("naive", traffic_naive(1, 1, 1).intensity)], ceilings))
