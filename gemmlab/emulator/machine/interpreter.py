"""The warp interpreter: fetch a row of code, do it for the lanes of a fragment, go on. See `fragments.py`, `memory.py`,
`sync.py`."""

from __future__ import annotations

import numpy as np
from numba import njit

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.alu import cold
from gemmlab.emulator.machine.bits import (
    NO_LANES,
    first_lane,
    lane_bit,
    lane_count,
    next_lane,
    peek32,
    peek64,
    poke32,
    poke64,
)
from gemmlab.emulator.machine.events import OUT_OF_WORK, TRAPPED, UNDEFINED_BRANCH, UNSUPPORTED_INSTRUCTION, record
from gemmlab.emulator.machine.fragments import (
    AT_BARRIER,
    AT_WARP_SYNC,
    RUNNABLE,
    STATUS,
    WAITS_AT,
    add_fragment,
    fragment,
    fragment_count,
    take_next,
)
from gemmlab.emulator.machine.jit import compiled
from gemmlab.emulator.machine.memory import (
    async_commit,
    async_copy,
    async_wait,
    atomic,
    field,
    forget_copies,
    load,
    store,
)
from gemmlab.emulator.machine.orders import fence, start_block
from gemmlab.emulator.machine.printing import print_record
from gemmlab.emulator.machine.requests import ALL_LANES, EXECUTED, IDLE, bump
from gemmlab.emulator.machine.state import (
    ASYNC_GROUP,
    BARRIER_ARRIVED,
    BARRIER_MEMBERS,
    BLOCK,
    BLOCK_START,
    BLOCK_X,
    BLOCK_Y,
    BUDGET,
    CHECKS,
    CODE,
    ENTRY_PC,
    EXIT_PC,
    EXITED,
    FORCE_EXCHANGE,
    FRAGMENT_COUNT,
    GRID_X,
    GRID_Y,
    INTERVAL_START,
    LOCAL_BYTES,
    LOCAL_DEFINED,
    NOW,
    ORIGIN_SHIFT,
    PRESENT,
    SHADOW_DEFINED,
    SHARED_BYTES,
    SHARED_GRANULES,
    SHARED_HOST,
    SLOT_BYTES,
    SLOT_OFFSET,
    SPECIAL_ROWS,
    STOP,
    STORE_INTERVAL,
    THREADS,
    TILE,
    WARP_ORDER,
    WARP_TEMPLATE,
    WARPS,
    get,
    mask32,
    put,
    set32,
    set64,
    set_byte,
    word32,
    word64,
)
from gemmlab.emulator.machine.sync import (
    arrive,
    exchange,
    named_group,
    report_deadlock,
    resolve_barriers,
    row_of,
    settle_warp,
    some_group_came,
    warp_base,
)
from gemmlab.emulator.machine.tensor import spread
from gemmlab.emulator.machine.vector import hot

NONE = np.int64(-1)
# Instructions a warp runs before the next one gets a turn, should it wait for another warp's data in a loop.
SLICE = 100_000
# Backward jumps of some lanes after which others get a turn: those that wait for a lock may wait for their neighbours.
PATIENCE = 300


@compiled
def _spread_undefined(state, row, lanes, base, good):
    """Slow path: a result made from an undefined value is undefined, and remembers where that value came from."""
    origin = np.int64(0)
    for column in (o.ROW_OK_A, o.ROW_OK_B, o.ROW_OK_C):
        slot = base + field(row, column)
        if lanes & ~mask32(slot, 0) != NO_LANES and origin == 0:
            origin = word32(slot + get(state, ORIGIN_SHIFT), 0)
            if origin == 0:
                origin = (row - get(state, CODE)) // (4 * o.ROW_LENGTH) + 1
    set32(base + field(row, o.ROW_OK_D) + get(state, ORIGIN_SHIFT), 0, origin)


@compiled
def _run_cold(row, op, lanes, base):
    """An instruction of isa.py, lane after lane."""
    wide = field(row, o.ROW_WIDE)
    d, a, b, c = (
        base + field(row, o.ROW_D),
        base + field(row, o.ROW_A),
        base + field(row, o.ROW_B),
        base + field(row, o.ROW_C),
    )
    imm, found = field(row, o.ROW_IMM), NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        x = peek64(a + 8 * lane) if wide & o.WIDE_A else np.uint64(peek32(a + 4 * lane))
        y = peek64(b + 8 * lane) if wide & o.WIDE_B else np.uint64(peek32(b + 4 * lane))
        z = peek64(c + 8 * lane) if wide & o.WIDE_C else np.uint64(peek32(c + 4 * lane))
        result = cold(op, x, y, z, imm)
        if wide & o.PRED_D:
            found |= lane_bit(lane) if result != np.uint64(0) else NO_LANES
        elif wide & o.WIDE_D:
            poke64(d + 8 * lane, result)
        else:
            poke32(d + 4 * lane, np.uint32(result))
    return found


@compiled
def _predicate_logic(state, row, op, lanes, base):
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
    old = mask32(base + field(row, o.ROW_D), 0)
    poke32(base + field(row, o.ROW_D), (old & ~lanes) | (value & lanes))
    _set_defined(state, row, lanes, base, good)


@compiled
def _set_defined(state, row, lanes, base, good):
    slot = base + field(row, o.ROW_OK_D)
    poke32(slot, (mask32(slot, 0) & ~lanes) | (good & lanes))
    if lanes & ~good != NO_LANES:
        _spread_undefined(state, row, lanes, base, good)


@compiled
def _leave(state, warp, pc, lanes):
    """Lanes that end."""
    exited = get(state, EXITED)
    poke32(exited + 4 * warp, mask32(exited, warp) | lanes)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        set32(get(state, EXIT_PC), warp * 32 + lane, pc)


@compiled
def _return(state, warp, row, lanes, base):
    """Lanes go back to where each was called from."""
    while lanes != NO_LANES:
        target = word32(base + field(row, o.ROW_A), first_lane(lanes))
        together = NO_LANES
        for lane in range(32):
            if lanes & lane_bit(lane) and word32(base + field(row, o.ROW_A), lane) == target:
                together |= lane_bit(lane)
        add_fragment(state, warp, target, together, RUNNABLE, NONE)
        lanes &= ~together


@compiled
def _is_space(state, row, lanes, base):
    found = NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        address = np.int64(peek64(base + field(row, o.ROW_A) + 8 * lane))
        window = address >> 40
        space = field(row, o.ROW_SPACE)
        inside = window == 1 if space == o.SHARED else (window == 2 if space == o.LOCAL else window >= 3)
        found |= lane_bit(lane) if inside else NO_LANES
    old = mask32(base + field(row, o.ROW_D), 0)
    poke32(base + field(row, o.ROW_D), (old & ~lanes) | found)
    _set_defined(state, row, lanes, base, mask32(base + field(row, o.ROW_OK_A), 0))


@compiled
def _other(state, warp, row, op, lanes, base, pc):
    """Instructions that are rare, and go on to the next one."""
    if op == o.ATOMIC:
        atomic(state, warp, row, lanes, base, pc)
    elif op == o.FENCE:
        fence(state, warp, field(row, o.ROW_AUX))
    elif op == o.ASYNC_COPY:
        async_copy(state, warp, row, lanes, base, pc)
    elif op == o.ASYNC_COMMIT:
        async_commit(state, warp, lanes)
    elif op == o.ASYNC_WAIT:
        async_wait(state, warp, lanes, field(row, o.ROW_IMM))
    elif op == o.ACTIVE_MASK:
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            poke32(base + field(row, o.ROW_D) + 4 * lane, lanes)
        _set_defined(state, row, lanes, base, lanes)
    elif op == o.IS_SPACE:
        _is_space(state, row, lanes, base)
    elif op == o.SPREAD:
        spread(state, row, lanes, base)
    elif op == o.PRINT:
        print_record(state, warp, row, lanes, base)
    elif op == o.UNSUPPORTED or op == o.TRAP:
        kind = UNSUPPORTED_INSTRUCTION if op == o.UNSUPPORTED else TRAPPED
        thread = warp * 32 + first_lane(lanes)
        record(state, kind, pc, NONE, NONE, field(row, o.ROW_IMM), thread, NONE, NONE, NONE, NONE, np.int64(0))
        put(state, STOP, 1)


@compiled
def _collective(state, warp, row, lanes, base, pc):
    """A warp-wide instruction, done for each group of lanes that name the same lanes, if all of those are here.

    Returns the lanes that must wait for others.
    """
    waiting, todo = NO_LANES, lanes
    alive = mask32(get(state, PRESENT), warp) & ~mask32(get(state, EXITED), warp)
    while todo != NO_LANES:
        named, group = named_group(state, row, todo, base)
        todo &= ~group
        if named & alive & ~group == NO_LANES or get(state, FORCE_EXCHANGE):
            put(state, FORCE_EXCHANGE, 0)
            exchange(state, warp, row, group, base, pc)
        else:
            waiting |= group
    return waiting


@compiled
def run_warp(state, warp):
    """Run the lanes of a warp until each of them waits or has ended (or a slice of work is used up)."""
    base = warp_base(state, warp)
    checks = get(state, CHECKS)
    left = np.int64(SLICE)
    turns, behind = np.int64(0), NONE
    while left > 0 and get(state, STOP) == 0:
        pc, active, following = take_next(state, warp, behind)
        behind = NONE
        if active == NO_LANES:
            if settle_warp(state, warp):
                put(state, FORCE_EXCHANGE, 1)
                continue
            return
        started = left
        while True:
            if pc >= following or left <= 0:
                add_fragment(state, warp, pc, active, RUNNABLE, NONE)
                break
            left -= 1
            row = row_of(state, pc)
            op = field(row, o.ROW_OP)
            lanes = active
            guard = field(row, o.ROW_GUARD)
            if guard >= 0:
                true = mask32(base + guard, 0)
                lanes = active & (~true if field(row, o.ROW_GUARD_NEGATED) else true)
                if checks and active & ~mask32(base + field(row, o.ROW_OK_GUARD), 0) != NO_LANES:
                    _undefined_guard(state, warp, row, active, base, pc)
            if checks:
                bump(state, pc, EXECUTED, np.int64(1))
                if lanes != ALL_LANES:
                    bump(state, pc, IDLE, 32 - lane_count(lanes))
            if op < o.FIRST_SPECIAL:
                if lanes != NO_LANES:
                    wide = field(row, o.ROW_WIDE)
                    if op < o.FIRST_COLD:
                        c = base + field(row, o.ROW_C)
                        if wide & o.PRED_C:
                            c = np.int64(mask32(c, 0))
                        found = hot(
                            op,
                            base + field(row, o.ROW_D),
                            base + field(row, o.ROW_A),
                            base + field(row, o.ROW_B),
                            c,
                            lanes,
                        )
                    else:
                        found = _run_cold(row, op, lanes, base)
                    if wide & o.PRED_D:
                        target = base + field(row, o.ROW_D)
                        poke32(target, (mask32(target, 0) & ~lanes) | (found & lanes))
                    if checks:
                        ok_a, ok_b = mask32(base + field(row, o.ROW_OK_A), 0), mask32(base + field(row, o.ROW_OK_B), 0)
                        ok_c = mask32(base + field(row, o.ROW_OK_C), 0)
                        good = ok_a & ok_b & ok_c
                        if wide & o.PRED_C:
                            chosen = mask32(base + field(row, o.ROW_C), 0)
                            good = ok_c & ((chosen & ok_a) | (~chosen & ok_b))
                        elif wide & o.ANY_WRITTEN:
                            good = ok_a | ok_b
                        slot = base + field(row, o.ROW_OK_D)
                        poke32(slot, (mask32(slot, 0) & ~lanes) | (good & lanes))
                        if lanes & ~good != NO_LANES:
                            _spread_undefined(state, row, lanes, base, good)
                pc += 1
            elif op == o.LOAD:
                if lanes != NO_LANES:
                    load(state, warp, row, lanes, base, pc)
                pc += 1
            elif op == o.BRANCH:
                target = field(row, o.ROW_IMM)
                if lanes == active:
                    turns += target <= pc
                    pc = target
                    if turns > PATIENCE:
                        turns = np.int64(0)
                        if fragment_count(state, warp) > 0:
                            behind = pc
                            add_fragment(state, warp, pc, active, RUNNABLE, NONE)
                            break
                elif lanes == NO_LANES:
                    pc += 1
                else:
                    add_fragment(state, warp, target, lanes, RUNNABLE, NONE)
                    add_fragment(state, warp, pc + 1, active & ~lanes, RUNNABLE, NONE)
                    break
            elif op == o.STORE:
                if lanes != NO_LANES:
                    store(state, warp, row, lanes, base, pc)
                pc += 1
            elif o.PRED_MOV <= op <= o.PRED_NOT:
                if lanes != NO_LANES:
                    _predicate_logic(state, row, op, lanes, base)
                pc += 1
            elif lanes == NO_LANES:
                pc += 1
            elif op == o.BARRIER:
                add_fragment(state, warp, pc + 1, active & ~lanes, RUNNABLE, NONE)
                if field(row, o.ROW_AUX) == 1:
                    arrive(state, warp, row, lanes, base)
                    add_fragment(state, warp, pc + 1, lanes, RUNNABLE, NONE)
                else:
                    add_fragment(state, warp, pc + 1, lanes, AT_BARRIER, pc)
                break
            elif o.WARP_SYNC <= op <= o.MMA:
                waiting = _collective(state, warp, row, lanes, base, pc)
                if waiting == NO_LANES:
                    pc += 1
                else:
                    add_fragment(state, warp, pc + 1, active & ~waiting, RUNNABLE, NONE)
                    _wait_for_lanes(state, warp, waiting, pc)
                    break
            elif op == o.EXIT:
                _leave(state, warp, pc, lanes)
                active &= ~lanes
                if active == NO_LANES:
                    break
                pc += 1
            elif op == o.CALL:
                todo = lanes
                while todo != NO_LANES:
                    lane, todo = next_lane(todo)
                    set32(base + field(row, o.ROW_D), lane, pc + 1)
                add_fragment(state, warp, pc + 1, active & ~lanes, RUNNABLE, NONE)
                add_fragment(state, warp, field(row, o.ROW_IMM), lanes, RUNNABLE, NONE)
                break
            elif op == o.RETURN:
                add_fragment(state, warp, pc + 1, active & ~lanes, RUNNABLE, NONE)
                _return(state, warp, row, lanes, base)
                break
            else:
                _other(state, warp, row, op, lanes, base, pc)
                pc += 1
                if get(state, STOP):
                    break
        budget = get(state, BUDGET) - (started - left)
        put(state, BUDGET, budget)
        if budget <= 0 and get(state, STOP) == 0:
            record(
                state,
                OUT_OF_WORK,
                pc,
                NONE,
                NONE,
                np.int64(0),
                warp * 32 + first_lane(active),
                NONE,
                NONE,
                NONE,
                NONE,
                np.int64(0),
            )
            put(state, STOP, 1)


@compiled
def _undefined_guard(state, warp, row, active, base, pc):
    """A branch, or a predicated instruction, that hangs on a value nobody wrote."""
    slot = base + field(row, o.ROW_OK_GUARD)
    undefined = active & ~mask32(slot, 0)
    origin = word32(slot + get(state, ORIGIN_SHIFT), 0)
    thread = warp * 32 + first_lane(undefined)
    record(state, UNDEFINED_BRANCH, pc, origin - 1, NONE, np.int64(0), thread, NONE, NONE, NONE, NONE, np.int64(0))
    poke32(slot, mask32(slot, 0) | undefined)


@compiled
def _wait_for_lanes(state, warp, lanes, pc):
    """Lanes wait at a warp-wide instruction; if those they wait for stand here already, they go on together."""
    add_fragment(state, warp, pc, lanes, AT_WARP_SYNC, pc)
    for index in range(fragment_count(state, warp)):
        waiting = fragment(state, warp, index)
        if word32(waiting, STATUS) == AT_WARP_SYNC and word32(waiting, WAITS_AT) == pc:
            if some_group_came(state, warp, waiting):
                set32(waiting, STATUS, RUNNABLE)
                set32(waiting, WAITS_AT, -1)
            return


@compiled
def _start_block(state, block):
    """Fresh registers, shared memory full of NaN that nobody wrote, every thread at the first instruction."""
    put(state, BLOCK, block)
    now = get(state, NOW) + 1
    put(state, NOW, now)
    put(state, INTERVAL_START, now)
    put(state, BLOCK_START, now)
    start_block(state)
    for at in range(get(state, SHARED_BYTES) >> 3):
        set64(get(state, SHARED_HOST), at, -1)
    for granule in range(get(state, SHARED_GRANULES)):
        set_byte(get(state, SHADOW_DEFINED), granule, 0)
    forget_copies(state)
    for number in range(16):
        set64(get(state, BARRIER_ARRIVED), number, 0)
        set64(get(state, BARRIER_MEMBERS), number, 0)
    threads = get(state, THREADS)
    for at in range(threads * get(state, LOCAL_BYTES)):
        set_byte(get(state, LOCAL_DEFINED), at, 0)
    for warp in range(get(state, WARPS)):
        _start_warp(state, warp, block, threads)


@compiled
def _start_warp(state, warp, block, threads):
    base = warp_base(state, warp)
    template = get(state, WARP_TEMPLATE)
    slots = get(state, SLOT_OFFSET)
    for at in range(0, 2 * get(state, SLOT_BYTES), 4):
        poke32(base + slots + at, peek32(template + slots + at))
    present = NO_LANES
    for lane in range(32):
        if warp * 32 + lane < threads:
            present |= lane_bit(lane)
        set32(get(state, ASYNC_GROUP), warp * 32 + lane, 0)
    _set_special(state, warp, block, base)
    poke32(get(state, PRESENT) + 4 * warp, present)
    poke32(get(state, EXITED) + 4 * warp, NO_LANES)
    set32(get(state, FRAGMENT_COUNT), warp, 0)
    add_fragment(state, warp, get(state, ENTRY_PC), present, RUNNABLE, NONE)
    set32(get(state, TILE), warp, -1)
    set64(get(state, STORE_INTERVAL), warp, -1)


@compiled
def _set_special(state, warp, block, base):
    """%tid and %ctaid: the special registers that are not the same for the whole launch."""
    rows = get(state, SPECIAL_ROWS)
    bx, by = get(state, BLOCK_X), get(state, BLOCK_Y)
    gx, gy = get(state, GRID_X), get(state, GRID_Y)
    for lane in range(32):
        thread = warp * 32 + lane
        values = (
            thread % bx,
            (thread // bx) % by,
            thread // (bx * by),
            block % gx,
            (block // gx) % gy,
            block // (gx * gy),
            lane,
            warp,
        )
        for number in range(8):
            offset = word64(rows, number)
            if offset >= 0:
                set32(base + offset, lane, values[number])


@compiled
def _run_block(state, block):
    _start_block(state, block)
    warps = get(state, WARPS)
    while get(state, STOP) == 0:
        running = False
        for turn in range(warps):
            warp = word32(get(state, WARP_ORDER), turn)
            run_warp(state, warp)
            running = running or fragment_count(state, warp) > 0
        if not running or get(state, STOP):
            return
        if not _any_runnable(state) and not resolve_barriers(state):
            report_deadlock(state)
            return


@compiled
def _any_runnable(state):
    for warp in range(get(state, WARPS)):
        for index in range(fragment_count(state, warp)):
            if word32(fragment(state, warp, index), STATUS) == RUNNABLE:
                return True
    return False


@njit("int64(int64, int64[:])", nogil=True, error_model="numpy", cache=True)
def run_blocks(state, blocks):
    """Run the listed blocks one after another. Returns how many were finished."""
    finished = 0
    for block in blocks:
        if get(state, STOP):
            break
        _run_block(state, block)
        finished += 0 if get(state, STOP) else 1
    return finished
