"""Who touched each word of shared memory and of C, and when: races and reads of words never written.

A record is one 64-bit number: time (36 bits), 'of system scope', 'atomic' (1 each), memory instruction (16), thread
(10). Time is a counter that goes up at each barrier. Two accesses of one word by two threads, one of them a write, race
unless a barrier between them orders the threads:
- a record older than the block's last full barrier is ordered;
- threads of one warp are ordered by __syncwarp (a full one moves WARP_START, one with a mask the matrix SEEN_LANES);
- threads of two warps are ordered by a named barrier both took part in (SEEN_WARPS), where one that only arrives
  hands on what it did before and learns nothing;
- fences and atomics order threads that lock, wait for a flag or count (orders.py), and nothing else orders blocks.

Of each word the last write is kept, the last plain one under an atomic (SHADOW_PLAIN), and two readers: the last one,
and before it one of another block or warp, if there was any since the barrier, or else of another lane. Where barriers
order some warps only, any of the readers may be the one that a write is not ordered with: then two are kept of each
warp (WARP_READS), in shared memory. A word under an asynchronous copy has the time IN_FLIGHT until the copying thread
waits for it, and is ordered with nothing.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, next_lane
from gemmlab.emulator.machine.events import begin, is_kept, keep
from gemmlab.emulator.machine.jit import compiled, compiled_as, inlined
from gemmlab.emulator.machine.orders import from_other_block, join_times, share
from gemmlab.emulator.machine.peers.publications import (
    DEVICE_FLAG,
    NO_WAIT,
    ONE_THREAD,
    READ_FIRST,
    is_handed_over,
    why_not,
)
from gemmlab.emulator.machine.peers.tables import ASKED_BY, device_of, is_of_this_launch, shared_word
from gemmlab.emulator.machine.state import byte, get, put, set16, set32, set64, set_byte, word16, word32, word64

# Bits of a record, from the lowest: thread (its lane, then its warp), memory instruction, 'atomic', 'of system scope',
# time.
LANE_MASK, WARP_SHIFT, THREAD_MASK = 31, 5, 1023
OTHER_WARP = THREAD_MASK & ~LANE_MASK  # bits that tell warps apart
SITE_SHIFT, SITE_MASK = 10, 0xFFFF
ATOMIC_BIT = 1 << 26
SYSTEM_BIT = 1 << 27
TIME_SHIFT = 28
IN_FLIGHT = (1 << 35) - 1

NEVER, DEFINED, UNDEFINED = 0, 1, 2
PLAIN, OF_DEVICE, OF_SYSTEM = 0, 1, 2  # how strong an access is


@inlined
def stamp(state, site, atomic):
    """The record of an access now, without its thread."""
    return (get(state, s.NOW) << TIME_SHIFT) | (ATOMIC_BIT if atomic else 0) | (site << SITE_SHIFT)


@inlined
def strength_bits(strength):
    """Of a record."""
    return ATOMIC_BIT * (strength > PLAIN) | SYSTEM_BIT * (strength == OF_SYSTEM)


@compiled_as("int64(int64, int64, int64)")
def lane_pair(warp, lane, other):
    """The place in SEEN_LANES of what a lane knows of another one of its warp."""
    return (((warp << WARP_SHIFT) + lane) << WARP_SHIFT) + other


@compiled
def ordered(state, old, thread):
    """Whether the recorded access of another thread of this block happens before `thread`'s access now."""
    time, other = old >> TIME_SHIFT, old & THREAD_MASK
    if time == IN_FLIGHT:
        return False
    if time < get(state, s.INTERVAL_START) or other == thread:
        return True
    warp, other_warp = thread >> WARP_SHIFT, other >> WARP_SHIFT
    if warp != other_warp:
        return time < word64(get(state, s.SEEN_WARPS), warp * get(state, s.WARPS) + other_warp)
    if time < word64(get(state, s.WARP_START), warp):
        return True
    return time < word64(get(state, s.SEEN_LANES), lane_pair(warp, thread & LANE_MASK, other & LANE_MASK))


@compiled_as("int64(int64, int64)")
def _pc_of(state, record):
    """The instruction that made a record."""
    return word32(get(state, s.SITE_PC), (record >> SITE_SHIFT) & SITE_MASK)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def _report(state, kind, pc, old, granule, region, offset, thread, other_block):
    shown = np.int64(e.RACE_ASYNC) if (old >> TIME_SHIFT) == IN_FLIGHT else kind
    other_thread, other_pc = old & THREAD_MASK, _pc_of(state, old)
    if is_kept(state, shown, pc, other_pc, region, thread >> WARP_SHIFT == other_thread >> WARP_SHIFT, np.int64(1)):
        return
    event = begin(state, shown, pc, thread)
    set64(event, e.OTHER_PC, other_pc)
    set64(event, e.REGION, region)
    set64(event, e.OFFSET, offset)
    set64(event, e.OTHER_THREAD, other_thread)
    set64(event, e.OTHER_BLOCK, other_block)
    set64(event, e.TILE, word32(get(state, s.TILE), thread >> WARP_SHIFT))
    if kind == e.RACE_WAR or kind == e.RACE_RAW:
        set64(event, e.OTHER_TILE, word16(get(state, s.SHADOW_TILE), granule))
    elif other_block == get(state, s.BLOCK):
        set64(event, e.OTHER_TILE, word32(get(state, s.TILE), other_thread >> WARP_SHIFT))
    if get(state, s.WORLD) and device_of(state, other_block) != device_of(state, get(state, s.BLOCK)):
        set64(event, e.REASON, _reason(state, kind, old, thread, other_block))
    keep(state, event)


@compiled_as("int64(int64, int64, int64, int64, int64)")
def _reason(state, kind, old, thread, block):
    """Why accesses of two devices are not ordered."""
    warp, other_warp = thread >> WARP_SHIFT, (old & THREAD_MASK) >> WARP_SHIFT
    if old & ATOMIC_BIT and not old & SYSTEM_BIT:
        return np.int64(DEVICE_FLAG)
    if kind != e.RACE_WAR:
        return why_not(state, old >> TIME_SHIFT, other_warp, block, warp)
    asked_by = word32(shared_word(state, ASKED_BY), block) - 1
    if asked_by < 0:
        return np.int64(NO_WAIT)
    return np.int64(READ_FIRST if asked_by >> WARP_SHIFT == other_warp else ONE_THREAD)


@compiled
def _other_block(state, old, blocks, granule):
    """The block that made a record in global memory; this block's own number for shared memory."""
    if granule < get(state, s.SHARED_GRANULES) or old == 0:
        return get(state, s.BLOCK)
    return word32(blocks, granule - get(state, s.SHARED_GRANULES))


@compiled
def _is_ordered(state, old, block, thread, granule):
    """Whether the access of a record, by a thread of `block`, happens before what `thread` of this block does now."""
    if block == get(state, s.BLOCK):
        return ordered(state, old, thread)
    time, other_warp, warp = old >> TIME_SHIFT, (old & THREAD_MASK) >> WARP_SHIFT, thread >> WARP_SHIFT
    if get(state, s.WORLD):
        return _is_ordered_in_world(state, time, other_warp, block, granule, warp)
    return from_other_block(state, time, other_warp, block, warp)


@compiled_as("boolean(int64, int64, int64, int64, int64, int64)")
def _is_ordered_in_world(state, time, other_warp, block, granule, warp):
    """Launches of one device come one after the other; devices are ordered by what they hand over."""
    if device_of(state, block) == device_of(state, get(state, s.BLOCK)):
        if not is_of_this_launch(state, block) or from_other_block(state, time, other_warp, block, warp):
            return True
    return is_handed_over(state, time, other_warp, block, granule, warp)


@compiled
def _scopes_meet(state, old, block, strength):
    """Whether two atomic accesses are atomic to each other: on two devices both must be of system scope."""
    if get(state, s.WORLD) == 0 or device_of(state, block) == device_of(state, get(state, s.BLOCK)):
        return True
    return old & SYSTEM_BIT != 0 and strength == OF_SYSTEM


@compiled
def _racing_write(state, granule, thread, strength):
    """The last write of the word that is not ordered before what `thread` does now, and its block; 0: there is none.
    Atomics do not race with each other."""
    old = word64(get(state, s.SHADOW_WRITE), granule)
    block = _other_block(state, old, get(state, s.GLOBAL_WRITE_BLOCK), granule)
    if strength and old & ATOMIC_BIT and _scopes_meet(state, old, block, strength):
        old = word64(get(state, s.SHADOW_PLAIN), granule)
        block = _other_block(state, old, get(state, s.GLOBAL_PLAIN_BLOCK), granule)
    if old == 0 or _is_ordered(state, old, block, thread, granule):
        return np.int64(0), block
    return old, block


@compiled_as("boolean(int64, int64, int64, int64, int64, int64)")
def is_known_race(state, pc, old, region, warp, lanes):
    """Whether so many lanes of a warp, which read a shared word now, race with its last write, by another warp, as was
    reported before. Then they are counted: what orders none of these lanes orders no other."""
    time, other_warp = old >> TIME_SHIFT, (old & THREAD_MASK) >> WARP_SHIFT
    if other_warp == warp or old & ATOMIC_BIT:
        return False
    kind = np.int64(e.RACE_ASYNC)
    if time != IN_FLIGHT:
        kind = np.int64(e.RACE_RAW)
        if time < word64(get(state, s.SEEN_WARPS), warp * get(state, s.WARPS) + other_warp):
            return False
    return is_kept(state, kind, pc, _pc_of(state, old), region, False, lanes)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def read_conflict(state, pc, granule, region, offset, thread, strength):
    """Report a read of `granule` by `thread`, of some strength, that races with the last write."""
    old, block = _racing_write(state, granule, thread, strength)
    if old != 0:
        _report(state, e.RACE_RAW, pc, old, granule, region, offset, thread, block)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64, boolean)")
def write_conflict(state, pc, granule, region, offset, thread, strength, same_value):
    """Report a write of `granule` by `thread` that races with the last write or with one of the kept readers."""
    old, block = _racing_write(state, granule, thread, strength)
    if old != 0:
        _report(state, e.RACE_SAME_VALUE if same_value else e.RACE_WAW, pc, old, granule, region, offset, thread, block)
    if get(state, s.WARP_READS) and granule < get(state, s.SHARED_GRANULES):
        _report_readers_of_warps(state, pc, granule, region, offset, thread, strength)
        return
    for number in range(2):
        reads = get(state, s.SHADOW_READ2) if number else get(state, s.SHADOW_READ1)
        blocks = get(state, s.GLOBAL_READ2_BLOCK) if number else get(state, s.GLOBAL_READ1_BLOCK)
        old = word64(reads, granule)
        block = _other_block(state, old, blocks, granule)
        if old == 0 or (strength and old & ATOMIC_BIT and _scopes_meet(state, old, block, strength)):
            continue
        if not _is_ordered(state, old, block, thread, granule):
            _report(state, e.RACE_WAR, pc, old, granule, region, offset, thread, block)


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def _report_readers_of_warps(state, pc, granule, region, offset, thread, strength):
    """Report that a write races with a reader, by those that are kept of each warp. Another warp is told apart by its
    last reader alone, for what it has passed since, all its lanes have passed."""
    fresh = get(state, s.INTERVAL_START) << TIME_SHIFT
    for warp in range(get(state, s.WARPS)):
        row = _reads_of_warp(state, granule, warp)
        for number in range(2 if warp == thread >> WARP_SHIFT else 1):
            old = word64(row, number)
            if old < fresh or (strength and old & ATOMIC_BIT) or ordered(state, old, thread):
                continue
            _report(state, e.RACE_WAR, pc, old, granule, region, offset, thread, get(state, s.BLOCK))
            return


@compiled_as("void(int64, int64, int64, int64, int64, int64)")
def note_read_only(state, pc, granule, region, offset, thread):
    """A load through the read-only path of a word of global memory. What the same launch writes must not be read so,
    whatever the order."""
    old = word64(get(state, s.SHADOW_WRITE), granule)
    block = _other_block(state, old, get(state, s.GLOBAL_WRITE_BLOCK), granule)
    if old != 0 and is_of_this_launch(state, block):
        _report(state, e.RACE_READ_ONLY, pc, old, granule, region, offset, thread, block)
    set_byte(get(state, s.SHADOW_READ_ONLY), granule - get(state, s.SHARED_GRANULES), 1)


@compiled_as("void(int64, int64, int64, int64, int64, int64)")
def read_only_conflict(state, pc, granule, region, offset, thread):
    """Report a write of a word that was read through the read-only path."""
    if byte(get(state, s.SHADOW_READ_ONLY), granule - get(state, s.SHARED_GRANULES)):
        old = word64(get(state, s.SHADOW_READ1), granule)
        block = _other_block(state, old, get(state, s.GLOBAL_READ1_BLOCK), granule)
        if is_of_this_launch(state, block):
            _report(state, e.RACE_READ_ONLY, pc, old, granule, region, offset, thread, block)


@inlined
def needs_look(state, old, thread, fresh):
    """Cheap test before the exact one: only a record since the last barrier can race, and only one of another thread.

    In global memory `fresh` lets older records through: those from before s.BLOCK_START are of another block's thread.
    """
    if old < fresh:
        return False
    time = old >> TIME_SHIFT
    return (old & THREAD_MASK) != thread or time == IN_FLIGHT or time < get(state, s.BLOCK_START)


@inlined
def note_read(state, read1, read2, granule, low, high, fresh):
    """Keep two readers of a shared word: `low` and `high` are the records of the first and the last lane that read."""
    old = word64(read1, granule)
    set64(read1, granule, high)
    if old >= fresh and (old ^ high) & OTHER_WARP:
        set64(read2, granule, old)
        return
    kept = low if low != high else old
    if kept & THREAD_MASK != high & THREAD_MASK:
        before = word64(read2, granule)
        if before < fresh or not (before ^ high) & OTHER_WARP:
            set64(read2, granule, kept)


@compiled_as("int64(int64, int64, int64)")
def _reads_of_warp(state, granule, warp):
    """The two readers of a shared word that are kept of a warp: the last one, and the last one of another lane."""
    place = granule - get(state, s.SHARED_FIRST)
    return get(state, s.WARP_READS) + 16 * (place * get(state, s.WARPS) + warp)


@compiled_as("void(int64, int64, int64, int64)")
def note_read_of_warp(state, granule, low, high):
    """Keep them, beside those of note_read: `low` and `high` as there."""
    row = _reads_of_warp(state, granule, (high & THREAD_MASK) >> WARP_SHIFT)
    kept = low if low != high else word64(row, 0)
    if (kept ^ high) & LANE_MASK:
        set64(row, 1, kept)
    set64(row, 0, high)


@compiled
def note_global_read(state, read1, read2, granule, low, high):
    """The same as note_read for global memory, where records of other blocks stay fresh: one of another block is kept
    for good, for no write of this block is ordered with it."""
    at, block = granule - get(state, s.SHARED_GRANULES), get(state, s.BLOCK)
    blocks1, blocks2 = get(state, s.GLOBAL_READ1_BLOCK), get(state, s.GLOBAL_READ2_BLOCK)
    old, old_block = word64(read1, granule), word32(blocks1, at)
    set64(read1, granule, high)
    set32(blocks1, at, block)
    if old != 0 and old_block != block:
        set64(read2, granule, old)
        set32(blocks2, at, old_block)
        return
    before, fresh = word64(read2, granule), get(state, s.INTERVAL_START) << TIME_SHIFT
    if before != 0 and word32(blocks2, at) != block:
        return
    kept = low if low != high else old
    if old >= fresh and (old ^ high) & OTHER_WARP:
        kept = old
    elif before >= fresh and (before ^ high) & OTHER_WARP:
        return
    if kept != 0 and kept & THREAD_MASK != high & THREAD_MASK:
        set64(read2, granule, kept)
        set32(blocks2, at, block)


@compiled
def note_atomic(state, granule, stamped, tile, defined):
    """Like note_write, but a plain write of before is kept."""
    old = word64(get(state, s.SHADOW_WRITE), granule)
    if not old & ATOMIC_BIT:
        set64(get(state, s.SHADOW_PLAIN), granule, old)
        if granule >= get(state, s.SHARED_GRANULES):
            at = granule - get(state, s.SHARED_GRANULES)
            set32(get(state, s.GLOBAL_PLAIN_BLOCK), at, word32(get(state, s.GLOBAL_WRITE_BLOCK), at))
    note_write(state, granule, stamped, tile, defined)


@compiled_as("void(int64, int64, int64, int64, int64)")
def note_write(state, granule, stamped, tile, defined):
    set64(get(state, s.SHADOW_WRITE), granule, stamped)
    set16(get(state, s.SHADOW_TILE), granule, tile)
    set_byte(get(state, s.SHADOW_DEFINED), granule, defined)


@compiled
def note_global_block(state, granule, blocks):
    if granule >= get(state, s.SHARED_GRANULES):
        set32(blocks, granule - get(state, s.SHARED_GRANULES), get(state, s.BLOCK))


@compiled
def pass_barrier(state):
    """A barrier of the whole block: what came before it is ordered with what follows."""
    now = get(state, s.NOW) + 1
    put(state, s.NOW, now)
    put(state, s.INTERVAL_START, now)
    share(state, np.int64(-1))


@compiled
def pass_warp_sync(state, warp, mask):
    """__syncwarp(mask): every lane of the mask now knows what the others of the mask knew and did."""
    now = get(state, s.NOW) + 1
    put(state, s.NOW, now)
    if mask == np.uint32(0xFFFFFFFF):
        set64(get(state, s.WARP_START), warp, now)
        return
    seen = get(state, s.SEEN_LANES)
    for other in range(32):
        latest = np.int64(0)
        todo = mask
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            latest = max(latest, word64(seen, lane_pair(warp, lane, other)))
        if (mask >> np.uint32(other)) & np.uint32(1):
            latest = now
        todo = mask
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            set64(seen, lane_pair(warp, lane, other), latest)


@compiled
def pass_named_barrier(state, members):
    """A barrier of some warps (`members`: a bit a warp): each now knows what any of them knew and did."""
    now = get(state, s.NOW) + 1
    put(state, s.NOW, now)
    warps, seen = get(state, s.WARPS), get(state, s.SEEN_WARPS)
    for other in range(warps):
        if (members >> other) & 1:
            set64(seen, other * warps + other, now)
            set64(get(state, s.WARP_START), other, now)
        join_times(seen, warps, members, other)
    share(state, members)
