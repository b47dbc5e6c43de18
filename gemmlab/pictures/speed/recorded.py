"""The recorded ladder: every lesson's kernel as a share of cuBLAS, shape by shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gemmlab.pictures.picture import COLOR, FAINT, INK, Picture, new_figure
from gemmlab.records.results import AtShape, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vP"


def recorded_ladder(records: Sequence[Results]) -> Picture:
    """One axes a GPU: the lessons along x, and beyond them the best kernel of all; one line a shape."""
    figure = new_figure(8.4, 4.4 * max(1, len(records)))
    every = figure.subplots(max(1, len(records)), squeeze=False)[:, 0]
    for axes, results in zip(every, records):
        _draw(axes, results)
    return Picture(figure, " ".join(map(_in_words, records)) or "Nothing is recorded yet.")


def _draw(axes: Axes, results: Results) -> None:
    lessons = results.shapes[0].lessons
    colors = [*COLOR.values()]
    for number, one in enumerate(results.shapes):
        shares = [100 * ratio for _, ratio in steps(one)]
        label = f"{'×'.join(map(str, one.shape))}, cuBLAS {one.cublas_gflops / 1000:.1f} TFLOPS"
        style: dict[str, Any] = {"color": colors[number % len(colors)], "marker": _MARKERS[number % len(_MARKERS)]}
        axes.plot(range(len(shares)), shares, linewidth=1.6, markersize=6, label=label, **style)
    axes.axhline(100, color=INK, linewidth=1, linestyle=":")
    axes.set_xticks(range(len(lessons) + 1), [*lessons, "fastest"])
    axes.set_xlabel("lesson, with the best of its recorded tile sizes", color=INK)
    axes.set_ylabel("% of cuBLAS SGEMM", color=INK)
    axes.set_ylim(bottom=0)
    axes.grid(True, axis="y", color=FAINT, alpha=0.3)
    axes.tick_params(colors=INK)
    axes.legend(fontsize=8, frameon=False)
    axes.set_title(results.label[:1].upper() + results.label[1:], fontsize=9, color=INK)


def steps(one: AtShape) -> list[tuple[str, float]]:
    """Each lesson with the ratio of the best of its sizes, and at the end the fastest kernel of all."""
    return [(lesson, one.best_of(lesson).ratio) for lesson in one.lessons] + [("fastest", one.best.ratio)]


def _in_words(results: Results) -> str:
    parts = []
    for one in results.shapes:
        shares = ", ".join(f"{step} {100 * ratio:.1f} %" for step, ratio in steps(one))
        parts.append(f"at {'×'.join(map(str, one.shape))}: {shares}")
    return f"Share of cuBLAS, {results.label}; {'; '.join(parts)}."
