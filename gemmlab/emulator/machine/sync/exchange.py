"""What the lanes of a warp hand to each other: shuffles, votes, matches and sums. A group of lanes does it together."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, next_lane, peek32, poke32
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.registers import (
    define,
    field,
    lane_bits,
    origin_of,
    pc_of,
    set_lanes,
    set_predicate,
    vector_entry,
)
from gemmlab.emulator.machine.shadow import pass_warp_sync
from gemmlab.emulator.machine.stack import words
from gemmlab.emulator.machine.state import mask32, word32
from gemmlab.emulator.machine.tensor import check_matrix, multiply, whole_warp

_GROUP = "void(int64, int64, uint32, int64)"  # state, row, lanes, base


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def exchange(state, warp, row, lanes, base, pc):
    """Do a warp-wide instruction for the lanes that came. Only bar.warp.sync orders memory: shuffles, votes and matches
    imply no memory barrier (CUDA C++ Programming Guide)."""
    op = field(row, o.ROW_OP)
    if op == o.TENSOR_SYNC or op == o.MMA:
        whole_warp(state, warp, lanes, pc)
        if op == o.MMA:
            multiply(state, row, base)
        else:
            check_matrix(state, warp, row, lanes, base, pc)
        return
    if op == o.WARP_SYNC:
        pass_warp_sync(state, warp, lanes)
    elif op == o.SHUFFLE:
        _shuffle(state, row, lanes, base)
    elif op == o.VOTE:
        _vote(state, row, lanes, base)
    elif op == o.REDUCE:
        _reduce(state, row, lanes, base)
    elif op == o.MATCH:
        _match(state, row, lanes, base)
    elif op == o.ELECT:
        _elect(state, row, lanes, base)


@compiled
def _source_lane(mode, lane, amount, packed):
    """Where a lane of shfl.sync takes its value from, and whether that lies in its segment, as the ISA defines it."""
    clamp, segment = packed & 31, (packed >> 8) & 31
    low, high = lane & segment, (lane & segment) | (clamp & ~segment)
    if mode == o.SHUFFLE_UP:
        source = lane - amount
        inside = source >= high
    else:
        source = low | (amount & ~segment)
        if mode == o.SHUFFLE_DOWN:
            source = lane + amount
        elif mode == o.SHUFFLE_BFLY:
            source = lane ^ amount
        inside = source <= high
    return (source if inside else lane), inside


@compiled_as(_GROUP)
def _shuffle(state, row, lanes, base):
    """Operand b is the lane or distance; the vector holds clamp and segment (c), the mask, and the second target."""
    a, amounts, mode = base + field(row, o.ROW_A), base + field(row, o.ROW_B), field(row, o.ROW_AUX)
    clamp_at, valid = base + word32(vector_entry(state, row, 0), o.ENTRY_PLACE), vector_entry(state, row, 2)
    source_ok = mask32(base + field(row, o.ROW_OK_A), 0)
    result = words(32)
    found, defined = NO_LANES, NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        amount = np.int64(peek32(amounts + 4 * lane)) & 31
        source, inside = _source_lane(mode, lane, amount, np.int64(peek32(clamp_at + 4 * lane)))
        result[lane] = peek32(a + 4 * source)
        found |= lane_bit(lane) if inside else NO_LANES
        if lanes & source_ok & lane_bit(source) != NO_LANES:
            defined |= lane_bit(lane)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        poke32(base + field(row, o.ROW_D) + 4 * lane, np.uint32(result[lane]))
    set_predicate(base + word32(valid, o.ENTRY_PLACE), lanes, found)
    # A lane that is not here gives an undefined value: then the shuffle itself is where that comes from.
    all_known = lanes & ~source_ok == NO_LANES
    origin = pc_of(state, row) + 1 if all_known else origin_of(state, base + field(row, o.ROW_OK_A))
    define(state, base + field(row, o.ROW_OK_D), lanes, defined, origin)
    define(state, base + word32(valid, o.ENTRY_SLOT), lanes, lanes, np.int64(0))


@compiled_as(_GROUP)
def _define_from_all(state, row, lanes, base):
    """A result that hangs on operand a of all lanes."""
    slot = base + field(row, o.ROW_OK_A)
    defined = lanes if lanes & ~mask32(slot, 0) == NO_LANES else NO_LANES
    define(state, base + field(row, o.ROW_OK_D), lanes, defined, origin_of(state, slot))


@compiled_as(_GROUP)
def _vote(state, row, lanes, base):
    mode, target = field(row, o.ROW_AUX), base + field(row, o.ROW_D)
    votes = mask32(base + field(row, o.ROW_A), 0) & lanes
    if mode == o.VOTE_BALLOT:
        set_lanes(target, lanes, votes)
    else:
        true = votes == lanes
        if mode == o.VOTE_ANY:
            true = votes != NO_LANES
        elif mode == o.VOTE_UNI:
            true = true or votes == NO_LANES
        set_predicate(target, lanes, lanes if true else NO_LANES)
    _define_from_all(state, row, lanes, base)


@compiled_as("int64(int64, int64, int64)")
def _joined(operation, a, b):
    """What redux makes of two values."""
    if operation == o.REDUCE_ADD:
        return a + b
    if operation == o.REDUCE_MIN:
        return min(a, b)
    if operation == o.REDUCE_MAX:
        return max(a, b)
    if operation == o.REDUCE_AND:
        return a & b
    return a | b if operation == o.REDUCE_OR else a ^ b


@compiled_as("int64(int64, int64, int64)")
def _number(place, lane, signed):
    bits = peek32(place + 4 * lane)
    return np.int64(np.int32(bits)) if signed else np.int64(bits)


@compiled_as(_GROUP)
def _reduce(state, row, lanes, base):
    """redux.sync over 32-bit integers."""
    operation, signed, a = field(row, o.ROW_AUX), field(row, o.ROW_SIGNED), base + field(row, o.ROW_A)
    first, todo = next_lane(lanes)
    total = _number(a, first, signed)
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        total = _joined(operation, total, _number(a, lane, signed))
    set_lanes(base + field(row, o.ROW_D), lanes, np.uint32(total))
    _define_from_all(state, row, lanes, base)


@compiled_as(_GROUP)
def _match(state, row, lanes, base):
    """match.any gives each lane those with the same value; match.all all lanes, or none, and whether they agree."""
    wide, a, target = field(row, o.ROW_WIDE) & o.WIDE_A, base + field(row, o.ROW_A), base + field(row, o.ROW_D)
    all_same = True
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        same = NO_LANES
        for other in range(32):
            if lanes & lane_bit(other) and lane_bits(a, wide, other) == lane_bits(a, wide, lane):
                same |= lane_bit(other)
        all_same = all_same and same == lanes
        poke32(target + 4 * lane, same)
    if field(row, o.ROW_AUX):
        agreed = lanes if all_same else NO_LANES
        entry = vector_entry(state, row, 0)
        set_lanes(target, lanes, agreed)
        set_predicate(base + word32(entry, o.ENTRY_PLACE), lanes, agreed)
        define(state, base + word32(entry, o.ENTRY_SLOT), lanes, lanes, np.int64(0))
    define(state, base + field(row, o.ROW_OK_D), lanes, lanes, np.int64(0))


@compiled_as(_GROUP)
def _elect(state, row, lanes, base):
    leader = first_lane(lanes)
    entry = vector_entry(state, row, 0)
    set_lanes(base + field(row, o.ROW_D), lanes, np.uint32(leader))
    set_predicate(base + word32(entry, o.ENTRY_PLACE), lanes, lane_bit(leader))
    define(state, base + field(row, o.ROW_OK_D), lanes, lanes, np.int64(0))
    define(state, base + word32(entry, o.ENTRY_SLOT), lanes, lanes, np.int64(0))
