"""Fill, use and barriers of a tile loop on a time line, with what goes wrong where nothing orders two warps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gemmlab.models.tile_loop import FILL, USE, Part, Playback, Span
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = {FILL: "#d9d9d9", USE: "#6b6b6b"}
_TIME = "time →  (only the order is meant, not the length)"
_HAZARDS = {"RAW": "not filled yet", "WAR": "filled anew already"}


def timeline(playbacks: Sequence[Playback]) -> Picture:
    """One panel for each order of events, with one row for each group of warps."""
    figure = new_figure(10.5, 2.3 * len(playbacks) + 0.3)
    panels = figure.subplots(len(playbacks), 1, squeeze=False)[:, 0]
    for axes, playback in zip(panels, playbacks, strict=True):
        _draw(axes, playback)
    panels[-1].set_xlabel(_TIME, color=INK, fontsize=9)
    return Picture(figure, " ".join(map(describe_playback, playbacks)))


def timeline_until(playbacks: Sequence[Playback], time: int, words: str) -> Picture:
    """The same; of the last panel only what was done until then, and the rest of it faint. `words` describe it."""
    figure = new_figure(10.5, 2.3 * len(playbacks) + 0.3)
    panels = figure.subplots(len(playbacks), 1, squeeze=False)[:, 0]
    for axes, playback in zip(panels, playbacks, strict=True):
        _draw(axes, playback, time if playback is playbacks[-1] else None)
    panels[-1].set_xlabel(_TIME, color=INK, fontsize=9)
    return Picture(figure, words)


def describe_playback(playback: Playback) -> str:
    """The order of events in words: barriers, hazards, and what C became."""
    met = "; ".join(
        f"{_who(span)} used K tile {span.k_tile}, a part of which was {_HAZARDS[span.hazard]}"
        for span in playback.spans
        if span.hazard
    )
    text = f"{playback.title}: {len(playback.barriers)} barriers, {_result(playback)}"
    return f"{text}; {met}." if met else f"{text}."


def part_names(parts: Sequence[Part]) -> str:
    """'fill (lines 24, 25) → barrier (line 28) → use (line 31)'."""
    return " → ".join(f"{part.kind} ({_lines(part)})" for part in parts)


def _lines(part: Part) -> str:
    return f"line{'' if len(part.lines) == 1 else 's'} {', '.join(map(str, part.lines))}"


def _who(span: Span) -> str:
    """'warp 1', 'warps 0 to 7' or 'warps 0, 2 to 7'."""
    runs: list[list[int]] = []
    for warp in span.warps:
        if runs and runs[-1][-1] == warp - 1:
            runs[-1].append(warp)
        else:
            runs.append([warp])
    names = ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return f"warp{'' if len(span.warps) == 1 else 's'} {names}"


def _result(playback: Playback) -> str:
    return f"{playback.wrong} of {playback.elements} elements of C wrong"


def _draw(axes: Axes, playback: Playback, until: int | None = None) -> None:
    names = list(dict.fromkeys(_who(span) for span in playback.spans))
    for span in playback.spans:
        _draw_span(axes, span, names.index(_who(span)), until is not None and span.start >= until)
    for time in playback.barriers:
        axes.axvline(time, color=INK if until is None or time <= until else FAINT, linewidth=2)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, max(span.end for span in playback.spans))
    axes.set_xticks([])
    axes.tick_params(colors=INK)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    end = max(span.end for span in playback.spans)
    result = "" if until is not None and until < end else f": {_result(playback)}"
    axes.set_title(f"{playback.title}{result}", fontsize=10, color=INK, loc="left")


def _draw_span(axes: Axes, span: Span, row: int, is_to_come: bool) -> None:
    """A box with what it does; one that met a hazard has another colour and says so, one to come is empty."""
    if is_to_come:
        style_to_come: dict[str, Any] = {"color": PAPER, "edgecolor": FAINT, "linewidth": 1}
        axes.barh(row, span.end - span.start, left=span.start, height=0.6, **style_to_come)
        return
    color = COLOR["wrong"] if span.hazard else _COLORS[span.part.kind]
    axes.barh(row, span.end - span.start, left=span.start, height=0.6, color=color, edgecolor=PAPER, linewidth=1)
    style: dict[str, Any] = {"ha": "center", "fontsize": 8.5, "x": (span.start + span.end) / 2}
    ink = INK if color == _COLORS[FILL] else PAPER
    axes.text(y=row, s=f"{span.part.kind} {span.k_tile}", va="center", color=ink, **style)
    if span.hazard:
        axes.text(y=row + 0.34, s=_HAZARDS[span.hazard], va="top", color=COLOR["wrong"], **style)
