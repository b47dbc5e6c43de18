"""Runs blocks in an order that is decided here, a turn of a warp at a time: in step, but for an Order's decisions.

A turn ends before each access to memory. Lanes that are to wait are held where they stand, until nothing else can move.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gemmlab.emulator.chunk import Chunk
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.fragments import AT_BARRIER, FAR, LANES, PC, RUNNABLE, STATUS
from gemmlab.emulator.machine.sync.stops import BEGIN, LAND, MEET, RUN_WARP
from gemmlab.emulator.order import AHEAD, Decision, Order
from gemmlab.emulator.warm import compiled_interpreter

ACCESS, HELD_BACK, GOES_AHEAD, RELEASED, MET = "access", "held back", "goes ahead", "released", "met"
HELD = 3  # status of lanes that wait because it was decided so, beside those of fragments.py
_MOST_IDLE_ROUNDS = 200  # in which all that can run only asks for what does not come


@dataclass(frozen=True)
class Moment:
    """What is about to happen in a block: `lanes` of a warp do the access at `pc`, are HELD before it, or go AHEAD with
    it alone; the warp's lanes are RELEASED, or those of all others; all have MET at a barrier. `round` counts."""

    what: str
    block: int
    round: int
    warp: int = -1
    lanes: int = 0
    pc: int = -1


Watch = Callable[[Chunk, Moment], None]


def run_in_order(chunks: Sequence[Chunk], order: Order, seconds: float, watch: Watch | None = None) -> list[bool]:
    """Run the order's blocks, each in the chunk of its own. Returns which of them came to their end.

    A block with lanes that wait when nothing else of it can move is left for the next block, and taken up again when
    that has ended.
    """
    end = time.monotonic() + seconds
    blocks = [_Block(chunk, number, order, end, watch) for chunk, number in zip(chunks, order.blocks, strict=True)]
    for number, block in enumerate(blocks):
        block.run(may_leave=number < len(blocks) - 1)
    for block in blocks:
        block.run(may_leave=False)
    return [block.has_ended for block in blocks]


class _Block:
    def __init__(self, chunk: Chunk, number: int, order: Order, end: float, watch: Watch | None) -> None:
        self._chunk, self._watch, self._end = chunk, watch, end
        self._number = np.array([number], np.int64)
        self._stops = memoryview(chunk.stop_at_accesses())
        self._fragments, self._counts = memoryview(chunk.fragments), memoryview(chunk.fragment_counts)
        self._decisions = [decision for decision in order.decisions if decision.block == number]
        self._came = dict.fromkeys(self._decisions, 0)  # how often its lanes have come to the access
        self._held: list[int] = []  # warps of which lanes are held, oldest first
        self._alone: int | None = None
        self._round = self._idle = 0
        self._run, self._address = compiled_interpreter(), chunk.state.ctypes.data
        self._turn(BEGIN)

    @property
    def has_ended(self) -> bool:
        """Whether all of its threads came to their end."""
        return not self._chunk["STOP"] and not self._chunk.fragment_counts.any()

    def run(self, may_leave: bool) -> None:
        """Go on until it has ended, or nothing can move; with `may_leave` also where only lanes that wait are left."""
        while not self.has_ended and not self._is_out_of_time():
            if self._go_round():
                self._idle = 0
                continue
            if self._alone is not None:
                self._tell(RELEASED, self._alone)
                self._alone = None
            elif self._held:
                if self._meet_without_held():
                    continue
                if may_leave:
                    return
                self._land_copies()
                self._release(self._held.pop(0))
            elif not self._meet():
                return

    def _land_copies(self) -> None:
        """While somebody waits, the copies that are under way arrive; what a barrier object counts stays with it."""
        code = self._chunk.code
        if code.uses_async and not code.uses_objects:
            for warp in range(self._chunk.warps):
                self._turn(LAND, warp)

    def _is_out_of_time(self) -> bool:
        if time.monotonic() > self._end:
            self._chunk["STOP"] = 1
        return bool(self._chunk["STOP"])

    def _tell(self, what: str, warp: int = -1, lanes: int = 0, pc: int = -1) -> None:
        if self._watch:
            self._watch(self._chunk, Moment(what, int(self._number[0]), self._round, warp, lanes, pc))

    def _turn(self, what: int, warp: int = 0) -> int:
        self._chunk["TURN"], self._chunk["TURN_WARP"] = what, warp
        return self._run(self._address, self._number)

    def _go_round(self) -> bool:
        """Give each warp that may move a turn. Whether one of them got on."""
        self._round += 1
        moved = False
        for warp in range(self._chunk.warps):
            if self._alone in (None, warp) and self._standing(warp) >= 0:
                moved = self._go_on(warp) or moved
        return moved

    def _rows(self, warp: int) -> np.ndarray:
        return self._chunk.fragments[warp, : self._chunk.fragment_counts[warp]]

    def _standing(self, warp: int) -> int:
        """Where the lanes stand that run next, -1 where none can."""
        fragments, lowest = self._fragments, FAR
        for index in range(self._counts[warp]):
            if fragments[warp, index, STATUS] == RUNNABLE:
                lowest = min(lowest, fragments[warp, index, PC])
        return lowest if lowest < FAR else -1

    def _go_on(self, warp: int) -> bool:
        """Let a warp go to its next access. Whether it got on."""
        start, lanes = self._at_access(warp)
        if start >= 0:
            self._tell(ACCESS, warp, lanes, start)
        self._chunk["HOLDS"] = int(warp in self._held)
        self._turn(RUN_WARP, warp)
        end, arrived = self._at_access(warp)
        if end >= 0:
            self._arrive(warp, end, arrived)
        return not self._chunk["YIELD"]

    def _at_access(self, warp: int) -> tuple[int, int]:
        """The access that the next lanes stand before, and which lanes; -1 and none where they stand at no access."""
        pc = self._standing(warp)
        if pc < 0 or self._stops[pc] != pc:
            return -1, 0
        fragments, lanes = self._fragments, 0
        for index in range(self._counts[warp]):
            if fragments[warp, index, PC] == pc and fragments[warp, index, STATUS] == RUNNABLE:
                lanes |= fragments[warp, index, LANES] & o.FULL
        return pc, lanes

    def _arrive(self, warp: int, pc: int, lanes: int) -> None:
        """Count, and do what was decided for this moment."""
        for decision in self._decisions:
            if (decision.warp, decision.pc) == (warp, pc) and lanes & decision.lanes & -decision.lanes:
                self._came[decision] += 1
                if self._came[decision] == decision.time:
                    self._decide(decision)

    def _decide(self, decision: Decision) -> None:
        what = GOES_AHEAD if decision.kind == AHEAD else HELD_BACK
        self._tell(what, decision.warp, decision.lanes, decision.pc)
        if decision.kind == AHEAD:
            self._alone = decision.warp
            if decision.lanes != o.FULL:
                self._hold(decision.warp, ~decision.lanes & o.FULL)
        else:
            self._hold(decision.warp, decision.lanes)

    def _hold(self, warp: int, lanes: int) -> None:
        """Hold those of the lanes that could run."""
        for row in self._rows(warp).copy():
            held = int(row[LANES]) & lanes & o.FULL
            if row[STATUS] == RUNNABLE and held:
                self._split(warp, row, held)
        self._held.append(warp)

    def _split(self, warp: int, row: np.ndarray, held: int) -> None:
        """Take lanes out of a fragment into one that is held."""
        rows, left = self._rows(warp), int(row[LANES]) & ~held & o.FULL
        (index,) = np.flatnonzero((rows == row).all(axis=1))
        kept = row.copy()
        rows[index, LANES], rows[index, STATUS] = _signed(held), HELD
        if left:
            kept[LANES] = _signed(left)
            self._chunk.fragments[warp, len(rows)] = kept
            self._chunk.fragment_counts[warp] += 1

    def _release(self, warp: int) -> None:
        """Let held lanes go on, joining those that stand where they do."""
        self._tell(RELEASED, warp)
        rows = self._rows(warp)
        for row in rows[rows[:, STATUS] == HELD].copy():
            rows = self._rows(warp)
            (index,) = np.flatnonzero((rows == row).all(axis=1))
            same = np.flatnonzero((rows[:, PC] == row[PC]) & (rows[:, STATUS] == RUNNABLE))
            if len(same):
                rows[same[0], LANES] |= row[LANES]
                rows[index] = rows[-1]
                self._chunk.fragment_counts[warp] -= 1
            else:
                rows[index, STATUS] = RUNNABLE

    def _meet_without_held(self) -> bool:
        """Let those go whose barrier needs none of the lanes that are held: a barrier of a part of the block."""
        for warp in set(self._held):
            status = self._rows(warp)[:, STATUS]
            if (status == HELD).any() and (status == AT_BARRIER).any():
                return False
        self._turn(MEET)
        return any(self._standing(warp) >= 0 for warp in range(self._chunk.warps))

    def _meet(self) -> bool:
        """Let the warps go whose barrier is complete. False where none ever will be."""
        if any(self._standing(warp) >= 0 for warp in range(self._chunk.warps)):
            self._idle += 1
            return self._idle < _MOST_IDLE_ROUNDS
        if not self._turn(MEET) or self.has_ended:
            return False
        self._tell(MET)
        return any(self._standing(warp) >= 0 for warp in range(self._chunk.warps))


def _signed(lanes: int) -> int:
    return int(np.uint32(lanes).view(np.int32))
