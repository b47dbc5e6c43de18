"""The ladder of lessons: what was solved, and how fast each kernel was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.views.picture import COLOR, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATES = {"open": "not attempted", "tried": "attempted", "passed": "public cases passed"}
_SIGNS = {"open": "○", "tried": "◐", "passed": "●"}


@dataclass(frozen=True)
class Rung:
    """One lesson. `state` is a key of STATES. `gflops` is the best measured, None where the kernel was not timed;
    `cublas_gflops` was measured beside it, `ratio` is to cuBLAS, `where` names the GPU and the shape."""

    name: str
    state: str
    gflops: float | None = None
    cublas_gflops: float | None = None
    ratio: float | None = None
    where: str = ""


def ladder(rungs: Sequence[Rung]) -> Picture:
    """One row a lesson: a bar where it was timed, with a mark for cuBLAS, and its state in words."""
    figure = new_figure(8.4, 1.2 + 0.42 * len(rungs))
    axes = figure.subplots()
    timed = [rung for rung in rungs if rung.gflops is not None]
    for row, rung in enumerate(rungs):
        if rung.gflops is not None:
            axes.barh(row, rung.gflops, color=COLOR["C"], height=0.55)
            axes.plot([rung.cublas_gflops] * 2, [row - 0.4, row + 0.4], color=INK, linewidth=3)
        words = f"{_SIGNS[rung.state]} {rung_text(rung)}"
        beside = axes.get_yaxis_transform()
        axes.text(1.02 if timed else 0.02, row, words, transform=beside, va="center", fontsize=9, color=INK)
    axes.set_yticks(range(len(rungs)), [rung.name for rung in rungs])
    axes.set_ylim(len(rungs) - 0.4, -0.6)
    axes.tick_params(colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    _scale(axes, timed)
    figure.suptitle(_title(timed), fontsize=10, color=INK)
    return Picture(figure, describe_ladder(rungs))


def _scale(axes: Axes, timed: Sequence[Rung]) -> None:
    """GFLOPS from 0 to a little above the fastest; no scale where there is nothing to measure with it."""
    if timed:
        axes.set_xlim(0, 1.05 * max(max(rung.gflops, rung.cublas_gflops) for rung in timed))
        axes.set_xlabel("GFLOPS (bar: your kernel, black mark: cuBLAS)", color=INK)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=5)
    else:
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)


def describe_ladder(rungs: Sequence[Rung]) -> str:
    """The picture in words."""
    title = _title([rung for rung in rungs if rung.gflops is not None])
    return f"Progress. {title}. " + "; ".join(f"{rung.name}: {rung_text(rung)}" for rung in rungs) + "."


def rung_text(rung: Rung) -> str:
    """The state, and the speed where it is known."""
    if rung.gflops is None:
        return STATES[rung.state]
    return f"{STATES[rung.state]}, {rung.gflops:,.0f} GFLOPS, {100 * rung.ratio:.0f} % of cuBLAS"


def _title(timed: Sequence[Rung]) -> str:
    if not timed:
        return "No kernel was timed yet: that takes an NVIDIA GPU"
    return "Measured on " + ", ".join(dict.fromkeys(rung.where for rung in timed))
