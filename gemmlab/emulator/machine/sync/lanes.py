"""Warp-wide instructions: which lanes a mask names, waiting for them, and what a warp does that can go no further."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, next_lane, peek32
from gemmlab.emulator.machine.events import NONE
from gemmlab.emulator.machine.fragments import (
    AT_BARRIER,
    AT_WARP_SYNC,
    LANES,
    STATUS,
    WAITS_AT,
    add_fragment,
    fragment,
    fragment_count,
)
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.registers import field, row_of, vector_entry, warp_base
from gemmlab.emulator.machine.state import get, mask32, put, word32
from gemmlab.emulator.machine.sync.barriers import first_thread, set_going, tell
from gemmlab.emulator.machine.sync.exchange import exchange

FULL_WARP = np.uint32(o.FULL)


@compiled
def _named_group(state, row, lanes, base):
    """The membermask that the first lane gives to a warp-wide instruction, and all lanes that give the same."""
    op = field(row, o.ROW_OP)
    offset = field(row, o.ROW_B)
    if op == o.TENSOR_SYNC or op == o.MMA:
        return FULL_WARP, lanes
    if op == o.WARP_SYNC:
        offset = field(row, o.ROW_A)
    elif op == o.SHUFFLE:
        offset = word32(vector_entry(state, row, 1), o.ENTRY_PLACE)
    named, group = peek32(base + offset + 4 * first_lane(lanes)), NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        if peek32(base + offset + 4 * lane) == named:
            group |= lane_bit(lane)
    return named, group


@compiled_as("boolean(int64, int64, int64)")
def _some_group_came(state, warp, waits):
    """Whether, among the lanes of a fragment that waits at a warp-wide instruction, all that a mask names are there.
    Lanes that have ended are not waited for."""
    row, base = row_of(state, word32(waits, WAITS_AT)), warp_base(state, warp)
    alive = mask32(get(state, s.PRESENT), warp) & ~mask32(get(state, s.EXITED), warp)
    todo = mask32(waits, LANES)
    while todo != NO_LANES:
        named, group = _named_group(state, row, todo, base)
        todo &= ~group
        if named & alive & ~group == NO_LANES:
            return True
    return False


@compiled_as("uint32(int64, int64, int64, uint32, int64, int64)")
def collective(state, warp, row, lanes, base, pc):
    """A warp-wide instruction, done for each group of lanes that name the same lanes, if all of those are here.

    Returns the lanes that must wait for others.
    """
    left, todo = NO_LANES, lanes
    alive = mask32(get(state, s.PRESENT), warp) & ~mask32(get(state, s.EXITED), warp)
    while todo != NO_LANES:
        named, group = _named_group(state, row, todo, base)
        todo &= ~group
        if named & alive & ~group == NO_LANES or get(state, s.FORCE_EXCHANGE):
            put(state, s.FORCE_EXCHANGE, 0)
            exchange(state, warp, row, group, base, pc)
        else:
            left |= group
    return left


@compiled_as("void(int64, int64, uint32, int64)")
def wait_for_lanes(state, warp, lanes, pc):
    """Lanes wait at a warp-wide instruction; if those they wait for stand here already, they go on together."""
    add_fragment(state, warp, pc, lanes, AT_WARP_SYNC, pc)
    for index in range(fragment_count(state, warp)):
        waits = fragment(state, warp, index)
        if word32(waits, STATUS) == AT_WARP_SYNC and word32(waits, WAITS_AT) == pc:
            if _some_group_came(state, warp, waits):
                set_going(waits)
            return


@compiled_as("boolean(int64, int64)")
def settle_warp(state, warp):
    """No lane of the warp can run: say what is wrong with how they stand. True if lanes were set going again."""
    first = NONE
    for index in range(fragment_count(state, warp)):
        row = fragment(state, warp, index)
        status = word32(row, STATUS)
        if status == AT_WARP_SYNC:
            if not _some_group_came(state, warp, row):
                here, absent = first_thread(warp, row), _absent(state, warp, row)
                tell(state, e.WARP_SYNC_MISSING, word32(row, WAITS_AT), NONE, here, absent, warp)
            set_going(row)
            return True
        if status == AT_BARRIER and first < 0:
            first = row
        elif status == AT_BARRIER and word32(first, WAITS_AT) != word32(row, WAITS_AT):
            here, there = first_thread(warp, first), first_thread(warp, row)
            tell(state, e.BARRIER_OTHER_IN_WARP, word32(first, WAITS_AT), word32(row, WAITS_AT), here, there, warp)
    return False


@compiled_as("int64(int64, int64, int64)")
def _absent(state, warp, row):
    """A thread of the warp that is not in the fragment: one of those that were expected."""
    others = mask32(get(state, s.PRESENT), warp) & ~mask32(row, LANES)
    return warp * 32 + first_lane(others) if others != NO_LANES else NONE
