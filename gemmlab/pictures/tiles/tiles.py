"""The mental model of tiling: which part of A and B one block keeps near, and what one thread makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.launch import cdiv
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure
from gemmlab.pictures.tiles.tile_map import Place, draw_tile_map

if TYPE_CHECKING:
    from matplotlib.patches import Patch


def tile_picture(
    shape: tuple[int, int, int], tile: int, place: Place, thread: tuple[int, int] | None = None
) -> Picture:
    """The tiles of one step, to scale. `shape` is (M, N, K), `thread` is (ty, tx)."""
    require_place(shape, tile, place)
    figure = new_figure(8.8, 5.2)
    axes = figure.subplots()
    draw_tile_map(axes, shape, tile, place, thread)
    figure.legend(
        handles=legend_patches(shape, tile, place, thread),
        loc="outside right center",
        frameon=False,
        fontsize=9.5,
        labelspacing=1.1,
        handlelength=1.6,
        handleheight=1.2,
        labelcolor=INK,
    )
    return Picture(figure, describe_tiles(shape, tile, place, thread))


def require_place(shape: tuple[int, int, int], tile: int, place: Place) -> None:
    """Raise UserError unless there are such tiles."""
    for name, size, at in zip("MNK", shape, place, strict=True):
        if not 0 <= at < cdiv(size, tile):
            raise UserError(f"{name} = {size} has the tiles 0 to {cdiv(size, tile) - 1}; {at} is none of them")


def legend_patches(shape: tuple[int, int, int], tile: int, place: Place, thread: tuple[int, int] | None) -> list[Patch]:
    """What the colours mean, in the order in which a step goes."""
    from matplotlib.patches import Patch

    k_tiles = cdiv(shape[2], tile)
    entries = [
        Patch(facecolor=COLOR["A"], label=f"As: K tile {place[2]} of 0…{k_tiles - 1},\nloaded by the whole block"),
        Patch(facecolor=COLOR["B"], label="Bs: the tile of B\nwith the same k"),
        Patch(facecolor=COLOR["C"], label="the tile of C that the\nblock computes"),
        Patch(facecolor=COLOR["A"], alpha=0.16, label="light: what the block\nreads in its other steps"),
    ]
    if thread:
        words = f"thread (tx, ty) = ({thread[1]}, {thread[0]}): its row\nof As, its column of Bs,\nits element of C"
        entries.append(Patch(facecolor=INK, label=words))
    if hangs_over(shape, tile, place):
        words = "outside the matrix:\nfilled with 0, not stored"
        entries.append(Patch(facecolor=PAPER, edgecolor=FAINT, hatch="////", label=words))
    return entries


def hangs_over(shape: tuple[int, int, int], tile: int, place: Place) -> bool:
    """Whether a tile of this step reaches over the edge of its matrix."""
    return any((at + 1) * tile > size for at, size in zip(place, shape, strict=True))


def describe_tiles(shape: tuple[int, int, int], tile: int, place: Place, thread: tuple[int, int] | None = None) -> str:
    """The picture in words. Block and tile numbers count from 0, as in the kernel."""
    M, N, K = shape
    rows, cols, ks = (_span(at, tile, size) for at, size in zip(place, shape, strict=True))
    text = (
        f"A is {M}×{K}, B is {K}×{N}, C is {M}×{N}, in tiles of {tile}×{tile}. The block of C's rows {rows} and "
        f"columns {cols} is at K tile {place[2]} of 0…{cdiv(K, tile) - 1}, k = {ks}: As holds those rows and k of A, "
        "Bs those k and columns of B."
    )
    if thread:
        ty, tx = thread
        element = f"C[{place[0] * tile + ty}][{place[1] * tile + tx}]"
        text += f" Thread (tx, ty) = ({tx}, {ty}) reads row {ty} of As and column {tx} of Bs for {element}."
    if hangs_over(shape, tile, place):
        text += " Slots outside the matrices hold 0."
    return text


def _span(at: int, tile: int, size: int) -> str:
    return f"{at * tile} to {min((at + 1) * tile, size) - 1}"
