"""Instructions on registers alone: those of vector.py on all lanes at once, those of isa.py lane after lane, and the
logic of predicates. Beside the values goes what is known of them: a result made of a value that nobody wrote is none.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.alu import cold
from gemmlab.emulator.machine.bits import NO_LANES, lane_bit, next_lane
from gemmlab.emulator.machine.jit import compiled, compiled_as, inlined
from gemmlab.emulator.machine.registers import field, lane_bits, origin_of, pc_of, set_lane, set_predicate
from gemmlab.emulator.machine.state import get, mask32, poke32, set32
from gemmlab.emulator.machine.vector import hot


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def compute(state, row, op, lanes, base, checks):
    wide, target = field(row, o.ROW_WIDE), base + field(row, o.ROW_D)
    if op < o.FIRST_COLD:
        c = base + field(row, o.ROW_C)
        if wide & o.PRED_C:
            c = np.int64(mask32(c, 0))
        found = hot(op, target, base + field(row, o.ROW_A), base + field(row, o.ROW_B), c, lanes)
    else:
        found = _lane_after_lane(row, op, lanes, base)
    if wide & o.PRED_D:
        set_predicate(target, lanes, found)
    if checks:
        _define_result(state, row, wide, lanes, base)


@compiled_as("uint32(int64, int64, uint32, int64)")
def _lane_after_lane(row, op, lanes, base):
    """An instruction of isa.py. Returns the lanes in which a predicate holds."""
    wide, imm = field(row, o.ROW_WIDE), field(row, o.ROW_IMM)
    a, b, c = base + field(row, o.ROW_A), base + field(row, o.ROW_B), base + field(row, o.ROW_C)
    found = NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        x = lane_bits(a, wide & o.WIDE_A, lane)
        y = lane_bits(b, wide & o.WIDE_B, lane)
        result = cold(op, x, y, lane_bits(c, wide & o.WIDE_C, lane), imm)
        if not wide & o.PRED_D:
            set_lane(base + field(row, o.ROW_D), wide & o.WIDE_D, lane, result)
        elif result != np.uint64(0):
            found |= lane_bit(lane)
    return found


@inlined
def _define_result(state, row, wide, lanes, base):
    ok_a, ok_b = mask32(base + field(row, o.ROW_OK_A), 0), mask32(base + field(row, o.ROW_OK_B), 0)
    ok_c = mask32(base + field(row, o.ROW_OK_C), 0)
    good = ok_a & ok_b & ok_c
    if wide & o.PRED_C:
        chosen = mask32(base + field(row, o.ROW_C), 0)
        good = ok_c & ((chosen & ok_a) | (~chosen & ok_b))
    elif wide & o.ANY_WRITTEN:
        good = ok_a | ok_b
    define_result(state, row, lanes, base, good)


@compiled
def define_result(state, row, lanes, base, good):
    """The result of an instruction holds a value in the lanes of `good`."""
    slot = base + field(row, o.ROW_OK_D)
    poke32(slot, (mask32(slot, 0) & ~lanes) | (good & lanes))
    if lanes & ~good != NO_LANES:
        _spread_undefined(state, row, lanes, base)


@compiled_as("void(int64, int64, uint32, int64)")
def _spread_undefined(state, row, lanes, base):
    """Slow path: a result made from an undefined value remembers where that value came from."""
    origin = np.int64(0)
    for column in (o.ROW_OK_A, o.ROW_OK_B, o.ROW_OK_C):
        slot = base + field(row, column)
        if lanes & ~mask32(slot, 0) != NO_LANES and origin == 0:
            origin = origin_of(state, slot)
            if origin == 0:
                origin = pc_of(state, row) + 1
    set32(base + field(row, o.ROW_OK_D) + get(state, s.ORIGIN_SHIFT), 0, origin)


@compiled_as("void(int64, int64, int64, uint32, int64)")
def predicate_logic(state, row, op, lanes, base):
    """Predicates are masks. A false operand decides an `and`, a true one an `or`, whatever the other holds."""
    a, ok_a = mask32(base + field(row, o.ROW_A), 0), mask32(base + field(row, o.ROW_OK_A), 0)
    b, ok_b = mask32(base + field(row, o.ROW_B), 0), mask32(base + field(row, o.ROW_OK_B), 0)
    value, good = a, ok_a
    if op == o.PRED_NOT:
        value = ~a
    elif op == o.PRED_AND:
        value, good = a & b, (ok_a & ok_b) | (ok_a & ~a) | (ok_b & ~b)
    elif op == o.PRED_OR:
        value, good = a | b, (ok_a & ok_b) | (ok_a & a) | (ok_b & b)
    elif op == o.PRED_XOR:
        value, good = a ^ b, ok_a & ok_b
    set_predicate(base + field(row, o.ROW_D), lanes, value)
    define_result(state, row, lanes, base, good)
