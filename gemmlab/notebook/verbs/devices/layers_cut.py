"""lesson.layers_cut(tokens=4096)"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def layers_cut(desk: Desk, tokens: int = 4096, width: int = 4096, hidden: int = 11008, devices: int = 2) -> None:
    """The ways to cut two feed-forward layers over several devices, with what each holds and sends."""
    from gemmlab.models.networks.devices import layers_table
    from gemmlab.records.links import recorded_links

    sizes = (tokens, width, hidden, devices)
    if not all(type(size) is int and 1 <= size <= 1 << 20 for size in sizes):
        raise UserError("tokens, width, hidden and devices are whole numbers above 0")
    if desk.owes(desk.prediction("tensor_parallel")):
        return
    show(Markdown(layers_table(*sizes, recorded_links()[0].rates())))
