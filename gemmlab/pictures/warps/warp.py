"""What one warp asks of memory at a time: its elements in A, B and C, and the sectors that must be fetched for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.warp import SECTOR_BYTES
from gemmlab.models.requests import WarpRequest
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ELEMENT_BYTES = 4
_WINDOW = (33, 42)  # rows and columns of a matrix that are drawn
_SECTOR = SECTOR_BYTES // _ELEMENT_BYTES  # elements
_FETCHED, _USED = 1, 2


def warp_picture(requests: Sequence[WarpRequest], title: str, names: Sequence[str] = ()) -> Picture:
    """One panel a request: a part of the matrix, fetched elements light, used ones dark. `names` are the panels'."""
    figure = new_figure(3.9 * len(requests), 4.2)
    panels = figure.subplots(1, len(requests), squeeze=False)[0]
    for number, (axes, request) in enumerate(zip(panels, requests, strict=True)):
        _draw_request(axes, request, f"{names[number]}: " if names else "")
    figure.suptitle(title, fontsize=11, color=INK)
    return Picture(figure, f"{title}: {describe_requests(requests)}")


def describe_requests(requests: Sequence[WarpRequest]) -> str:
    """Each request in a few words."""
    return "; ".join(f"{_place(request)}, {_cost(request)}" for request in requests) + "."


def request_table(requests: Sequence[WarpRequest]) -> str:
    """The requests as a Markdown table: sectors, the bytes in them, and how many of those the warp asked for."""
    rows = [
        f"| {_place(request)} | {_lanes(request)} | {len(request.sectors)} | {len(request.sectors) * SECTOR_BYTES} | "
        f"{request.used_bytes} |"
        for request in requests
    ]
    return "\n".join(["| one request | lanes | sectors | bytes in them | bytes used |", "|:--|--:|--:|--:|--:|", *rows])


def _place(request: WarpRequest) -> str:
    return f"{request.what} {request.array}" + (f", line {request.line}" if request.line else "")


def _cost(request: WarpRequest) -> str:
    count = len(request.sectors)
    return f"{count} sector{'' if count == 1 else 's'}, {request.used_bytes} of {count * SECTOR_BYTES} bytes used"


def _lanes(request: WarpRequest) -> int:
    return sum(offset is not None for offset in request.offsets)


def _draw_request(axes: Axes, request: WarpRequest, name: str) -> None:
    from matplotlib.colors import ListedColormap, to_rgba

    height, width = (min(most, size) for most, size in zip(_WINDOW, (request.rows, request.cols), strict=True))
    colors = [to_rgba(PAPER), to_rgba(COLOR[request.array], 0.3), to_rgba(COLOR[request.array])]
    first = next(offset for offset in request.offsets if offset is not None) // _ELEMENT_BYTES
    row, col = divmod(first, request.cols)
    top, left = _window_start(row, height, request.rows), _window_start(col, width, request.cols)
    cells = _cells(request)[top : top + height, left : left + width]
    extent = (left - 0.5, left + width - 0.5, top + height - 0.5, top - 0.5)
    axes.imshow(cells, cmap=ListedColormap(colors), vmin=0, vmax=_USED, extent=extent)
    axes.set_xticks(left + np.arange(width + 1) - 0.5, minor=True)
    axes.set_yticks(top + np.arange(height + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=FAINT, linewidth=0.25)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(labelsize=8, colors=INK)
    _draw_sector_edges(axes, request, extent)
    axes.annotate(
        f"lane {next(lane for lane, offset in enumerate(request.offsets) if offset is not None)}",
        (col, row),
        xytext=(26, -34),
        textcoords="offset points",
        fontsize=9,
        color=INK,
        arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.8},
        bbox={"boxstyle": "round,pad=0.2", "facecolor": PAPER, "edgecolor": FAINT},
    )
    axes.set_xlabel(f"column of {request.array}", color=INK, fontsize=9)
    axes.set_ylabel(f"row of {request.array}", color=INK, fontsize=9)
    axes.set_title(f"{name}{_place(request)}\n{_cost(request)}", fontsize=9.5, color=INK)


def _window_start(place: int, shown: int, size: int) -> int:
    """Where the drawn part begins: at 0 while that shows the place, else at a sector before it."""
    return 0 if place < shown else min(place // _SECTOR * _SECTOR, size - shown)


def _draw_sector_edges(axes: Axes, request: WarpRequest, extent: tuple[float, float, float, float]) -> None:
    """A thin dark line where a sector ends, which is at the same columns in each row if the rows are whole sectors."""
    left, right, bottom, top = extent
    if request.cols % _SECTOR == 0:
        edges = np.arange(0, request.cols + 1, _SECTOR) - 0.5
        axes.vlines(edges[(left <= edges) & (edges <= right)], top, bottom, color=INK, linewidth=0.6)


def _cells(request: WarpRequest) -> np.ndarray:
    """The matrix with 0 where nothing is fetched, _FETCHED in the sectors, _USED where a lane reads or writes."""
    cells = np.zeros(cdiv(request.rows * request.cols, _SECTOR) * _SECTOR, np.int64)
    for sector in request.sectors:
        cells[sector * _SECTOR : (sector + 1) * _SECTOR] = _FETCHED
    for offset in request.offsets:
        if offset is not None:
            cells[offset // _ELEMENT_BYTES : (offset + request.size) // _ELEMENT_BYTES] = _USED
    return cells[: request.rows * request.cols].reshape(request.rows, request.cols)
