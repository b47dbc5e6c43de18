"""What fences and atomics order: a fence, then an atomic on a word; then another thread's atomic on the same word.

That is how a lock, a flag, or a counter for the last block works. Times are those of shadow.py, kept for whole warps:

- FENCED[warp][other]: what `warp` knew of `other` at its last fence. An atomic hands it on.
- PUBLISHED[word][other]: what atomics on a word (its number modulo WORDS) have handed on in this block.
- FENCED_DEVICE is FENCED for fences that reach other blocks; BLOCK_PUBLISHED[block][other] and BLOCK_WORDS what a block
  handed on to others, and through which words (a bit each). MET_WORDS: those that a warp of this block met.
- FENCED_SYSTEM is FENCED for fences that reach other devices; the rest of what orders those: peers/publications.py.

Where two words share a number, or lanes of a warp a fence, too much counts as ordered, never too little.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.peers.publications import acquire, publish, see, share_sets, start_sets
from gemmlab.emulator.machine.state import get, put, set64, word64

WORDS = 61


@compiled_as("void(int64, int64, int64)")
def raise_time(table, index, time):
    if word64(table, index) < time:
        set64(table, index, time)


@compiled_as("void(int64, int64, int64)")
def fence(state, warp, reach):
    """__threadfence_block(), or one that reaches further (opcodes.py): what the warp did and knew can be handed on now.
    One of system scope also makes the warp know what it has seen."""
    if not get(state, s.ORDERS):
        return
    if get(state, s.WORLD) and reach & o.FENCE_SYSTEM:
        acquire(state, warp)
    if reach & o.ACQUIRES_ONLY:
        return
    now = get(state, s.NOW) + 1
    put(state, s.NOW, now)
    warps, seen = get(state, s.WARPS), get(state, s.SEEN_WARPS)
    for other in range(warps):
        known = max(word64(seen, warp * warps + other), get(state, s.INTERVAL_START))
        if other == warp:
            known = now
        raise_time(get(state, s.FENCED), warp * warps + other, known)
        if reach & (o.FENCE_DEVICE | o.FENCE_SYSTEM):
            raise_time(get(state, s.FENCED_DEVICE), warp * warps + other, known)
        if get(state, s.WORLD) and reach & o.FENCE_SYSTEM:
            raise_time(get(state, s.FENCED_SYSTEM), warp * warps + other, known)


@compiled_as("void(int64, int64, int64, int64, boolean)")
def meet(state, warp, lane, granule, publishes):
    """An atomic of a lane on a word: learn what was handed on through it; hand on what the warp has fenced, if it
    `publishes` (a load does not)."""
    if not get(state, s.ORDERS):
        return
    warps, number = get(state, s.WARPS), granule % WORDS
    for other in range(warps):
        slot = number * warps + other
        time = word64(get(state, s.PUBLISHED), slot)
        if other == warp:
            for neighbour in range(32):
                raise_time(get(state, s.SEEN_LANES), (warp << 10) + (lane << 5) + neighbour, time)
        else:
            raise_time(get(state, s.SEEN_WARPS), warp * warps + other, time)
        if publishes:
            raise_time(get(state, s.PUBLISHED), slot, word64(get(state, s.FENCED), warp * warps + other))
    if granule >= get(state, s.SHARED_GRANULES):
        _meet_blocks(state, warp, np.int64(1) << number, publishes)
        if get(state, s.WORLD):
            if publishes:
                publish(state, warp, lane, granule)
            else:
                see(state, warp, granule)


@compiled
def _meet_blocks(state, warp, word, publishes):
    warps, block = get(state, s.WARPS), get(state, s.BLOCK)
    row = block * get(state, s.BLOCK_STRIDE)
    set64(get(state, s.MET_WORDS), warp, word64(get(state, s.MET_WORDS), warp) | word)
    if publishes and word64(get(state, s.FENCED_DEVICE), warp * warps + warp) > 0:
        set64(get(state, s.BLOCK_WORDS), block, word64(get(state, s.BLOCK_WORDS), block) | word)
        for other in range(warps):
            raise_time(
                get(state, s.BLOCK_PUBLISHED),
                row + other,
                word64(get(state, s.FENCED_DEVICE), warp * warps + other),
            )


@compiled
def from_other_block(state, time, other_warp, block, warp):
    """Whether an access by a warp of an earlier block is ordered before what `warp` does now."""
    if not get(state, s.ORDERS):
        return False
    if word64(get(state, s.BLOCK_WORDS), block) & word64(get(state, s.MET_WORDS), warp) == 0:
        return False
    return time < word64(get(state, s.BLOCK_PUBLISHED), block * get(state, s.BLOCK_STRIDE) + other_warp)


@compiled_as("void(int64, int64)")
def share(state, members):
    """A barrier: its warps (a bit each) know of each other's fences, and of the words they met."""
    if not get(state, s.ORDERS):
        return
    warps, met = get(state, s.WARPS), np.int64(0)
    for member in range(warps):
        if (members >> member) & 1:
            met |= word64(get(state, s.MET_WORDS), member)
    for member in range(warps):
        if (members >> member) & 1:
            set64(get(state, s.MET_WORDS), member, met)
    for other in range(warps):
        join_times(get(state, s.FENCED), warps, members, other)
        join_times(get(state, s.FENCED_DEVICE), warps, members, other)
        if get(state, s.WORLD):
            join_times(get(state, s.FENCED_SYSTEM), warps, members, other)
    if get(state, s.WORLD):
        share_sets(state, members)


@compiled_as("int64(int64, int64, int64, int64)")
def join_times(table, warps, members, other):
    """Each of the members (a bit a warp) now knows of `other` what the one knew that knew most."""
    latest = np.int64(0)
    for member in range(warps):
        if (members >> member) & 1:
            latest = max(latest, word64(table, member * warps + other))
    for member in range(warps):
        if (members >> member) & 1:
            set64(table, member * warps + other, latest)
    return latest


@compiled
def start_block(state):
    if not get(state, s.ORDERS):
        return
    warps = get(state, s.WARPS)
    for warp in range(warps):
        set64(get(state, s.MET_WORDS), warp, 0)
        for other in range(warps):
            set64(get(state, s.FENCED), warp * warps + other, 0)
            set64(get(state, s.FENCED_DEVICE), warp * warps + other, 0)
            if get(state, s.WORLD):
                set64(get(state, s.FENCED_SYSTEM), warp * warps + other, 0)
    if get(state, s.WORLD):
        start_sets(state)
