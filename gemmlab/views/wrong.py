"""Where C is wrong: its elements over the grid of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemmlab.launch import cdiv
from gemmlab.views.picture import COLOR, FAINT, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RIGHT = "#f1f1f1"
_MOST_CELLS = 256  # a side; larger matrices are drawn with several elements a cell
_MOST_GRID_LINES = 40
_NAMED_TILES = 4


def wrong_elements(wrong: np.ndarray, tile: int) -> Picture:
    """`wrong` marks the wrong elements of C (M×N, bool); `tile` is the side of a block's tile of C."""
    M, N = wrong.shape
    cell = cdiv(max(M, N), _MOST_CELLS)
    figure = new_figure(6.4, 4.6)
    axes = figure.subplots()
    _draw_cells(axes, _any_in_cell(wrong, tile), tile, {0: _RIGHT, 1: "#f7d9c4"})
    _draw_cells(axes, _any_in_cell(wrong, cell), cell, {1: COLOR["wrong"]})
    if max(M, N) / tile <= _MOST_GRID_LINES:
        axes.hlines(range(tile, M, tile), 0, N, color=FAINT, linewidth=0.8)
        axes.vlines(range(tile, N, tile), 0, M, color=FAINT, linewidth=0.8)
    axes.set_xlim(0, N)
    axes.set_ylim(M, 0)
    axes.set_xlabel("column of C", color=INK)
    axes.set_ylabel("row of C", color=INK)
    axes.tick_params(colors=INK)
    legend = f"dark: wrong elements{_each(cell)}, light: their tiles of {tile}×{tile}"
    axes.set_title(f"{_count(wrong)}\n{legend}", fontsize=10, color=INK)
    return Picture(figure, describe_wrong(wrong, tile))


def describe_wrong(wrong: np.ndarray, tile: int) -> str:
    """How many elements are wrong, and in which tiles."""
    M, N = wrong.shape
    tiles = [(int(row), int(col)) for row, col in np.argwhere(_any_in_cell(wrong, tile))]
    total = cdiv(M, tile) * cdiv(N, tile)
    text = f"C is {M}×{N}, in tiles of {tile}×{tile}: {_count(wrong)}"
    if not tiles or len(tiles) == total:
        return f"{text}, in every tile." if tiles else f"{text}."
    named = ", ".join(str(place) for place in tiles[:_NAMED_TILES]) + (", …" if len(tiles) > _NAMED_TILES else "")
    return f"{text}, in {len(tiles)} of {total} tiles (tile row, tile column): {named}."


def _count(wrong: np.ndarray) -> str:
    count = int(wrong.sum())
    return f"{count:,} of {wrong.size:,} elements {'is' if count == 1 else 'are'} wrong"


def _each(cell: int) -> str:
    return "" if cell == 1 else f" ({cell}×{cell} a dot)"


def _any_in_cell(wrong: np.ndarray, side: int) -> np.ndarray:
    """The mask made `side` times smaller; one wrong element is enough to mark a cell."""
    M, N = wrong.shape
    rows, cols = cdiv(M, side), cdiv(N, side)
    padded = np.zeros((rows * side, cols * side), bool)
    padded[:M, :N] = wrong
    return padded.reshape(rows, side, cols, side).any(axis=(1, 3))


def _draw_cells(axes: Axes, cells: np.ndarray, side: int, colors: dict[int, str]) -> None:
    """Cells of side×side elements in the colour of their value; those without a colour are left as they are."""
    from matplotlib.colors import to_rgba

    pixels = np.zeros((*cells.shape, 4))
    for value, color in colors.items():
        pixels[cells == value] = to_rgba(color)
    extent = (0, cells.shape[1] * side, cells.shape[0] * side, 0)
    axes.imshow(pixels, extent=extent, interpolation="nearest")
