"""What a cell shows, for tests without a notebook. The fixture `outputs` collects it."""

from __future__ import annotations

import re

from gemmlab.pictures.output import Markdown


class Handle:
    def __init__(self, outputs: list, place: int):
        self.outputs, self.place = outputs, place

    def update(self, output) -> None:
        self.outputs[self.place] = output


def said(outputs: list) -> str:
    """The text of what stays when there is no kernel."""
    return "\n".join(output.text for output in outputs if isinstance(output, Markdown))


def in_page(panel) -> str:
    """What the widget shows, without its tags."""
    return re.sub(r"<[^>]*>", "", panel.stage._contents.value)
