"""Split K in pictures: how long the blocks take, by the number of slices, and how the error of a sum grows."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from gemmlab.models.rounding import Growth, Reordered, sums_tried
from gemmlab.models.splits import Split
from gemmlab.pictures.picture import COLOR, FAINT, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gemmlab.records.splits import SplitRecord

_MARKERS = "osD"
_COLORS = ("A", "B", "C")


def waves_picture(splits: Sequence[Split], chosen: Split, record: SplitRecord | None = None) -> Picture:
    """The steps along K that follow each other, by the number of slices; the ring is the launcher's choice. The times
    of a record stand at an axis of their own."""
    figure = new_figure(8.0, 4.2)
    axes = figure.subplots()
    axes.plot(
        [one.slices for one in splits], [one.steps_in_turn for one in splits], ".-", color=COLOR["A"], markersize=5
    )
    axes.plot(chosen.slices, chosen.steps_in_turn, "o", color=COLOR["wrong"], markersize=12, fillstyle="none")
    for waves, first in _first_of_each_wave(splits).items():
        axes.axvline(first - 0.5, color=FAINT, linewidth=1, linestyle=":")
        label = f"{waves} wave{'s' * (waves > 1)}"
        axes.text(first, 1.02, label, transform=axes.get_xaxis_transform(), fontsize=8, color=INK)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("slices of K", color=INK)
    axes.set_ylabel("steps of BK that follow each other", color=INK)
    axes.grid(True, color=FAINT, alpha=0.3)
    axes.tick_params(colors=INK)
    if record:
        _draw_times(axes, record, {one.slices for one in splits})
    return Picture(figure, describe_waves(splits, chosen, record))


def _draw_times(axes: Axes, record: SplitRecord, known: Container[int]) -> None:
    times = {slices: time for slices, time in record.microseconds.items() if slices in known}
    beside = axes.twinx()
    beside.plot(list(times), list(times.values()), "s", color=COLOR["B"], markersize=6)
    beside.set_yscale("log", base=2)
    beside.yaxis.set_major_formatter("{x:g}")
    beside.set_ylabel("µs of both kernels (squares)", color=INK)
    beside.tick_params(colors=INK)
    axes.set_title(f"squares: {record.label}", fontsize=8, color=INK, loc="right", pad=16)


def _first_of_each_wave(splits: Sequence[Split]) -> dict[int, int]:
    first: dict[int, int] = {}
    for one in splits:
        first.setdefault(one.waves, one.slices)
    return first


def describe_waves(splits: Sequence[Split], chosen: Split, record: SplitRecord | None = None) -> str:
    """The picture in words."""
    times = record.microseconds if record else {}
    best = min(times, key=lambda slices: times[slices], default=0)
    told = f" Squares: {record.label}, the fastest at {best} slices, {times[best]:.1f} µs." if record else ""
    longest = max(splits, key=lambda one: one.slices)
    return (
        f"{_in_words(splits[0])} {_in_words(chosen)} {_in_words(longest)} The GPU holds {chosen.at_once} blocks at one "
        f"time. The ring is the launcher's choice.{told}"
    )


def _in_words(one: Split) -> str:
    slices, waves = f"{one.slices} slice{'s' * (one.slices > 1)}", f"{one.waves} wave{'s' * (one.waves > 1)}"
    return f"{slices}: {one.blocks:,} blocks, {waves}, {one.steps_in_turn} steps in turn."


def growth_picture(growth: Growth) -> Picture:
    """The error by the length of the sum, a line for each way; both axes logarithmic."""
    figure = new_figure(8.0, 4.6)
    axes = figure.subplots()
    for (name, values), color, marker in zip(growth.errors.items(), _COLORS, _MARKERS, strict=True):
        axes.plot(growth.lengths, values, marker=marker, color=COLOR[color], linewidth=1.6, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xticks(growth.lengths)
    axes.set_xlabel("K, products in a sum", color=INK)
    axes.set_ylabel("error, in roundings of a number near 1", color=INK)
    axes.grid(True, color=FAINT, alpha=0.3)
    axes.tick_params(colors=INK, labelsize=8)
    axes.legend(fontsize=8.5, frameon=False, labelcolor=INK)
    return Picture(figure, describe_growth(growth))


def describe_growth(growth: Growth) -> str:
    """The lines at their right ends."""
    ends = "; ".join(f"{name}: {values[-1]:.3g}" for name, values in growth.errors.items())
    return (
        f"Root mean square error of {sums_tried()} sums of random products of numbers in [-1, 1), against float64, in "
        f"units of float32's rounding of a number near 1, 2⁻²⁴. At K = {growth.lengths[-1]:,}: {ends}."
    )


def orders_table(found: Sequence[Reordered]) -> str:
    """A row an order, in Markdown."""
    rows = [
        f"| {one.name} | {one.different} of {sums_tried()} | {one.difference:.2g} | {one.error:.2g} |" for one in found
    ]
    head = "| added in | sums that differ | largest difference | largest error against float64 |"
    return "\n".join([head, "|:--|--:|--:|--:|", *rows])
