"""Atomics of a warp: lane after lane, as one of the orders the hardware may take. They do not race with each other."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import (
    NO_LANES,
    as_bf16,
    as_f16,
    as_f32,
    as_f64,
    first_lane,
    flush,
    lane_bit,
    next_lane,
    of_bf16,
    of_f16,
    of_f32,
    of_f64,
    peek,
    poke,
    sum_to_odd,
)
from gemmlab.emulator.machine.events import record_place
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.memory.addresses import compute_addresses, count_request, next_group, sound_lanes
from gemmlab.emulator.machine.memory.stores import undefined_store
from gemmlab.emulator.machine.orders import meet
from gemmlab.emulator.machine.peers.polls import ask
from gemmlab.emulator.machine.peers.publications import see
from gemmlab.emulator.machine.peers.tables import CHANGES, note_change, shared_word
from gemmlab.emulator.machine.registers import define, field, lane_bits, set_lane
from gemmlab.emulator.machine.requests import pattern
from gemmlab.emulator.machine.shadow import (
    DEFINED,
    NEVER,
    OF_DEVICE,
    OF_SYSTEM,
    UNDEFINED,
    note_atomic,
    note_global_block,
    read_conflict,
    stamp,
    strength_bits,
    write_conflict,
)
from gemmlab.emulator.machine.state import byte, get, mask32, set32, set_byte, word32, word64


@compiled
def atomic(state, warp, row, lanes, base, pc):
    size = field(row, o.ROW_SIZE)
    compute_addresses(state, row, base)
    rest = sound_lanes(state, warp, row, lanes, base, pc, size, True)
    first = True
    while rest != NO_LANES:
        region, group, rest = next_group(state, warp, rest, pc, size, True)
        if group == NO_LANES:
            return
        if region >= o.FIRST_LOCAL or word64(get(state, s.REGION_SHADOW), region) < 0:
            thread = warp * 32 + first_lane(group)
            record_place(state, e.INPUT_WRITTEN, pc, region, np.int64(0), thread, size)
            continue
        if get(state, s.CHECKS):
            meta = pattern(state, field(row, o.ROW_SITE), group, size, region >= o.FIRST_SHARED, False)
            count_request(state, row, pc, meta, region, group, size, first, False)
        _atomic_lanes(state, warp, row, group, base, pc, region)
        first = False


@compiled
def _atomic_lanes(state, warp, row, lanes, base, pc, region):
    """Lane after lane. Between devices a request that changes nothing is a question."""
    in_world = region < o.FIRST_SHARED and get(state, s.WORLD) != 0
    before, asks = shared_word(state, CHANGES) if in_world else np.int64(0), first_lane(lanes)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        _atomic_lane(state, warp, row, base, pc, region, lane)
    if in_world and shared_word(state, CHANGES) == before:
        ask(state, field(row, o.ROW_SITE), pc, (warp << 5) + asks, word64(get(state, s.ADDRESSES), asks))


@compiled
def _atomic_lane(state, warp, row, base, pc, region, lane):
    size = field(row, o.ROW_SIZE)
    offset = word64(get(state, s.ADDRESSES), lane) - word64(get(state, s.REGION_BASE), region)
    place = word64(get(state, s.REGION_HOST), region) + offset
    old = peek(place, size, False)
    b = _register_bits(base, field(row, o.ROW_B), lane, size)
    c = _register_bits(base, field(row, o.ROW_C), lane, size)
    new = _result(field(row, o.ROW_AUX), field(row, o.ROW_AUX2), old, b, c, region < o.FIRST_SHARED)
    poke(place, size, new)
    if region < o.FIRST_SHARED and get(state, s.WORLD) and new != old:
        note_change(state)
    ok = mask32(base + field(row, o.ROW_OK_B), 0) & mask32(base + field(row, o.ROW_OK_C), 0) & lane_bit(lane)
    thread = warp * 32 + lane
    defined, origin = _shadow_atomic(state, row, pc, region, offset, thread, ok != NO_LANES)
    if not defined and region < o.FIRST_SHARED and get(state, s.CHECKS):
        undefined_store(state, pc, origin, region, offset, thread, size)
    set_lane(base + field(row, o.ROW_D), size == 8, lane, old)
    found = lane_bit(lane) if defined else NO_LANES
    define(state, base + field(row, o.ROW_OK_D), lane_bit(lane), found, origin)


@compiled
def _shadow_atomic(state, row, pc, region, offset, thread, defined):
    """Look for races and keep the access. Whether the word then holds a value, and where a missing one is from."""
    size, shift = field(row, o.ROW_SIZE), get(state, s.GRANULE_SHIFT)
    first = word64(get(state, s.REGION_SHADOW), region) + (offset >> shift)
    origin = pc + 1
    for granule in range(first, first + max(size >> shift, 1)):
        known = byte(get(state, s.SHADOW_DEFINED), granule)
        if known != DEFINED and field(row, o.ROW_AUX) != o.ATOMIC_EXCH:
            defined = False
            origin = pc + 1 if known == NEVER else word32(get(state, s.SHADOW_ORIGIN), granule)
        if get(state, s.CHECKS):
            strength = OF_SYSTEM if field(row, o.ROW_FLAGS) & o.SYSTEM_SCOPE else OF_DEVICE
            atomic_access(state, pc, field(row, o.ROW_SITE), granule, region, offset, thread, strength)
            if not defined:
                set32(get(state, s.SHADOW_ORIGIN), granule, origin)
                set_byte(get(state, s.SHADOW_DEFINED), granule, UNDEFINED)
        else:
            set_byte(get(state, s.SHADOW_DEFINED), granule, DEFINED)
    return defined, origin


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64, int64)")
def atomic_access(state, pc, site, granule, region, offset, thread, strength):
    """An atomic of a thread on one word: what orders it, what races with it, and that it was there."""
    stamped = stamp(state, site, False) | strength_bits(strength)
    meet(state, thread >> 5, thread & 31, granule, True)
    if get(state, s.WORLD) and granule >= get(state, s.SHARED_GRANULES):
        see(state, thread >> 5, granule)
    read_conflict(state, pc, granule, region, offset, thread, strength)
    write_conflict(state, pc, granule, region, offset, thread, strength, False)
    note_atomic(state, granule, stamped | thread, word32(get(state, s.TILE), thread >> 5), DEFINED)
    note_global_block(state, granule, get(state, s.GLOBAL_WRITE_BLOCK))


@compiled_as("uint64(int64, int64, int64, int64)")
def _register_bits(base, offset, lane, size):
    bits = lane_bits(base + offset, size == 8, lane)
    return bits & np.uint64(0xFFFF) if size == 2 else bits


@compiled_as("uint64(int64, uint64, uint64, boolean)")
def _float_sum(kind, old, b, in_global):
    """What atom.add leaves behind for the floating-point kinds; in global memory float32 flushes denormals."""
    if kind == o.KIND_F32:
        total = as_f32(old) + as_f32(b)
        return of_f32(flush(flush(as_f32(old)) + flush(as_f32(b))) if in_global else total)
    if kind == o.KIND_F64:
        return of_f64(as_f64(old) + as_f64(b))
    high_old, high_b = old >> np.uint64(16), b >> np.uint64(16)
    if kind == o.KIND_F16X2 or kind == o.KIND_F16:
        low, high = of_f16(np.float64(as_f16(old)) + as_f16(b)), of_f16(np.float64(as_f16(high_old)) + as_f16(high_b))
    else:
        low = of_bf16(sum_to_odd(np.float64(as_bf16(old)), np.float64(as_bf16(b))))
        high = of_bf16(sum_to_odd(np.float64(as_bf16(high_old)), np.float64(as_bf16(high_b))))
    return low | np.uint64(high << np.uint64(16))


@compiled_as("uint64(int64, uint64, uint64)")
def _bitwise(operation, old, b):
    if operation == o.ATOMIC_AND:
        return old & b
    return old | b if operation == o.ATOMIC_OR else old ^ b


@compiled_as("uint64(int64, uint64, uint64)")
def _wrapped_step(operation, old, b):
    """inc and dec: one step within 0..b."""
    if operation == o.ATOMIC_INC:
        return np.uint64(0) if old >= b else old + np.uint64(1)
    return b if old == np.uint64(0) or old > b else old - np.uint64(1)


@compiled_as("uint64(int64, int64, uint64, uint64)")
def _extreme(operation, kind, old, b):
    less = old < b
    if kind == o.KIND_S32:
        less = np.int32(old) < np.int32(b)
    if kind == o.KIND_S64:
        less = np.int64(old) < np.int64(b)
    return old if less == (operation == o.ATOMIC_MIN) else b


@compiled_as("uint64(int64, int64, uint64, uint64, uint64, boolean)")
def _result(operation, kind, old, b, c, in_global):
    """The value an atomic leaves behind."""
    if operation == o.ATOMIC_EXCH:
        return b
    if operation == o.ATOMIC_CAS:
        return c if old == b else old
    if o.KIND_F32 <= kind <= o.KIND_BF16:
        return _float_sum(kind, old, b, in_global)
    if operation == o.ATOMIC_ADD:
        return old + b
    if o.ATOMIC_AND <= operation <= o.ATOMIC_XOR:
        return _bitwise(operation, old, b)
    if operation == o.ATOMIC_INC or operation == o.ATOMIC_DEC:
        return _wrapped_step(operation, old, b)
    return _extreme(operation, kind, old, b)
