"""The roofline with sliders: sizes of a kernel that need not exist yet, and the ceilings of any machine."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.errors import UserError
from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.design import PATCHES, TILES, Design, points
from gemmlab.panels.stage import Stage
from gemmlab.pictures.output import Markdown, caption
from gemmlab.pictures.picture import Picture
from gemmlab.pictures.speed.roofline import roofline

Shape = tuple[int, int, int]
_BY_HAND = "set by hand, not measured"


def design_picture(design: Design, shape: Shape, ceilings: Ceilings, measured: Sequence[Point]) -> Picture:
    """The naive kernel and the design on the roof, and the student's measured kernels."""
    return roofline([*points(design, shape), *measured], ceilings)


class DesignControls:
    """The sliders, and what they do."""

    def __init__(self, design: Design, shape: Shape, ceilings: Ceilings, measured: Sequence[Point]) -> None:
        from ipywidgets import FloatLogSlider, HBox, Layout, SelectionSlider, VBox

        self.shape, self.ceilings, self.measured, self.stage = shape, ceilings, measured, Stage(3)
        common = {"continuous_update": False, "style": {"description_width": "8em"}, "layout": Layout(width="22em")}
        self.sizes = [
            SelectionSlider(options=options, value=value, description=name, **common)
            for name, value, options in (
                ("TILE", design.TILE, TILES), ("TM", design.TM, PATCHES), ("TN", design.TN, PATCHES),
            )
        ]  # fmt: skip
        self.gbs = FloatLogSlider(
            ceilings.gbs, min=1, max=4.5, step=0.01, description="GB/s", readout_format=",.0f", **common
        )
        self.gflops = FloatLogSlider(
            ceilings.gflops, min=2, max=6, step=0.01, description="GFLOPS", readout_format=",.0f", **common
        )
        for slider in (*self.sizes, self.gbs, self.gflops):
            slider.observe(self.draw, names="value")
        self.widget = VBox([HBox(self.sizes), HBox([self.gbs, self.gflops])])

    @property
    def design(self) -> Design:
        """What the sliders say of the kernel. UserError where the sizes do not fit each other."""
        design = Design(*(slider.value for slider in self.sizes))
        if max(design.TM, design.TN) > design.TILE:
            raise UserError("a thread cannot compute more than its block")
        return design

    def show(self) -> None:
        """Display the sliders, and what they say under them."""
        sizes = ", ".join(f"{slider.description} {slider.value}" for slider in self.sizes)
        self.stage.show(self.widget, f"roofline: {sizes}")
        self.draw()

    def draw(self, change: dict | None = None) -> None:
        """Draw what the sliders say. Ceilings keep their source until they are moved."""
        ceilings = self.ceilings
        if change and change["owner"] in (self.gbs, self.gflops):
            ceilings = self.ceilings = Ceilings(self.gflops.value, self.gbs.value, _BY_HAND)
        picture = design_picture(self.design, self.shape, ceilings, self.measured)
        self.stage.put(picture, caption(picture), Markdown(self.design.words(self.shape)))
