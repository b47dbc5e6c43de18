"""A thread's own memory: local variables, and the parameters of device functions. Nobody else sees it, so it has no
races; each byte is marked as written or not."""

from __future__ import annotations

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, lane_bit, next_lane, peek, poke
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.registers import define, field, lane_bits, set_lane, vector_entry
from gemmlab.emulator.machine.shadow import DEFINED, NEVER
from gemmlab.emulator.machine.state import byte, get, mask32, set_byte, word32, word64


@compiled_as("int64(int64, int64, int64, int64, boolean)")
def _own_offset(state, warp, lane, place, constant_address):
    """Where in the memory of all threads' local variables this lane's access falls. `place`: see REGION_HOST of local
    regions."""
    own = (warp * 32 + lane) * get(state, s.LOCAL_BYTES)
    return own + (place if constant_address else place + word64(get(state, s.ADDRESSES), lane))


@compiled_as("boolean(int64, int64, int64)")
def _some_byte_written(state, offset, size):
    for at in range(offset, offset + size):
        if byte(get(state, s.LOCAL_DEFINED), at) == DEFINED:
            return True
    return False


@compiled_as("void(int64, int64, int64, uint32, int64, int64, int64, boolean)")
def load_own(state, warp, row, lanes, base, pc, place, constant_address):
    """A load from local variables, or from parameters of a device function (at a fixed place)."""
    size, signed = field(row, o.ROW_SIZE), field(row, o.ROW_SIGNED)
    for n in range(field(row, o.ROW_COUNT)):
        entry = vector_entry(state, row, n)
        defined = NO_LANES
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            offset = _own_offset(state, warp, lane, place, constant_address) + n * size
            value = peek(get(state, s.LOCAL_HOST) + offset, size, signed)
            if _some_byte_written(state, offset, size):
                defined |= lane_bit(lane)
            set_lane(base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE), lane, value)
        define(state, base + word32(entry, o.ENTRY_SLOT), lanes, defined, pc + 1)


@compiled_as("void(int64, int64, int64, uint32, int64, int64, boolean)")
def store_own(state, warp, row, lanes, base, place, constant_address):
    size = field(row, o.ROW_SIZE)
    for n in range(field(row, o.ROW_COUNT)):
        entry = vector_entry(state, row, n)
        ok = mask32(base + word32(entry, o.ENTRY_SLOT), 0)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            offset = _own_offset(state, warp, lane, place, constant_address) + n * size
            value = lane_bits(base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE), lane)
            poke(get(state, s.LOCAL_HOST) + offset, size, value)
            for at in range(offset, offset + size):
                set_byte(get(state, s.LOCAL_DEFINED), at, DEFINED if ok & lane_bit(lane) else NEVER)
