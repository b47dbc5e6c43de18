"""One step of the tiled multiplication: where its tiles lie, what is in them, and what the running sums became."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gemmlab.models.simulator import TileStep
from gemmlab.pictures.picture import FAINT, INK, PAPER, Picture, new_figure
from gemmlab.pictures.tiles.tile_map import draw_tile_map
from gemmlab.pictures.tiles.tiles import describe_tiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Thread = tuple[int, int]
_COLORS = "PuOr"  # two-sided, and distinct for the colour-blind


def step_picture(step: TileStep, before: np.ndarray, shape: tuple[int, int, int], thread: Thread = (0, 0)) -> Picture:
    """`step` as the simulator gives it, `before` the running sums (TILE×TILE) at its start, `shape` (M, N, K)."""
    place, tile = (step.block_row, step.block_col, step.k_tile), len(step.As)
    figure = new_figure(11.5, 5.2)
    left, right = figure.subfigures(1, 2, width_ratios=(1.05, 1))
    draw_tile_map(left.subplots(), shape, tile, place, thread)
    (words, over), (below, corner) = right.subplots(2, 2)
    ty, tx = thread
    largest = max(float(np.abs(step.As).max()), float(np.abs(step.Bs).max())) or 1.0
    _draw_values(below, "As", step.As, step.As_valid, largest, (ty, 0, 1, tile))
    _draw_values(over, "Bs", step.Bs, step.Bs_valid, largest, (0, tx, tile, 1))
    sums = float(np.abs(step.acc).max()) or 1.0
    _draw_values(corner, "acc of each thread", step.acc, step.C_valid, sums, (ty, tx, 1, 1))
    words.axis("off")
    words.text(0, 0.5, _short_story(step, before, thread), va="center", fontsize=10, color=INK, linespacing=1.7)
    return Picture(figure, f"{describe_tiles(shape, tile, place, thread)} {step_story(step, before, thread)}")


def step_story(step: TileStep, before: np.ndarray, thread: Thread) -> str:
    """What is zero fill in this step, and what it adds to one thread's running sum."""
    filled = " and ".join(
        f"{int((~valid).sum())} of {valid.size} slots of {name}"
        for name, valid in (("As", step.As_valid), ("Bs", step.Bs_valid))
    )
    return f"Zero fill: {filled}. The running sum of this thread goes from {before[thread]:g} to {step.acc[thread]:g}."


def _short_story(step: TileStep, before: np.ndarray, thread: Thread) -> str:
    ty, tx = thread
    return (
        f"block (x, y) = ({step.block_col}, {step.block_row}), K tile {step.k_tile}\n"
        f"zero fill in As: {int((~step.As_valid).sum())} of {step.As.size}\n"
        f"zero fill in Bs: {int((~step.Bs_valid).sum())} of {step.Bs.size}\n"
        f"acc of (tx, ty) = ({tx}, {ty}):\n  {before[thread]:g} → {step.acc[thread]:g}"
    )


def _draw_values(
    axes: Axes, title: str, values: np.ndarray, valid: np.ndarray, largest: float, mark: tuple[int, int, int, int]
) -> None:
    """The values by colour, slots outside the matrix hatched, the thread's (row, col, rows, cols) outlined."""
    from matplotlib.patches import Rectangle

    height, width = values.shape
    around: dict[str, Any] = {"xy": (-0.5, -0.5), "width": width, "height": height}
    axes.add_patch(Rectangle(**around, facecolor=PAPER, edgecolor=FAINT, hatch="////", linewidth=0, zorder=0))
    image = axes.imshow(np.where(valid, values, np.nan), cmap=_COLORS, vmin=-largest, vmax=largest, zorder=1)
    row, col, rows, cols = mark
    axes.add_patch(Rectangle((col - 0.5, row - 0.5), cols, rows, fill=False, edgecolor=INK, linewidth=1.8, zorder=3))
    axes.set_title(title, fontsize=10, color=INK, fontweight="bold")
    axes.set_xticks([0, width - 1])
    axes.set_yticks([0, height - 1])
    axes.tick_params(labelsize=8, colors=INK)
    axes.figure.colorbar(image, ax=axes, shrink=0.8).ax.tick_params(labelsize=8, colors=INK)
