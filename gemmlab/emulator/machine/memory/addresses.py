"""The addresses of a warp's request: which arrays they lie in, and which lanes are outside, misaligned or unset.

Each access goes the same way: the 32 addresses are computed, lanes that are misaligned or outside every array are
reported and dropped, and the rest are served in groups of lanes that fall into one array (nearly always one group).
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import requests as r
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit
from gemmlab.emulator.machine.events import NONE, begin, keep, record_place
from gemmlab.emulator.machine.jit import compiled, compiled_as, inlined
from gemmlab.emulator.machine.registers import field, lane_bits, origin_of
from gemmlab.emulator.machine.requests import (
    count_global,
    count_peer,
    count_shared,
    count_widened,
    last_pattern,
    last_shape,
)
from gemmlab.emulator.machine.state import get, mask32, set64, word64
from gemmlab.emulator.machine.vector import vector_addresses, vector_outside, vector_request, vector_unaligned


@compiled_as("int64(int64, int64)")
def locate(state, address):
    """The region a generic address belongs to, or -1. An overrun counts for the array it started from."""
    region = NONE
    high = address >> o.GLOBAL_SHIFT
    window = address >> o.SPACE_SHIFT
    variable = ((address & (o.SHARED_WINDOW - 1)) >> o.WINDOW_SHIFT) - 1
    if 1 <= high <= o.MAX_GLOBALS:
        region = high - 1
    elif window == o.SHARED_NUMBER and 0 <= variable < o.MAX_SHARED:
        region = o.FIRST_SHARED + variable
    elif window == o.LOCAL_NUMBER and 0 <= variable < o.MAX_LOCALS:
        region = o.FIRST_LOCAL + variable
    if region >= 0 and word64(get(state, s.REGION_KIND), region) == o.NO_REGION:
        return NONE
    return region


@compiled_as("int64(int64, int64, int64)")
def offset_in(state, region, address):
    """Bytes from the region's start; the address itself where there is no region."""
    return address - word64(get(state, s.REGION_BASE), region) if region >= 0 else address


@compiled_as("boolean(int64, int64, int64, int64)")
def is_inside(state, region, offset, size):
    return region >= 0 and offset >= 0 and offset + size <= word64(get(state, s.REGION_SIZE), region)


@compiled_as("boolean(int64)")
def is_shared(region):
    return o.FIRST_SHARED <= region < o.FIRST_LOCAL


@compiled_as("int64(int64)")
def space_window(space):
    if space == o.SHARED:
        return np.int64(o.SHARED_WINDOW)
    return np.int64(o.LOCAL_WINDOW) if space == o.LOCAL else np.int64(0)


@compiled_as("int64(int64)")
def address_offset(row):
    """What is added to the address register: the offset that is written, and the window of the space."""
    return field(row, o.ROW_IMM) + space_window(field(row, o.ROW_SPACE))


@compiled_as("int64(int64, int64, int64)")
def lane_address(row, base, lane):
    wide = field(row, o.ROW_FLAGS) & o.ADDRESS_64
    return np.int64(lane_bits(base + field(row, o.ROW_A), wide, lane)) + address_offset(row)


@compiled_as("void(int64, int64, int64)")
def compute_addresses(state, row, base):
    wide = field(row, o.ROW_FLAGS) & o.ADDRESS_64
    vector_addresses(get(state, s.ADDRESSES), base + field(row, o.ROW_A), wide, address_offset(row))


@inlined
def is_known(state, row, lanes, base):
    """Compute the addresses. True if the request is the last one, shifted within the same region, and without fault."""
    meta = last_pattern(state, field(row, o.ROW_SITE))
    if word64(meta, r.MASK) != np.int64(lanes):
        compute_addresses(state, row, base)
        return False
    offset = address_offset(row)
    register, wide = base + field(row, o.ROW_A), field(row, o.ROW_FLAGS) & o.ADDRESS_64
    origin = offset + np.int64(lane_bits(register, wide, word64(meta, r.FIRST_LANE)))
    shape = last_shape(state, field(row, o.ROW_SITE))
    changed = vector_request(get(state, s.ADDRESSES), register, wide, offset, origin, shape)
    if changed & lanes != NO_LANES or origin & word64(meta, r.LOW_MASK) != word64(meta, r.LOW_BITS):
        return False
    if origin < word64(meta, r.FIRST) or origin > word64(meta, r.LAST):
        return False
    return not get(state, s.CHECKS) or lanes & ~mask32(base + field(row, o.ROW_OK_A), 0) == NO_LANES


@compiled_as("void(int64, int64, int64, int64)")
def place_pattern(state, meta, region, size):
    """Note in a pattern which region it lies in, and how far it can be shifted there."""
    if word64(meta, r.REGION) != region:
        start = word64(get(state, s.REGION_BASE), region)
        end = start + word64(get(state, s.REGION_SIZE), region)
        set64(meta, r.REGION, region)
        set64(meta, r.FIRST, start - word64(meta, r.LOWEST))
        set64(meta, r.LAST, end - size - word64(meta, r.HIGHEST))


@compiled_as("uint32(int64, int64, int64, uint32, int64, int64, int64, boolean)")
def sound_lanes(state, warp, row, lanes, base, pc, size, is_write):
    """Report lanes whose address is undefined or misaligned. Returns the others, which go on."""
    slot = base + field(row, o.ROW_OK_A)
    undefined = lanes & ~mask32(slot, 0)
    if undefined != NO_LANES and get(state, s.CHECKS):
        event = begin(state, e.UNDEFINED_ADDRESS, pc, warp * 32 + first_lane(undefined))
        set64(event, e.OTHER_PC, origin_of(state, slot) - 1)
        set64(event, e.SIZE, size)
        keep(state, event)
        lanes &= ~undefined
    addresses = get(state, s.ADDRESSES)
    wrong = vector_unaligned(addresses, size - 1) & lanes
    lanes &= ~wrong
    kind = e.MISALIGNED_WRITE if is_write else e.MISALIGNED_READ
    while wrong != NO_LANES:
        lane = first_lane(wrong)
        region = locate(state, word64(addresses, lane))
        offset = offset_in(state, region, word64(addresses, lane))
        record_place(state, kind, pc, region, offset, warp * 32 + lane, size)
        wrong &= ~lane_bit(lane)
    return lanes


@compiled
def next_group(state, warp, lanes, pc, size, is_write):
    """The region of the first lane that is inside one, and the lanes inside it. Lanes outside are reported. (region,
    group, rest)"""
    addresses = get(state, s.ADDRESSES)
    while lanes != NO_LANES:
        lane = first_lane(lanes)
        address = word64(addresses, lane)
        region = locate(state, address)
        if region >= 0:
            low = word64(get(state, s.REGION_BASE), region)
            high = low + word64(get(state, s.REGION_SIZE), region) - size
            group = lanes & ~vector_outside(addresses, low, high)
            if group & lane_bit(lane) != NO_LANES:
                return region, group, lanes & ~group
        kind = e.OUT_OF_BOUNDS_WRITE if is_write else e.OUT_OF_BOUNDS_READ
        record_place(state, kind, pc, region, offset_in(state, region, address), warp * 32 + lane, size)
        lanes &= ~lane_bit(lane)
    return NONE, NO_LANES, NO_LANES


@inlined
def count_request(state, row, pc, meta, region, lanes, size, first_group, is_load):
    if region < o.FIRST_SHARED:
        count_global(state, pc, meta, lanes, size, first_group)
        if region >= get(state, s.FIRST_PEER):
            count_peer(state, pc, meta, lanes, size)
        return
    count_shared(state, pc, meta, lanes, size, first_group)
    widened = field(row, o.ROW_WIDEN)
    if widened != 0:
        count_widened(state, pc, field(row, o.ROW_SITE), meta, lanes, widened, is_load)
