"""Barrier objects in shared memory (mbarrier): a count of arrivals, counted down again and again, phase by phase.

The object's eight bytes are opaque, so its numbers are kept here, one row an object. With a phase goes what its
arrivals order: each thread hands on what it did before it arrived, and what it knew of others; whoever sees the phase
end learns all of that. Times are those of shadow.py. Copies that an object waits for are under way until somebody looks
at it: then they arrive, if nothing else is missing, with the time at which they were handed over.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, lane_bit, next_lane
from gemmlab.emulator.machine.events import NONE, begin, keep, record_place
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.memory.addresses import (
    compute_addresses,
    is_inside,
    is_shared,
    lane_address,
    locate,
    offset_in,
    sound_lanes,
)
from gemmlab.emulator.machine.memory.atomics import atomic_access
from gemmlab.emulator.machine.memory.copies import (
    IS_BULK,
    OBJECT,
    QUEUE_ROW,
    SIZE,
    THREAD,
    TIME,
    finish,
    hand_over,
    keep_copy,
    start_copy,
)
from gemmlab.emulator.machine.orders import raise_time
from gemmlab.emulator.machine.registers import define, field, lane_bits, set_lane, set_predicate, vector_entry
from gemmlab.emulator.machine.shadow import (
    DEFINED,
    OF_DEVICE,
    PLAIN,
    WARP_SHIFT,
    lane_pair,
    note_write,
    stamp,
    write_conflict,
)
from gemmlab.emulator.machine.state import get, mask32, put, set64, word32, word64

# Columns of an object: its first word in the shadow (-1: it is none any more), arrivals that a phase needs and that are
# still missing, how many of these are copies' arrivals, bytes of bulk copies still missing, the number of the phase.
# And where in which array it lies.
PLACE, EXPECTED, PENDING, COPIES, BYTES, PHASE, REGION, OFFSET = range(8)
HEADER = 8
MOST_OBJECTS = 64
OBJECT_BYTES = 8
BULK_UNIT = 16  # bytes of a bulk copy come in so many


# ---- rows: behind the header, of each thread when it arrived last, and the same as of the end of the last phase; then
# both of each warp: when all of its lanes had arrived, or what those who arrived knew of it


@compiled_as("int64(int64)")
def object_words(warps):
    """64-bit words of a row."""
    return HEADER + 2 * 32 * warps + 2 * warps


@compiled_as("int64(int64, int64)")
def _row(state, number):
    return get(state, s.OBJECTS) + 8 * object_words(get(state, s.WARPS)) * number


@compiled_as("int64(int64)")
def _arrived(row):
    return row + 8 * HEADER


@compiled_as("int64(int64, int64)")
def _ended(state, row):
    return _arrived(row) + 8 * 32 * get(state, s.WARPS)


@compiled_as("int64(int64, int64)")
def _known(state, row):
    return _ended(state, row) + 8 * 32 * get(state, s.WARPS)


@compiled_as("int64(int64, int64)")
def _known_at_end(state, row):
    return _known(state, row) + 8 * get(state, s.WARPS)


@compiled_as("int64(int64, int64)")
def _find(state, granule):
    """The row of the object that begins at this word, or -1."""
    for number in range(get(state, s.OBJECT_COUNT)):
        row = _row(state, number)
        if word64(row, PLACE) == granule:
            return row
    return NONE


@compiled_as("int64(int64, int64, int64)")
def _create(state, granule, count):
    """A fresh object; in the place of one that was there, if there was one. -1: there is no room."""
    row = _find(state, granule)
    if row < 0:
        number = get(state, s.OBJECT_COUNT)
        if number == MOST_OBJECTS:
            return NONE
        put(state, s.OBJECT_COUNT, number + 1)
        row = _row(state, number)
    for word in range(object_words(get(state, s.WARPS))):
        set64(row, word, 0)
    set64(row, PLACE, granule)
    set64(row, EXPECTED, count)
    set64(row, PENDING, count)
    return row


# ---- what a phase orders


@compiled_as("void(int64, int64, int64)")
def _hand_on(state, row, thread):
    """What the thread did, and what it knew of others, goes with the phase."""
    now, warp, lane = get(state, s.NOW) + 1, thread >> WARP_SHIFT, thread & 31
    put(state, s.NOW, now)
    since = max(get(state, s.INTERVAL_START), word64(get(state, s.WARP_START), warp))
    for other in range(32):
        known = max(since, word64(get(state, s.SEEN_LANES), lane_pair(warp, lane, other)))
        raise_time(_arrived(row), (warp << WARP_SHIFT) + other, known)
    raise_time(_arrived(row), thread, now)
    for other in range(get(state, s.WARPS)):
        if other != warp:
            raise_time(_known(state, row), other, word64(get(state, s.SEEN_WARPS), warp * get(state, s.WARPS) + other))


@compiled_as("void(int64, int64)")
def _end_phase(state, row):
    set64(row, PHASE, word64(row, PHASE) + 1)
    set64(row, PENDING, word64(row, EXPECTED))
    set64(row, COPIES, 0)
    for warp in range(get(state, s.WARPS)):
        slowest = np.int64(1) << 62
        for lane in range(32):
            time = word64(_arrived(row), (warp << WARP_SHIFT) + lane)
            set64(_ended(state, row), (warp << WARP_SHIFT) + lane, time)
            if mask32(get(state, s.PRESENT), warp) & lane_bit(lane) != NO_LANES:
                slowest = min(slowest, time)
        set64(_known_at_end(state, row), warp, max(slowest, word64(_known(state, row), warp)))


@compiled_as("void(int64, int64, int64)")
def _learn(state, row, thread):
    """The thread saw that the phase has ended."""
    warp, warps = thread >> WARP_SHIFT, get(state, s.WARPS)
    for other in range(32):
        time = word64(_ended(state, row), (warp << WARP_SHIFT) + other)
        raise_time(get(state, s.SEEN_LANES), lane_pair(warp, thread & 31, other), time)
    for other in range(warps):
        if other != warp:
            raise_time(get(state, s.SEEN_WARPS), warp * warps + other, word64(_known_at_end(state, row), other))


# ---- copies


@compiled_as("int64(int64, int64)")
def _bytes_coming(state, row):
    """Of the bulk copies under way to this object."""
    coming = np.int64(0)
    for n in range(get(state, s.ASYNC_COUNT)):
        copy = get(state, s.ASYNC_QUEUE) + 8 * QUEUE_ROW * n
        if word64(copy, OBJECT) == word64(row, PLACE) and word64(copy, IS_BULK):
            coming += word64(copy, SIZE)
    return coming


@compiled_as("void(int64, int64)")
def _let_copies_arrive(state, row):
    """If nothing else is missing, the copies that the object waits for arrive, and the phase ends."""
    if word64(row, PENDING) > word64(row, COPIES) or word64(row, BYTES) != _bytes_coming(state, row):
        return
    queue, kept = get(state, s.ASYNC_QUEUE), np.int64(0)
    for n in range(get(state, s.ASYNC_COUNT)):
        copy = queue + 8 * QUEUE_ROW * n
        if word64(copy, OBJECT) == word64(row, PLACE):
            finish(state, copy)
            raise_time(_known(state, row), word64(copy, THREAD) >> WARP_SHIFT, word64(copy, TIME) + 1)
        else:
            keep_copy(queue, n, kept)
            kept += 1
    put(state, s.ASYNC_COUNT, kept)
    set64(row, BYTES, 0)
    _end_phase(state, row)


@compiled_as("void(int64, int64, int64, boolean)")
def _await_copies(state, row, thread, counted):
    """cp.async.mbarrier.arrive: one more arrival, when the copies that the thread has begun are there. `counted`: it is
    among those that the phase needs anyway."""
    set64(row, COPIES, word64(row, COPIES) + 1)
    if not counted:
        set64(row, PENDING, word64(row, PENDING) + 1)
    for n in range(get(state, s.ASYNC_COUNT)):
        copy = get(state, s.ASYNC_QUEUE) + 8 * QUEUE_ROW * n
        if word64(copy, THREAD) == thread and word64(copy, OBJECT) < 0:
            hand_over(state, copy, word64(row, PLACE))


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def bulk_copy(state, warp, row, lanes, base, pc):
    """cp.async.bulk from global to shared memory, which an object counts by its bytes."""
    size_at, target = base + field(row, o.ROW_C), vector_entry(state, row, 0)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        thread, size = warp * 32 + lane, np.int64(lane_bits(size_at, 0, lane))
        place = base + word32(target, o.ENTRY_PLACE)
        address = np.int64(lane_bits(place, word32(target, o.ENTRY_WIDE), lane)) + field(row, o.ROW_AUX2)
        number = _object_at(state, thread, pc, address + o.SHARED_WINDOW)
        if number < 0 or size <= 0 or size & (BULK_UNIT - 1):
            continue
        source = np.int64(lane_bits(base + field(row, o.ROW_B), 1, lane)) + field(row, o.ROW_AUX)
        start_copy(state, row, thread, pc, lane_address(row, base, lane), source, size, size)
        copy = get(state, s.ASYNC_QUEUE) + 8 * QUEUE_ROW * (get(state, s.ASYNC_COUNT) - 1)
        if get(state, s.ASYNC_COUNT) > 0 and word64(copy, THREAD) == thread and word64(copy, OBJECT) < 0:
            set64(copy, IS_BULK, 1)
            hand_over(state, copy, word64(number, PLACE))


# ---- instructions


@compiled_as("int64(int64, int64, int64, int64)")
def _granule_at(state, thread, pc, address):
    """The first word in the shadow of an object at this address; -1 where none can be (reported)."""
    region = locate(state, address)
    offset = offset_in(state, region, address)
    if not (is_shared(region) and is_inside(state, region, offset, OBJECT_BYTES)):
        record_place(state, e.OUT_OF_BOUNDS_WRITE, pc, region, offset, thread, OBJECT_BYTES)
        return NONE
    return word64(get(state, s.REGION_SHADOW), region) + (offset >> get(state, s.GRANULE_SHIFT))


@compiled_as("int64(int64, int64, int64, int64)")
def _object_at(state, thread, pc, address):
    """The object at this address; -1 where none was initialised (reported)."""
    granule = _granule_at(state, thread, pc, address)
    if granule < 0:
        return NONE
    row = _find(state, granule)
    if row < 0:
        region = locate(state, address)
        offset = offset_in(state, region, address)
        record_place(state, e.OBJECT_UNSET, pc, region, offset, thread, OBJECT_BYTES)
    return row


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def barrier_object(state, warp, row, lanes, base, pc):
    """An instruction on barrier objects, lane after lane."""
    compute_addresses(state, row, base)
    form = field(row, o.ROW_AUX)
    todo = sound_lanes(state, warp, row, lanes, base, pc, np.int64(OBJECT_BYTES), True)
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        thread, address = warp * 32 + lane, word64(get(state, s.ADDRESSES), lane)
        operand = np.int64(lane_bits(base + field(row, o.ROW_B), 0, lane))
        if form == o.OBJECT_INIT:
            _initialise(state, row, thread, pc, address, operand)
            continue
        found = _object_at(state, thread, pc, address)
        if found >= 0:
            _access(state, row, thread, pc, found)
        if form == o.OBJECT_WAIT or form == o.OBJECT_WAIT_PARITY:
            token = lane_bits(base + field(row, o.ROW_C), 1, lane)
            ended = found < 0 or _wait(state, found, thread, form, np.int64(token), operand, pc)
            set_predicate(base + field(row, o.ROW_D), lane_bit(lane), lane_bit(lane) if ended else NO_LANES)
        elif found >= 0:
            token = _change(state, row, found, thread, form, operand)
            if form == o.OBJECT_ARRIVE:
                set_lane(base + field(row, o.ROW_D), 1, lane, np.uint64(token))
    if form == o.OBJECT_ARRIVE or form == o.OBJECT_WAIT or form == o.OBJECT_WAIT_PARITY:
        define(state, base + field(row, o.ROW_OK_D), lanes, lanes, np.int64(0))


@compiled_as("void(int64, int64, int64, int64, int64)")
def _access(state, row, thread, pc, found):
    """The object's own words: those who use it do not race with each other, but with who initialises it."""
    if get(state, s.CHECKS):
        words = max(OBJECT_BYTES >> get(state, s.GRANULE_SHIFT), 1)
        for granule in range(word64(found, PLACE), word64(found, PLACE) + words):
            offset = word64(found, OFFSET)
            atomic_access(state, pc, field(row, o.ROW_SITE), granule, word64(found, REGION), offset, thread, OF_DEVICE)


@compiled_as("void(int64, int64, int64, int64, int64, int64)")
def _initialise(state, row, thread, pc, address, count):
    granule = _granule_at(state, thread, pc, address)
    if granule < 0:
        return
    region = locate(state, address)
    offset = offset_in(state, region, address)
    for at in range(granule, granule + max(OBJECT_BYTES >> get(state, s.GRANULE_SHIFT), 1)):
        if get(state, s.CHECKS):
            write_conflict(state, pc, at, region, offset, thread, PLAIN, False)
            note_write(state, at, stamp(state, field(row, o.ROW_SITE), False) | thread, NONE, DEFINED)
    made = _create(state, granule, count)
    if made < 0:
        record_place(state, e.ASYNC_OVERFLOW, pc, region, offset, thread, np.int64(OBJECT_BYTES))
        return
    set64(made, REGION, region)
    set64(made, OFFSET, offset)


@compiled_as("int64(int64, int64, int64, int64, int64, int64)")
def _change(state, row, found, thread, form, operand):
    """Whatever is no wait. Returns the token of an arrival."""
    token = (word64(found, PHASE) << o.TOKEN_BITS) | word64(found, PENDING)
    if form == o.OBJECT_ARRIVE:
        _arrive(state, row, found, thread, operand)
    elif form == o.OBJECT_EXPECT:
        set64(found, BYTES, word64(found, BYTES) + operand)
    elif form == o.OBJECT_COMPLETE:
        set64(found, BYTES, word64(found, BYTES) - operand)
    elif form == o.OBJECT_COPIES:
        _await_copies(state, found, thread, field(row, o.ROW_AUX2) & o.COUNTED_ANYWAY != 0)
    else:
        set64(found, PLACE, -1)
    return token


@compiled_as("void(int64, int64, int64, int64, int64)")
def _arrive(state, row, found, thread, operand):
    """`operand` is how many arrivals it counts for, or the bytes that it announces; then it counts for one."""
    if word64(found, PENDING) == word64(found, COPIES):
        _let_copies_arrive(state, found)
    count, how = operand, field(row, o.ROW_AUX2)
    if how & o.EXPECTS_BYTES:
        set64(found, BYTES, word64(found, BYTES) + operand)
        count = np.int64(1)
    if how & o.DROPS_OUT:
        set64(found, EXPECTED, word64(found, EXPECTED) - count)
    _hand_on(state, found, thread)
    set64(found, PENDING, word64(found, PENDING) - count)
    if word64(found, PENDING) <= 0 and word64(found, BYTES) == 0:
        _end_phase(state, found)


@compiled_as("boolean(int64, int64, int64, int64, int64, int64, int64)")
def _wait(state, found, thread, form, token, parity, pc):
    """Whether the phase of the token, or the one of that parity, has ended."""
    if not _has_ended(found, form, token, parity):
        _let_copies_arrive(state, found)
    if _has_ended(found, form, token, parity):
        _learn(state, found, thread)
        put(state, s.STUCK_OBJECT, 0)
        put(state, s.YIELD, 0)
        return True
    put(state, s.YIELD, max(get(state, s.YIELD), 1))
    put(state, s.STUCK_OBJECT, found)
    put(state, s.STUCK_THREAD, thread)
    put(state, s.STUCK_PC, pc)
    return False


@compiled_as("boolean(int64, int64, int64, int64)")
def _has_ended(found, form, token, parity):
    phase = word64(found, PHASE)
    return phase & 1 != parity & 1 if form == o.OBJECT_WAIT_PARITY else phase != token >> o.TOKEN_BITS


@compiled_as("void(int64)")
def report_stuck(state):
    """Threads wait for an object whose phase does not end: what is missing, and who has not come."""
    found = get(state, s.STUCK_OBJECT)
    short = word64(found, PENDING) <= word64(found, COPIES)
    event = begin(state, e.OBJECT_BYTES_MISSING if short else e.OBJECT_STUCK, get(state, s.STUCK_PC), NONE)
    set64(event, e.THREAD, get(state, s.STUCK_THREAD))
    set64(event, e.REGION, word64(found, REGION))
    set64(event, e.OFFSET, word64(found, OFFSET))
    missing = word64(found, BYTES) - _bytes_coming(state, found) if short else word64(found, PENDING)
    set64(event, e.SIZE, missing)
    for thread in range(get(state, s.THREADS)):
        if word64(_arrived(found), thread) == word64(_ended(state, found), thread):
            set64(event, e.OTHER_THREAD, thread)
            break
    keep(state, event)
