"""What one warp asks of memory at a time: its elements in A, B and C, and the sectors that must be fetched for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.experiments.warp_requests import SECTOR_BYTES, WarpRequest
from gemmlab.launch import cdiv
from gemmlab.views.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ELEMENT_BYTES = 4
_WINDOW = (33, 42)  # rows and columns of a matrix that are drawn
_FETCHED, _USED = 1, 2


def warp_picture(requests: Sequence[WarpRequest], title: str) -> Picture:
    """One panel a request: the upper left part of the matrix, fetched elements light, used ones dark."""
    figure = new_figure(3.9 * len(requests), 4.2)
    panels = figure.subplots(1, len(requests), squeeze=False)[0]
    for axes, request in zip(panels, requests, strict=True):
        _draw_request(axes, request)
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


def _draw_request(axes: Axes, request: WarpRequest) -> None:
    from matplotlib.colors import ListedColormap, to_rgba

    height, width = (min(most, size) for most, size in zip(_WINDOW, (request.rows, request.cols), strict=True))
    colors = [to_rgba(PAPER), to_rgba(COLOR[request.array], 0.3), to_rgba(COLOR[request.array])]
    axes.imshow(_cells(request)[:height, :width], cmap=ListedColormap(colors), vmin=0, vmax=_USED)
    axes.set_xticks(np.arange(width + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(height + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=FAINT, linewidth=0.25)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(labelsize=8, colors=INK)
    _draw_sector_edges(axes, request, height, width)
    first = next(offset for offset in request.offsets if offset is not None) // _ELEMENT_BYTES
    row, col = divmod(first, request.cols)
    axes.annotate(
        "lane 0",
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
    axes.set_title(f"{_place(request)}\n{_cost(request)}", fontsize=9.5, color=INK)


def _draw_sector_edges(axes: Axes, request: WarpRequest, height: int, width: int) -> None:
    """A thin dark line where a sector ends, which is at the same columns in each row if the rows are whole sectors."""
    a_sector = SECTOR_BYTES // _ELEMENT_BYTES
    if request.cols % a_sector == 0:
        axes.vlines(np.arange(0, width + 1, a_sector) - 0.5, -0.5, height - 0.5, color=INK, linewidth=0.6)


def _cells(request: WarpRequest) -> np.ndarray:
    """The matrix with 0 where nothing is fetched, _FETCHED in the sectors, _USED where a lane reads or writes."""
    a_sector = SECTOR_BYTES // _ELEMENT_BYTES
    cells = np.zeros(cdiv(request.rows * request.cols, a_sector) * a_sector, np.int64)
    for sector in request.sectors:
        cells[sector * a_sector : (sector + 1) * a_sector] = _FETCHED
    for offset in request.offsets:
        if offset is not None:
            cells[offset // _ELEMENT_BYTES : (offset + request.size) // _ELEMENT_BYTES] = _USED
    return cells[: request.rows * request.cols].reshape(request.rows, request.cols)
