"""An order, replayed and written down: each access of a warp to memory that threads share, with what it finds there.

A warp fills a tile with the stores that it does to shared memory between its loads from there, or between two barriers;
so the fills of a warp are counted from 0, as K tiles are, and so are its uses. What lies in an element comes from the
fill that stored it.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.emulator.director import ACCESS, MET, Moment
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.fragments import AT_BARRIER, STATUS, WAITS_AT
from gemmlab.kernel.limits import WARP

if TYPE_CHECKING:
    from gemmlab.emulator.chunk import Chunk

_GRANULE = 4  # bytes of which the writer is known
_WRITES = (o.STORE, o.ASYNC_COPY)


@dataclass(frozen=True)
class Touch:
    """What lanes of a warp did at one access. `offsets` are bytes from the start of the array, one a lane (-1: the lane
    took no part); `k` is the number of the warp's fill or use, -1 outside of shared memory."""

    at: int
    round: int
    block: int
    warp: int
    pc: int
    region: int
    offsets: list[int]
    writes: bool
    k: int


@dataclass(frozen=True)
class Halt:
    """A moment that is no access. `stands` are the barriers that warps wait at then (instructions, by warp; -1: it has
    ended), `holds` what is in each shared array: elements counted by the fill that they come from."""

    at: int
    moment: Moment
    stands: dict[int, int]
    holds: dict[int, Counter[int]]


@dataclass(frozen=True)
class Found:
    """What a lane read, and from which fill that came (None: nobody wrote there)."""

    value: bytes
    fill: int | None


@dataclass
class Replay:
    """Watches a run. `at` counts accesses and halts, in their order; `reads` has what each lane read, by block, warp,
    instruction, lane and how often it had come there."""

    touches: list[Touch] = field(default_factory=list)
    halts: list[Halt] = field(default_factory=list)
    reads: dict[tuple[int, int, int, int, int], Found] = field(default_factory=dict)
    found_by: dict[int, list[tuple[int, int, int, int, int]]] = field(default_factory=dict)
    at: int = 0

    def __post_init__(self) -> None:
        self._came: Counter[tuple[int, int, int, int]] = Counter()
        self._written: dict[tuple[int, int, int], int] = {}  # block (-1 in global memory), region, granule -> fill
        self._phases: dict[tuple[int, int], _Phases] = {}
        self._barriers: Counter[int] = Counter()

    def __call__(self, chunk: Chunk, moment: Moment) -> None:
        self.at += 1
        if moment.what == ACCESS:
            self._touch(chunk, moment)
            return
        if moment.what == MET:
            self._barriers[moment.block] += 1
        self.halts.append(Halt(self.at, moment, _stands(chunk), self._holds(moment.block)))

    def _touch(self, chunk: Chunk, moment: Moment) -> None:
        row = chunk.code.rows[moment.pc]
        reads, writes = row[o.ROW_OP] == o.LOAD, row[o.ROW_OP] in _WRITES
        lanes = _through_guard(chunk, moment, row)
        region, offsets = _places(chunk, moment.warp, row, lanes)
        is_shared = region >= o.FIRST_SHARED
        for lane in range(WARP):
            self._came[moment.block, moment.warp, moment.pc, lane] += (moment.lanes >> lane) & 1
        if region < 0 or not (reads or writes) or not (is_shared or _is_tracked(chunk, region)):
            return
        at = (self.at, moment.round, moment.block, moment.warp, moment.pc)
        phases = self._phases.setdefault((moment.block, moment.warp), _Phases())
        k = phases.enter(bool(writes), self._barriers[moment.block]) if is_shared else -1
        self.touches.append(Touch(*at, region, offsets, bool(writes), k))
        size = int(row[o.ROW_SIZE] * max(row[o.ROW_COUNT], 1))
        for lane, offset in enumerate(offsets):
            if 0 <= offset <= int(chunk.tables["REGION_SIZE"][region]) - size:
                self._one(chunk, moment, (lane, region, offset, size), k if writes else None)

    def _one(self, chunk: Chunk, moment: Moment, place: tuple[int, int, int, int], fill: int | None) -> None:
        """One lane's part of an access: with a `fill` it writes, without one it reads."""
        lane, region, offset, size = place
        owner = moment.block if region >= o.FIRST_SHARED else -1
        if fill is not None:
            for granule in range(offset // _GRANULE, (offset + size - 1) // _GRANULE + 1):
                self._written[owner, region, granule] = fill
            return
        key = moment.block, moment.warp, moment.pc, lane, self._came[moment.block, moment.warp, moment.pc, lane]
        value = ctypes.string_at(int(chunk.tables["REGION_HOST"][region]) + offset, size)
        self.reads[key] = Found(value, self._written.get((owner, region, offset // _GRANULE)))
        self.found_by.setdefault(self.at, []).append(key)

    def _holds(self, block: int) -> dict[int, Counter[int]]:
        holds: dict[int, Counter[int]] = {}
        for (owner, region, _), fill in self._written.items():
            if owner == block:
                holds.setdefault(region, Counter())[fill] += 1
        return holds


class _Phases:
    """The fills and uses of a warp, counted."""

    def __init__(self) -> None:
        self._counts = {True: -1, False: -1}
        self._last: tuple[bool, int] | None = None

    def enter(self, writes: bool, barriers: int) -> int:
        """The number of the fill or use that this access belongs to."""
        if self._last != (writes, barriers):
            self._last = (writes, barriers)
            self._counts[writes] += 1
        return self._counts[writes]


def _through_guard(chunk: Chunk, moment: Moment, row: np.ndarray) -> int:
    guard = int(row[o.ROW_GUARD])
    if guard < 0:
        return moment.lanes
    true = int(chunk.registers[moment.warp, guard : guard + 4].view(np.uint32)[0])
    return moment.lanes & (~true if row[o.ROW_GUARD_NEGATED] else true) & o.FULL


def _places(chunk: Chunk, warp: int, row: np.ndarray, lanes: int) -> tuple[int, list[int]]:
    """The array that the first lane's address lies in, and each lane's offset in it; -1 for a lane without."""
    wide, register = row[o.ROW_FLAGS] & o.ADDRESS_64, int(row[o.ROW_A])
    size, kind = (8, np.int64) if wide else (4, np.uint32)
    window = o.SHARED_WINDOW if row[o.ROW_SPACE] == o.SHARED else 0
    raw = chunk.registers[warp, register : register + size * WARP].view(kind).astype(np.int64)
    addresses = [int(address) + int(row[o.ROW_IMM]) + window for address in raw]
    regions = [_region(address) if (lanes >> lane) & 1 else -1 for lane, address in enumerate(addresses)]
    region = next((one for one in regions if one >= 0), -1)
    base = int(chunk.tables["REGION_BASE"][region]) if region >= 0 else 0
    return region, [at - base if one == region >= 0 else -1 for one, at in zip(regions, addresses, strict=True)]


def _region(address: int) -> int:
    """The number of the array, as machine/memory/addresses.py has it."""
    if 1 <= address >> o.GLOBAL_SHIFT <= o.MAX_GLOBALS:
        return (address >> o.GLOBAL_SHIFT) - 1
    variable = ((address & (o.SHARED_WINDOW - 1)) >> o.WINDOW_SHIFT) - 1
    is_shared = address >> o.SPACE_SHIFT == o.SHARED_NUMBER and 0 <= variable < o.MAX_SHARED
    return o.FIRST_SHARED + variable if is_shared else -1


def _is_tracked(chunk: Chunk, region: int) -> bool:
    return bool(chunk.tables["REGION_KIND"][region] == o.TRACKED)


def _stands(chunk: Chunk) -> dict[int, int]:
    """The barrier that each warp waits at, -1 of one that has ended; nothing of those that could go on."""
    found = {}
    for warp in range(chunk.warps):
        rows = chunk.fragments[warp, : chunk.fragment_counts[warp]]
        waits = rows[rows[:, STATUS] == AT_BARRIER, WAITS_AT]
        if not len(rows):
            found[warp] = -1
        elif len(waits) == len(rows):
            found[warp] = int(waits[0])
    return found
