"""Blocks one after another: fresh registers and memory, and turns for the warps until all threads have ended.

`run_blocks` is the interpreter's entry: the only function that Python calls.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, lane_bit, peek32, poke32
from gemmlab.emulator.machine.events import NONE
from gemmlab.emulator.machine.fragments import RUNNABLE, STATUS, add_fragment, fragment, fragment_count
from gemmlab.emulator.machine.interpreter import run_warp
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.memory.copies import async_wait, forget_copies
from gemmlab.emulator.machine.opcodes import FULL
from gemmlab.emulator.machine.orders import start_block
from gemmlab.emulator.machine.peers.publications import end_sets
from gemmlab.emulator.machine.registers import warp_base
from gemmlab.emulator.machine.state import get, put, set32, set64, set_byte, word32, word64
from gemmlab.emulator.machine.sync.barriers import BARRIERS, forget_arrivals, report_deadlock, resolve_barriers
from gemmlab.emulator.machine.sync.stops import BEGIN, LAND, RUN_WARP


@compiled_as("void(int64, int64)")
def _start_block(state, block):
    """Fresh registers, shared memory full of NaN that nobody wrote, every thread at the first instruction."""
    put(state, s.BLOCK, get(state, s.FIRST_BLOCK) + block)
    now = get(state, s.NOW) + 1
    put(state, s.NOW, now)
    put(state, s.INTERVAL_START, now)
    put(state, s.BLOCK_START, now)
    start_block(state)
    for at in range(get(state, s.SHARED_BYTES) >> 3):
        set64(get(state, s.SHARED_HOST), at, -1)
    for granule in range(get(state, s.SHARED_FIRST), get(state, s.SHARED_END)):
        set_byte(get(state, s.SHADOW_DEFINED), granule, 0)
    forget_copies(state)
    put(state, s.OBJECT_COUNT, 0)
    put(state, s.STUCK_OBJECT, 0)
    for number in range(BARRIERS):
        forget_arrivals(state, np.int64(number))
        set64(get(state, s.BARRIER_CAME), number, 0)
    for at in range(get(state, s.THREADS) * get(state, s.LOCAL_BYTES)):
        set_byte(get(state, s.LOCAL_DEFINED), at, 0)
    for warp in range(get(state, s.WARPS)):
        _start_warp(state, warp, block)


@compiled_as("void(int64, int64, int64)")
def _start_warp(state, warp, block):
    base = warp_base(state, warp)
    template = get(state, s.WARP_TEMPLATE)
    slots = get(state, s.SLOT_OFFSET)
    for at in range(0, 2 * get(state, s.SLOT_BYTES), 4):
        poke32(base + slots + at, peek32(template + slots + at))
    present = NO_LANES
    for lane in range(32):
        if warp * 32 + lane < get(state, s.THREADS):
            present |= lane_bit(lane)
        set32(get(state, s.ASYNC_GROUP), warp * 32 + lane, 0)
        _set_special(state, warp, block, base, lane)
    poke32(get(state, s.PRESENT) + 4 * warp, present)
    poke32(get(state, s.EXITED) + 4 * warp, NO_LANES)
    set32(get(state, s.FRAGMENT_COUNT), warp, 0)
    add_fragment(state, warp, get(state, s.ENTRY_PC), present, RUNNABLE, NONE)
    set32(get(state, s.TILE), warp, -1)
    set64(get(state, s.STORE_INTERVAL), warp, -1)


@compiled_as("void(int64, int64, int64, int64, int64)")
def _set_special(state, warp, block, base, lane):
    """%tid and %ctaid: the special registers that are not the same for the whole launch. Order: see SPECIAL_ROWS."""
    bx, by = get(state, s.BLOCK_X), get(state, s.BLOCK_Y)
    gx, gy = get(state, s.GRID_X), get(state, s.GRID_Y)
    thread = warp * 32 + lane
    _set_row(state, base, 0, lane, thread % bx)
    _set_row(state, base, 1, lane, (thread // bx) % by)
    _set_row(state, base, 2, lane, thread // (bx * by))
    _set_row(state, base, 3, lane, block % gx)
    _set_row(state, base, 4, lane, (block // gx) % gy)
    _set_row(state, base, 5, lane, block // (gx * gy))


@compiled_as("void(int64, int64, int64, int64, int64)")
def _set_row(state, base, number, lane, value):
    offset = word64(get(state, s.SPECIAL_ROWS), number)
    if offset >= 0:
        set32(base + offset, lane, value)


@compiled_as("void(int64, int64)")
def _run_block(state, block):
    """A block from its start, or from where it gave way to another device, to its end, or until it gives way."""
    if get(state, s.RESUMES):
        put(state, s.RESUMES, 0)
    else:
        _start_block(state, block)
    warps = get(state, s.WARPS)
    while get(state, s.STOP) == 0:
        running, waits = False, get(state, s.WORLD) != 0
        for turn in range(warps):
            warp = word32(get(state, s.WARP_ORDER), turn)
            run_warp(state, warp)
            running = running or fragment_count(state, warp) > 0
            waits = waits and (get(state, s.YIELD) > 0 or not _is_runnable(state, warp))
        if not running or get(state, s.STOP):
            if get(state, s.WORLD) and get(state, s.ORDERS):
                end_sets(state)
            return
        if _any_runnable(state):
            if waits:
                put(state, s.GIVES_WAY, 1)
                return
        elif not resolve_barriers(state):
            report_deadlock(state)
            return


@compiled_as("boolean(int64)")
def _any_runnable(state):
    for warp in range(get(state, s.WARPS)):
        if _is_runnable(state, warp):
            return True
    return False


@compiled_as("boolean(int64, int64)")
def _is_runnable(state, warp):
    for index in range(fragment_count(state, warp)):
        if word32(fragment(state, warp, index), STATUS) == RUNNABLE:
            return True
    return False


@compiled_as("int64(int64, int64)")
def _take_turn(state, block):
    """One turn of a block whose order is decided outside: begin it, run one warp up to a stop, let a warp's copies
    arrive, or let those go whose barrier is complete. Returns 0 where a barrier cannot be."""
    turn = get(state, s.TURN)
    if turn == BEGIN:
        _start_block(state, block)
    elif turn == RUN_WARP:
        run_warp(state, get(state, s.TURN_WARP))
    elif turn == LAND:
        async_wait(state, get(state, s.TURN_WARP), np.uint32(FULL), np.int64(-1))
    elif not resolve_barriers(state):
        return np.int64(0)
    return np.int64(1)


@compiled_as("int64(int64, int64, int64)")
def run_blocks(state, blocks, count):
    """Run the blocks whose `count` numbers stand at the address `blocks`, one after another. Returns how many were
    finished. One that GIVES_WAY goes on at the next call, if it RESUMES there. Where turns are given from outside, take
    one turn of the first of them."""
    if get(state, s.TURN):
        return _take_turn(state, word64(blocks, 0))
    finished = np.int64(0)
    for n in range(count):
        if get(state, s.STOP):
            break
        _run_block(state, word64(blocks, n))
        if get(state, s.GIVES_WAY):
            break
        finished += 0 if get(state, s.STOP) else 1
    return finished
