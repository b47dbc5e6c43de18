"""What a cell shows: one content as rich HTML or Markdown for the notebook, and as text for PDF and for tests."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from gemmlab.markdown import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gemmlab.pictures.picture import Picture

_TEXT_WIDTH = 110
_HTML_WIDTH = 2000  # the browser breaks the lines
_HTML = (
    '<pre style="font-family: var(--jp-code-font-family, monospace); white-space: pre-wrap; '
    "word-break: normal; overflow-wrap: anywhere; margin: 0; "
    'padding-left: 0.8em; border-left: 3px solid #888888">{code}</pre>'
)
_INK, _PAPER = (0, 0, 0), (255, 255, 255)  # dim text becomes the grey between them
_VERMILLION, _GREEN, _YELLOW = (213, 94, 0), (0, 158, 115), (176, 122, 0)  # readable on white and on black


class Markdown:
    """Text in Markdown, which the notebook sets in its own theme."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/markdown": self.text, "text/plain": self.text}


class Report:
    """Anything that rich can print. As text it is at most `text_width` characters wide."""

    def __init__(self, content: RenderableType, text_width: int = _TEXT_WIDTH) -> None:
        self.content, self.text_width = content, text_width

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/html": self._export(html=True), "text/plain": self._export(html=False)}

    def _export(self, html: bool) -> str:
        from rich.console import Console

        width, nowhere = _HTML_WIDTH if html else self.text_width, io.StringIO()
        console = Console(record=True, width=width, file=nowhere, force_jupyter=False, color_system="truecolor")
        console.print(self.content)
        if html:
            return console.export_html(theme=_theme(), code_format=_HTML, inline_styles=True)
        return "\n".join(line.rstrip() for line in console.export_text().splitlines())


def show(*outputs: object) -> None:
    """Display each as an output of the running cell."""
    from IPython.display import display

    display(*outputs)


class Slots:
    """Places in the output of a cell for so many things, to be put there later and again. They are kept in the file."""

    def __init__(self, count: int) -> None:
        from IPython.display import display

        self._handles = [display(Markdown(""), display_id=True) for _ in range(count)]

    def put(self, *outputs: object) -> None:
        """Show these, and nothing else, in the places."""
        empty = [Markdown("")] * (len(self._handles) - len(outputs))
        for handle, output in zip(self._handles, [*outputs, *empty], strict=True):
            handle.update(output)


def show_picture(picture: Picture) -> Callable[[Picture], None]:
    """Display the picture, and what it shows as its caption. What is returned puts another one in its place."""
    from IPython.display import display

    parts = [picture, caption(picture)]
    handles = [display(part, display_id=True) for part in parts]

    def replace(other: Picture) -> None:
        for handle, part in zip(handles, [other, caption(other)], strict=True):
            handle.update(part)

    return replace


def caption(picture: Picture) -> Markdown:
    """What the picture shows, in words."""
    return Markdown(f"*{escape(picture.alt)}*")


def _theme():
    from rich.terminal_theme import TerminalTheme

    ansi = [_INK, _VERMILLION, _GREEN, _YELLOW, *[(128, 128, 128)] * 4]
    return TerminalTheme(_PAPER, _INK, ansi)
