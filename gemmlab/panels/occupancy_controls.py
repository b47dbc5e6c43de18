"""Occupancy with sliders: threads, registers and shared memory of a block."""

from __future__ import annotations

from gemmlab.kernel.limits import MAX_THREADS, REGISTERS_PER_THREAD, limits_for
from gemmlab.models.occupancy import BlockUse
from gemmlab.panels.stage import Stage
from gemmlab.pictures.output import caption
from gemmlab.pictures.speed.occupancy import occupancy_picture

_FEWEST_REGISTERS = 16


class OccupancyControls:
    """The sliders, and what they do. `name` is what the cross is called until a slider moves."""

    def __init__(self, use: BlockUse, arch: str, name: str) -> None:
        from ipywidgets import HBox, IntSlider, Layout

        self.arch, self.name, self.stage = arch, name, Stage(2)
        common = {"continuous_update": False, "style": {"description_width": "8em"}, "layout": Layout(width="22em")}
        most = limits_for(arch).shared_opt_in
        self.threads = IntSlider(use.threads, 32, MAX_THREADS, 32, description="threads", **common)
        self.registers = IntSlider(
            use.registers, _FEWEST_REGISTERS, REGISTERS_PER_THREAD, description="registers", **common
        )
        self.shared = IntSlider(use.shared_bytes, 0, most, 256, description="shared bytes", **common)
        for slider in (self.threads, self.registers, self.shared):
            slider.observe(self.draw, names="value")
        self.widget = HBox([self.threads, self.registers, self.shared], layout=Layout(flex_flow="row wrap"))

    def show(self) -> None:
        """Display the sliders, and what they say under them."""
        self.stage.show(self.widget, f"occupancy on {self.arch}")
        self.draw()

    def draw(self, change: dict | None = None) -> None:
        """Draw what the sliders say."""
        if change:
            self.name = "this block"
        use = BlockUse(self.threads.value, self.registers.value, self.shared.value)
        picture = occupancy_picture(use, self.arch, self.name)
        self.stage.put(picture, caption(picture))
