"""The ladder of lessons: what was solved, and how fast each kernel was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gemmlab.models.ladder import Rung
from gemmlab.pictures.picture import COLOR, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATES = {"open": "not attempted", "tried": "attempted", "passed": "public cases passed"}
_SIGNS = {"open": "○", "tried": "◐", "passed": "●"}


def ladder(rungs: Sequence[Rung], record: str = "") -> Picture:
    """One row a lesson: a bar where it was timed, with a mark for cuBLAS, its state in words, and a ring for what is
    recorded. `record` says on what, when and with which commit that was."""
    figure = new_figure(8.4, 1.2 + 0.42 * len(rungs))
    axes = figure.subplots()
    timed = [rung for rung in rungs if rung.gflops is not None]
    drawn = [rung for rung in rungs if rung.gflops is not None or rung.recorded is not None]
    for row, rung in enumerate(rungs):
        if rung.gflops is not None:
            axes.barh(row, rung.gflops, color=COLOR["C"], height=0.55)
            axes.plot([rung.cublas_gflops] * 2, [row - 0.4, row + 0.4], color=INK, linewidth=3)
        if rung.recorded is not None:
            axes.plot(rung.recorded, row, marker="o", markersize=8, color=COLOR["A"], fillstyle="none")
        words = f"{_SIGNS[rung.state]} {rung_text(rung)}"
        beside = axes.get_yaxis_transform()
        axes.text(1.02 if drawn else 0.02, row, words, transform=beside, va="center", fontsize=9, color=INK)
    axes.set_yticks(range(len(rungs)), [rung.name for rung in rungs])
    axes.set_ylim(len(rungs) - 0.4, -0.6)
    axes.tick_params(colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    _scale(axes, drawn, record)
    figure.suptitle(_title(timed), fontsize=10, color=INK)
    return Picture(figure, describe_ladder(rungs, record))


def _scale(axes: Axes, drawn: Sequence[Rung], record: str) -> None:
    """GFLOPS from 0 to a little above the fastest; no scale where there is nothing to measure with it."""
    if drawn:
        speeds = [(rung.gflops, rung.cublas_gflops, rung.recorded) for rung in drawn]
        axes.set_xlim(0, 1.05 * max(speed for three in speeds for speed in three if speed is not None))
        signs = "bar: your kernel, black mark: cuBLAS"
        rings = f"; ring: the solved kernel, {record}" if record else ""
        axes.set_xlabel(f"GFLOPS ({signs}{rings})", color=INK, fontsize=8, wrap=True)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=5)
    else:
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)


def describe_ladder(rungs: Sequence[Rung], record: str = "") -> str:
    """The picture in words."""
    title = _title([rung for rung in rungs if rung.gflops is not None])
    text = f"Progress. {title}. " + "; ".join(f"{rung.name}: {rung_text(rung)}" for rung in rungs) + "."
    speeds = ", ".join(f"{rung.name} {rung.recorded:,.0f}" for rung in rungs if rung.recorded is not None)
    return f"{text} GFLOPS of the solved kernels, {record}: {speeds}." if speeds else text


def rung_text(rung: Rung) -> str:
    """The state, and the speed where it is known."""
    if rung.gflops is None or rung.ratio is None:
        return STATES[rung.state]
    return f"{STATES[rung.state]}, {rung.gflops:,.0f} GFLOPS, {100 * rung.ratio:.0f} % of cuBLAS"


def _title(timed: Sequence[Rung]) -> str:
    if not timed:
        return "No kernel was timed yet: that takes an NVIDIA GPU"
    return "Measured on " + ", ".join(dict.fromkeys(rung.where for rung in timed))
