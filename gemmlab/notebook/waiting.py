"""A cell that has to wait for the emulator's machine code says so; it is begun when a lesson is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gemmlab.markdown import sentence
from gemmlab.pictures.output import Markdown

if TYPE_CHECKING:
    from gemmlab.notebook.desk import Desk


def begin(desk: Desk) -> None:
    """Where the machine code is not there yet, have it made beside the notebook, while the reader reads."""
    from gemmlab.emulator import warm
    from gemmlab.notebook.cells import in_notebook

    if not desk.solved and in_notebook():
        warm.start_beside()


@contextmanager
def told(desk: Desk) -> Iterator[None]:
    """A line in the cell while its verb waits for the machine code, which is gone afterwards."""
    from gemmlab.emulator import warm

    if not desk.is_live:
        yield
        return
    lines: list[Any] = []

    def tell(words: str) -> None:
        from IPython.display import display

        text = Markdown(sentence(words) if words else "")
        if lines:
            lines[0].update(text)
        else:
            lines.append(display(text, display_id=True))

    with warm.told(tell):
        yield
