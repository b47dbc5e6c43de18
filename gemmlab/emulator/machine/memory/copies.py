"""cp.async: copies from global to shared memory that are under way until the copying thread waits for them."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, next_lane, peek8, peek32, peek64
from gemmlab.emulator.machine.events import record_place
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.memory.addresses import (
    compute_addresses,
    is_inside,
    is_shared,
    locate,
    offset_in,
    sound_lanes,
)
from gemmlab.emulator.machine.memory.stores import enter_tile
from gemmlab.emulator.machine.registers import field
from gemmlab.emulator.machine.requests import count_global, count_peer, count_shared, pattern
from gemmlab.emulator.machine.shadow import (
    DEFINED,
    IN_FLIGHT,
    PLAIN,
    SITE_SHIFT,
    TIME_SHIFT,
    note_write,
    stamp,
    write_conflict,
)
from gemmlab.emulator.machine.stack import words
from gemmlab.emulator.machine.state import byte, get, put, set32, set64, set_byte, word32, word64

# Columns of a copy under way: host addresses, bytes of the target and from the source, the group that it is committed
# with, its thread, the words of the shadow that it fills, its memory instruction, the barrier object that waits for it
# (the place of its first word; -1: none), when it was handed over to that, and whether the object counts its bytes.
TARGET, SOURCE, SIZE, ACTUAL, GROUP, THREAD, FIRST_GRANULE, GRANULES, SITE, OBJECT, TIME, IS_BULK = range(12)
QUEUE_ROW = 12
WIDEST = 16  # bytes: what an address must be a multiple of, at most


@compiled
def async_copy(state, warp, row, lanes, base, pc):
    """Start copies global -> shared. Nothing is moved before the copying thread waits; until then the words are in
    flight."""
    size = field(row, o.ROW_SIZE)
    addresses = get(state, s.ADDRESSES)
    compute_addresses(state, row, base)
    lanes = sound_lanes(state, warp, row, lanes, base, pc, size, True)
    targets, sources = words(32), words(32)
    for lane in range(32):
        targets[lane] = word64(addresses, lane)
    reading = NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        sources[lane] = np.int64(peek64(base + field(row, o.ROW_B) + 8 * lane)) + field(row, o.ROW_AUX)
        actual = min(np.int64(peek32(base + field(row, o.ROW_C) + 4 * lane)), size)
        reading |= lane_bit(lane) if actual > 0 else NO_LANES
        start_copy(state, row, warp * 32 + lane, pc, targets[lane], sources[lane], field(row, o.ROW_SIZE), actual)
    _count_async(state, row, pc, lanes, reading, targets, sources, size)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64, int64)")
def start_copy(state, row, thread, pc, target, source, size, actual):
    from_host = _source(state, thread, pc, source, actual, size)
    region = locate(state, target)
    offset = offset_in(state, region, target)
    if not (is_shared(region) and is_inside(state, region, offset, size)):
        record_place(state, e.OUT_OF_BOUNDS_WRITE, pc, region, offset, thread, size)
    elif from_host != 0 or actual == 0:
        _enqueue(state, thread, pc, field(row, o.ROW_SITE), region, offset, from_host, size, actual)


@compiled_as("int64(int64, int64, int64, int64, int64, int64)")
def _source(state, thread, pc, address, actual, size):
    """The host address to copy from, or 0 where the source is outside or misaligned (reported) or nothing is read."""
    if actual <= 0:
        return np.int64(0)
    region = locate(state, address)
    offset = offset_in(state, region, address)
    unit = min(size, WIDEST)
    if address & (unit - 1):
        record_place(state, e.MISALIGNED_READ, pc, region, offset, thread, unit)
        return np.int64(0)
    if region >= o.FIRST_SHARED or not is_inside(state, region, offset, actual):
        record_place(state, e.OUT_OF_BOUNDS_READ, pc, region, offset, thread, actual)
        return np.int64(0)
    return word64(get(state, s.REGION_HOST), region) + offset


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def _enqueue(state, thread, pc, site, region, offset, source, size, actual):
    """Note a copy of `size` bytes, of which `actual` come from the source and the rest are zeros."""
    count = get(state, s.ASYNC_COUNT)
    if count == get(state, s.ASYNC_CAPACITY):
        record_place(state, e.ASYNC_OVERFLOW, pc, region, offset, thread, size)
        return
    shift = get(state, s.GRANULE_SHIFT)
    first = word64(get(state, s.REGION_SHADOW), region) + (offset >> shift)
    granules = max(size >> shift, 1)
    stamped = (np.int64(IN_FLIGHT) << TIME_SHIFT) | (site << SITE_SHIFT) | thread
    tile = enter_tile(state, thread >> 5)
    if get(state, s.CHECKS):
        for granule in range(first, first + granules):
            at = offset + ((granule - first) << shift)
            write_conflict(state, pc, granule, region, at, thread, PLAIN, False)
            note_write(state, granule, stamped, tile, byte(get(state, s.SHADOW_DEFINED), granule))
    copy = get(state, s.ASYNC_QUEUE) + 8 * QUEUE_ROW * count
    set64(copy, TARGET, word64(get(state, s.REGION_HOST), region) + offset)
    set64(copy, SOURCE, source)
    set64(copy, SIZE, size)
    set64(copy, ACTUAL, actual)
    set64(copy, GROUP, word32(get(state, s.ASYNC_GROUP), thread))
    set64(copy, THREAD, thread)
    set64(copy, FIRST_GRANULE, first)
    set64(copy, GRANULES, granules)
    set64(copy, SITE, site)
    set64(copy, OBJECT, -1)
    set64(copy, IS_BULK, 0)
    put(state, s.ASYNC_COUNT, count + 1)


@compiled
def _count_async(state, row, pc, lanes, reading, targets, sources, size):
    """A copy is a request to global memory and a store to shared memory."""
    if not get(state, s.CHECKS) or lanes == NO_LANES:
        return
    addresses, site = get(state, s.ADDRESSES), field(row, o.ROW_SITE)
    for lane in range(32):
        set64(addresses, lane, targets[lane])
    meta = pattern(state, site, lanes, size, True, False)
    count_shared(state, pc, meta, lanes, size, True)
    if reading != NO_LANES:
        for lane in range(32):
            set64(addresses, lane, sources[lane])
        meta = pattern(state, site + 1, reading, size, False, True)
        count_global(state, pc, meta, reading, size, True)
        if locate(state, word64(addresses, first_lane(reading))) >= get(state, s.FIRST_PEER):
            count_peer(state, pc, meta, reading, size)


@compiled
def forget_copies(state):
    """The copies of a block that ended before they arrived are none of the next block's."""
    if get(state, s.ASYNC_COUNT) > 0 and get(state, s.CHECKS):
        for granule in range(get(state, s.SHARED_FIRST), get(state, s.SHARED_END)):
            if word64(get(state, s.SHADOW_WRITE), granule) >> TIME_SHIFT == IN_FLIGHT:
                set64(get(state, s.SHADOW_WRITE), granule, 0)
    put(state, s.ASYNC_COUNT, 0)


@compiled
def async_commit(state, warp, lanes):
    groups, todo = get(state, s.ASYNC_GROUP), lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        set32(groups, warp * 32 + lane, word32(groups, warp * 32 + lane) + 1)


@compiled
def async_wait(state, warp, lanes, allowed):
    """Finish the copies of these lanes except their last `allowed` committed groups (-1: all, committed or not)."""
    kept, queue = np.int64(0), get(state, s.ASYNC_QUEUE)
    for n in range(get(state, s.ASYNC_COUNT)):
        copy = queue + 8 * QUEUE_ROW * n
        thread = word64(copy, THREAD)
        mine = thread >> 5 == warp and lanes & lane_bit(thread & 31) != NO_LANES
        open_group = word32(get(state, s.ASYNC_GROUP), thread)
        if mine and (allowed < 0 or word64(copy, GROUP) < open_group - allowed):
            finish(state, copy)
        else:
            keep_copy(queue, n, kept)
            kept += 1
    put(state, s.ASYNC_COUNT, kept)


@compiled_as("void(int64, int64, int64)")
def keep_copy(queue, number, place):
    """Move a copy that is still under way forward in the queue."""
    if number != place:
        for column in range(QUEUE_ROW):
            set64(queue + 8 * QUEUE_ROW * place, column, word64(queue + 8 * QUEUE_ROW * number, column))


@compiled_as("void(int64, int64, int64)")
def hand_over(state, copy, place):
    """From now on a barrier object waits for the copy, and it counts as done now."""
    set64(copy, OBJECT, place)
    set64(copy, TIME, get(state, s.NOW))
    put(state, s.NOW, get(state, s.NOW) + 1)


@compiled_as("void(int64, int64)")
def finish(state, copy):
    """The copy arrives: its bytes are there, written now by the copying thread."""
    target, source, actual = word64(copy, TARGET), word64(copy, SOURCE), word64(copy, ACTUAL)
    for at in range(word64(copy, SIZE)):
        set_byte(target, at, peek8(source + at) if at < actual else np.uint8(0))
    stamped = stamp(state, word64(copy, SITE), False) | word64(copy, THREAD)
    if word64(copy, OBJECT) >= 0:
        stamped = (word64(copy, TIME) << TIME_SHIFT) | (word64(copy, SITE) << SITE_SHIFT) | word64(copy, THREAD)
    first = word64(copy, FIRST_GRANULE)
    for granule in range(first, first + word64(copy, GRANULES)):
        if get(state, s.CHECKS) and word64(get(state, s.SHADOW_WRITE), granule) >> TIME_SHIFT == IN_FLIGHT:
            set64(get(state, s.SHADOW_WRITE), granule, stamped)
        set_byte(get(state, s.SHADOW_DEFINED), granule, DEFINED)
