"""lesson.ways((8192, 8192, 8192))"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.notebook import arguments
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def ways(desk: Desk, shape: tuple[int, int, int], devices: int = 2) -> None:
    """The ways to cut a product over several devices: what each holds and sends, and how long that takes."""
    from gemmlab.models.networks.devices import ways_table
    from gemmlab.records.links import recorded_links

    sizes = arguments.sizes(shape)
    if type(devices) is not int or not 1 <= devices <= 1024:
        raise UserError(f"{devices!r} devices do not fit: write a whole number above 0")
    if desk.owes(*map(desk.prediction, ("gather_bytes", "reduce_bytes", "gather_ms"))):
        return
    show(Markdown(ways_table(sizes, devices, recorded_links()[0].rates())))
