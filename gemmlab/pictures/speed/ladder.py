"""The ladder of lessons: what was solved, and how fast each kernel was, is on a record, or may be by the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from gemmlab.models.ladder import Rung
from gemmlab.pictures.picture import COLOR, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STATES = {"open": "not attempted", "tried": "attempted", "passed": "public cases passed"}
_SIGNS = {"open": "○", "tried": "◐", "passed": "●"}
_WIDTH = 8.4  # inches
_LETTERS = 125  # of a line of small print
_LINE = 0.17  # inches of small print
_MARK: dict[str, Any] = {"fillstyle": "none", "linestyle": "none"}
_RING: dict[str, Any] = _MARK | {"marker": "o", "markersize": 8, "color": COLOR["A"]}
_DIAMOND: dict[str, Any] = _MARK | {"marker": "D", "markersize": 7, "color": COLOR["wrong"]}
_CUBLAS: dict[str, Any] = {"color": INK, "linewidth": 3}


def ladder(rungs: Sequence[Rung], record: str = "", model: str = "") -> Picture:
    """One row a lesson: a bar where it was timed, with a mark for cuBLAS, its state in words, a ring for what is
    recorded, and a hollow diamond with its range for what is predicted. `record` says on what, when and with which
    commit was recorded, `model` for which GPU and shape is predicted."""
    notes = [fill(line, _LETTERS) for line in _small_print(rungs, record, model)]
    figure = new_figure(_WIDTH, 1.4 + 0.4 * len(rungs) + _LINE * (sum(note.count("\n") + 1 for note in notes)))
    axes = figure.subplots()
    timed = [rung for rung in rungs if rung.gflops is not None]
    drawn = [rung for rung in rungs if any(_speeds(rung))]
    for row, rung in enumerate(rungs):
        _draw_speeds(axes, row, rung)
        words = f"{_SIGNS[rung.state]} {rung_text(rung)}"
        beside = axes.get_yaxis_transform()
        axes.text(1.02 if drawn else 0.02, row, words, transform=beside, va="center", fontsize=8.5, color=INK)
    axes.set_yticks(range(len(rungs)), [rung.name for rung in rungs])
    axes.set_ylim(len(rungs) - 0.4, -0.6)
    axes.tick_params(colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    _scale(axes, drawn)
    _explain(figure, axes, notes)
    figure.suptitle(_title(timed), fontsize=10, color=INK)
    return Picture(figure, describe_ladder(rungs, record, model))


def _speeds(rung: Rung) -> list[float]:
    """All that a row has on the scale."""
    predicted = rung.forecast.most if rung.forecast else None
    return [speed for speed in (rung.gflops, rung.cublas_gflops, rung.recorded, predicted) if speed is not None]


def _draw_speeds(axes: Axes, row: int, rung: Rung) -> None:
    """The measured bar, cuBLAS beside it, the recorded ring and the predicted diamond; each names itself once."""
    if rung.gflops is not None:
        axes.barh(row, rung.gflops, color=COLOR["C"], height=0.55, label="your kernel, measured")
        axes.plot([rung.cublas_gflops] * 2, [row - 0.4, row + 0.4], label="cuBLAS, measured beside it", **_CUBLAS)
    if rung.recorded is not None:
        axes.plot(rung.recorded, row, label="the solved kernel, recorded", **_RING)
    if rung.forecast and rung.forecast.gflops is not None:
        axes.plot([rung.forecast.least, rung.forecast.most], [row, row], color=COLOR["wrong"], linewidth=1)
        axes.plot(rung.forecast.gflops, row, label="your kernel, predicted: nothing was timed", **_DIAMOND)


def _scale(axes: Axes, drawn: Sequence[Rung]) -> None:
    """GFLOPS from 0 to a little above the fastest; no scale where there is nothing to measure with it."""
    if drawn:
        axes.set_xlim(0, 1.05 * max(speed for rung in drawn for speed in _speeds(rung)))
        axes.set_xlabel("GFLOPS", color=INK, fontsize=8)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=5)
    else:
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)


def _explain(figure: Figure, axes: Axes, notes: Sequence[str]) -> None:
    """A legend of the marks that are there, and the small print under it."""
    handles, labels = axes.get_legend_handles_labels()
    first = {label: handle for handle, label in reversed([*zip(handles, labels, strict=True)])}
    if first:
        above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2}
        axes.legend([*first.values()], [*first], frameon=False, fontsize=8, labelcolor=INK, **above)
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=7.5, color=INK, x=0.01, ha="left")


def _small_print(rungs: Sequence[Rung], record: str, model: str) -> Iterator[str]:
    """Where the marks come from, and what is missing."""
    if record and any(rung.recorded is not None for rung in rungs):
        yield f"Rings: {record}."
    if any(rung.forecast and rung.forecast.gflops is not None for rung in rungs):
        yield f"Diamonds: {model}, from counts of the emulator; the line is the range."
    yield from (f"{rung.name}: {why}" for rung in rungs for why in _missing(rung))


def _missing(rung: Rung) -> list[str]:
    unknown = rung.forecast.unknown if rung.forecast else ""
    return [*([f"no prediction. {unknown}"] if unknown else []), *([rung.remark] if rung.remark else [])]


def describe_ladder(rungs: Sequence[Rung], record: str = "", model: str = "") -> str:
    """The picture in words."""
    title = _title([rung for rung in rungs if rung.gflops is not None])
    text = f"Progress. {title}. " + "; ".join(f"{rung.name}: {rung_text(rung)}" for rung in rungs) + "."
    speeds = ", ".join(f"{rung.name} {rung.recorded:,.0f}" for rung in rungs if rung.recorded is not None)
    if speeds:
        text += f" GFLOPS of the solved kernels, {record}: {speeds}."
    predicted = "; ".join(_predicted(rung) for rung in rungs if rung.forecast and rung.forecast.gflops is not None)
    if predicted:
        text += f" GFLOPS of your kernels, {model}, nothing was timed: {predicted}."
    missing = " ".join(f"{rung.name}: {why}" for rung in rungs for why in _missing(rung))
    return f"{text} {missing}" if missing else text


def _predicted(rung: Rung) -> str:
    """'05_register_1d 18,000, from 16,000 to 20,000 (shared decides)'"""
    assert rung.forecast
    one = rung.forecast
    decides = f" ({one.reason} decides)" if one.reason else ""
    return f"{rung.name} {one.gflops:,.0f}, from {one.least:,.0f} to {one.most:,.0f}{decides}"


def rung_text(rung: Rung) -> str:
    """The state, the speed where it was measured, and else the predicted one, which says that it is."""
    if rung.gflops is not None and rung.ratio is not None:
        return f"{STATES[rung.state]}, {rung.gflops:,.0f} GFLOPS, {100 * rung.ratio:.0f} % of cuBLAS"
    if rung.forecast and rung.forecast.gflops is not None:
        return f"{STATES[rung.state]}, predicted {rung.forecast.gflops:,.0f} GFLOPS ± {rung.forecast.percent:.0f} %"
    return f"{STATES[rung.state]}, no prediction" if rung.forecast else STATES[rung.state]


def _title(timed: Sequence[Rung]) -> str:
    if not timed:
        return "No kernel was timed yet: that takes an NVIDIA GPU"
    return "Measured on " + ", ".join(dict.fromkeys(rung.where for rung in timed))
