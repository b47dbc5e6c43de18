"""Where the barriers of a kernel stand, as seen from a store to shared memory and a read of it."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.machine import opcodes as o


@dataclass(frozen=True)
class Gaps:
    """The two stretches of a tile loop in which a barrier has to stand, and those that do stand there.

    `fill_to_use` are barriers between the store and the read below it, `use_to_fill` those on the way from the read
    round the loop to the next store; instruction numbers. `goes_round` says that there is such a way.
    """

    fill_to_use: tuple[int, ...]
    use_to_fill: tuple[int, ...]
    goes_round: bool

    @property
    def barriers(self) -> int:
        return len(self.fill_to_use) + len(self.use_to_fill)

    @property
    def only_first_is_missing(self) -> bool:
        return not self.fill_to_use and bool(self.use_to_fill)

    @property
    def only_second_is_missing(self) -> bool:
        return self.goes_round and bool(self.fill_to_use) and not self.use_to_fill


def gaps_between(code: Code, store: int, read: int) -> Gaps | None:
    """The gaps between a store and a read below it, in the innermost loop that holds both; where none does, there is no
    way back to the store. None where the read does not stand below.

    The order of instructions is that of the source's statements: NVRTC keeps it around barriers.
    """
    if not 0 <= store < read:
        return None
    around = [(first, last) for first, last in _loops(code) if first <= store and read <= last]
    first, last = min(around, key=lambda loop: loop[1] - loop[0], default=(store, read))
    barriers = _instructions(code, o.BARRIER, first, last)
    between = tuple(pc for pc in barriers if store < pc < read)
    return Gaps(between, tuple(pc for pc in barriers if not store < pc < read), bool(around))


def waits_after_its_barrier(code: Code, read: int) -> bool:
    """Whether a wait for asynchronous copies stands between a read and the last barrier above it: too late for the
    other threads, which only a barrier tells that the copies are done."""
    barriers = _instructions(code, o.BARRIER, 0, read)
    return bool(barriers) and bool(_instructions(code, o.ASYNC_WAIT, barriers[-1], read))


def _instructions(code: Code, operation: int, first: int, last: int) -> list[int]:
    """The instructions of that kind from `first` to `last`, both included."""
    return [int(pc) for pc in (code.rows[:, o.ROW_OP] == operation).nonzero()[0] if first <= pc <= last]


def _loops(code: Code) -> list[tuple[int, int]]:
    """(first, last) instruction of each loop: a jump backwards, and what it jumps to."""
    jumps = (code.rows[:, o.ROW_OP] == o.BRANCH).nonzero()[0]
    return [(int(code.rows[pc, o.ROW_IMM]), int(pc)) for pc in jumps if code.rows[pc, o.ROW_IMM] <= pc]
