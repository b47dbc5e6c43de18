"""Controls that several widgets use, for the mouse and for the keyboard."""

from __future__ import annotations

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


def set_quietly(widget: Widget, value: int, observer) -> None:
    """Set the value of a widget without a call of its observer."""
    widget.unobserve(observer, names="value")
    widget.value = value
    widget.observe(observer, names="value")
