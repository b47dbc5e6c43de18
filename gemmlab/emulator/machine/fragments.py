"""A warp's lanes in fragments: lanes that stand at the same instruction. A warp starts as one; a divergent branch
splits it.

The runnable fragment with the lowest program counter goes first, so that lanes meet again where their paths join; one
that loops for long lets the one behind it go.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES
from gemmlab.emulator.machine.events import NONE
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.state import get, mask32, poke32, set32, word32

RUNNABLE, AT_BARRIER, AT_WARP_SYNC = range(3)

# Columns of a fragment (32-bit): program counter, lanes, status, and the instruction it waits at.
PC, LANES, STATUS, WAITS_AT = range(4)
_ROW_BYTES = 16
FAR = 1 << 30


@compiled_as("int64(int64, int64, int64)")
def fragment(state, warp, index):
    return get(state, s.FRAGMENTS) + _ROW_BYTES * (warp * 32 + index)


@compiled_as("int64(int64, int64)")
def fragment_count(state, warp):
    return word32(get(state, s.FRAGMENT_COUNT), warp)


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def add_fragment(state, warp, pc, lanes, status, waits_at):
    """Put lanes down at an instruction, joining those that stand there in the same way already."""
    if lanes == NO_LANES:
        return
    count = fragment_count(state, warp)
    for index in range(count):
        row = fragment(state, warp, index)
        if word32(row, PC) == pc and word32(row, STATUS) == status and word32(row, WAITS_AT) == waits_at:
            poke32(row + 4 * LANES, mask32(row, LANES) | lanes)
            return
    row = fragment(state, warp, count)
    set32(row, PC, pc)
    poke32(row + 4 * LANES, lanes)
    set32(row, STATUS, status)
    set32(row, WAITS_AT, waits_at)
    set32(get(state, s.FRAGMENT_COUNT), warp, count + 1)


@compiled_as("void(int64, int64, int64)")
def remove_fragment(state, warp, index):
    count = fragment_count(state, warp) - 1
    last, row = fragment(state, warp, count), fragment(state, warp, index)
    for column in range(4):
        set32(row, column, word32(last, column))
    set32(get(state, s.FRAGMENT_COUNT), warp, count)


@compiled
def take_next(state, warp, behind):
    """Take the runnable fragment with the lowest program counter, or the first one after `behind`, if there is any:
    (pc, lanes, pc of the next runnable one). No lanes: none runs."""
    pc, lanes, following = _take_lowest(state, warp, behind)
    if lanes == NO_LANES and behind >= 0:
        pc, lanes, following = _take_lowest(state, warp, NONE)
    return pc, lanes, following


@compiled
def _take_lowest(state, warp, behind):
    best, lowest, following = NONE, np.int64(FAR), np.int64(FAR)
    for index in range(fragment_count(state, warp)):
        row = fragment(state, warp, index)
        if word32(row, STATUS) == RUNNABLE:
            pc = word32(row, PC)
            if pc <= behind:
                continue
            if pc < lowest:
                best, lowest, following = index, pc, lowest
            elif pc < following:
                following = pc
    if best < 0:
        return np.int64(FAR), NO_LANES, np.int64(FAR)
    lanes = mask32(fragment(state, warp, best), LANES)
    remove_fragment(state, warp, best)
    return lowest, lanes, following
