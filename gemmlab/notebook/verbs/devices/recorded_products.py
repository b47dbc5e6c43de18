"""lesson.recorded_products()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_products(desk: Desk) -> None:
    """Whole products on two GPUs: the lesson's kernel, a faster one, and two libraries one after the other."""
    from gemmlab.records import links

    if desk.owes(*map(desk.prediction, ("with_exchange", "small"))):
        return
    show(Markdown(links.products_table(links.recorded_links())))
