"""The tile explorer: sliders for block, K tile, barrier interval and thread over a picture of the student's kernel."""

from __future__ import annotations

from gemmlab.kernel.launch import cdiv
from gemmlab.panels.controls import int_slider, set_quietly
from gemmlab.panels.stage import Stage
from gemmlab.pictures.output import caption
from gemmlab.pictures.tiles.explorer import explorer_picture
from gemmlab.trials.explore import Explorer, Spot

_STEP_MILLISECONDS = 1500


class ExplorerControls:
    """The sliders, and what they do. The spot must be there."""

    def __init__(self, explorer: Explorer, spot: Spot) -> None:
        from ipywidgets import HBox, Play, VBox, jslink

        self.explorer, self.stage = explorer, Stage(2)
        launch = explorer.launch
        self.col = int_slider("blockIdx.x", spot.block[1], launch.grid[0] - 1, "blockIdx.x: column of the grid")
        self.row = int_slider("blockIdx.y", spot.block[0], launch.grid[1] - 1, "blockIdx.y: row of the grid")
        self.k_tile = int_slider("K tile", 0, cdiv(explorer.shape[2], explorer.k_step) - 1, "go to where it is filled")
        self.interval = int_slider("interval", spot.interval, self._last(spot.block), "between two barriers")
        self.tx = int_slider("threadIdx.x", spot.thread[1], launch.block[0] - 1, "threadIdx.x, tx in the kernel")
        self.ty = int_slider("threadIdx.y", spot.thread[0], launch.block[1] - 1, "threadIdx.y, ty in the kernel")
        play = Play(spot.interval, 0, self.interval.max, interval=_STEP_MILLISECONDS, tooltip="play the intervals")
        jslink((play, "value"), (self.interval, "value"))
        jslink((self.interval, "max"), (play, "max"))
        for slider in (self.row, self.col, self.interval, self.ty, self.tx):
            slider.observe(self.draw, names="value")
        self.k_tile.observe(self.go_to_k_tile, names="value")
        rows = HBox([self.col, self.row]), HBox([self.k_tile, self.interval, play]), HBox([self.tx, self.ty])
        self.widget = VBox(rows)

    def show(self) -> None:
        """Display the controls, and what they say under them."""
        words = (
            f"tile explorer: block (x, y) = ({self.col.value}, {self.row.value}), interval {self.interval.value} of 0 "
            f"to {self.interval.max}, thread (tx, ty) = ({self.tx.value}, {self.ty.value})"
        )
        self.stage.show(self.widget, words)
        self.draw()

    @property
    def spot(self) -> Spot:
        """What the sliders say."""
        return Spot((self.row.value, self.col.value), self.interval.value, (self.ty.value, self.tx.value))

    def draw(self, change: dict | None = None) -> None:
        """Draw what the sliders say. Another block may have another number of intervals."""
        last = self._last(self.spot.block)
        if last != self.interval.max:
            set_quietly(self.interval, min(self.interval.value, last), self.draw)
            self.interval.max = last
        tiles = self.explorer.k_tiles(self.spot)
        if tiles and self.k_tile.value not in tiles:
            set_quietly(self.k_tile, tiles[0], self.go_to_k_tile)
        picture = explorer_picture(*self.explorer.seen(self.spot))
        self.stage.put(picture, caption(picture))

    def go_to_k_tile(self, change: dict) -> None:
        """Go to the interval that fills the K tile."""
        self.interval.value = self.explorer.at_k_tile(self.spot, change["new"]).interval

    def _last(self, block: tuple[int, int]) -> int:
        return len(self.explorer.story(block).intervals) - 1
