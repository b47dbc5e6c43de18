"""One row of the interpreter's event table, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gemmlab.emulator.machine.events import KIND_NAMES

HAZARDS = {"RACE_RAW": "RAW", "RACE_WAR": "WAR", "RACE_WAW": "WAW", "RACE_SAME_VALUE": "WAW", "RACE_ASYNC": "ASYNC"}


@dataclass(frozen=True)
class Event:
    """What happened, where and to whom. Places are instruction numbers, -1 where there is none; `offset` and `size`
    are in bytes, threads and blocks are counted through, and a K tile is the number of the tile loop's turn."""

    kind: str
    pc: int
    other_pc: int
    region: int
    offset: int
    thread: int
    other_thread: int
    block: int
    other_block: int
    tile: int
    other_tile: int
    count: int
    size: int
    reason: int = -1

    @classmethod
    def of(cls, row: Iterable[int]) -> Event:
        kind, *numbers = (int(value) for value in row)
        return cls(KIND_NAMES[kind], *numbers)

    @property
    def is_race(self) -> bool:
        return self.kind in HAZARDS

    @property
    def reads(self) -> bool:
        """Of an access: whether it reads."""
        return self.kind.endswith("READ")

    @property
    def reads_last(self) -> bool:
        """Of a race: whether the access that met the other one is a read."""
        return self.kind in ("RACE_RAW", "RACE_ASYNC")

    @property
    def is_in_one_warp(self) -> bool:
        """Whether it is about two threads of one warp."""
        return self.other_thread >= 0 and self.thread >> 5 == self.other_thread >> 5

    def seen_from_the_other(self, kind: str) -> Event:
        """The same two accesses, told by the other thread."""
        return replace(
            self,
            kind=kind,
            pc=self.other_pc,
            other_pc=self.pc,
            thread=self.other_thread,
            other_thread=self.thread,
            tile=self.other_tile,
            other_tile=self.tile,
        )
