"""lesson.orders()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show

_LENGTH, _SLICES, _ORDERS = 8192, 32, 4


@verb
def orders(desk: Desk) -> None:
    """The same partial sums added in other orders, as atomic additions may: how many sums come out otherwise, here
    and at launches on a GPU where it was recorded."""
    from gemmlab.models.rounding import reordered
    from gemmlab.pictures.speed.splits import orders_table
    from gemmlab.records.splits import orders_text, recorded_splits

    show(Markdown(f"{_SLICES} partial sums of K = {_LENGTH:,} random products:"))
    show(Markdown(orders_table(reordered(_LENGTH, _SLICES, _ORDERS))))
    for record in recorded_splits():
        show(Markdown(orders_text(record)))
