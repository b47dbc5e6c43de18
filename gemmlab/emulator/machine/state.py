"""The machine's state as compiled code sees it: a block of 64-bit words, one a field, most of them addresses of arrays.

Passing one address instead of forty arrays keeps calls inside the interpreter cheap. The arrays are allocated, and kept
alive, by `machine.py`.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine.bits import peek8, peek16, peek32, peek64, poke8, poke16, poke32, poke64
from gemmlab.emulator.machine.jit import compiled_as

# fmt: off
(
    CODE, CODE_LENGTH, VECTOR_TABLE,
    WARP_BASE, WARP_BYTES, WARP_TEMPLATE, WARPS, THREADS, SLOT_OFFSET, SLOT_BYTES, ORIGIN_SHIFT, ENTRY_PC,
    FRAGMENTS, FRAGMENT_COUNT, EXITED, PRESENT,
    EXIT_PC, BARRIER_ARRIVED, BARRIER_MEMBERS,
    WARP_ORDER, FORCE_EXCHANGE,
    REGION_BASE, REGION_SIZE, REGION_HOST, REGION_KIND, REGION_SHADOW, REGION_COUNT,
    SHARED_HOST, SHARED_BYTES, LOCAL_HOST, LOCAL_BYTES, LOCAL_DEFINED,
    SHADOW_WRITE, SHADOW_READ1, SHADOW_READ2, SHADOW_DEFINED, SHADOW_TILE, SHADOW_ORIGIN,
    SITE_PC, GRANULE_SHIFT, SHARED_GRANULES,
    SHADOW_PLAIN, GLOBAL_WRITE_BLOCK, GLOBAL_PLAIN_BLOCK, GLOBAL_READ1_BLOCK, GLOBAL_READ2_BLOCK,
    ORDERS, FENCED, FENCED_DEVICE, PUBLISHED, BLOCK_PUBLISHED, BLOCK_WORDS, MET_WORDS,
    NOW, INTERVAL_START, BLOCK_START, WARP_START, SEEN_LANES, SEEN_WARPS,
    TILE, STORE_INTERVAL,
    PATTERN_ADDRESS, PATTERN_META, PATTERN_WORDS, PATTERN_START,
    COUNTERS,
    ADDRESSES,
    ASYNC_QUEUE, ASYNC_CAPACITY, ASYNC_COUNT, ASYNC_GROUP,
    EVENTS, EVENT_CAPACITY, EVENT_COUNT,
    BUDGET, STOP, CHECKS,
    BLOCK, GRID_X, GRID_Y, GRID_Z, BLOCK_X, BLOCK_Y, BLOCK_Z, SPECIAL_ROWS,
    PRINT_BUFFER, PRINT_CAPACITY, PRINT_USED, PRINT_LOST,
    TENSOR_TABLE,
    TURNS, YIELD,
    OBJECTS, OBJECT_COUNT, STUCK_OBJECT, STUCK_THREAD, STUCK_PC,
    SHADOW_READ_ONLY,
    TURN, TURN_WARP, STOPS, HOLDS,
    WORLD, FIRST_BLOCK, BLOCK_STRIDE, SHARED_FIRST, SHARED_END, FIRST_PEER,
    FENCED_SYSTEM, SEEN, KNOWN, DEVICE_KNOWN,
    QUESTIONS, ASKED_AT, ASKS, RESUMES, GIVES_WAY,
    WARP_READS, BARRIER_CAME, BARRIER_KNOWN,
    KEPT_EVENTS,
) = range(121)
# fmt: on
FIELD = {name: number for name, number in list(globals().items()) if name.isupper() and isinstance(number, int)}
FIELD_COUNT = len(FIELD)


@compiled_as("int64(int64, int64)")
def get(state, field):
    return np.int64(peek64(state + 8 * field))


@compiled_as("void(int64, int64, int64)")
def put(state, field, value):
    poke64(state + 8 * field, np.uint64(value))


@compiled_as("int64(int64, int64)")
def word64(base, index):
    return np.int64(peek64(base + 8 * index))


@compiled_as("void(int64, int64, int64)")
def set64(base, index, value):
    poke64(base + 8 * index, np.uint64(value))


@compiled_as("int64(int64, int64)")
def word32(base, index):
    return np.int64(np.int32(peek32(base + 4 * index)))


@compiled_as("void(int64, int64, int64)")
def set32(base, index, value):
    poke32(base + 4 * index, np.uint32(value))


@compiled_as("uint32(int64, int64)")
def mask32(base, index):
    """A mask of lanes."""
    return peek32(base + 4 * index)


@compiled_as("int64(int64, int64)")
def word16(base, index):
    return np.int64(np.int16(peek16(base + 2 * index)))


@compiled_as("void(int64, int64, int64)")
def set16(base, index, value):
    poke16(base + 2 * index, np.uint16(value))


@compiled_as("int64(int64, int64)")
def byte(base, index):
    return np.int64(peek8(base + index))


@compiled_as("void(int64, int64, int64)")
def set_byte(base, index, value):
    poke8(base + index, np.uint8(value))
