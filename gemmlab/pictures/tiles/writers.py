"""Who fills a tile: each slot of shared memory with the number of threads that write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.launch import evaluate
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Sides = tuple[int, int]
_MOST_ROWS_BEYOND = 8
_MOST_SLOTS, _MOST_THREADS = 4096, 1024
_NEVER, _ONCE, _OFTEN, _BEYOND, _OUTSIDE = range(5)
_LABELS = ("no thread writes it", "one thread", "several threads", "beyond the end of the array")


def writers_picture(tile: Sides, block: Sides, row: str, col: str, floats: int) -> Picture:
    """`tile` is (rows, columns) of the array, `block` (threads along x, along y). Thread (tx, ty) writes `floats`
    neighbours from [row][col] on; both are integer expressions of tx and ty, such as "ty" and "4*tx".
    """
    counts = count_writers(tile, block, row, col, floats)
    figure = new_figure(7.2, 4.4)
    axes = figure.subplots()
    _draw(axes, _states(counts, tile), tile)
    axes.set_title(f"[{row}][{col}], {floats} float{'s' * (floats > 1)} a thread", fontsize=10, color=INK)
    return Picture(figure, describe_writers(counts, tile, block, row, col, floats))


def count_writers(tile: Sides, block: Sides, row: str, col: str, floats: int) -> np.ndarray:
    """Threads that write each word, by its place from the start of the array; at least as long as the array."""
    rows, cols = tile
    if rows * cols > _MOST_SLOTS or block[0] * block[1] > _MOST_THREADS or not 1 <= floats <= 4:
        raise UserError(f"take a tile of at most {_MOST_SLOTS} floats, {_MOST_THREADS} threads, and 1 to 4 floats each")
    threads = [{"tx": tx, "ty": ty} for ty in range(block[1]) for tx in range(block[0])]
    starts = [evaluate(row, thread) * cols + evaluate(col, thread) for thread in threads]
    if min(starts) < 0 or max(starts) > 4 * _MOST_SLOTS:
        raise UserError("an index lies far outside the array")
    counts = np.zeros(max(rows * cols, max(starts) + floats), int)
    for start in starts:
        counts[start : start + floats] += 1
    return counts


def describe_writers(counts: np.ndarray, tile: Sides, block: Sides, row: str, col: str, floats: int) -> str:
    """The picture in words."""
    rows, cols = tile
    inside, beyond = counts[: rows * cols], counts[rows * cols :]
    several = f"{int((inside > 1).sum())}" + (f" (up to {inside.max()})" if (inside > 1).any() else "")
    return (
        f"A block of {block[0]}×{block[1]} threads fills an array of {rows}×{cols} floats; thread (tx, ty) writes "
        f"{floats} from [{row}][{col}] on. Slots with one writer: {int((inside == 1).sum())} of {rows * cols}, with "
        f"none: {int((inside == 0).sum())}, with several: {several}. Written beyond the end: {int((beyond > 0).sum())}."
    )


def _states(counts: np.ndarray, tile: Sides) -> np.ndarray:
    rows, cols = tile
    shown = min(-(-len(counts) // cols), rows + _MOST_ROWS_BEYOND)
    padded = np.zeros(max(shown * cols, len(counts)), int)
    padded[: len(counts)] = counts
    states = np.minimum(padded, _OFTEN)
    states[rows * cols :] = np.where(padded[rows * cols :] > 0, _BEYOND, _OUTSIDE)
    return states[: shown * cols].reshape(shown, cols)


def _draw(axes: Axes, states: np.ndarray, tile: Sides) -> None:
    from matplotlib.colors import ListedColormap, to_rgba
    from matplotlib.patches import Patch, Rectangle

    colors = ["#d0d0d0", to_rgba(COLOR["C"], 0.55), to_rgba(COLOR["B"], 0.85), COLOR["wrong"], PAPER]
    axes.imshow(states, cmap=ListedColormap(colors), vmin=_NEVER, vmax=_OUTSIDE)
    height, width = states.shape
    axes.set_xticks(range(0, width, 4))
    axes.set_yticks(range(0, height, 4))
    axes.set_xticks(np.arange(width + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(height + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=FAINT, linewidth=0.3)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(labelsize=8, colors=INK)
    axes.add_patch(Rectangle((-0.5, -0.5), tile[1], tile[0], fill=False, edgecolor=INK, linewidth=1.8))
    axes.set_xlabel("column of the array", color=INK)
    axes.set_ylabel("row", color=INK)
    present = [state for state in range(len(_LABELS)) if (states == state).any()]
    patches = [Patch(facecolor=colors[state], edgecolor=FAINT, label=_LABELS[state]) for state in present]
    axes.legend(handles=patches, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9, labelcolor=INK)
