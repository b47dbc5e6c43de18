"""lesson.read("store_loop")"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Report, show


@verb
def read(desk: Desk, patient: str) -> None:
    """The kernel of a patient as it was published, with line numbers."""
    from rich.text import Text

    lines = desk.lesson.kernel_named(patient).starter.rstrip("\n").split("\n")
    listing = [f"{number:3} | {line}" for number, line in enumerate(lines, 1)]
    show(Report(Text("\n".join(listing)), text_width=max(map(len, listing))))
