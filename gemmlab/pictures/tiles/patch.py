"""What one thread makes of a pair of tiles: its patch of C, and what it reads of As and Bs for one k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
from gemmlab.kernel.limits import WARP
from gemmlab.pictures.picture import COLOR, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Thread = tuple[int, int]  # (ty, tx)


def patch_picture(sizes: Sizes, thread: Thread, k: int) -> Picture:
    """The tiles of a block to scale, with one thread's reads for one k and its patch of C; its warp's patches light."""
    _require(sizes, thread, k)
    figure = new_figure(8.4, 5.4)
    axes = figure.subplots()
    gap = 0.12 * (sizes.BM + sizes.BK)
    x, y = sizes.BK + gap, sizes.BK + gap  # where the tile of C begins
    row, col = thread[0] * sizes.TM, thread[1] * sizes.TN
    for name, at, shape in (("A", (0, y), (sizes.BM, sizes.BK)), ("B", (x, 0), (sizes.BK, sizes.BN))):
        _box(axes, at, shape, facecolor=COLOR[name], alpha=0.16)
    _box(axes, (x, y), (sizes.BM, sizes.BN), facecolor=COLOR["C"], alpha=0.1)
    for ty, tx in _warp_of(sizes, thread):
        _box(axes, (x + tx * sizes.TN, y + ty * sizes.TM), (sizes.TM, sizes.TN), facecolor=COLOR["C"], alpha=0.3)
    reads = {"A": ((k, y + row), (sizes.TM, 1)), "B": ((x + col, k), (1, sizes.TN))}
    for name, (at, shape) in reads.items():
        _box(axes, at, shape, facecolor=COLOR[name], edgecolor=INK, linewidth=0.8)
    _box(axes, (x + col, y + row), (sizes.TM, sizes.TN), facecolor=INK)
    for at, shape in (((0, y), (sizes.BM, sizes.BK)), ((x, 0), (sizes.BK, sizes.BN)), ((x, y), (sizes.BM, sizes.BN))):
        _box(axes, at, shape, fill=False, edgecolor=INK, linewidth=1.2)
    _name(axes, sizes, x, y)
    axes.set_xlim(-2, x + sizes.BN + 2)
    axes.set_ylim(y + sizes.BM + 2, -4)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.legend(
        handles=_legend(sizes, thread, k),
        loc="outside right center",
        frameon=False,
        fontsize=9.5,
        labelspacing=1.1,
        handlelength=1.6,
        handleheight=1.2,
        labelcolor=INK,
    )
    return Picture(figure, describe_patch(sizes, thread, k))


def describe_patch(sizes: Sizes, thread: Thread, k: int) -> str:
    """The picture in words."""
    ty, tx = thread
    row, col = ty * sizes.TM, tx * sizes.TN
    rows, cols = _span("row", row, sizes.TM), _span("column", col, sizes.TN)
    return (
        f"A block of {sizes.block[0]}×{sizes.block[1]} threads computes {sizes.BM}×{sizes.BN} elements of C. Thread "
        f"(tx, ty) = ({tx}, {ty}) computes {sizes.TM}×{sizes.TN} of them: {rows} and {cols} of the tile. For k = {k} "
        f"it reads {rows} of column {k} of As and {cols} of row {k} of Bs."
    )


def _span(what: str, first: int, count: int) -> str:
    return f"{what} {first}" if count == 1 else f"{what}s {first} to {first + count - 1}"


def _require(sizes: Sizes, thread: Thread, k: int) -> None:
    across, down = sizes.block
    is_pair = isinstance(thread, tuple) and len(thread) == 2
    if not (is_pair and thread[0] in range(down) and thread[1] in range(across)):
        named = f"(tx, ty) = ({thread[1]}, {thread[0]})" if is_pair else repr(thread)
        raise UserError(
            f"there is no thread {named} in the block: tx is 0 to {across - 1}, ty is 0 to {down - 1}, and threadIdx "
            "is (tx, ty)"
        )
    if k not in range(sizes.BK):
        raise UserError(f"inside a tile, k is 0 to {sizes.BK - 1}; {k!r} is none of them")


def _warp_of(sizes: Sizes, thread: Thread) -> list[Thread]:
    """The threads of the same warp, as (ty, tx)."""
    across, _ = sizes.block
    first = (thread[0] * across + thread[1]) // WARP * WARP
    return [divmod(number, across) for number in range(first, min(first + WARP, sizes.threads))]


def _legend(sizes: Sizes, thread: Thread, k: int) -> list:
    from matplotlib.patches import Patch

    own = f"thread (tx, ty) = ({thread[1]}, {thread[0]}):\nits {sizes.TM}×{sizes.TN} elements of C"
    return [
        Patch(facecolor=INK, label=own),
        Patch(facecolor=COLOR["A"], edgecolor=INK, label=f"what it reads of As\nfor k = {k}"),
        Patch(facecolor=COLOR["B"], edgecolor=INK, label=f"what it reads of Bs\nfor k = {k}"),
        Patch(facecolor=COLOR["C"], alpha=0.4, label="the elements of the\nother threads of its warp"),
    ]


def _name(axes: Axes, sizes: Sizes, x: float, y: float) -> None:
    style: dict[str, Any] = {"fontsize": 10, "color": INK, "va": "bottom", "ha": "left"}
    axes.text(0, y - 0.8, f"As  BM×BK\n{sizes.BM}×{sizes.BK}", **style)
    axes.text(x, -0.8, f"Bs  BK×BN = {sizes.BK}×{sizes.BN}", **style)
    axes.text(x, y - 0.8, f"C  BM×BN = {sizes.BM}×{sizes.BN}", **style)


def reuse_picture(patches: Sequence[tuple[int, int]]) -> Picture:
    """For each patch TM×TN what a thread reads for one k, left and above, and the products that it makes of that."""
    figure = new_figure(2.2 + 1.6 * len(patches), 3.4)
    most = max(max(TM, TN) for TM, TN in patches)
    for axes, (TM, TN) in zip(figure.subplots(1, len(patches), squeeze=False)[0], patches, strict=True):
        for m in range(TM):
            _cell(axes, -1.4, m, COLOR["A"])
        for n in range(TN):
            _cell(axes, n, -1.4, COLOR["B"])
        for m in range(TM):
            for n in range(TN):
                _cell(axes, n, m, COLOR["C"])
        axes.set_xlim(-1.8, most + 0.4)
        axes.set_ylim(most + 0.4, -1.8)
        axes.set_aspect("equal")
        axes.axis("off")
        axes.set_title(f"TM×TN = {TM}×{TN}", fontsize=10, color=INK)
    return Picture(figure, describe_reuse(patches))


def describe_reuse(patches: Sequence[tuple[int, int]]) -> str:
    """The picture in words; the numbers of reads are left to count."""
    each = "; ".join(f"{TM}×{TN} elements of C from {TM} of As and {TN} of Bs" for TM, TN in patches)
    return f"What a thread reads for one k, blue of As and orange of Bs, and multiplies, green: {each}."


def _cell(axes: Axes, x: float, y: float, color: str) -> None:
    _box(axes, (x, y), (1, 1), facecolor=color, edgecolor=PAPER, linewidth=0.8)


def _box(axes: Axes, at: tuple[float, float], shape: tuple[int, int], **style) -> None:
    """A rectangle of (rows, columns) at (x, y)."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle(at, shape[1], shape[0], **style))
