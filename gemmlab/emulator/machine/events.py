"""What the interpreter writes down when a kernel does something wrong: one row a distinct place, with a count.

An event is begun with what each has, gets its other columns by name, and is kept:

    event = begin(state, e.MISALIGNED_READ, pc, thread)
    set64(event, e.REGION, region)
    keep(state, event)
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.state import get, put, set32, set64, word32, word64

# fmt: off
KIND_NAMES = """
RACE_RAW RACE_WAR RACE_WAW RACE_SAME_VALUE RACE_ASYNC
BARRIER_EXITED BARRIER_OTHER_IN_WARP BARRIER_OTHER_IN_BLOCK BARRIER_DEADLOCK WARP_SYNC_MISSING WARP_SYNC_OUTSIDER
OUT_OF_BOUNDS_READ OUT_OF_BOUNDS_WRITE MISALIGNED_READ MISALIGNED_WRITE
UNDEFINED_STORE UNDEFINED_BRANCH UNDEFINED_ADDRESS
INPUT_WRITTEN UNSUPPORTED_INSTRUCTION TRAPPED OUT_OF_WORK ASYNC_OVERFLOW
OBJECT_UNSET OBJECT_STUCK OBJECT_BYTES_MISSING RACE_READ_ONLY BARRIER_WARP_ENDED BARRIER_WITHOUT_GROUP
""".split()
(
    RACE_RAW, RACE_WAR, RACE_WAW, RACE_SAME_VALUE, RACE_ASYNC,
    BARRIER_EXITED, BARRIER_OTHER_IN_WARP, BARRIER_OTHER_IN_BLOCK, BARRIER_DEADLOCK, WARP_SYNC_MISSING,
    WARP_SYNC_OUTSIDER,
    OUT_OF_BOUNDS_READ, OUT_OF_BOUNDS_WRITE, MISALIGNED_READ, MISALIGNED_WRITE,
    UNDEFINED_STORE, UNDEFINED_BRANCH, UNDEFINED_ADDRESS,
    INPUT_WRITTEN, UNSUPPORTED_INSTRUCTION, TRAPPED, OUT_OF_WORK, ASYNC_OVERFLOW,
    OBJECT_UNSET, OBJECT_STUCK, OBJECT_BYTES_MISSING, RACE_READ_ONLY, BARRIER_WARP_ENDED, BARRIER_WITHOUT_GROUP,
) = range(29)

# Columns of an event row. Places are instruction numbers; -1 where there is none. Events that agree in the first
# IDENTITY columns are one, counted again. REASON: why devices are not ordered (peers/publications.py).
COLUMNS = """
KIND PC OTHER_PC REGION OFFSET THREAD OTHER_THREAD BLOCK OTHER_BLOCK TILE OTHER_TILE COUNT SIZE REASON
""".split()
(
    KIND, PC, OTHER_PC, REGION, OFFSET, THREAD, OTHER_THREAD, BLOCK, OTHER_BLOCK, TILE, OTHER_TILE, COUNT, SIZE, REASON,
) = range(14)
# fmt: on
EVENT_ROW = len(COLUMNS)
IDENTITY = OFFSET
MOST_KEPT = 4096  # a power of two
NONE = np.int64(-1)


@compiled_as("int64(int64, int64, int64, int64)")
def begin(state, kind, pc, thread):
    """A row for an event of `thread` at `pc` in this block, behind those that are kept."""
    event = get(state, s.EVENTS) + 8 * EVENT_ROW * get(state, s.EVENT_COUNT)
    for column in range(EVENT_ROW):
        set64(event, column, -1)
    set64(event, KIND, kind)
    set64(event, PC, pc)
    set64(event, OFFSET, 0)
    set64(event, THREAD, thread)
    set64(event, BLOCK, get(state, s.BLOCK))
    set64(event, COUNT, 1)
    set64(event, SIZE, 0)
    return event


@compiled_as("boolean(int64, int64)")
def _is_same(row, event):
    for column in range(IDENTITY):
        if word64(row, column) != word64(event, column):
            return False
    return True


@compiled_as("boolean(int64)")
def _in_one_warp(event):
    return word64(event, THREAD) >> 5 == word64(event, OTHER_THREAD) >> 5


@compiled_as("int64(int64, int64, int64, int64)")
def _place_of(state, kind, pc, other_pc):
    """Where KEPT_EVENTS has the number of an event of that kind and place, if it is one that was kept last."""
    return get(state, s.KEPT_EVENTS) + 4 * ((pc * 61 + other_pc * 7 + kind) & (MOST_KEPT - 1))


@compiled_as("boolean(int64, int64, int64, int64, int64, boolean, int64)")
def is_kept(state, kind, pc, other_pc, region, in_one_warp, times):
    """Whether there is an event of that kind and place, as clear an example: then it is counted so often again."""
    number = word32(_place_of(state, kind, pc, other_pc), 0) - 1
    if number < 0:
        return False
    row = get(state, s.EVENTS) + 8 * EVENT_ROW * number
    if word64(row, KIND) != kind or word64(row, PC) != pc or word64(row, OTHER_PC) != other_pc:
        return False
    if word64(row, REGION) != region or (_in_one_warp(row) and not in_one_warp):
        return False
    set64(row, COUNT, word64(row, COUNT) + times)
    return True


@compiled_as("void(int64, int64)")
def keep(state, event):
    """Keep the event that was begun last; one of the same kind and place is counted once more instead.

    Two threads of different warps make the clearer example: of those that are one, such a one is kept.
    """
    count = get(state, s.EVENT_COUNT)
    kept_at = _place_of(state, word64(event, KIND), word64(event, PC), word64(event, OTHER_PC))
    for number in range(count - 1, -1, -1):
        row = get(state, s.EVENTS) + 8 * EVENT_ROW * number
        if _is_same(row, event):
            set64(row, COUNT, word64(row, COUNT) + 1)
            set32(kept_at, 0, number + 1)
            if _in_one_warp(row) and not _in_one_warp(event):
                for column in range(OFFSET, COUNT):
                    set64(row, column, word64(event, column))
            return
    if count < get(state, s.EVENT_CAPACITY):
        put(state, s.EVENT_COUNT, count + 1)
        set32(kept_at, 0, count + 1)


@compiled_as("void(int64, int64, int64, int64, int64)")
def record(state, kind, pc, thread, size):
    """An event that concerns one thread and no array."""
    event = begin(state, kind, pc, thread)
    set64(event, SIZE, size)
    keep(state, event)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def record_place(state, kind, pc, region, offset, thread, size):
    """An event that concerns one thread's access of one array."""
    event = begin(state, kind, pc, thread)
    set64(event, REGION, region)
    set64(event, OFFSET, offset)
    set64(event, SIZE, size)
    keep(state, event)
