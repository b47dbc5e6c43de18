"""A slider over pictures. The picture is an output of its own, and stays when there is no kernel any more."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.views.controls import int_slider, show_controls, there_are_widgets
from gemmlab.views.output import show_picture
from gemmlab.views.picture import Picture


def show_with_slider(pictures: Sequence[Picture], number: int, label: str) -> None:
    """Display one of the pictures, and above it a slider that leads to the others where widgets are at hand."""
    if not there_are_widgets():
        show_picture(pictures[number])
        return
    last = len(pictures) - 1
    slider = int_slider(label, number, last)
    show_controls(slider, f"{label} {number} of 0 to {last}")
    replace = show_picture(pictures[number])
    slider.observe(lambda change: replace(pictures[change["new"]]), names="value")
