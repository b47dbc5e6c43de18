"""A warp's registers and the code rows that name them: reading and writing lanes, and which lanes hold a value.

A register is a row of 32 lanes at `base` plus its offset, a predicate a mask of lanes. Beside each lies its definedness
mask (its slot), and ORIGIN_SHIFT behind that the number plus one of the instruction that left a lane without a value.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, next_lane, peek32, peek64, poke32, poke64
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.state import get, mask32, set32, word32


@compiled_as("int64(int64, int64)")
def field(row, number):
    return word32(row, number)


@compiled_as("int64(int64, int64)")
def row_of(state, pc):
    return get(state, s.CODE) + o.ROW_BYTES * pc


@compiled_as("int64(int64, int64)")
def pc_of(state, row):
    return (row - get(state, s.CODE)) // o.ROW_BYTES


@compiled_as("int64(int64, int64)")
def warp_base(state, warp):
    return get(state, s.WARP_BASE) + get(state, s.WARP_BYTES) * warp


@compiled_as("int64(int64, int64, int64)")
def vector_entry(state, row, number):
    """The entry of a vector operand's register `number`."""
    return get(state, s.VECTOR_TABLE) + o.ENTRY_BYTES * (field(row, o.ROW_VECTOR) + number)


@compiled_as("uint64(int64, int64, int64)")
def lane_bits(register, wide, lane):
    return peek64(register + 8 * lane) if wide else np.uint64(peek32(register + 4 * lane))


@compiled_as("void(int64, int64, int64, uint64)")
def set_lane(register, wide, lane, value):
    if wide:
        poke64(register + 8 * lane, value)
    else:
        poke32(register + 4 * lane, np.uint32(value))


@compiled_as("void(int64, uint32, uint32)")
def set_lanes(register, lanes, value):
    """The same 32-bit value in all of `lanes`."""
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        poke32(register + 4 * lane, value)


@compiled_as("void(int64, uint32, uint32)")
def set_predicate(register, lanes, true):
    """A predicate, in `lanes`: it holds in those of `true`."""
    poke32(register, (mask32(register, 0) & ~lanes) | (true & lanes))


@compiled_as("int64(int64, int64)")
def origin_of(state, slot):
    return word32(slot + get(state, s.ORIGIN_SHIFT), 0)


@compiled_as("void(int64, int64, uint32, uint32, int64)")
def define(state, slot, lanes, defined, origin):
    """A register got values in `lanes`: those of `defined` hold one, in the others it is one that nobody wrote."""
    poke32(slot, (mask32(slot, 0) & ~lanes) | (defined & lanes))
    if lanes & ~defined != NO_LANES:
        set32(slot + get(state, s.ORIGIN_SHIFT), 0, origin)
