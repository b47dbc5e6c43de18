"""printf of a kernel: what each lane asked to print is kept as raw records; `print_format.py` turns them into text."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.bits import NO_LANES, lane_count, next_lane, peek64
from gemmlab.emulator.machine.jit import compiled
from gemmlab.emulator.machine.memory import field, locate
from gemmlab.emulator.machine.state import (
    BLOCK,
    LOCAL_BYTES,
    LOCAL_HOST,
    PRINT_BUFFER,
    PRINT_CAPACITY,
    PRINT_LOST,
    PRINT_USED,
    REGION_BASE,
    REGION_HOST,
    REGION_SIZE,
    byte,
    get,
    put,
    set64,
    set_byte,
    word64,
)

# A record: block, thread, address of the format, bytes of arguments that follow, then the arguments.
HEADER = 4
ARGUMENT_BYTES = 256


@compiled
def print_record(state, warp, row, lanes, base):
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        used = get(state, PRINT_USED)
        if used + 8 * HEADER + ARGUMENT_BYTES > get(state, PRINT_CAPACITY):
            put(state, PRINT_LOST, get(state, PRINT_LOST) + lane_count(todo) + 1)
            return
        record = get(state, PRINT_BUFFER) + used
        arguments = np.int64(peek64(base + field(row, o.ROW_B) + 8 * lane))
        set64(record, 0, get(state, BLOCK))
        set64(record, 1, warp * 32 + lane)
        set64(record, 2, np.int64(peek64(base + field(row, o.ROW_A) + 8 * lane)))
        region = locate(state, arguments)
        count = np.int64(0)
        if region >= o.FIRST_LOCAL:
            offset = arguments - word64(get(state, REGION_BASE), region)
            if offset >= 0:
                count = max(min(word64(get(state, REGION_SIZE), region) - offset, ARGUMENT_BYTES), np.int64(0))
            place = (warp * 32 + lane) * get(state, LOCAL_BYTES) + word64(get(state, REGION_HOST), region) + arguments
            for at in range(count):
                set_byte(record + 8 * HEADER, at, byte(get(state, LOCAL_HOST) + place, at))
        set64(record, 3, count)
        put(state, PRINT_USED, used + 8 * HEADER + ARGUMENT_BYTES)
