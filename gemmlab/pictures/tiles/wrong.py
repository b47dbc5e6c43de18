"""Where C is wrong: its elements over the grid of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.launch import cdiv
from gemmlab.pictures.picture import COLOR, FAINT, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Sides = tuple[int, int]  # rows and columns
_RIGHT = "#f1f1f1"
_MOST_CELLS = 256  # a side; larger matrices are drawn with several elements a cell
_MOST_GRID_LINES = 40
_NAMED_TILES = 4


def wrong_elements(wrong: np.ndarray, shape: tuple[int, int, int], tile: Sides) -> Picture:
    """`wrong` marks the wrong elements of C (M×N, bool) at `shape` (M, N, K); `tile` is what a block computes of C."""
    M, N, _ = shape
    cell = (cdiv(max(M, N), _MOST_CELLS),) * 2
    figure = new_figure(6.4, min(6.0, max(2.2, 1.4 + 5.2 * M / N)))
    axes = figure.subplots()
    _draw_cells(axes, _any_in_cell(wrong, tile), tile, {0: _RIGHT, 1: "#f7d9c4"})
    _draw_cells(axes, _any_in_cell(wrong, cell), cell, {1: COLOR["wrong"]})
    if M <= _MOST_GRID_LINES * tile[0] and N <= _MOST_GRID_LINES * tile[1]:
        axes.hlines(range(tile[0], M, tile[0]), 0, N, color=FAINT, linewidth=0.8)
        axes.vlines(range(tile[1], N, tile[1]), 0, M, color=FAINT, linewidth=0.8)
    axes.set_xlim(0, N)
    axes.set_ylim(M, 0)
    axes.set_xlabel("column of C", color=INK)
    axes.set_ylabel("row of C", color=INK)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.tick_params(colors=INK)
    legend = f"dark: wrong elements{_each(cell)}, light: their tiles of {_times(tile)}"
    axes.set_title(f"{_count(wrong)}\n{legend}", fontsize=10, color=INK)
    return Picture(figure, describe_wrong(wrong, shape, tile))


def describe_wrong(wrong: np.ndarray, shape: tuple[int, int, int], tile: Sides) -> str:
    """How many elements are wrong, and in which tiles."""
    hit = _any_in_cell(wrong, tile)
    text = f"C at M, N, K = {', '.join(map(str, shape))}, in tiles of {_times(tile)}: {_count(wrong)}"
    if hit.all() or not hit.any():
        return f"{text}, in every tile." if hit.any() else f"{text}."
    places = [f"({row}, {col})" for row, col in np.argwhere(hit)]
    named = ", ".join(places[:_NAMED_TILES]) + (", …" if len(places) > _NAMED_TILES else "")
    return f"{text}, in {len(places)} of {hit.size} tiles (tile row, tile column): {named}."


def _count(wrong: np.ndarray) -> str:
    count = int(wrong.sum())
    return f"{count:,} of {wrong.size:,} elements {'is' if count == 1 else 'are'} wrong"


def _times(sides: Sides) -> str:
    return f"{sides[0]}×{sides[1]}"


def _each(cell: Sides) -> str:
    return "" if cell == (1, 1) else f" ({_times(cell)} a dot)"


def _any_in_cell(wrong: np.ndarray, sides: Sides) -> np.ndarray:
    """The mask with one value for each cell of so many rows and columns; one wrong element is enough to mark it."""
    height, width = sides
    rows, cols = cdiv(wrong.shape[0], height), cdiv(wrong.shape[1], width)
    padded = np.zeros((rows * height, cols * width), bool)
    padded[: wrong.shape[0], : wrong.shape[1]] = wrong
    return padded.reshape(rows, height, cols, width).any(axis=(1, 3))


def _draw_cells(axes: Axes, cells: np.ndarray, sides: Sides, colors: dict[int, str]) -> None:
    """Cells of so many rows and columns in the colour of their value; those without a colour are left as they are."""
    from matplotlib.colors import to_rgba

    pixels = np.zeros((*cells.shape, 4))
    for value, color in colors.items():
        pixels[cells == value] = to_rgba(color)
    extent = (0, cells.shape[1] * sides[1], cells.shape[0] * sides[0], 0)
    axes.imshow(pixels, extent=extent, interpolation="nearest")
