"""lesson.waves((256, 256, 8192))"""

from __future__ import annotations

from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def waves(desk: Desk, shape: Shape, most: int = 80) -> None:
    """How many steps along K follow each other when K is cut into 1, 2, 3, … slices, up to `most`; and
    how long that took on a GPU where it was recorded."""
    from gemmlab.cuda.sizes import numbers_of, sizes_of
    from gemmlab.models.splits import Cutting
    from gemmlab.pictures.speed.splits import waves_picture
    from gemmlab.records.splits import recorded_splits

    shape, source = sizes(shape), desk.lesson.starter
    tile, (shortest, sms, blocks) = sizes_of(source), numbers_of(source, "SHORTEST", "SMS", "BLOCKS_A_SM")
    cutting = Cutting(tile.BM, tile.BN, tile.BK, shortest, sms * blocks)
    splits = {one.slices: one for one in (cutting.split(shape, slices) for slices in range(1, most + 1))}
    record = next((one for one in recorded_splits() if one.shape == shape), None)
    show_picture(waves_picture([*splits.values()], cutting.split(shape), record))
