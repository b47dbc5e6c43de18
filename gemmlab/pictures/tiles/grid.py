"""Grid, blocks and threads: how they lie over C, and which element one thread computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.kernel.launch import Launch, cdiv
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Element = tuple[int, int]  # row and column of C


def grid_picture(shape: tuple[int, int, int], launch: Launch, tx: int, element: Element) -> Picture:
    """C under its grid on the left, the threads of block (0, 0) on the right. Thread (tx, 0) of it computes `element`.

    The grid must have one block for each tile of C that is as large as the block, x along the columns.
    """
    figure = new_figure(10.5, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1))
    _draw_grid(left, shape, launch, element)
    _draw_block(right, launch, tx)
    return Picture(figure, describe_grid(shape, launch, tx, element))


def describe_grid(shape: tuple[int, int, int], launch: Launch, tx: int, element: Element) -> str:
    """The picture in words."""
    M, N, K = shape
    blocks, threads = launch.grid[0] * launch.grid[1], launch.block[0] * launch.block[1]
    row, col = element
    return (
        f"C is {M}×{N}. The grid has {launch.grid[0]}×{launch.grid[1]} blocks (x, y) of {launch.block[0]}×"
        f"{launch.block[1]} threads: {blocks} blocks, {blocks * threads:,} threads for {M * N:,} elements. Thread "
        f"(tx, ty) = ({tx}, 0) of block (0, 0) computes C[{row}][{col}] from row {row} of A and column {col} of B, "
        f"{K} products."
    )


def _draw_grid(axes: Axes, shape: tuple[int, int, int], launch: Launch, element: Element) -> None:
    from matplotlib.patches import Rectangle

    M, N, _ = shape
    width, height, _ = launch.block
    whole = cdiv(N, width) * width, cdiv(M, height) * height
    axes.add_patch(Rectangle((0, 0), *whole, facecolor=PAPER, edgecolor=FAINT, hatch="////", linewidth=0))
    axes.add_patch(Rectangle((0, 0), N, M, facecolor="#d5efe6", edgecolor=INK, linewidth=1.4))
    for x in range(launch.grid[0]):
        for y in range(launch.grid[1]):
            place = (x * width, y * height)
            axes.add_patch(Rectangle(place, width, height, fill=False, edgecolor=COLOR["C"], linewidth=1.6))
            middle = (place[0] + width / 2, place[1] + height / 2)
            axes.text(*middle, f"block\n({x}, {y})", ha="center", va="center", fontsize=9, color=INK)
    row, col = element
    axes.plot(col + 0.5, row + 0.5, marker="s", markersize=6, color=INK)
    axes.annotate(
        f"C[{row}][{col}]", (col + 0.5, row + 0.5), xytext=(6, 6), textcoords="offset points", fontsize=9, color=INK
    )
    axes.set_xlim(-1, whole[0] + 1)
    axes.set_ylim(whole[1] + 1, -1)
    axes.set_aspect("equal")
    axes.set_xlabel("column of C", color=INK)
    axes.set_ylabel("row of C", color=INK)
    axes.set_title(f"C, {M}×{N}, and the grid over it\nhatched: threads outside C", fontsize=10, color=INK)
    axes.tick_params(colors=INK)


def _draw_block(axes: Axes, launch: Launch, tx: int) -> None:
    from matplotlib.patches import Rectangle

    width, height, _ = launch.block
    axes.add_patch(Rectangle((-0.5, -0.5), width, height, facecolor="#d5efe6", edgecolor=COLOR["C"], linewidth=2))
    axes.hlines([y - 0.5 for y in range(1, height)], -0.5, width - 0.5, color=FAINT, linewidth=0.3)
    axes.vlines([x - 0.5 for x in range(1, width)], -0.5, height - 0.5, color=FAINT, linewidth=0.3)
    axes.add_patch(Rectangle((tx - 0.5, -0.5), 1, 1, facecolor=INK))
    axes.annotate(
        f"thread ({tx}, 0)",
        (tx, 0),
        xytext=(14, -34),
        textcoords="offset points",
        fontsize=9,
        color=INK,
        arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.8},
        bbox={"boxstyle": "round,pad=0.2", "facecolor": PAPER, "edgecolor": FAINT},
    )
    axes.set_xlim(-1, width)
    axes.set_ylim(height, -1)
    axes.set_aspect("equal")
    axes.set_xlabel("tx = threadIdx.x", color=INK)
    axes.set_ylabel("ty = threadIdx.y", color=INK)
    axes.set_title(f"inside block (0, 0): {width}×{height} threads", fontsize=10, color=INK)
    axes.tick_params(colors=INK)
