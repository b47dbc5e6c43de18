"""What the interpreter writes down when a kernel does something wrong: one row a distinct place, with a count."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.state import BLOCK, EVENT_CAPACITY, EVENT_COUNT, EVENTS, get, put, set64, word64

_KINDS = """
RACE_RAW RACE_WAR RACE_WAW RACE_SAME_VALUE RACE_ASYNC
BARRIER_EXITED BARRIER_OTHER_IN_WARP BARRIER_OTHER_IN_BLOCK BARRIER_DEADLOCK WARP_SYNC_MISSING WARP_SYNC_OUTSIDER
OUT_OF_BOUNDS_READ OUT_OF_BOUNDS_WRITE MISALIGNED_READ MISALIGNED_WRITE
UNDEFINED_STORE UNDEFINED_BRANCH UNDEFINED_ADDRESS
INPUT_WRITTEN UNSUPPORTED_INSTRUCTION TRAPPED OUT_OF_WORK ASYNC_OVERFLOW
""".split()
KIND = {name: number for number, name in enumerate(_KINDS)}
KIND_NAMES = _KINDS
globals().update(KIND)

# Columns of an event row.
COLUMNS = "KIND PC OTHER_PC REGION OFFSET THREAD OTHER_THREAD BLOCK OTHER_BLOCK TILE OTHER_TILE COUNT SIZE".split()
EVENT_ROW = len(COLUMNS)
_COUNT, _OFFSET, _THREAD = (COLUMNS.index(name) for name in ("COUNT", "OFFSET", "THREAD"))


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def record(state, kind, pc, other_pc, region, offset, thread, other_thread, other_block, tile, other_tile, size):
    """Note one event; the same kind at the same two places in the same array is counted once more instead."""
    events, count = get(state, EVENTS), get(state, EVENT_COUNT)
    for n in range(count - 1, -1, -1):
        row = events + 8 * EVENT_ROW * n
        if word64(row, 0) == kind and word64(row, 1) == pc and word64(row, 2) == other_pc and word64(row, 3) == region:
            set64(row, _COUNT, word64(row, _COUNT) + 1)
            if word64(row, _THREAD) >> 5 != word64(row, _THREAD + 1) >> 5 or thread >> 5 == other_thread >> 5:
                return
            # Two threads of different warps make the clearer example: keep those.
            values = (offset, thread, other_thread, get(state, BLOCK), other_block, tile, other_tile)
            for column in range(7):
                set64(row, _OFFSET + column, values[column])
            return
    if count == get(state, EVENT_CAPACITY):
        return
    row = events + 8 * EVENT_ROW * count
    values = (
        kind,
        pc,
        other_pc,
        region,
        offset,
        thread,
        other_thread,
        get(state, BLOCK),
        other_block,
        tile,
        other_tile,
        1,
        size,
    )
    for n in range(EVENT_ROW):
        set64(row, n, values[n])
    put(state, EVENT_COUNT, count + 1)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def record_place(state, kind, pc, region, offset, thread, size):
    """An event that concerns one thread and no other."""
    record(
        state,
        kind,
        pc,
        np.int64(-1),
        region,
        offset,
        thread,
        np.int64(-1),
        np.int64(-1),
        np.int64(-1),
        np.int64(-1),
        size,
    )
