"""What orders devices: a fence of system scope, then a flag; on another device, a look at the flag, then a fence.

- A thread that writes a flag, of whatever scope, publishes: what its block did up to the last fence of system scope is
  known to whoever learns of it, and all that the publisher knew of others. What a launch before did is covered too.
- A thread that reads the flag afterwards has seen the publication (SEEN), and knows it (KNOWN) once it has passed a
  fence of system scope, or an acquire. A barrier shares both; what the blocks of a launch knew, or saw, their device
  knows at its next launch.

That the flag itself is of too small a scope is a race of its own, on the flag (shadow.py).
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.peers.tables import (
    AT,
    BEFORE_OF_BLOCK,
    BEFORE_OF_WORD,
    BLOCK,
    COUNT,
    INHERITED,
    LAUNCH,
    MET,
    MOST,
    OF_BLOCK,
    OF_WORD,
    THREAD,
    WORD,
    add_all,
    device_of,
    device_times,
    holds,
    launch_of,
    make_empty,
    put_in,
    row_of_publication,
    set_of,
    shared_word,
    system_times,
)
from gemmlab.emulator.machine.state import get, put, set32, set64, word32, word64


@compiled_as("void(int64, int64, int64, int64)")
def publish(state, warp, lane, word):
    """A thread of this block writes a flag. What a thread publishes once more through the same word is one row."""
    number, row = _same_again(state, warp, word)
    if number == 0:
        number = shared_word(state, COUNT) + 1
        if number >= shared_word(state, MOST):
            return
        set64(get(state, s.WORLD), COUNT, number)
        row = row_of_publication(state, number)
        block = get(state, s.BLOCK)
        set64(row, WORD, word)
        set64(row, THREAD, (warp << 5) + lane)
        set64(row, BLOCK, block)
        set64(row, LAUNCH, launch_of(state, block))
        set64(row, MET, word64(get(state, s.MET_WORDS), warp))
        set64(row, BEFORE_OF_BLOCK, word32(shared_word(state, OF_BLOCK), block))
        set64(row, BEFORE_OF_WORD, word32(shared_word(state, OF_WORD), word))
        set32(shared_word(state, OF_BLOCK), block, number)
        set32(shared_word(state, OF_WORD), word, number)
        warps = get(state, s.WARPS)
        for other in range(warps):
            set64(system_times(state, row), other, word64(get(state, s.FENCED_SYSTEM), warp * warps + other))
            set64(device_times(state, row), other, word64(get(state, s.FENCED_DEVICE), warp * warps + other))
        add_all(state, set_of(state, shared_word(state, INHERITED), number), set_of(state, get(state, s.KNOWN), warp))
    set64(row, AT, get(state, s.NOW))
    put(state, s.NOW, get(state, s.NOW) + 1)  # what the block does from now on comes after the flag


@compiled
def _same_again(state, warp, word):
    """The last publication through the word, if this warp made it and has fenced nothing since; 0 where not."""
    number = word32(shared_word(state, OF_WORD), word)
    row = row_of_publication(state, number)
    if number == 0 or word64(row, BLOCK) != get(state, s.BLOCK) or word64(row, THREAD) >> 5 != warp:
        return np.int64(0), row
    warps = get(state, s.WARPS)
    for other in range(warps):
        if word64(system_times(state, row), other) != word64(get(state, s.FENCED_SYSTEM), warp * warps + other):
            return np.int64(0), row
        if word64(device_times(state, row), other) != word64(get(state, s.FENCED_DEVICE), warp * warps + other):
            return np.int64(0), row
    return np.int64(number), row


@compiled_as("void(int64, int64, int64)")
def see(state, warp, word):
    """A thread of the warp reads a flag: it has seen all that was published through it."""
    seen = set_of(state, get(state, s.SEEN), warp)
    number = word32(shared_word(state, OF_WORD), word)
    while number != 0 and not holds(seen, number):
        put_in(seen, number)
        number = word64(row_of_publication(state, number), BEFORE_OF_WORD)


@compiled_as("void(int64, int64)")
def acquire(state, warp):
    """From now on the warp knows what it has seen, and what those who published it knew."""
    seen, known = set_of(state, get(state, s.SEEN), warp), set_of(state, get(state, s.KNOWN), warp)
    if word64(seen, 0) == 0:
        return
    for number in range(1, shared_word(state, COUNT) + 1):
        if holds(seen, number) and not holds(known, number):
            put_in(known, number)
            add_all(state, known, set_of(state, shared_word(state, INHERITED), number))


@compiled_as("void(int64, int64)")
def share_sets(state, members):
    """A barrier: its warps (a bit each) have seen and know what any of them has."""
    for table in (get(state, s.SEEN), get(state, s.KNOWN)):
        gathered = set_of(state, table, get(state, s.WARPS))
        make_empty(state, gathered)
        for member in range(get(state, s.WARPS)):
            if (members >> member) & 1:
                add_all(state, gathered, set_of(state, table, member))
        for member in range(get(state, s.WARPS)):
            if (members >> member) & 1:
                add_all(state, set_of(state, table, member), gathered)


@compiled_as("void(int64)")
def start_sets(state):
    """A block begins with what its device knew when the launch began."""
    for warp in range(get(state, s.WARPS)):
        make_empty(state, set_of(state, get(state, s.SEEN), warp))
        known = set_of(state, get(state, s.KNOWN), warp)
        make_empty(state, known)
        add_all(state, known, set_of(state, get(state, s.DEVICE_KNOWN), np.int64(0)))


@compiled_as("void(int64)")
def end_sets(state):
    """A block has ended: the next launch of its device knows what it knew, and what it saw."""
    gathered = set_of(state, get(state, s.DEVICE_KNOWN), np.int64(1))
    for warp in range(get(state, s.WARPS)):
        acquire(state, warp)
        add_all(state, gathered, set_of(state, get(state, s.KNOWN), warp))


# ---- whether an access of another block is ordered before what a warp does now


@compiled_as("boolean(int64, int64, int64, int64, int64, int64)")
def is_handed_over(state, time, other_warp, block, word, warp):
    """By a publication that the warp knows."""
    known, number = set_of(state, get(state, s.KNOWN), warp), word32(shared_word(state, OF_BLOCK), block)
    if shared_word(state, COUNT) + 1 >= shared_word(state, MOST):
        return True  # there was no room to keep all: too much counts as ordered, never too little
    while number != 0:
        row = row_of_publication(state, number)
        if holds(known, number):
            if time < word64(system_times(state, row), other_warp):
                return True
            if _is_of_flag(state, row, word) and time <= word64(row, AT):
                return True
        number = word64(row, BEFORE_OF_BLOCK)
    return _is_covered(state, time, other_warp, block, known)


@compiled_as("boolean(int64, int64, int64)")
def _is_of_flag(state, row, word):
    """Whether a word is one of the flag that a publication was made through, which has up to eight bytes."""
    first = word64(row, WORD)
    return first <= word < first + (8 >> get(state, s.GRANULE_SHIFT))


@compiled_as("boolean(int64, int64, int64, int64, int64)")
def _is_covered(state, time, other_warp, block, known):
    """By one of another block of the same device: one of a later launch, or one that had been told by this block."""
    launch, stride = launch_of(state, block), get(state, s.BLOCK_STRIDE)
    for number in range(1, shared_word(state, COUNT) + 1):
        row = row_of_publication(state, number)
        if not holds(known, number) or device_of(state, word64(row, BLOCK)) != device_of(state, block):
            continue
        if word64(system_times(state, row), word64(row, THREAD) >> 5) == 0:
            continue
        if word64(row, LAUNCH) > launch:
            return True
        if word64(row, LAUNCH) == launch and word64(row, MET) & word64(get(state, s.BLOCK_WORDS), block):
            if time < word64(get(state, s.BLOCK_PUBLISHED), block * stride + other_warp):
                return True
    return False


# Why it is not.
(
    NO_WAIT, READ_FIRST, ONE_THREAD, NO_ACQUIRE, NO_FENCE, NO_BARRIER, DEVICE_FENCE, FLAG_FIRST, DEVICE_FLAG,
) = range(9)  # fmt: skip


@compiled_as("int64(int64, int64, int64, int64, int64)")
def why_not(state, time, other_warp, block, warp):
    """Of an access by a block of another device, before this warp's."""
    reason = np.int64(NO_WAIT)
    number = word32(shared_word(state, OF_BLOCK), block)
    while number != 0:
        row = row_of_publication(state, number)
        if holds(set_of(state, get(state, s.KNOWN), warp), number):
            return _what_it_misses(state, row, time, other_warp)
        if holds(set_of(state, get(state, s.SEEN), warp), number):
            reason = np.int64(NO_ACQUIRE)
        elif reason == NO_WAIT and _another_knows(state, number):
            reason = np.int64(ONE_THREAD)
        number = word64(row, BEFORE_OF_BLOCK)
    return reason


@compiled_as("int64(int64, int64, int64, int64)")
def _what_it_misses(state, row, time, other_warp):
    """Why a publication that is known does not cover the access."""
    if time > word64(row, AT):
        return np.int64(FLAG_FIRST)
    if time < word64(device_times(state, row), other_warp):
        return np.int64(DEVICE_FENCE)
    publisher = word64(row, THREAD) >> 5
    has_fenced = publisher != other_warp and word64(system_times(state, row), publisher) > 0
    return np.int64(NO_BARRIER if has_fenced else NO_FENCE)


@compiled_as("boolean(int64, int64)")
def _another_knows(state, number):
    for other in range(get(state, s.WARPS)):
        for table in (get(state, s.SEEN), get(state, s.KNOWN)):
            if holds(set_of(state, table, other), number):
                return True
    return False
