"""A slider over pictures. The picture is an output of its own, and stays when there is no kernel any more."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.views.output import show_picture
from gemmlab.views.picture import Picture


def show_with_slider(pictures: Sequence[Picture], number: int, label: str) -> None:
    """Display one of the pictures, and above it a slider that leads to the others where widgets are at hand."""
    try:
        from IPython.display import display
        from ipywidgets import IntSlider, Layout
    except ImportError:
        show_picture(pictures[number])
        return
    last = len(pictures) - 1
    slider = IntSlider(number, 0, last, description=label, continuous_update=False, layout=Layout(width="60%"))
    display({**slider._repr_mimebundle_(), "text/plain": f"{label} {number} of 0 to {last}"}, raw=True)
    replace = show_picture(pictures[number])
    slider.observe(lambda change: replace(pictures[change["new"]]), names="value")
