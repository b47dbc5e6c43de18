"""Stores of a warp: look for accesses that race with them, keep who wrote what, put the data."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import requests as r
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, next_lane, peek, poke
from gemmlab.emulator.machine.events import NONE, begin, keep, record_place
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.memory.addresses import (
    count_request,
    is_known,
    next_group,
    offset_in,
    place_pattern,
    sound_lanes,
)
from gemmlab.emulator.machine.memory.loads import meet_words
from gemmlab.emulator.machine.memory.own import store_own
from gemmlab.emulator.machine.peers.tables import note_change
from gemmlab.emulator.machine.registers import field, lane_bits, origin_of, vector_entry
from gemmlab.emulator.machine.requests import (
    GRANULE_OF_WORD,
    LOW_LANE_SHIFT,
    count_local,
    lanes_between,
    last_pattern,
    pattern,
)
from gemmlab.emulator.machine.shadow import (
    DEFINED,
    LANE_MASK,
    OF_DEVICE,
    OF_SYSTEM,
    PLAIN,
    TIME_SHIFT,
    UNDEFINED,
    needs_look,
    note_global_block,
    note_write,
    read_only_conflict,
    stamp,
    strength_bits,
    write_conflict,
)
from gemmlab.emulator.machine.state import get, mask32, set32, set64, set_byte, word32, word64


@compiled
def store(state, warp, row, lanes, base, pc):
    size = field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)
    if field(row, o.ROW_SPACE) == o.PARAM:
        store_own(state, warp, row, lanes, base, field(row, o.ROW_IMM), True)
        return
    if is_known(state, row, lanes, base):
        _serve_store(state, warp, row, lanes, base, pc, size, True, last_pattern(state, field(row, o.ROW_SITE)))
        return
    rest = sound_lanes(state, warp, row, lanes, base, pc, size, True)
    first = True
    while rest != NO_LANES:
        region, group, rest = next_group(state, warp, rest, pc, size, True)
        if group == NO_LANES:
            return
        _store_group(state, warp, row, group, base, pc, region, size, first)
        first = False


@compiled
def _store_group(state, warp, row, lanes, base, pc, region, size, first_group):
    """A store by lanes that lie in one region."""
    if region >= o.FIRST_LOCAL:
        place = word64(get(state, s.REGION_HOST), region)
        if get(state, s.CHECKS):
            count_local(state, pc, lanes, size, place)
        store_own(state, warp, row, lanes, base, place, False)
        return
    meta = pattern(state, field(row, o.ROW_SITE), lanes, size, region >= o.FIRST_SHARED, False)
    place_pattern(state, meta, region, size)
    _serve_store(state, warp, row, lanes, base, pc, size, first_group, meta)


@compiled
def _serve_store(state, warp, row, lanes, base, pc, size, first_group, meta):
    region = word64(meta, r.REGION)
    kind = word64(get(state, s.REGION_KIND), region)
    if kind == o.INPUT or kind == o.CONSTANT:
        lane = first_lane(lanes)
        at = offset_in(state, region, word64(get(state, s.ADDRESSES), lane))
        record_place(state, e.INPUT_WRITTEN, pc, region, at, warp * 32 + lane, field(row, o.ROW_SIZE))
        return
    if get(state, s.CHECKS):
        count_request(state, row, pc, meta, region, lanes, size, first_group, False)
        _shadow_store(state, warp, row, lanes, base, pc, region, meta)
    elif region < o.FIRST_SHARED:
        _note_written(state, row, lanes, region)
    _put(state, row, lanes, base, region)


# ---- data


@compiled
def _put(state, row, lanes, base, region):
    addresses = get(state, s.ADDRESSES)
    size = field(row, o.ROW_SIZE)
    delta = word64(get(state, s.REGION_HOST), region) - word64(get(state, s.REGION_BASE), region)
    for n in range(field(row, o.ROW_COUNT)):
        entry = vector_entry(state, row, n)
        source, wide = base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            poke(word64(addresses, lane) + delta, size, lane_bits(source, wide, lane))
        delta += size


@compiled
def _note_written(state, row, lanes, region):
    """With checks off only 'this element of C was written' is kept."""
    shift = get(state, s.GRANULE_SHIFT)
    first = word64(get(state, s.REGION_SHADOW), region)
    width = max((field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)) >> shift, 1)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        at = first + ((word64(get(state, s.ADDRESSES), lane) - word64(get(state, s.REGION_BASE), region)) >> shift)
        for granule in range(at, at + width):
            set_byte(get(state, s.SHADOW_DEFINED), granule, DEFINED)


# ---- shadows


@compiled_as("int64(int64, int64)")
def enter_tile(state, warp):
    """The first store to shared memory since a barrier begins the next K tile of this warp."""
    if word64(get(state, s.STORE_INTERVAL), warp) != get(state, s.INTERVAL_START):
        set64(get(state, s.STORE_INTERVAL), warp, get(state, s.INTERVAL_START))
        set32(get(state, s.TILE), warp, word32(get(state, s.TILE), warp) + 1)
    return word32(get(state, s.TILE), warp)


@compiled
def _shadow_store(state, warp, row, lanes, base, pc, region, meta):
    site = field(row, o.ROW_SITE)
    origin = word64(get(state, s.ADDRESSES), first_lane(lanes)) - word64(get(state, s.REGION_BASE), region)
    start = word64(get(state, s.REGION_SHADOW), region) + (origin >> get(state, s.GRANULE_SHIFT))
    is_global = region < o.FIRST_SHARED
    strength = _strength(state, row, is_global)
    stamped = stamp(state, site, False) | strength_bits(strength)
    if strength:
        meet_words(state, warp, row, lanes, region, True)
    if is_global and get(state, s.WORLD):
        note_change(state)
    tile = NONE if is_global else enter_tile(state, warp)
    fresh = (np.int64(1) if is_global else get(state, s.INTERVAL_START)) << TIME_SHIFT
    words = get(state, s.PATTERN_WORDS) + 8 * word32(get(state, s.PATTERN_START), site)
    written = _undefined_value(state, row, lanes, base) == NO_LANES
    for n in range(word64(meta, r.WORDS)):
        word = word64(words, n)
        granule = start + (word >> GRANULE_OF_WORD)
        low, high = (warp << 5) + ((word >> LOW_LANE_SHIFT) & LANE_MASK), (warp << 5) + (word & LANE_MASK)
        if low == high and written and not _may_race(state, granule, high, fresh):
            note_write(state, granule, stamped | high, tile, DEFINED)
        else:
            some = lanes & lanes_between(low, high)
            _store_word_exactly(state, warp, row, some, base, pc, region, granule, stamped, tile)
        if is_global:
            first = word64(get(state, s.REGION_SHADOW), region)
            offset = (granule - first) << get(state, s.GRANULE_SHIFT)
            read_only_conflict(state, pc, granule, region, offset, high)
            note_global_block(state, granule, get(state, s.GLOBAL_WRITE_BLOCK))


@compiled_as("int64(int64, int64, boolean)")
def _strength(state, row, is_global):
    """Between devices a volatile store counts as one of system scope."""
    flags = field(row, o.ROW_FLAGS)
    of_system = flags & o.SYSTEM_SCOPE != 0 and is_global
    if flags & o.ATOMIC_STORE:
        return np.int64(OF_SYSTEM if of_system else OF_DEVICE)
    return np.int64(OF_SYSTEM if of_system and get(state, s.WORLD) else PLAIN)


@compiled
def _may_race(state, granule, thread, fresh):
    return (
        needs_look(state, word64(get(state, s.SHADOW_WRITE), granule), thread, fresh)
        or needs_look(state, word64(get(state, s.SHADOW_READ1), granule), thread, fresh)
        or needs_look(state, word64(get(state, s.SHADOW_READ2), granule), thread, fresh)
    )


@compiled
def _undefined_value(state, row, lanes, base):
    """Lanes that store a value nobody wrote."""
    undefined = NO_LANES
    for n in range(field(row, o.ROW_COUNT)):
        undefined |= lanes & ~mask32(base + word32(vector_entry(state, row, n), o.ENTRY_SLOT), 0)
    return undefined


@compiled
def _store_word_exactly(state, warp, row, lanes, base, pc, region, granule, stamped, tile):
    """The exact test, lane by lane, for one word of a store; several lanes that write one word race with each other."""
    addresses, shift = get(state, s.ADDRESSES), get(state, s.GRANULE_SHIFT)
    size, count = field(row, o.ROW_SIZE), field(row, o.ROW_COUNT)
    first = word64(get(state, s.REGION_SHADOW), region)
    strength = _strength(state, row, region < o.FIRST_SHARED)
    before = NONE
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        offset = word64(addresses, lane) - word64(get(state, s.REGION_BASE), region)
        at = first + (offset >> shift)
        if not at <= granule < at + max((size * count) >> shift, 1):
            continue
        component = max(((granule - first) << shift) - offset, np.int64(0)) // size
        entry = vector_entry(state, row, component)
        if before >= 0:
            same = _lane_value(base, entry, lane) == _lane_value(base, entry, before)
        else:
            place = word64(get(state, s.REGION_HOST), region) + offset + component * size
            same = _same_value(base, entry, lane, place, size)
        thread = warp * 32 + lane
        write_conflict(state, pc, granule, region, (granule - first) << shift, thread, strength, same)
        defined = _definedness(state, base, entry, pc, region, granule, offset, thread, size)
        note_write(state, granule, stamped | thread, tile, defined)
        if region < o.FIRST_SHARED:
            note_global_block(state, granule, get(state, s.GLOBAL_WRITE_BLOCK))
        before = lane


@compiled
def _definedness(state, base, entry, pc, region, granule, offset, thread, size):
    """Whether the lane stores a value that somebody wrote. In global memory it is a fault if it does not."""
    slot = base + word32(entry, o.ENTRY_SLOT)
    if mask32(slot, 0) & lane_bit(thread & LANE_MASK):
        return DEFINED
    origin = origin_of(state, slot)
    set32(get(state, s.SHADOW_ORIGIN), granule, origin)
    if region < o.FIRST_SHARED:
        undefined_store(state, pc, origin, region, offset, thread, size)
    return UNDEFINED


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def undefined_store(state, pc, origin, region, offset, thread, size):
    event = begin(state, e.UNDEFINED_STORE, pc, thread)
    set64(event, e.OTHER_PC, origin - 1)
    set64(event, e.REGION, region)
    set64(event, e.OFFSET, offset)
    set64(event, e.SIZE, size)
    keep(state, event)


@compiled
def _lane_value(base, entry, lane):
    return lane_bits(base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE), lane)


@compiled
def _same_value(base, entry, lane, place, size):
    """Whether the store leaves memory as it is: two threads that write one value to one word still race, but do no
    harm."""
    mask = ~np.uint64(0) >> np.uint64(64 - 8 * size)
    return _lane_value(base, entry, lane) & mask == peek(place, size, False) & mask
