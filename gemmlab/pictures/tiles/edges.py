"""The tiles of A, B and C at a ragged shape, with what hangs over the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gemmlab.models.edges import Edges
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WORDS = {"A": "filled with 0", "B": "filled with 0", "C": "not stored"}


def edge_picture(edges: Edges, shape: tuple[int, int, int], tile: int) -> Picture:
    """One panel a matrix, to scale: slots outside hatched, in each tile the number of them."""
    M, N, K = shape
    sides = {"A": (M, K), "B": (K, N), "C": (M, N)}
    figure = new_figure(10.5, 4.9)
    widths = [edges.outside[name].shape[1] for name in sides]
    panels = figure.subplots(1, len(sides), width_ratios=widths)
    for axes, (name, (rows, cols)) in zip(panels, sides.items(), strict=True):
        _draw(axes, name, rows, cols, edges.outside[name], tile)
    return Picture(figure, describe_edges(edges, shape, tile))


def describe_edges(edges: Edges, shape: tuple[int, int, int], tile: int) -> str:
    """The counts in words."""
    over = {name: int((count > 0).sum()) for name, count in edges.outside.items()}
    tiles = "; ".join(f"{name}: {over[name]} of {edges.outside[name].size} tiles hang over" for name in edges.outside)
    return (
        f"M, N, K = {', '.join(map(str, shape))} in tiles of {tile}×{tile}. {tiles}. Of {edges.steps} steps, "
        f"{edges.filled_steps} have a slot to fill with 0. {edges.idle_threads:,} threads have no element of C. "
        f"{100 * edges.wasted:.1f} % of the multiply-adds are for nothing."
    )


def _draw(axes: Axes, name: str, rows: int, cols: int, outside: np.ndarray, tile: int) -> None:
    from matplotlib.patches import Rectangle

    height, width = (count * tile for count in outside.shape)
    axes.add_patch(Rectangle((0, 0), width, height, facecolor=PAPER, edgecolor=FAINT, hatch="////", linewidth=0))
    axes.add_patch(Rectangle((0, 0), cols, rows, facecolor=PAPER))
    axes.add_patch(Rectangle((0, 0), cols, rows, facecolor=COLOR[name], alpha=0.3, edgecolor=INK, linewidth=1.4))
    axes.hlines(np.arange(0, height + 1, tile), 0, width, color=INK, linewidth=0.8)
    axes.vlines(np.arange(0, width + 1, tile), 0, height, color=INK, linewidth=0.8)
    for (row, col), count in np.ndenumerate(outside):
        middle = ((col + 0.5) * tile, (row + 0.5) * tile)
        style: dict[str, Any] = {"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.25", "alpha": 0.9}
        axes.text(*middle, str(count), ha="center", va="center", fontsize=11, color=INK, bbox=style if count else None)
    axes.set_xlim(-1, width + 1)
    axes.set_ylim(height + 1, -1)
    axes.set_aspect("equal")
    axes.set_xticks([0, cols])
    axes.set_yticks([0, rows])
    axes.tick_params(colors=INK)
    axes.set_title(f"{name}, {rows}×{cols}\nhatched: {_WORDS[name]}", fontsize=10, color=INK)
