"""The search for the shortest order of warps that makes C wrong.

A race names two accesses that nothing orders. Each of the two warps may be late at its own, or early: these are the
orders that are tried first, one decision each, then two decisions at a time. Every order that is found has been run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gemmlab.emulator.chunk import IN_STEP
from gemmlab.emulator.executor import EmulatorExecutor
from gemmlab.emulator.machine.opcodes import FULL
from gemmlab.emulator.order import AHEAD, WAIT, Decision, Order
from gemmlab.emulator.report.event import Event
from gemmlab.kernel.limits import WARP
from gemmlab.kernel.plan import launches_of
from gemmlab.kernel.tolerance import compare

if TYPE_CHECKING:
    from gemmlab.emulator.code.code import Code
    from gemmlab.emulator.runner import Run
    from gemmlab.kernel.epilogue import Inputs
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.plan import Plan
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
EARLY, LATE = (1, 2), (3, 4, 5, 6, 7, 8, 16, 17, 32, 33)  # at which of its arrivals a warp is late or early
_MOST_CLEAR, _MOST_NEAR = 4, 3  # races that are looked at
_MOST_PAIRED = 12
_SAME_VALUE = "RACE_SAME_VALUE"


@dataclass(frozen=True)
class Work:
    """What is run: a program, its launch or plan, and the inputs of one case."""

    program: Program
    launches: Launch | Plan
    shape: Shape
    inputs: Inputs
    kind: str

    def run(self, executor: EmulatorExecutor, blocks: Sequence[int] | None = None) -> Outcome:
        """One run on these inputs, of some blocks or of all."""
        A, B, terms = self.inputs
        some = None if blocks is None else np.array(blocks, np.int64)
        return executor.run(self.program, self.launches, A, B, self.shape, some, terms)

    def wrong(self, outcome: Outcome) -> np.ndarray | None:
        """The wrong elements of C (bool); None where there is no C."""
        if outcome.C is None:
            return None
        A, B, terms = self.inputs
        return compare(outcome.C, A, B, self.kind, outcome.written, terms=terms).wrong


class Launched(NamedTuple):
    """One launch that was run, and the races in it."""

    code: Code
    launch: Launch
    races: list[Event]


@dataclass
class Tried:
    """What became of the search. `order` is None where none was found; `race` is the one that it comes from.

    `in_step` says whether C is right with all warps in step, `in_turn` whether it is with one warp after another;
    `proved` that no order at all can change C. `tried` counts orders.
    """

    race: Event | None = None
    order: Order | None = None
    in_step: bool = False
    in_turn: bool = False
    proved: bool = False
    tried: int = 0
    launched: list[Launched] = field(default_factory=list)


def shortest_order(work: Work, seconds: float, times: Sequence[int] = EARLY + LATE) -> Tried | None:
    """Look for the order with the fewest decisions that makes C wrong, for at most about that many seconds of the
    processor's time. A warp is late or early at the `times` of its arrivals; with the LATE ones among them, orders of
    two decisions are tried too.

    None where there is no race at this shape.
    """
    seen = _Seen(again=False)
    outcome = work.run(seen)
    if not any(launched.races for launched in seen.launched):
        return None
    found = Tried(launched=seen.launched, in_turn=_is_right(work, outcome))
    found.in_step = _is_right(work, work.run(EmulatorExecutor(IN_STEP, checks=False, again=False)))
    if all(race.kind == _SAME_VALUE for launched in seen.launched for race in launched.races):
        found.proved = True
        return found
    return _Search(work, found, time.process_time() + seconds).searched(times)


def _is_right(work: Work, outcome: Outcome) -> bool:
    wrong = work.wrong(outcome)
    return wrong is not None and not wrong.any()


class _Seen(EmulatorExecutor):
    """Keeps the races of each launch."""

    def __init__(self, **options) -> None:
        super().__init__(**options)
        self.launched: list[Launched] = []

    def ran(self, code: Code, launch: Launch, run: Run) -> None:
        events = map(Event.of, run.events)
        self.launched.append(Launched(code, launch, [event for event in events if event.is_race]))


class _Search:
    def __init__(self, work: Work, found: Tried, end: float) -> None:
        self._work, self._found, self._end = work, found, end
        self._in_step: dict[tuple[int, tuple[int, ...], bool], np.ndarray | None] = {}

    def searched(self, times: Sequence[int]) -> Tried:
        """The outcome of the search."""
        if not self._found.in_step:
            self._take(self._of_no_decision())
            return self._found
        singles = list(self._of_one_decision(times))
        if not self._take(singles) and LATE[0] in times:
            self._take(list(_of_two_decisions(singles[:_MOST_PAIRED])))
        return self._found

    def _races(self) -> Iterator[tuple[int, Event]]:
        """Races with the number of their launch: some that were seen first, those of two warps before those of one, and
        some whose instructions stand near each other, where little can come between."""
        for number, launched in enumerate(self._found.launched):
            races = [race for race in launched.races if race.kind != _SAME_VALUE and race.other_thread >= 0]
            clear = sorted(races, key=lambda race: race.is_in_one_warp)[:_MOST_CLEAR]
            near = sorted(races, key=lambda race: abs(race.pc - race.other_pc))[:_MOST_NEAR]
            for race in [*clear, *(race for race in near if race not in clear)]:
                yield number, race

    def _of_one_decision(self, times: Sequence[int]) -> Iterator[tuple[Event, Order]]:
        races = list(self._races())
        for time_of_arrival in times:
            for number, race in races:
                for order in _orders(number, race, time_of_arrival):
                    yield race, order

    def _of_no_decision(self) -> list[tuple[Event, Order]]:
        """C is wrong with all warps in step already."""
        return [(race, Order(number, _blocks(race)[0])) for number, race in self._races()]

    def _take(self, orders: Sequence[tuple[Event, Order]]) -> bool:
        """Try the orders one after another; keep the first that makes C wrong."""
        for race, order in orders:
            if time.process_time() > self._end:
                return False
            self._found.tried += 1
            if self._makes_wrong(order):
                self._found.race, self._found.order = race, order
                return True
        return False

    def _makes_wrong(self, order: Order) -> bool:
        """Whether elements of C that are right with all warps in step become wrong; of an order without decisions,
        whether C is wrong at all.

        Of a single launch first only the order's own blocks are run, then all.
        """
        if not order.decisions:
            wrong = self._wrong(order, None)
            return wrong is not None and bool(wrong.any())
        blocks = order.blocks if len(launches_of(self._work.launches)) == 1 else None
        return self._differs(order, blocks) and (blocks is None or self._differs(order, None))

    def _differs(self, order: Order, blocks: Sequence[int] | None) -> bool:
        key = order.launch, order.blocks, blocks is None
        if key not in self._in_step:
            self._in_step[key] = self._wrong(replace(order, decisions=()), blocks)
        wrong, in_step = self._wrong(order, blocks), self._in_step[key]
        return wrong is not None and in_step is not None and bool((wrong & ~in_step).any())

    def _wrong(self, order: Order, blocks: Sequence[int] | None) -> np.ndarray | None:
        """The wrong elements of C, where only these blocks are run or all; unwritten ones are among them."""
        executor = EmulatorExecutor(IN_STEP, seconds=5.0, checks=False, again=False, order=order)
        return self._work.wrong(self._work.run(executor, blocks))


def _blocks(race: Event) -> list[tuple[int, ...]]:
    """The blocks that a race is about, in the orders in which they may go."""
    if race.other_block in (-1, race.block):
        return [(race.block,)]
    return [(race.block, race.other_block), (race.other_block, race.block)]


def _orders(number: int, race: Event, times: int) -> Iterator[Order]:
    """Orders of one decision: which block is first, or each side of the race late, then early, when it comes to its
    access for that time."""
    other_block = race.block if race.other_block < 0 else race.other_block
    sides = [(race.block, race.thread, race.pc), (other_block, race.other_thread, race.other_pc)]
    if not race.reads_last:
        sides.reverse()
    for blocks in _blocks(race):
        if len(blocks) > 1 and times == 1:
            yield Order(number, blocks)
        for block, thread, pc in sides:
            is_one_warp = race.is_in_one_warp and len(blocks) == 1
            lanes = 1 << thread % WARP if is_one_warp else FULL
            for kind in (WAIT, AHEAD):
                if len(blocks) == 1 or (kind == WAIT and block == blocks[0]):
                    yield Order(number, blocks, (Decision(kind, block, thread // WARP, lanes, pc, times),))


def _of_two_decisions(singles: Sequence[tuple[Event, Order]]) -> Iterator[tuple[Event, Order]]:
    for (race, one), (_, other) in combinations(singles, 2):
        if both := _both(one, other):
            yield race, both


def _both(one: Order, other: Order) -> Order | None:
    """The order with the decisions of both, where they are about the same blocks and differ in their place."""
    if not (one.decisions and other.decisions):
        return None
    (first,), (second,) = one.decisions, other.decisions
    same = (first.warp, first.lanes, first.pc) == (second.warp, second.lanes, second.pc)
    if same or (one.launch, one.blocks) != (other.launch, other.blocks):
        return None
    return replace(one, decisions=(first, second))
