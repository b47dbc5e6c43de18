"""A, B and C laid out as in the multiplication, with the tiles of one step, drawn on one pair of axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gemmlab.kernel.launch import cdiv
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Place = tuple[int, int, int]  # which tile along M, N and K, from 0


@dataclass(frozen=True)
class _Matrix:
    """Where a matrix lies on the axes, all in elements: its first column and row there, and its size."""

    name: str
    x: float
    y: float
    rows: int
    cols: int
    tile: int


def draw_tile_map(
    axes: Axes, shape: tuple[int, int, int], tile: int, place: Place, thread: tuple[int, int] | None = None
) -> None:
    """A below left, B above right, C between them, to scale; the step's tiles filled, zero fill hatched.

    `thread` is (ty, tx): the row of As and the column of Bs that it reads, and its element of C, are drawn as well.
    """
    M, N, K = shape
    gap = 0.2 * max(cdiv(N, tile), cdiv(M, tile), cdiv(K, tile)) * tile
    past = cdiv(K, tile) * tile + gap  # where B and C begin to the right of A, and A and C below B
    A = _Matrix("A", 0, past, M, K, tile)
    B = _Matrix("B", past, 0, K, N, tile)
    C = _Matrix("C", past, past, M, N, tile)
    tile_row, tile_col, k_tile = place
    tiles = {"A": (tile_row, k_tile), "B": (k_tile, tile_col), "C": (tile_row, tile_col)}
    _draw_strip(axes, A, tile_row * tile, 0, tile, K)
    _draw_strip(axes, B, 0, tile_col * tile, K, tile)
    for matrix in (A, B, C):
        _draw_tile(axes, matrix, *tiles[matrix.name])
        _draw_matrix(axes, matrix)
    if thread:
        _draw_thread(axes, (A, B, C), tiles, thread)
    _name_sides(axes, A, B, C)
    axes.set_xlim(-0.85 * gap, C.x + cdiv(N, tile) * tile + 0.75 * gap)
    axes.set_ylim(C.y + cdiv(M, tile) * tile + 0.75 * gap, -0.75 * gap)
    axes.set_aspect("equal")
    axes.axis("off")


def _draw_matrix(axes: Axes, matrix: _Matrix) -> None:
    """The outline, thick, and the grid of tiles, thin; the grid goes on where tiles hang over the edge."""
    tile_rows, tile_cols = cdiv(matrix.rows, matrix.tile), cdiv(matrix.cols, matrix.tile)
    style: dict[str, Any] = {"color": FAINT, "linewidth": 0.6, "linestyle": (0, (4, 3)), "zorder": 3}
    for i in range(tile_rows + 1):
        y = matrix.y + i * matrix.tile
        axes.plot([matrix.x, matrix.x + tile_cols * matrix.tile], [y, y], **style)
    for j in range(tile_cols + 1):
        x = matrix.x + j * matrix.tile
        axes.plot([x, x], [matrix.y, matrix.y + tile_rows * matrix.tile], **style)
    _box(axes, matrix, 0, 0, matrix.rows, matrix.cols, fill=False, edgecolor=INK, linewidth=1.4, zorder=4)


def _draw_strip(axes: Axes, matrix: _Matrix, row: int, col: int, rows: int, cols: int) -> None:
    """What the block reads of the matrix in the course of its steps."""
    rows, cols = min(rows, matrix.rows - row), min(cols, matrix.cols - col)
    _box(axes, matrix, row, col, rows, cols, facecolor=COLOR[matrix.name], alpha=0.16, zorder=1)


def _draw_tile(axes: Axes, matrix: _Matrix, tile_row: int, tile_col: int) -> None:
    row, col, tile = tile_row * matrix.tile, tile_col * matrix.tile, matrix.tile
    color = COLOR[matrix.name]
    outside: dict[str, Any] = {"facecolor": PAPER, "edgecolor": FAINT, "hatch": "////", "linewidth": 0.0, "zorder": 1}
    _box(axes, matrix, row, col, tile, tile, **outside)
    _box(axes, matrix, row, col, min(tile, matrix.rows - row), min(tile, matrix.cols - col), facecolor=color, zorder=2)
    _box(axes, matrix, row, col, tile, tile, fill=False, edgecolor=color, linewidth=2.2, zorder=5)


def _draw_thread(axes: Axes, matrices: tuple, tiles: dict, thread: tuple[int, int]) -> None:
    """One thread's row of As, column of Bs and element of C, in ink over the tiles."""
    ty, tx = thread
    for matrix, (down, across, rows, cols) in zip(
        matrices, ((ty, 0, 1, matrices[0].tile), (0, tx, matrices[1].tile, 1), (ty, tx, 1, 1)), strict=True
    ):
        tile_row, tile_col = tiles[matrix.name]
        row, col = tile_row * matrix.tile + down, tile_col * matrix.tile + across
        _box(axes, matrix, row, col, rows, cols, facecolor=INK, edgecolor=PAPER, linewidth=0.6, zorder=6)


def _box(axes: Axes, matrix: _Matrix, row: int, col: int, rows: int, cols: int, **style) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((matrix.x + col, matrix.y + row), cols, rows, **style))


def _name_sides(axes: Axes, A: _Matrix, B: _Matrix, C: _Matrix) -> None:
    """The name and size of each matrix over it, and along the sides of A and B which index runs there."""
    style: dict[str, Any] = {"fontsize": 11, "color": INK}
    for matrix, sizes in ((A, "M×K"), (B, "K×N"), (C, "M×N")):
        name = f"$\\bf{{{matrix.name}}}$  {sizes} = {matrix.rows}×{matrix.cols}"
        axes.text(matrix.x, matrix.y - 0.8, name, ha="left", va="bottom", **style)
    for matrix, across, down in ((A, "k", "row"), (B, "col", "k")):
        bottom = matrix.y + cdiv(matrix.rows, matrix.tile) * matrix.tile
        axes.text(matrix.x + matrix.cols / 2, bottom + 0.8, f"{across} →", ha="center", va="top", **style)
        axes.text(matrix.x - 0.8, matrix.y + matrix.rows / 2, f"{down} ↓", ha="right", va="center", **style)
