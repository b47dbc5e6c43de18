"""lesson.recorded_races()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_races(desk: Desk) -> None:
    """What happened without one of the barriers on a GPU where it was tried."""
    from gemmlab.records import races

    for record in races.recorded_races():
        show(Markdown(races.race_table(record)))
