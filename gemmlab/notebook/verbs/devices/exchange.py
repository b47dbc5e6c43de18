"""lesson.exchange((4096, 11008, 4096))"""

from __future__ import annotations

from gemmlab.notebook import arguments
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def exchange(desk: Desk, shape: tuple[int, int, int]) -> None:
    """A product on two devices in time: the exchange after the product, or tile by tile while others still multiply."""
    from gemmlab.cuda.sizes import numbers_of, sizes_of
    from gemmlab.model.machines import load
    from gemmlab.models.networks.devices import waves
    from gemmlab.pictures.speed.exchange import exchange_picture
    from gemmlab.records.links import recorded_links

    sizes = arguments.sizes(shape)
    if desk.owes(desk.prediction("lost_in_turn")):
        return
    tile, (blocks,) = sizes_of(desk.lesson.starter), numbers_of(desk.lesson.starter, "BLOCKS_A_SM")
    record, count = recorded_links()[0], waves(sizes, 2, (tile.BM, tile.BN), load().sms * blocks)
    show_picture(exchange_picture(sizes, count, record.rates("nccl_all_gather_gbs"), record.rates()))
