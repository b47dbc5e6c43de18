"""Loads of a warp: fetch the data, look for writes that race with them, mark what was never written."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import requests as r
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, next_lane, peek, peek32, poke32
from gemmlab.emulator.machine.jit import compiled, compiled_as, inlined
from gemmlab.emulator.machine.memory.addresses import (
    count_request,
    is_known,
    next_group,
    place_pattern,
    sound_lanes,
)
from gemmlab.emulator.machine.memory.own import load_own
from gemmlab.emulator.machine.orders import meet
from gemmlab.emulator.machine.peers.polls import ask
from gemmlab.emulator.machine.registers import define, field, set_lane, vector_entry
from gemmlab.emulator.machine.requests import (
    GRANULE_OF_WORD,
    LANES_OF_WORD,
    LOW_LANE_SHIFT,
    MOST_LANES,
    count_local,
    lanes_between,
    last_pattern,
    pattern,
)
from gemmlab.emulator.machine.shadow import (
    DEFINED,
    LANE_MASK,
    NEVER,
    OF_DEVICE,
    OF_SYSTEM,
    PLAIN,
    TIME_SHIFT,
    UNDEFINED,
    is_known_race,
    needs_look,
    note_global_read,
    note_read,
    note_read_of_warp,
    note_read_only,
    read_conflict,
    stamp,
    strength_bits,
)
from gemmlab.emulator.machine.state import byte, get, word32, word64
from gemmlab.emulator.machine.vector import copy_half, fill_half


@compiled
def load(state, warp, row, lanes, base, pc):
    size = field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)
    if field(row, o.ROW_SPACE) == o.PARAM:
        load_own(state, warp, row, lanes, base, pc, field(row, o.ROW_IMM), True)
        return
    if is_known(state, row, lanes, base):
        _serve_load(state, warp, row, lanes, base, pc, size, True, last_pattern(state, field(row, o.ROW_SITE)))
        return
    rest = sound_lanes(state, warp, row, lanes, base, pc, size, False)
    dropped = lanes & ~rest
    first = True
    while rest != NO_LANES:
        before = rest
        region, group, rest = next_group(state, warp, rest, pc, size, False)
        dropped |= before & ~(group | rest)
        if group == NO_LANES:
            break
        _load_group(state, warp, row, group, base, pc, region, size, first)
        first = False
    if dropped != NO_LANES:
        _fill_dropped(state, row, dropped, base)


@compiled
def _load_group(state, warp, row, lanes, base, pc, region, size, first_group):
    """A load by lanes that lie in one region."""
    if region >= o.FIRST_LOCAL:
        place = word64(get(state, s.REGION_HOST), region)
        if get(state, s.CHECKS):
            count_local(state, pc, lanes, size, place)
        load_own(state, warp, row, lanes, base, pc, place, False)
        return
    meta = pattern(state, field(row, o.ROW_SITE), lanes, size, region >= o.FIRST_SHARED, True)
    place_pattern(state, meta, region, size)
    _serve_load(state, warp, row, lanes, base, pc, size, first_group, meta)


@inlined
def _serve_load(state, warp, row, lanes, base, pc, size, first_group, meta):
    region = word64(meta, r.REGION)
    _fetch(state, row, lanes, base, region, word64(meta, r.HALVES))
    if get(state, s.CHECKS):
        count_request(state, row, pc, meta, region, lanes, size, first_group, True)
        if word64(get(state, s.REGION_SHADOW), region) >= 0:
            _shadow_load(state, warp, row, lanes, base, pc, region, meta)
        else:
            _mark_defined(state, row, lanes, base)


# ---- data


@compiled
def _fill_dropped(state, row, lanes, base):
    """What a faulting load returns: all ones (a NaN). It counts as defined, since the fault was reported."""
    for n in range(field(row, o.ROW_COUNT)):
        entry = vector_entry(state, row, n)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            set_lane(base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE), lane, ~np.uint64(0))
        define(state, base + word32(entry, o.ENTRY_SLOT), lanes, lanes, np.int64(0))


@inlined
def _fetch(state, row, lanes, base, region, halves):
    addresses = get(state, s.ADDRESSES)
    size, signed = field(row, o.ROW_SIZE), field(row, o.ROW_SIGNED)
    delta = word64(get(state, s.REGION_HOST), region) - word64(get(state, s.REGION_BASE), region)
    for n in range(field(row, o.ROW_COUNT)):
        entry = vector_entry(state, row, n)
        target, wide = base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE)
        if size == 4 and not wide and lanes == r.ALL_LANES:
            _fetch_half(addresses, target, delta, np.int64(0), halves & r.HALF_KIND_MASK)
            _fetch_half(addresses, target, delta, np.int64(r.HALF), halves >> r.HALF_KIND_BITS)
        else:
            todo = lanes
            while todo != NO_LANES:
                lane, todo = next_lane(todo)
                set_lane(target, wide, lane, peek(word64(addresses, lane) + delta, size, signed))
        delta += size


@inlined
def _fetch_half(addresses, target, delta, start, kind):
    """Words for half a warp's lanes, whose addresses are all the same, neighbours, or neither."""
    source = word64(addresses, start) + delta
    if kind == r.SAME:
        fill_half(target + 4 * start, source)
    elif kind == r.NEIGHBOURS:
        copy_half(target + 4 * start, source)
    else:
        for lane in range(start, start + r.HALF):
            poke32(target + 4 * lane, peek32(word64(addresses, lane) + delta))


# ---- shadows


@inlined
def _mark_defined(state, row, lanes, base):
    """All that was loaded holds values."""
    for n in range(field(row, o.ROW_COUNT)):
        slot = word32(vector_entry(state, row, n), o.ENTRY_SLOT)
        define(state, base + slot, lanes, lanes, np.int64(0))


@inlined
def _shadow_load(state, warp, row, lanes, base, pc, region, meta):
    """Race and definedness of a load from shared memory or C, word by word."""
    site = field(row, o.ROW_SITE)
    origin = word64(get(state, s.ADDRESSES), first_lane(lanes)) - word64(get(state, s.REGION_BASE), region)
    start = word64(get(state, s.REGION_SHADOW), region) + (origin >> get(state, s.GRANULE_SHIFT))
    stamped = stamp(state, site, False) | strength_bits(load_strength(row))
    is_global = region < o.FIRST_SHARED
    fresh = (np.int64(1) if is_global else get(state, s.INTERVAL_START)) << TIME_SHIFT
    writes, defined = get(state, s.SHADOW_WRITE), get(state, s.SHADOW_DEFINED)
    words = get(state, s.PATTERN_WORDS) + 8 * word32(get(state, s.PATTERN_START), site)
    read1, read2 = get(state, s.SHADOW_READ1), get(state, s.SHADOW_READ2)
    clean = True
    if field(row, o.ROW_FLAGS) & o.STRONG:
        _meet_and_ask(state, warp, row, lanes, pc, region)
    for n in range(word64(meta, r.WORDS)):
        word = word64(words, n)
        granule = start + (word >> GRANULE_OF_WORD)
        low, high = (warp << 5) + ((word >> LOW_LANE_SHIFT) & LANE_MASK), (warp << 5) + (word & LANE_MASK)
        old = word64(writes, granule)
        if old >= fresh and (low != high or is_global or needs_look(state, old, high, fresh)):
            count = (word >> LANES_OF_WORD) & MOST_LANES
            if is_global or not is_known_race(state, pc, old, region, warp, count):
                _look_at_readers(state, pc, granule, region, lanes & lanes_between(low, high), warp, row)
        clean = clean and byte(defined, granule) == DEFINED
        if is_global:
            if field(row, o.ROW_FLAGS) & o.READ_ONLY:
                first = word64(get(state, s.REGION_SHADOW), region)
                note_read_only(state, pc, granule, region, (granule - first) << get(state, s.GRANULE_SHIFT), low)
            note_global_read(state, read1, read2, granule, stamped | low, stamped | high)
        else:
            note_read(state, read1, read2, granule, stamped | low, stamped | high, fresh)
    if not is_global and get(state, s.WARP_READS):
        _note_warp(state, stamped, start, words, word64(meta, r.WORDS), warp)
    if clean:
        _mark_defined(state, row, lanes, base)
    else:
        for n in range(field(row, o.ROW_COUNT)):
            _mark_component(state, row, lanes, base, pc, region, n)


@compiled
def _meet_and_ask(state, warp, row, lanes, pc, region):
    """A strong load learns what was handed on through its words; between devices it is a question."""
    meet_words(state, warp, row, lanes, region, False)
    if region < o.FIRST_SHARED and get(state, s.WORLD):
        lane = first_lane(lanes)
        ask(state, field(row, o.ROW_SITE), pc, (warp << 5) + lane, word64(get(state, s.ADDRESSES), lane))


@compiled_as("void(int64, int64, int64, int64, int64, int64)")
def _note_warp(state, stamped, start, words, count, warp):
    """Keep who read the words of a request, for each warp."""
    for n in range(count):
        word = word64(words, n)
        low, high = (warp << 5) + ((word >> LOW_LANE_SHIFT) & LANE_MASK), (warp << 5) + (word & LANE_MASK)
        note_read_of_warp(state, start + (word >> GRANULE_OF_WORD), stamped | low, stamped | high)


@compiled_as("int64(int64)")
def load_strength(row):
    if field(row, o.ROW_FLAGS) & o.STRONG == 0:
        return np.int64(PLAIN)
    return np.int64(OF_SYSTEM if field(row, o.ROW_FLAGS) & o.SYSTEM_SCOPE else OF_DEVICE)


@compiled
def meet_words(state, warp, row, lanes, region, publishes):
    """A load or store that counts as an atomic: each lane meets the word it touches."""
    base, first = word64(get(state, s.REGION_BASE), region), word64(get(state, s.REGION_SHADOW), region)
    while lanes != NO_LANES:
        lane, lanes = next_lane(lanes)
        offset = word64(get(state, s.ADDRESSES), lane) - base
        meet(state, warp, lane, first + (offset >> get(state, s.GRANULE_SHIFT)), publishes)


@compiled
def _look_at_readers(state, pc, granule, region, lanes, warp, row):
    """The exact test for every lane of the request that reads this word."""
    addresses, shift = get(state, s.ADDRESSES), get(state, s.GRANULE_SHIFT)
    base = word64(get(state, s.REGION_BASE), region)
    first = word64(get(state, s.REGION_SHADOW), region)
    width = max((field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)) >> shift, 1)
    strength = load_strength(row)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        at = first + ((word64(addresses, lane) - base) >> shift)
        if at <= granule < at + width:
            read_conflict(state, pc, granule, region, (granule - first) << shift, warp * 32 + lane, strength)


@compiled
def _mark_component(state, row, lanes, base, pc, region, number):
    """Definedness of one component of a load, lane by lane. A value is undefined if none of its bytes was written."""
    addresses, shift = get(state, s.ADDRESSES), get(state, s.GRANULE_SHIFT)
    size = field(row, o.ROW_SIZE)
    first = word64(get(state, s.REGION_SHADOW), region)
    defined, origin = NO_LANES, np.int64(0)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        offset = word64(addresses, lane) - word64(get(state, s.REGION_BASE), region) + number * size
        some = False
        for granule in range(first + (offset >> shift), first + (offset >> shift) + max(size >> shift, 1)):
            known = byte(get(state, s.SHADOW_DEFINED), granule)
            some = some or known == DEFINED
            if known == NEVER:
                origin = pc + 1
            elif known == UNDEFINED:
                origin = word32(get(state, s.SHADOW_ORIGIN), granule)
        if some:
            defined |= lane_bit(lane)
    slot = word32(vector_entry(state, row, number), o.ENTRY_SLOT)
    define(state, base + slot, lanes, defined, origin)
