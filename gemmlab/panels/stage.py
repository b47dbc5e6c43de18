"""A live cell: controls, and under them what they change.

The contents are kept twice: in the widget, which a page that is loaded again gets back from the kernel, and as outputs,
which stay in the file. While the widget is alive the outputs are hidden.
"""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from gemmlab.pictures.output import Markdown, Slots
from gemmlab.pictures.picture import Picture

if TYPE_CHECKING:
    from ipywidgets import Widget

_LIVE = "gemmlab-live"
_HIDE_OUTPUTS = (
    f"<style>.jp-OutputArea-child:has(.{_LIVE}) ~ .jp-OutputArea-child {{ display: none; }} "
    f".{_LIVE} .widget-html-content {{ line-height: inherit; white-space: normal; }}</style>"
)


class Stage:
    """Controls and at most `places` things under them."""

    def __init__(self, places: int) -> None:
        from ipywidgets import HTML

        self._places, self._contents = places, HTML()
        self._slots: Slots | None = None

    def show(self, controls: Widget, words: str) -> None:
        """Display the controls with room for the contents; `words` stand for the controls where they are not there."""
        from ipywidgets import HTML, Layout, VBox

        contents = [self._contents, HTML(_HIDE_OUTPUTS, layout=Layout(display="none"))]
        show_widget(VBox([controls, *contents]).add_class(_LIVE), words)
        self._slots = Slots(self._places)

    def put(self, *outputs: Markdown | Picture | object) -> None:
        """Show these, and nothing else, under the controls."""
        self._contents.value = "".join(map(as_html, outputs))
        if self._slots:
            self._slots.put(*outputs)


def show_widget(widget: Widget, words: str) -> None:
    """Display the widget; `words` stand in its place on paper and where no kernel runs."""
    from IPython.display import display

    display({**widget._repr_mimebundle_(), "text/plain": words}, raw=True)


def as_html(output: Markdown | Picture | object) -> str:
    """The output as a page shows it; a picture with its text for those who cannot see it."""
    if isinstance(output, Picture):
        data = base64.b64encode(output.png()).decode("ascii")
        return f'<img alt="{escape(output.alt)}" style="max-width: 100%" src="data:image/png;base64,{data}">'
    bundle = output._repr_mimebundle_()
    if "text/html" in bundle:
        return f'<div class="jp-RenderedHTMLCommon">{bundle["text/html"]}</div>'
    from markdown_it import MarkdownIt

    html = MarkdownIt().enable("table").render(bundle["text/markdown"])
    return f'<div class="jp-RenderedHTMLCommon">{html}</div>'
