"""Controls above what they change. What they change are outputs of their own, which stay when there is no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipywidgets import IntSlider, Widget


def there_are_widgets() -> bool:
    """Whether ipywidgets can be used here."""
    try:
        import ipywidgets  # noqa: F401
    except ImportError:
        return False
    return True


def show_controls(widget: Widget, words: str) -> None:
    """Display the widget; `words` stand in its place on paper and where no kernel runs."""
    from IPython.display import display

    display({**widget._repr_mimebundle_(), "text/plain": words}, raw=True)


def int_slider(name: str, value: int, last: int, tip: str = "") -> IntSlider:
    """A slider from 0 to `last`, for the mouse and for the arrow keys."""
    from ipywidgets import IntSlider, Layout

    return IntSlider(
        value,
        0,
        last,
        description=name,
        tooltip=tip or name,
        continuous_update=False,
        disabled=last == 0,
        style={"description_width": "8em"},
        layout=Layout(width="22em"),
    )


def set_quietly(changes: Mapping[Widget, int], observer) -> None:
    """Set values of widgets without a call of their observer."""
    for widget, value in changes.items():
        widget.unobserve(observer, names="value")
        widget.value = value
        widget.observe(observer, names="value")
