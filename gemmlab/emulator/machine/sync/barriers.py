"""Barriers of a block: who waits at which, when they go on, and what is wrong with how they stand."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_count, peek32, poke32
from gemmlab.emulator.machine.events import NONE, begin, keep
from gemmlab.emulator.machine.fragments import (
    AT_BARRIER,
    LANES,
    RUNNABLE,
    STATUS,
    WAITS_AT,
    fragment,
    fragment_count,
)
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.orders import raise_time
from gemmlab.emulator.machine.registers import field, row_of, set_lanes, set_predicate, warp_base
from gemmlab.emulator.machine.shadow import pass_barrier, pass_named_barrier
from gemmlab.emulator.machine.state import get, mask32, put, set32, set64, word32, word64

BARRIERS = 16


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def tell(state, kind, pc, other_pc, thread, other_thread, warp):
    """An event of two threads that wait, or do not, where they should wait for each other."""
    event = begin(state, kind, pc, thread)
    set64(event, e.OTHER_PC, other_pc)
    set64(event, e.OTHER_THREAD, other_thread)
    set64(event, e.TILE, word32(get(state, s.TILE), warp))
    keep(state, event)


@compiled_as("int64(int64, int64)")
def waiting(state, warp):
    """The first fragment of the warp that waits at a block barrier, or -1."""
    for index in range(fragment_count(state, warp)):
        if word32(fragment(state, warp, index), STATUS) == AT_BARRIER:
            return np.int64(index)
    return NONE


@compiled_as("int64(int64, int64)")
def first_thread(warp, row):
    """The first thread of a fragment."""
    return warp * 32 + first_lane(mask32(row, LANES))


@compiled_as("void(int64)")
def set_going(row):
    set32(row, STATUS, RUNNABLE)
    set32(row, WAITS_AT, -1)


@compiled_as("int64(int64, int64, int64, int64)")
def _argument(state, warp, index, column):
    """An operand of the barrier that a fragment waits at."""
    waits = fragment(state, warp, index)
    row = row_of(state, word32(waits, WAITS_AT))
    lane = first_lane(mask32(waits, LANES))
    return np.int64(peek32(warp_base(state, warp) + field(row, column) + 4 * lane))


@compiled
def _who_waits(state, number):
    """Those at the barrier of that number: warps (a bit each), threads expected or 0, whether no other warp is left."""
    members, expected, everyone = np.int64(0), np.int64(0), True
    for warp in range(get(state, s.WARPS)):
        index = waiting(state, warp)
        if index < 0:
            everyone = everyone and fragment_count(state, warp) == 0
        elif _argument(state, warp, index, o.ROW_A) & (BARRIERS - 1) == number:
            members |= np.int64(1) << warp
            expected = max(expected, _argument(state, warp, index, o.ROW_B))
        else:
            everyone = False
    return members, expected, everyone


@compiled_as("boolean(int64)")
def resolve_barriers(state):
    """Let the warps go whose barrier is complete. False if warps wait and none can ever go."""
    any_waits, released = False, False
    for number in range(BARRIERS):
        members, expected, everyone = _who_waits(state, number)
        if members == 0:
            continue
        any_waits = True
        came = _ones(members) + word64(get(state, s.BARRIER_ARRIVED), number)
        if (expected == 0 and everyone) or (expected > 0 and came >= (expected + 31) >> 5):
            _complete(state, number, members, expected)
            released = True
    return released or not any_waits


@compiled_as("int64(int64)")
def _ones(members):
    count = np.int64(0)
    while members != 0:
        members &= members - 1
        count += 1
    return count


@compiled_as("void(int64, int64, int64, int64)")
def _complete(state, number, members, expected):
    whole_block = _warps_of(state, expected) == get(state, s.WARPS)
    arrived = word64(get(state, s.BARRIER_MEMBERS), number)
    if not _has_one_group(state, number, members, arrived, expected):
        pc, thread = _first_waiting(state, members)
        tell(state, e.BARRIER_WITHOUT_GROUP, pc, NONE, thread, NONE, thread >> 5)
    _release(state, members, arrived, whole_block)
    if whole_block and arrived == 0:
        pass_barrier(state)
        for other in range(BARRIERS):
            set64(get(state, s.BARRIER_CAME), other, 0)
    else:
        pass_named_barrier(state, members)
        if arrived != 0:
            _learn_of_arrivals(state, number, members)
    forget_arrivals(state, number)


@compiled_as("void(int64, int64, int64)")
def _learn_of_arrivals(state, number, members):
    """Those who waited know what warps did before they only arrived, and what these knew then; not what they did after,
    and these have learned nothing."""
    warps = get(state, s.WARPS)
    for member in range(warps):
        if (members >> member) & 1:
            for other in range(warps):
                time = word64(get(state, s.BARRIER_KNOWN), number * warps + other)
                raise_time(get(state, s.SEEN_WARPS), member * warps + other, time)


@compiled_as("void(int64, int64)")
def forget_arrivals(state, number):
    """No warp has arrived at the barrier of that number, and handed on what it knew."""
    if word64(get(state, s.BARRIER_MEMBERS), number) == 0:
        return
    warps = get(state, s.WARPS)
    for other in range(warps):
        set64(get(state, s.BARRIER_KNOWN), number * warps + other, 0)
    set64(get(state, s.BARRIER_ARRIVED), number, 0)
    set64(get(state, s.BARRIER_MEMBERS), number, 0)


@compiled_as("int64(int64, int64)")
def _warps_of(state, expected):
    """How many warps a barrier waits for that is told so many threads; 0 are those of the block."""
    warps = get(state, s.WARPS)
    return min((expected + 31) >> 5, warps) if expected > 0 else warps


@compiled_as("boolean(int64, int64, int64, int64, int64)")
def _has_one_group(state, number, members, arrived, expected):
    """Whether the warps that meet here are the same in every order: since the last barrier of the whole block just so
    many have come to the barrier of this number as it waits for, and all of them tell it the same."""
    wanted, warps = _warps_of(state, expected), get(state, s.WARPS)
    for warp in range(warps):
        index = waiting(state, warp) if (members >> warp) & 1 else NONE
        if index >= 0 and _warps_of(state, _argument(state, warp, index, o.ROW_B)) != wanted:
            return False
    before = word64(get(state, s.BARRIER_CAME), number)
    if wanted == warps:
        return before == 0
    set64(get(state, s.BARRIER_CAME), number, before | members | arrived)
    return _ones(before | members | arrived) == wanted


@compiled_as("void(int64, int64, int64, boolean)")
def _release(state, members, arrived, whole_block):
    """Set the members going; report threads that have left or wait elsewhere when they should be here.

    Warps of `arrived` came before, by bar.arrive, and are free to leave. A warp that has ended whole is not waited for;
    of one that goes on every lane must come.
    """
    pc, thread = _first_waiting(state, members)
    _reduce_votes(state, members)
    for warp in range(get(state, s.WARPS)):
        gone = mask32(get(state, s.EXITED), warp)
        is_due = (whole_block and not (arrived >> warp) & 1) or (members >> warp) & 1
        if is_due and gone != NO_LANES:
            left = warp * 32 + first_lane(gone)
            kind = e.BARRIER_EXITED if fragment_count(state, warp) > 0 else e.BARRIER_WARP_ENDED
            tell(state, kind, pc, word32(get(state, s.EXIT_PC), left), thread, left, warp)
        if (members >> warp) & 1:
            _release_warp(state, warp, pc, thread, whole_block)


@compiled
def _first_waiting(state, members):
    """Where the first of the members waits, and its first thread."""
    for warp in range(get(state, s.WARPS)):
        index = waiting(state, warp)
        if (members >> warp) & 1 and index >= 0:
            row = fragment(state, warp, index)
            return word32(row, WAITS_AT), first_thread(warp, row)
    return NONE, NONE


@compiled_as("void(int64, int64, int64, int64, boolean)")
def _release_warp(state, warp, pc, thread, whole_block):
    for index in range(fragment_count(state, warp)):
        row = fragment(state, warp, index)
        if word32(row, STATUS) == AT_BARRIER:
            at = word32(row, WAITS_AT)
            if at != pc and whole_block:
                tell(state, e.BARRIER_OTHER_IN_BLOCK, pc, at, thread, first_thread(warp, row), warp)
            set_going(row)


@compiled_as("void(int64, int64)")
def _reduce_votes(state, members):
    """bar.red: count the predicates of all threads and hand out the result (popc, and, or)."""
    votes, threads = np.int64(0), np.int64(0)
    for hands_out in range(2):
        for warp in range(get(state, s.WARPS)):
            if not (members >> warp) & 1:
                continue
            base = warp_base(state, warp)
            for index in range(fragment_count(state, warp)):
                waits = fragment(state, warp, index)
                row, lanes = row_of(state, word32(waits, WAITS_AT)), mask32(waits, LANES)
                if word32(waits, STATUS) != AT_BARRIER or field(row, o.ROW_AUX) < o.BARRIER_POPC:
                    continue
                if hands_out:
                    _give_vote(base, row, lanes, votes, threads)
                else:
                    votes += lane_count(lanes & mask32(base + field(row, o.ROW_C), 0))
                    threads += lane_count(lanes)


@compiled_as("void(int64, int64, uint32, int64, int64)")
def _give_vote(base, row, lanes, votes, threads):
    slot, form = base + field(row, o.ROW_OK_D), field(row, o.ROW_AUX)
    poke32(slot, mask32(slot, 0) | lanes)
    if form == o.BARRIER_POPC:
        set_lanes(base + field(row, o.ROW_D), lanes, np.uint32(votes))
    else:
        true = votes == threads if form == o.BARRIER_AND else votes > 0
        set_predicate(base + field(row, o.ROW_D), lanes, lanes if true else NO_LANES)


@compiled_as("void(int64)")
def report_deadlock(state):
    """Warps wait at barriers that cannot complete: name two that wait for each other."""
    pc, thread = NONE, NONE
    for warp in range(get(state, s.WARPS)):
        index = waiting(state, warp)
        if index < 0:
            continue
        row = fragment(state, warp, index)
        at = word32(row, WAITS_AT)
        if pc < 0:
            pc, thread = at, first_thread(warp, row)
        elif at != pc:
            tell(state, e.BARRIER_DEADLOCK, pc, at, thread, first_thread(warp, row), warp)
            return
    if pc >= 0:
        tell(state, e.BARRIER_DEADLOCK, pc, NONE, thread, NONE, np.int64(0))


@compiled_as("void(int64, int64, int64, uint32, int64)")
def arrive(state, warp, row, lanes, base):
    """bar.arrive: counts for the barrier without waiting, and hands on what the warp did and knew until now."""
    number = np.int64(peek32(base + field(row, o.ROW_A) + 4 * first_lane(lanes))) & (BARRIERS - 1)
    set64(get(state, s.BARRIER_ARRIVED), number, word64(get(state, s.BARRIER_ARRIVED), number) + 1)
    members = word64(get(state, s.BARRIER_MEMBERS), number)
    set64(get(state, s.BARRIER_MEMBERS), number, members | (np.int64(1) << warp))
    now, warps = get(state, s.NOW) + 1, get(state, s.WARPS)
    put(state, s.NOW, now)
    for other in range(warps):
        known = now if other == warp else word64(get(state, s.SEEN_WARPS), warp * warps + other)
        raise_time(get(state, s.BARRIER_KNOWN), number * warps + other, known)
