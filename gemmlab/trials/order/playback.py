"""A replay as spans of a time line: when each warp filled and used the tiles, and which uses found something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gemmlab.emulator.director import MET
from gemmlab.models.tile_loop import FILL, USE, Part, Playback, Span
from gemmlab.trials.order import sentences as say

if TYPE_CHECKING:
    from gemmlab.trials.order.replay import Replay, Touch
    from gemmlab.trials.order.story import Story

_PAUSE = 4  # rounds without a touch of shared memory, after which a fill or use goes on as another span


class _Stretch(NamedTuple):
    """A part of a fill or a use that a warp did without a pause; rounds are those of the block."""

    kind: str
    k: int
    lines: tuple[int, ...]
    start: int
    end: int
    hazard: str | None


def playbacks(story: Story) -> tuple[list[Playback], list[int]]:
    """All warps in step and the order, in spans, and the time at which each step of the story is over. No spans where
    the kernel does not use shared memory."""
    found = reversed(story.wrong_reads)
    hazards = {read.touch.at: "RAW" if _is_early(read.fill, read.due) else "WAR" for read in found}
    block, elements = story.order.blocks[0], story.wrong.size
    in_step, _ = _played(story, story.in_step, {}, block)
    in_order, rounds = _played(story, story.replay, hazards, block)
    times = [_time(rounds, _round(story.replay, step.at)) for step in story.steps]
    (spans, barriers), (spans_in_order, barriers_in_order) = in_step, in_order
    return [
        Playback(say.TITLE_IN_STEP(), spans, barriers, int(story.in_step_wrong.sum()), elements),
        Playback(say.TITLE_ORDER(), spans_in_order, barriers_in_order, int(story.wrong.sum()), elements),
    ], times


def _is_early(fill: int | None, due: int | None) -> bool:
    """Whether what was read was not filled yet: the other case is that it was filled anew already."""
    return fill is None or due is None or fill <= due


def _played(
    story: Story, replay: Replay, hazards: dict[int, str], block: int
) -> tuple[tuple[tuple[Span, ...], tuple[int, ...]], list[int]]:
    """(spans, barriers) of a block, and the rounds that its times stand for."""
    stretches = {warp: _stretches(story, touches, hazards) for warp, touches in _by_warp(replay, block).items()}
    met = [halt.moment.round for halt in replay.halts if halt.moment.what == MET and halt.moment.block == block]
    rounds = _busy([(one.start, one.end) for own in stretches.values() for one in own])
    spans = tuple(
        Span(warps, Part(one.kind, one.lines), one.k, _time(rounds, one.start), _time(rounds, one.end), one.hazard)
        for warps, own in _alike(stretches)
        for one in own
    )
    barriers = tuple(sorted({_time(rounds, at) for at in met} - {0, _time(rounds, 1 << 60)}))
    return (spans, barriers), rounds


def _busy(parts: Sequence[tuple[int, int]]) -> list[int]:
    """Where the pieces of time end in which somebody does something and nobody begins or ends."""
    pieces = pairwise(sorted({time for part in parts for time in part}))
    return [later for earlier, later in pieces if any(start <= earlier and later <= end for start, end in parts)]


def _by_warp(replay: Replay, block: int) -> dict[int, list[Touch]]:
    warps: dict[int, list[Touch]] = {}
    for touch in replay.touches:
        if touch.k >= 0 and touch.block == block:
            warps.setdefault(touch.warp, []).append(touch)
    return dict(sorted(warps.items()))


def _stretches(story: Story, touches: Sequence[Touch], hazards: dict[int, str]) -> tuple[_Stretch, ...]:
    groups = [touches[:1]]
    for before, touch in pairwise(touches):
        if (touch.writes, touch.k) == (before.writes, before.k) and touch.round - before.round <= _PAUSE:
            groups[-1] = [*groups[-1], touch]
        else:
            groups.append([touch])
    return tuple(_stretch(story, group, hazards) for group in groups if group)


def _stretch(story: Story, group: Sequence[Touch], hazards: dict[int, str]) -> _Stretch:
    lines = tuple(sorted({story.places.line(touch.pc) for touch in group} - {0}))
    hazard = next((hazards[touch.at] for touch in group if touch.at in hazards), None)
    kind = FILL if group[0].writes else USE
    return _Stretch(kind, group[0].k, lines, group[0].round, group[-1].round + 1, hazard)


def _alike(stretches: dict[int, tuple[_Stretch, ...]]) -> Iterator[tuple[tuple[int, ...], tuple[_Stretch, ...]]]:
    """Warps that did the same at the same time, together."""
    groups: dict[tuple[_Stretch, ...], list[int]] = {}
    for warp, own in stretches.items():
        groups.setdefault(own, []).append(warp)
    for own, warps in groups.items():
        yield tuple(warps), own


def _round(replay: Replay, at: int) -> int:
    """The round in which that moment of a replay was."""
    return max((touch.round + 1 for touch in replay.touches if touch.at <= at), default=0)


def _time(rounds: Sequence[int], at: int) -> int:
    """How many of these rounds have come by then: drawn time, of which only the order counts."""
    return sum(one <= at for one in rounds)
