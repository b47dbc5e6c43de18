"""The warp view: a choice of the line, and sliders for the warp and the request, over the picture of one request."""

from __future__ import annotations

from gemmlab.panels.controls import int_slider, set_quietly
from gemmlab.panels.stage import Stage
from gemmlab.pictures.output import Markdown, caption
from gemmlab.pictures.warps.warp_lines import line_picture, lines_table
from gemmlab.trials.warp_view import BEFORE, WarpView


class WarpControls:
    """The controls, and what they do."""

    def __init__(self, view: WarpView, place: int, request: int, warp: int) -> None:
        from ipywidgets import Dropdown, HBox, Layout

        self.view, self.stage = view, Stage(3)
        self.line = Dropdown(options=self._names(warp), value=place, tooltip="a line", layout=Layout(width="20em"))
        self.request = int_slider("request", request, self._last(place, warp), "which request of this line")
        self.warp = int_slider("warp", warp, view.warps - 1, "which warp of block (0, 0)")
        for control in (self.line, self.request, self.warp):
            control.observe(self.draw, names="value")
        self.widget = HBox([self.line, self.request, self.warp], layout=Layout(flex_flow="row wrap"))

    def show(self) -> None:
        """Display the controls, and what they say under them."""
        name = self.view.lines(BEFORE, self.warp.value)[self.line.value].name
        self.stage.show(self.widget, f"warp view: warp {self.warp.value}, {name}, request {self.request.value}")
        self.draw()

    def draw(self, change: dict | None = None) -> None:
        """Draw what the controls say. Lines differ in how many requests they make."""
        last = self._last(self.line.value, self.warp.value)
        if last != self.request.max:
            set_quietly(self.request, min(self.request.value, last), self.draw)
            self.request.max, self.request.disabled = last, last == 0
        picture = line_picture(self.view.versions(self.line.value, self.warp.value), self.request.value)
        table = lines_table(self.view.source, *self.view.both(self.warp.value))
        self.stage.put(picture, caption(picture), Markdown(table))

    def _names(self, warp: int) -> list[tuple[str, int]]:
        return [(line.name, place) for place, line in enumerate(self.view.lines(BEFORE, warp))]

    def _last(self, place: int, warp: int) -> int:
        return len(self.view.lines(BEFORE, warp)[place].requests) - 1
