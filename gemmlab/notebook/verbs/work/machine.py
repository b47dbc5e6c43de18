"""lesson.machine()"""

from __future__ import annotations

from gemmlab.markdown import escape
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def machine(desk: Desk) -> None:
    """What this machine offers to the course. A solved notebook, whose outputs are kept, says no more than that."""
    from gemmlab.doctor import examine

    if desk.solved:
        show(Markdown("In your own copy of this notebook, a table here says what your machine offers."))
        return
    rows = [f"| {item.name} | {'yes' if item.ok else 'no'} | {escape(item.text)} |" for item in examine()]
    show(Markdown("\n".join(["| part | there | what |", "|:--|:--|:--|", *rows])))
