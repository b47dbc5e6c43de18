"""Copies and multiplications of a block's loop over the K tiles on a time line, with one buffer and with two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gemmlab.markdown import plain
from gemmlab.models.overlap import COPY, MULTIPLY, Schedule
from gemmlab.pictures.picture import COLOR, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BUFFER_COLORS = ((COLOR["A"], PAPER), (COLOR["B"], INK))  # of the box and of its label
_ROWS = {COPY: 0, MULTIPLY: 1}


def overlap_picture(schedules: Sequence[Schedule]) -> Picture:
    """One panel a schedule, all on one scale of time. A model: nothing of it was measured."""
    figure = new_figure(10.5, 0.5 + 1.5 * len(schedules))
    panels = figure.subplots(len(schedules), 1, sharex=True, squeeze=False)[:, 0]
    longest = max(schedule.end for schedule in schedules)
    for axes, schedule in zip(panels, schedules, strict=True):
        _draw(axes, schedule, longest)
    panels[-1].set_xlabel("time, in the units given (a model, not a measurement)", color=INK, fontsize=9)
    return Picture(figure, " ".join(map(describe_schedule, schedules)))


def describe_schedule(schedule: Schedule) -> str:
    """The schedule in words."""
    return f"{_title(schedule)}. {schedule.overlapped} copies go on while another K tile is multiplied."


def _title(schedule: Schedule) -> str:
    name = "One buffer" if schedule.buffers == 1 else "Two buffers"
    return f"{name}: {plain(schedule.end)} units of time, {len(schedule.barriers)} barriers (black lines)"


def _draw(axes: Axes, schedule: Schedule, longest: float) -> None:
    for span in schedule.spans:
        color, ink = _BUFFER_COLORS[span.buffer]
        row = _ROWS[span.what]
        axes.barh(row, span.end - span.start, left=span.start, height=0.7, color=color, edgecolor=PAPER, linewidth=1.5)
        label = f"{span.k_tile}" if schedule.buffers == 1 else f"{span.k_tile} in [{span.buffer}]"
        axes.text((span.start + span.end) / 2, row, label, ha="center", va="center", fontsize=8, color=ink)
    axes.vlines(schedule.barriers, -0.5, 1.5, color=INK, linewidth=2)
    axes.set_yticks(list(_ROWS.values()), ["copy tile", "multiply tile"])
    axes.set_ylim(1.6, -0.6)
    axes.set_xlim(0, 1.02 * longest)
    axes.tick_params(colors=INK, labelsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_title(schedule), fontsize=10, color=INK, loc="left")
