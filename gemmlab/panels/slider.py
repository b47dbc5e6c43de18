"""A slider over pictures."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.panels.controls import int_slider, there_are_widgets
from gemmlab.pictures.output import caption, show_picture
from gemmlab.pictures.picture import Picture


def show_with_slider(pictures: Sequence[Picture], number: int, label: str) -> None:
    """Display one of the pictures, and above it a slider that leads to the others where widgets are at hand."""
    if not there_are_widgets():
        show_picture(pictures[number])
        return
    from gemmlab.panels.stage import Stage

    def draw(at: int) -> None:
        stage.put(pictures[at], caption(pictures[at]))

    last, stage = len(pictures) - 1, Stage(2)
    slider = int_slider(label, number, last)
    stage.show(slider, f"{label} {number} of 0 to {last}")
    draw(number)
    slider.observe(lambda change: draw(change["new"]), names="value")
