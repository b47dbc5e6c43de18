"""The lanes of a warp over the tile of their block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gemmlab.markdown import plain
from gemmlab.models.warp_tile import WIDTH, WarpTile
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BELOW = 8  # rows that are shown below the warp


def warp_picture(tiles: Mapping[str, WarpTile], costs: bool) -> Picture:
    """One panel an arrangement, by its name: where each lane of warp 0 has elements; with `costs`, what they read."""
    down = max(row + on + WIDTH for tile in tiles.values() for row in tile.rows for on in tile.rows_on)
    sizes = next(iter(tiles.values())).sizes
    figure = new_figure(4.3 * len(tiles), 1.3 + 3.4 * min(down + _BELOW, sizes.BM) / sizes.BN)
    for axes, (name, tile) in zip(figure.subplots(1, len(tiles), squeeze=False)[0], tiles.items(), strict=True):
        _draw(axes, name, tile, min(down + _BELOW, sizes.BM + 1))
        axes.set_title(f"{name}\nfor one k: {tile.floats} floats read" if costs else name, fontsize=9.5, color=INK)
    return Picture(figure, " ".join(describe(name, tile, costs) for name, tile in tiles.items()))


def describe(name: str, tile: WarpTile, costs: bool) -> str:
    """One arrangement in words."""
    text = (
        f"{name[:1].upper()}{name[1:]}: the lanes of warp 0 cover {_sides(tile)} of the block's {tile.sizes.BM}×"
        f"{tile.sizes.BN} elements; lane 1 lies at row {tile.rows[1]}, column {tile.cols[1]}."
    )
    return f"{text} For one k the warp reads {tile.floats} floats." if costs else text


def warp_table(tiles: Mapping[str, WarpTile]) -> str:
    """What the arrangements cost, as a Markdown table."""
    rows = [
        f"| {name} | {_sides(tile)} | {tile.floats} | {tile.multiply_adds} | "
        f"{plain(tile.floats / tile.multiply_adds)} | {tile.wavefronts} |"
        for name, tile in tiles.items()
    ]
    head = "| one warp, one k | covers | floats read | multiply-adds | floats a multiply-add | wavefronts |"
    return "\n".join([head, "|:--|--:|--:|--:|--:|--:|", *rows])


def _sides(tile: WarpTile) -> str:
    """'16×32' where the lanes fill a rectangle."""
    return "×".join(map(str, tile.sides))


def _draw(axes: Axes, name: str, tile: WarpTile, down: int) -> None:
    """The tile down to that row."""
    from matplotlib.patches import Rectangle

    sizes = tile.sizes
    axes.add_patch(Rectangle((0, 0), sizes.BN, sizes.BM, facecolor=PAPER, edgecolor=INK, linewidth=1.4))
    for row in {row + on for row in tile.rows for on in tile.rows_on}:
        axes.add_patch(Rectangle((-5, row), 4, WIDTH, facecolor=COLOR["A"]))
    for col in {col + on for col in tile.cols for on in tile.cols_on}:
        axes.add_patch(Rectangle((col, -5), WIDTH, 4, facecolor=COLOR["B"]))
    for lane, (row, col) in enumerate(zip(tile.rows, tile.cols, strict=True)):
        shade = 0.35 if lane % 2 else 0.6
        piece: dict[str, Any] = {"facecolor": COLOR["C"], "alpha": shade, "edgecolor": INK, "linewidth": 0.5}
        for corner in ((col + right, row + down) for down in tile.rows_on for right in tile.cols_on):
            axes.add_patch(Rectangle(corner, WIDTH, WIDTH, **piece))
            middle = (corner[0] + WIDTH / 2, corner[1] + WIDTH / 2)
            axes.text(*middle, str(lane), ha="center", va="center", fontsize=5, color=INK)
    axes.set_xlim(-6, sizes.BN + 1)
    axes.set_ylim(down, -6)
    axes.set_aspect("equal")
    axes.set_xticks(range(0, sizes.BN + 1, 16))
    axes.set_yticks(range(0, down + 1, 16))
    axes.tick_params(labelsize=8, colors=INK)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.set_xlabel("column of the block's tile", color=INK, fontsize=9)
    axes.set_ylabel("row", color=INK, fontsize=9)
