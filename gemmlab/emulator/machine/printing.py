"""printf of a kernel: what each lane asked to print is kept as raw records; `print_format.py` turns them into text."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, lane_count, next_lane, peek64
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.memory.addresses import is_inside, locate, offset_in
from gemmlab.emulator.machine.registers import field
from gemmlab.emulator.machine.state import byte, get, put, set64, set_byte, word64

# A record: block, thread, address of the format, bytes of arguments that follow, then the arguments.
BLOCK, THREAD, FORMAT, ARGUMENTS = range(4)
HEADER = 4
ARGUMENT_BYTES = 256


@compiled_as("void(int64, int64, int64, uint32, int64)")
def print_record(state, warp, row, lanes, base):
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        used = get(state, s.PRINT_USED)
        if used + 8 * HEADER + ARGUMENT_BYTES > get(state, s.PRINT_CAPACITY):
            put(state, s.PRINT_LOST, get(state, s.PRINT_LOST) + lane_count(todo) + 1)
            return
        record = get(state, s.PRINT_BUFFER) + used
        arguments = np.int64(peek64(base + field(row, o.ROW_B) + 8 * lane))
        set64(record, BLOCK, get(state, s.BLOCK))
        set64(record, THREAD, warp * 32 + lane)
        set64(record, FORMAT, np.int64(peek64(base + field(row, o.ROW_A) + 8 * lane)))
        set64(record, ARGUMENTS, _copy_arguments(state, warp * 32 + lane, arguments, record + 8 * HEADER))
        put(state, s.PRINT_USED, used + 8 * HEADER + ARGUMENT_BYTES)


@compiled_as("int64(int64, int64, int64, int64)")
def _copy_arguments(state, thread, arguments, target):
    """Bytes of the thread's local memory from there to the end of the variable, as far as a record has room."""
    region = locate(state, arguments)
    offset = offset_in(state, region, arguments)
    if region < o.FIRST_LOCAL or not is_inside(state, region, offset, np.int64(0)):
        return np.int64(0)
    count = min(word64(get(state, s.REGION_SIZE), region) - offset, ARGUMENT_BYTES)
    place = thread * get(state, s.LOCAL_BYTES) + word64(get(state, s.REGION_HOST), region) + arguments
    for at in range(count):
        set_byte(target, at, byte(get(state, s.LOCAL_HOST) + place, at))
    return count
