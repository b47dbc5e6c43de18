"""The warp interpreter: fetch a row of code, do it for the lanes of a fragment, go on.

What the families of instructions do stands elsewhere: arithmetic.py, memory/, sync/. Here is the order in which rows
are taken, and those that change it.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.arithmetic import compute, define_result, predicate_logic
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, lane_count, next_lane, poke32
from gemmlab.emulator.machine.events import NONE, begin, keep, record
from gemmlab.emulator.machine.fragments import AT_BARRIER, RUNNABLE, add_fragment, fragment_count, take_next
from gemmlab.emulator.machine.jit import compiled, compiled_as, inlined
from gemmlab.emulator.machine.memory.atomics import atomic
from gemmlab.emulator.machine.memory.copies import async_commit, async_copy, async_wait
from gemmlab.emulator.machine.memory.loads import load
from gemmlab.emulator.machine.memory.stores import store
from gemmlab.emulator.machine.orders import fence
from gemmlab.emulator.machine.printing import print_record
from gemmlab.emulator.machine.registers import field, lane_bits, origin_of, row_of, set_lanes, set_predicate, warp_base
from gemmlab.emulator.machine.requests import ALL_LANES, EXECUTED, IDLE, bump
from gemmlab.emulator.machine.state import get, mask32, put, set32, set64, word32
from gemmlab.emulator.machine.sync.barriers import arrive
from gemmlab.emulator.machine.sync.lanes import collective, settle_warp, wait_for_lanes
from gemmlab.emulator.machine.sync.objects import barrier_object, bulk_copy, report_stuck
from gemmlab.emulator.machine.sync.stops import stop_behind, stops_at
from gemmlab.emulator.machine.tensor import collect, spread

# Instructions a warp runs before the next one gets a turn, should it wait for another warp's data in a loop.
SLICE = 100_000
# Backward jumps of some lanes after which others get a turn: those that wait for a lock may wait for their neighbours.
PATIENCE = 300


@compiled_as("void(int64, int64)")
def run_warp(state, warp):
    """Run the lanes of a warp until each of them waits or has ended (or a slice of work is used up), or some have come
    to a stop that they did not stand at before."""
    left, behind, begins = np.int64(SLICE), NONE, True
    put(state, s.TURNS, 0)
    put(state, s.YIELD, 0)
    put(state, s.QUESTIONS, 0)
    while left > 0 and get(state, s.STOP) == 0:
        pc, active, following = take_next(state, warp, behind)
        behind = NONE
        if active == NO_LANES:
            if get(state, s.HOLDS) or not settle_warp(state, warp):
                return
            put(state, s.FORCE_EXCHANGE, 1)
        else:
            if get(state, s.STOPS):
                if stops_at(state, pc) and not begins:
                    add_fragment(state, warp, pc, active, RUNNABLE, NONE)
                    return
                following = min(following, stop_behind(state, pc))
                begins = False
            before = left
            pc, left, behind = _run_fragment(state, warp, pc, active, following, left)
            _charge(state, before - left, pc, warp * 32 + first_lane(active))
            if _gives_way(state, warp):
                return
            if get(state, s.STOPS) and get(state, s.TURNS):
                behind = NONE


@compiled_as("void(int64, int64, int64, int64)")
def _charge(state, work, pc, thread):
    """Take the work off what is allowed."""
    budget = get(state, s.BUDGET) - work
    put(state, s.BUDGET, budget)
    if budget <= 0 and get(state, s.STOP) == 0:
        if get(state, s.STUCK_OBJECT):
            report_stuck(state)
        else:
            record(state, e.OUT_OF_WORK, pc, thread, np.int64(0))
        put(state, s.STOP, 1)


@compiled_as("boolean(int64, int64)")
def _gives_way(state, warp):
    """Whether all lanes of the warp only ask again and again for what other warps must do first."""
    asked = get(state, s.YIELD)
    if asked:
        put(state, s.YIELD, asked + 1)
    return asked > fragment_count(state, warp)


@compiled
def _run_fragment(state, warp, pc, active, following, left):
    """Run lanes that stand together until they part, wait, end, or reach others that stand at `following`.

    Returns where they got to, what is left of the slice, and the instruction behind which others get a turn, if any.
    """
    base, checks = warp_base(state, warp), get(state, s.CHECKS)
    while pc < following and left > 0:
        left -= 1
        row = row_of(state, pc)
        op, lanes = field(row, o.ROW_OP), _guarded(state, warp, row, active, base, pc)
        _count(state, pc, lanes)
        if lanes == NO_LANES:
            pc += 1
        elif op < o.FIRST_SPECIAL:
            compute(state, row, op, lanes, base, checks)
            pc += 1
        elif op < o.FIRST_JUMP:
            waits = _work(state, warp, row, op, lanes, base, pc)
            if waits != NO_LANES:
                add_fragment(state, warp, pc + 1, active & ~waits, RUNNABLE, NONE)
                wait_for_lanes(state, warp, waits, pc)
                return pc, left, NONE
            pc += 1
        elif op == o.BRANCH and lanes == active:
            target = field(row, o.ROW_IMM)
            if target <= pc and _is_impatient(state, warp):
                add_fragment(state, warp, target, active, RUNNABLE, NONE)
                return target, left, target
            pc = target
        else:
            active = _part(state, warp, row, op, active, lanes, base, pc)
            if active == NO_LANES:
                return pc, left, NONE
            pc += 1
    add_fragment(state, warp, pc, active, RUNNABLE, NONE)
    return pc, left, NONE


@inlined
def _guarded(state, warp, row, active, base, pc):
    """The lanes that the instruction's predicate, if it has one, lets through."""
    if field(row, o.ROW_GUARD) < 0:
        return active
    true = mask32(base + field(row, o.ROW_GUARD), 0)
    if get(state, s.CHECKS) and active & ~mask32(base + field(row, o.ROW_OK_GUARD), 0) != NO_LANES:
        _undefined_guard(state, warp, row, active, base, pc)
    return active & (~true if field(row, o.ROW_GUARD_NEGATED) else true)


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def _undefined_guard(state, warp, row, active, base, pc):
    """A branch, or a predicated instruction, that hangs on a value nobody wrote."""
    slot = base + field(row, o.ROW_OK_GUARD)
    undefined = active & ~mask32(slot, 0)
    event = begin(state, e.UNDEFINED_BRANCH, pc, warp * 32 + first_lane(undefined))
    set64(event, e.OTHER_PC, origin_of(state, slot) - 1)
    keep(state, event)
    poke32(slot, mask32(slot, 0) | undefined)


@inlined
def _count(state, pc, lanes):
    if get(state, s.CHECKS):
        bump(state, pc, EXECUTED, np.int64(1))
        if lanes != ALL_LANES:
            bump(state, pc, IDLE, 32 - lane_count(lanes))


@compiled_as("boolean(int64, int64)")
def _is_impatient(state, warp):
    """Count a backward jump. Whether others of the warp should get a turn now, or a stop may lie where it leads."""
    if get(state, s.YIELD):
        return True
    turns = get(state, s.TURNS) + 1
    put(state, s.TURNS, 0 if turns > PATIENCE else turns)
    return get(state, s.STOPS) != 0 or turns > PATIENCE and fragment_count(state, warp) > 0


# ---- instructions after which the next one follows


@compiled
def _work(state, warp, row, op, lanes, base, pc):
    """Do an instruction that is no arithmetic. Returns lanes that must wait for others of their warp first."""
    if op == o.LOAD:
        load(state, warp, row, lanes, base, pc)
    elif op == o.STORE:
        store(state, warp, row, lanes, base, pc)
    elif op <= o.PRED_NOT:
        predicate_logic(state, row, op, lanes, base)
    elif op >= o.FIRST_COLLECTIVE:
        return collective(state, warp, row, lanes, base, pc)
    else:
        _rare(state, warp, row, op, lanes, base, pc)
    return NO_LANES


@compiled_as("void(int64, int64, int64, int64, uint32, int64, int64)")
def _rare(state, warp, row, op, lanes, base, pc):
    if op == o.ATOMIC:
        atomic(state, warp, row, lanes, base, pc)
    elif op == o.FENCE:
        fence(state, warp, field(row, o.ROW_AUX))
    elif o.ASYNC_COPY <= op <= o.BULK_COPY:
        _asynchronous(state, warp, row, op, lanes, base, pc)
    elif op == o.OBJECT:
        barrier_object(state, warp, row, lanes, base, pc)
    elif op == o.SPREAD:
        spread(state, row, lanes, base)
    elif op == o.COLLECT:
        collect(state, row, base)
    elif op == o.PRINT:
        print_record(state, warp, row, lanes, base)
    else:
        _about_itself(state, row, op, lanes, base)


@compiled_as("void(int64, int64, int64, int64, uint32, int64, int64)")
def _asynchronous(state, warp, row, op, lanes, base, pc):
    if op == o.ASYNC_COPY:
        async_copy(state, warp, row, lanes, base, pc)
    elif op == o.ASYNC_COMMIT:
        async_commit(state, warp, lanes)
    elif op == o.ASYNC_WAIT:
        async_wait(state, warp, lanes, field(row, o.ROW_IMM))
    else:
        bulk_copy(state, warp, row, lanes, base, pc)


@compiled_as("void(int64, int64, int64, uint32, int64)")
def _about_itself(state, row, op, lanes, base):
    if op == o.ACTIVE_MASK:
        set_lanes(base + field(row, o.ROW_D), lanes, lanes)
        define_result(state, row, lanes, base, lanes)
    elif op == o.IS_SPACE:
        _is_space(state, row, lanes, base)


@compiled_as("void(int64, int64, uint32, int64)")
def _is_space(state, row, lanes, base):
    found, space = NO_LANES, field(row, o.ROW_SPACE)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        window = np.int64(lane_bits(base + field(row, o.ROW_A), True, lane)) >> o.SPACE_SHIFT
        inside = window > o.LOCAL_NUMBER
        if space == o.SHARED or space == o.LOCAL:
            inside = window == (o.SHARED_NUMBER if space == o.SHARED else o.LOCAL_NUMBER)
        found |= lane_bit(lane) if inside else NO_LANES
    set_predicate(base + field(row, o.ROW_D), lanes, found)
    define_result(state, row, lanes, base, mask32(base + field(row, o.ROW_OK_A), 0))


# ---- instructions after which lanes part


@compiled_as("uint32(int64, int64, int64, int64, uint32, uint32, int64, int64)")
def _part(state, warp, row, op, active, lanes, base, pc):
    """A jump of some lanes, a wait, or an end. Returns the lanes that go on to the next instruction together; where
    there are none, all of them have been put where they belong."""
    if op == o.EXIT:
        _leave(state, warp, pc, lanes)
        return active & ~lanes
    if op == o.UNSUPPORTED or op == o.TRAP:
        event = begin(state, e.UNSUPPORTED_INSTRUCTION if op == o.UNSUPPORTED else e.TRAPPED, pc, warp * 32)
        set64(event, e.THREAD, warp * 32 + first_lane(lanes))
        set64(event, e.OFFSET, field(row, o.ROW_IMM))
        keep(state, event)
        put(state, s.STOP, 1)
        return NO_LANES
    if op == o.BARRIER and field(row, o.ROW_AUX) == o.BARRIER_ARRIVE:
        arrive(state, warp, row, lanes, base)
        return active
    add_fragment(state, warp, pc + 1, active & ~lanes, RUNNABLE, NONE)
    if op == o.BRANCH:
        add_fragment(state, warp, field(row, o.ROW_IMM), lanes, RUNNABLE, NONE)
    elif op == o.BARRIER:
        add_fragment(state, warp, pc + 1, lanes, AT_BARRIER, pc)
    elif op == o.CALL:
        set_lanes(base + field(row, o.ROW_D), lanes, np.uint32(pc + 1))
        add_fragment(state, warp, field(row, o.ROW_IMM), lanes, RUNNABLE, NONE)
    else:
        _return(state, warp, row, lanes, base)
    return NO_LANES


@compiled_as("void(int64, int64, int64, uint32)")
def _leave(state, warp, pc, lanes):
    """Lanes that end."""
    exited = get(state, s.EXITED)
    poke32(exited + 4 * warp, mask32(exited, warp) | lanes)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        set32(get(state, s.EXIT_PC), warp * 32 + lane, pc)


@compiled_as("void(int64, int64, int64, uint32, int64)")
def _return(state, warp, row, lanes, base):
    """Lanes go back to where each was called from."""
    places = base + field(row, o.ROW_A)
    while lanes != NO_LANES:
        target = word32(places, first_lane(lanes))
        together = NO_LANES
        for lane in range(32):
            if lanes & lane_bit(lane) and word32(places, lane) == target:
                together |= lane_bit(lane)
        add_fragment(state, warp, target, together, RUNNABLE, NONE)
        lanes &= ~together
