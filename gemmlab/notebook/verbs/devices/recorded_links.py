"""lesson.recorded_links()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_links(desk: Desk) -> None:
    """What was measured between two GPUs: the link, and whole products on both."""
    from gemmlab.records import links

    records = links.recorded_links()
    for record in records:
        show(Markdown(links.figures_table(record)))
    show(Markdown(links.products_table(records)))
