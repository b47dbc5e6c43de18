"""What an order does, told from its replay: each decision, who goes how far, the read that goes wrong, and C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.emulator.chunk import IN_STEP
from gemmlab.emulator.director import GOES_AHEAD, HELD_BACK, RELEASED
from gemmlab.emulator.executor import EmulatorExecutor
from gemmlab.emulator.machine.opcodes import FIRST_SHARED, FULL
from gemmlab.emulator.order import AHEAD
from gemmlab.emulator.report.places import Places
from gemmlab.kernel.limits import WARP
from gemmlab.kernel.tolerance import expected
from gemmlab.trials.order import sentences as say
from gemmlab.trials.order.replay import Found, Halt, Replay, Touch

if TYPE_CHECKING:
    from gemmlab.emulator.order import Decision, Order
    from gemmlab.emulator.report.event import Event
    from gemmlab.trials.order.search import Tried, Work

_DECIDED = {
    (HELD_BACK, False): say.HELD_BEFORE_READ,
    (HELD_BACK, True): say.HELD_BEFORE_WRITE,
    (GOES_AHEAD, False): say.AHEAD_WITH_READ,
    (GOES_AHEAD, True): say.AHEAD_WITH_WRITE,
}


@dataclass(frozen=True)
class Step:
    """One step of the order, which is over when the replay has counted `at`."""

    at: int
    words: str


@dataclass(frozen=True)
class WrongRead:
    """A lane that found something else than in step: `fill` is the one that it came from, `due` the one in step."""

    touch: Touch
    lane: int
    fill: int | None
    due: int | None


@dataclass(frozen=True)
class Story:
    """An order that makes C wrong, beside all warps in step.

    `right_in_step` says whether C is right with all warps in step and blocks in no special order.
    `wrong` (M×N, bool) are the wrong elements of C, `in_step_wrong` those with all warps in step; `first` is a wrong
    one: (row, column, what it holds, what it should hold).
    """

    order: Order
    right_in_step: bool
    places: Places
    in_step: Replay
    replay: Replay
    steps: tuple[Step, ...]
    wrong_reads: tuple[WrongRead, ...]
    wrong: np.ndarray
    in_step_wrong: np.ndarray
    first: tuple[int, int, float, float]


def told(work: Work, tried: Tried) -> Story:
    """Replay the order that was found, beside all warps in step."""
    if tried.order is None or tried.race is None:
        raise ValueError("no order was found that could be told")
    return _Teller(work, tried, tried.order, tried.race).story()


def who(places: Places, decision: Decision, names_block: bool) -> str:
    """'warp 1', or 'thread (3,0) of warp 1' where the others of the warp go on."""
    if decision.lanes != FULL:
        thread = places.thread(decision.warp * WARP + _first_lane(decision.lanes))
        return say.THREAD_OF_WARP(thread=thread, warp=decision.warp)
    if names_block:
        return say.WARP_OF_BLOCK(warp=decision.warp, block=places.block(decision.block))
    return say.WARP(warp=decision.warp)


def where(places: Places, decision: Decision) -> str:
    """'line 24', and which time it is where it is not the first."""
    line = places.line(decision.pc)
    found = say.LINE(line=line) if line else say.LINE_UNKNOWN()
    return say.LINE_AGAIN(where=found, time=decision.time) if decision.time > 1 else found


def capital(text: str) -> str:
    """The text with a capital letter at its start."""
    return text[:1].upper() + text[1:]


class _Teller:
    def __init__(self, work: Work, tried: Tried, order: Order, race: Event) -> None:
        self._work, self._tried, self._order, self._race = work, tried, order, race
        launched = tried.launched[order.launch]
        self._places = Places(launched.code, launched.launch, work.shape, work.program.source)
        blocks = order.blocks if order.decisions else tuple(sorted(order.blocks))
        in_step = replace(order, blocks=blocks, decisions=())
        self._in_step, self._wrong_in_step, _ = self._replayed(in_step)
        self._replay, self._wrong, self._C = self._replayed(order)

    def _replayed(self, order: Order) -> tuple[Replay, np.ndarray, np.ndarray]:
        """The replay, which elements of C are wrong after it, and C."""
        replay = Replay()
        executor = EmulatorExecutor(IN_STEP, seconds=20.0, checks=False, again=False, order=order)
        executor.watch = replay
        outcome = self._work.run(executor)
        wrong = self._work.wrong(outcome)
        if outcome.C is None or wrong is None:
            raise ValueError("a replay came to no end, and it did when the order was found")
        return replay, wrong, outcome.C

    def story(self) -> Story:
        """Both replays, the steps of the second, and what is wrong after it."""
        news = self._wrong & ~self._wrong_in_step
        row, col = (int(index) for index in np.argwhere(news if news.any() else self._wrong)[0])
        A, B, terms = self._work.inputs
        right = expected(A.astype(np.float64), B.astype(np.float64), self._work.kind, terms)[0]
        first = row, col, float(self._C[row, col]), float(right[row, col])
        reads = tuple(self._wrong_reads())
        steps = sorted([*self._of_decisions(), *self._of_wrong(reads, first)], key=lambda step: step.at)
        return Story(
            order=self._order,
            right_in_step=self._tried.in_step,
            places=self._places,
            in_step=self._in_step,
            replay=self._replay,
            steps=tuple(steps),
            wrong_reads=reads,
            wrong=self._wrong,
            in_step_wrong=self._wrong_in_step,
            first=first,
        )

    def _wrong_reads(self) -> Iterator[WrongRead]:
        """Reads that found something else than in step, in their order."""
        for touch in self._replay.touches:
            for key in self._replay.found_by.get(touch.at, ()):
                found, due = self._replay.reads[key], self._in_step.reads.get(key)
                if due is not None and found.value != due.value:
                    yield WrongRead(touch, key[3], found.fill, due.fill)

    # ---- words

    def _of_decisions(self) -> Iterator[Step]:
        if not self._order.decisions:
            yield Step(0, self._of_no_decision())
        before = None
        for halt in self._replay.halts:
            if halt.moment.what in (HELD_BACK, GOES_AHEAD):
                yield Step(halt.at, self._of_decision(halt))
            elif halt.moment.what == RELEASED and not (before and before.moment.what == RELEASED):
                yield Step(halt.at, self._of_release(halt))
            before = halt

    def _of_no_decision(self) -> str:
        if self._tried.in_step:
            first, second = map(self._places.block, self._order.blocks)
            return capital(say.BLOCKS_IN_ORDER(first=first, second=second))
        in_turn = say.RIGHT_IN_TURN() if self._tried.in_turn else say.WRONG_IN_TURN()
        return f"{say.NO_DECISION()} {in_turn}"

    def _of_wrong(self, reads: tuple[WrongRead, ...], first: tuple[int, int, float, float]) -> Iterator[Step]:
        if reads:
            yield Step(reads[0].touch.at, self._of_read(reads[0]))
        elif self._order.decisions:
            yield Step(self._replay.at, say.OTHER_STORE_LAST(element=self._places.named(self._race)))
        row, col, value, right = first
        counts = {"elements": self._wrong.size, "wrong": int(self._wrong.sum())}
        yield Step(self._replay.at, say.C_WRONG(row=row, col=col, value=_number(value), right=_number(right), **counts))

    def _of_decision(self, halt: Halt) -> str:
        moment = halt.moment
        here = (moment.block, moment.warp, moment.pc)
        decision = next(one for one in self._order.decisions if (one.block, one.warp, one.pc) == here)
        touch, lane = self._next_touch(halt, decision.lanes)
        element = self._element(touch, lane) if touch else self._places.named(self._race)
        sentence = _DECIDED[moment.what, touch is not None and touch.writes]
        thread = self._places.thread(moment.warp * WARP + lane)
        return capital(
            sentence(where=where(self._places, decision), who=self._who(decision), thread=thread, element=element)
        )

    def _next_touch(self, halt: Halt, lanes: int) -> tuple[Touch | None, int]:
        """The access that some of these lanes were about to do, and one of those: that of the race, if it can be."""
        moment, race = halt.moment, self._race
        lane = (race.thread if moment.pc == race.pc else race.other_thread) % WARP
        here = (moment.block, moment.warp, moment.pc)
        for touch in self._replay.touches:
            if touch.at > halt.at and (touch.block, touch.warp, touch.pc) == here:
                taking = [one for one, offset in enumerate(touch.offsets) if offset >= 0 and (lanes >> one) & 1]
                if taking:
                    return touch, lane if lane in taking else taking[0]
        return None, lane if (lanes >> lane) & 1 else _first_lane(lanes)

    def _element(self, touch: Touch, lane: int) -> str:
        return self._places.named(replace(self._race, region=touch.region, offset=touch.offsets[lane]))

    def _of_release(self, halt: Halt) -> str:
        holds, warp = self._holding(halt.holds), halt.moment.warp
        ahead = [one for one in self._order.decisions if one.kind == AHEAD and one.warp == warp]
        if not ahead:
            return say.OTHERS_WENT(where=self._how_far(halt.stands), holds=holds).strip()
        stands = {warp: halt.stands[warp]} if warp in halt.stands else {}
        return capital(say.IT_WENT(who=self._who(ahead[0]), where=self._how_far(stands), holds=holds)).strip()

    def _how_far(self, stands: dict[int, int]) -> str:
        lines = sorted({self._places.line(pc) for pc in stands.values() if pc >= 0})
        places = [say.TO_BARRIER(line=line) for line in lines if line]
        if any(pc < 0 for pc in stands.values()):
            places.append(say.TO_END())
        return say.OR.join(places) if places else say.AS_FAR_AS_POSSIBLE()

    def _holding(self, holds: dict[int, Counter[int]]) -> str:
        """'Bs now holds K tile 0 in 16 elements, K tile 1 in 240.' of arrays in which there is more than one fill."""
        told = []
        for region, counts in sorted(holds.items()):
            if region >= FIRST_SHARED and len(counts) > 1:
                part = say.PART if self._is_float(region) else say.PART_IN_WORDS
                parts = say.COMMA.join(part(fill=fill, count=count) for fill, count in sorted(counts.items()))
                told.append(say.HOLDS(array=self._places.array(region), parts=parts))
        return " ".join(told)

    def _of_read(self, read: WrongRead) -> str:
        touch, places = read.touch, self._places
        key = next(key for key in self._replay.found_by[touch.at] if key[3] == read.lane)
        here, in_step = self._replay.reads[key], self._in_step.reads[key]
        said = {
            "thread": places.thread(touch.warp * WARP + read.lane),
            "warp": touch.warp,
            "element": self._element(touch, read.lane),
            "where": say.LINE(line=places.line(touch.pc)),
        }
        is_float = self._is_float(touch.region)
        if not is_float and here.fill == in_step.fill:
            return capital(say.FINDS_ANOTHER(**said))
        return capital(say.FINDS(**said, value=_found(here, is_float), was=_found(in_step, is_float)))

    def _is_float(self, region: int) -> bool:
        """Whether an array is known to hold floats."""
        declared = self._places.declaration(region)
        return self._places.array(region) == "C" or declared is not None and declared.element == "float"

    def _who(self, decision: Decision) -> str:
        return who(self._places, decision, len(self._order.blocks) > 1)


def _first_lane(lanes: int) -> int:
    return (lanes & -lanes).bit_length() - 1


def _found(found: Found, is_float: bool) -> str:
    if found.fill is None:
        return say.NOTHING_YET()
    if not is_float:
        return say.OF_TILE(fill=found.fill) if found.fill >= 0 else say.SOMETHING()
    shown = _number(float(np.frombuffer(found.value[:4], np.float32)[0]))
    return say.VALUE_OF_TILE(value=shown, fill=found.fill) if found.fill >= 0 else shown


def _number(value: float) -> str:
    return "NaN" if np.isnan(value) else f"{value:.4g}"
