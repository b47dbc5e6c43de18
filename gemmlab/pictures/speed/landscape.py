"""The landscape of a search: one cell a configuration, with its speed beside the best or why it was left out."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

from gemmlab.cuda.sizes import Sizes
from gemmlab.models.landscape import Cell
from gemmlab.pictures.picture import FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CHARACTERS_AN_INCH = 11


def landscape(title: str, cells: Mapping[Sizes, Cell]) -> Picture:
    """A panel a BK, one below the other, so that all depths fit on a page; a row a BM×BN, a column a TM×TN. The numbers
    are percent of the fastest cell."""
    depths = sorted({sizes.BK for sizes in cells})
    blocks = sorted({(sizes.BM, sizes.BN) for sizes in cells})
    patches = sorted({(sizes.TM, sizes.TN) for sizes in cells})
    best = max((cell.speed for cell in cells.values() if cell.speed), default=1.0)
    figure = new_figure(1.5 + 1.15 * len(patches), 0.6 + (0.9 + 0.72 * len(blocks)) * len(depths))
    panels = figure.subplots(len(depths), 1, squeeze=False, sharex=True)[:, 0]
    for axes, depth in zip(panels, depths, strict=True):
        for sizes, cell in cells.items():
            if sizes.BK == depth:
                place = blocks.index((sizes.BM, sizes.BN)), patches.index((sizes.TM, sizes.TN))
                _draw_cell(axes, place, cell, best)
        _name_sides(axes, depth, blocks, patches)
    panels[-1].set_xlabel("TM×TN", color=INK, fontsize=9)
    figure.suptitle(fill(title, int(_CHARACTERS_AN_INCH * figure.get_figwidth())), fontsize=10, color=INK)
    return Picture(figure, describe(title, cells))


def describe(title: str, cells: Mapping[Sizes, Cell]) -> str:
    """The fastest, the slowest, and what was left out for which reason."""
    ranked = sorted((sizes for sizes in cells if cells[sizes].speed), key=lambda sizes: -cells[sizes].speed)
    text = f"{title}."
    if ranked:
        slowest = 100 * cells[ranked[-1]].speed / cells[ranked[0]].speed
        text += f" Fastest: {ranked[0]}. Slowest: {ranked[-1]}, at {slowest:.0f} % of it."
    reasons = [cell.words for cell in cells.values() if not cell.speed]
    left_out = ", ".join(f"{reason} ({reasons.count(reason)})" for reason in dict.fromkeys(reasons))
    return f"{text} Left out: {left_out}." if left_out else text


def _draw_cell(axes: Axes, place: tuple[int, int], cell: Cell, best: float) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    row, col = place
    box: dict[str, Any] = {"xy": (col, row), "width": 1, "height": 1, "edgecolor": PAPER, "linewidth": 2}
    if cell.speed:
        share = cell.speed / best
        axes.add_patch(Rectangle(**box, facecolor=colormaps["cividis"](0.25 + 0.75 * share)))
        ink = INK if share > 0.45 else PAPER
        axes.text(col + 0.5, row + 0.36, f"{100 * share:.0f} %", ha="center", va="center", fontsize=11, color=ink)
        axes.text(col + 0.5, row + 0.72, cell.words, ha="center", va="center", fontsize=7.5, color=ink)
    else:
        axes.add_patch(Rectangle(**box | {"edgecolor": FAINT, "linewidth": 0.4}, facecolor=PAPER, hatch="////"))
        label: dict[str, Any] = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
        axes.text(
            col + 0.5,
            row + 0.5,
            cell.words.replace(" ", "\n"),
            ha="center",
            va="center",
            fontsize=8,
            color=INK,
            bbox=label,
        )


def _name_sides(axes: Axes, depth: int, blocks: list, patches: list) -> None:
    axes.set_xlim(0, len(patches))
    axes.set_ylim(len(blocks), 0)
    axes.set_xticks([i + 0.5 for i in range(len(patches))], [f"{TM}×{TN}" for TM, TN in patches])
    axes.set_yticks([i + 0.5 for i in range(len(blocks))], [f"{BM}×{BN}" for BM, BN in blocks])
    axes.tick_params(length=0, labelsize=9, colors=INK)
    axes.set_ylabel("BM×BN", color=INK, fontsize=9)
    axes.set_title(f"BK = {depth}", fontsize=9.5, color=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)
