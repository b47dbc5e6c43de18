"""lesson.recorded_links()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_links(desk: Desk) -> None:
    """What was measured between two GPUs: the link, and cuBLAS on both."""
    from gemmlab.records import links

    for record in links.recorded_links():
        show(Markdown(links.figures_table(record)))
