"""What the devices of a world have in common: tables behind one header, whose address is in the state of each.

A block has a number of its own in the whole world, and so has a launch; those of one device count up in the order of
its stream. A publication is a row that says what somebody who sees a flag may know: see publications.py. A set is a
bit for each publication, behind one word that tells whether it has changed.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.state import get, set64, word32, word64

# Words of the header: how many publications there are and may be, how often global memory was changed, how many times a
# row of times has (the warps of the largest block), 64-bit words of a set; then the addresses of the tables.
(
    COUNT, MOST, CHANGES, STRIDE, SET_WORDS,
    ROWS, OF_WORD, OF_BLOCK, INHERITED, LAUNCH_OF_BLOCK, DEVICE_OF_LAUNCH, ASKED_BY,
) = range(12)  # fmt: skip
HEADER = 12

# Columns of a publication: the word and the block's thread that published through it, in which launch, when; which
# words of its own device it had met (a bit each, see orders.py); the publication before of the same block, and of the
# same word (numbers count from 1). Behind them the times of each warp of the block up to which a fence of system scope
# covers what it did, and the same for a fence of its device.
WORD, THREAD, BLOCK, LAUNCH, AT, MET, BEFORE_OF_BLOCK, BEFORE_OF_WORD = range(8)
COLUMNS = 8


@compiled_as("int64(int64, int64)")
def shared_word(state, name):
    """A word of the header."""
    return word64(get(state, s.WORLD), name)


@compiled_as("void(int64)")
def note_change(state):
    """Something in global memory is no longer as it was."""
    set64(get(state, s.WORLD), CHANGES, shared_word(state, CHANGES) + 1)


@compiled_as("int64(int64, int64)")
def launch_of(state, block):
    return word32(shared_word(state, LAUNCH_OF_BLOCK), block)


@compiled_as("int64(int64, int64)")
def device_of(state, block):
    return word32(shared_word(state, DEVICE_OF_LAUNCH), launch_of(state, block))


@compiled_as("boolean(int64, int64)")
def is_of_this_launch(state, block):
    """Whether a block belongs to the launch that runs; all do where there is one device."""
    return get(state, s.WORLD) == 0 or launch_of(state, block) == launch_of(state, get(state, s.BLOCK))


@compiled_as("int64(int64, int64)")
def row_of_publication(state, number):
    return shared_word(state, ROWS) + 8 * (COLUMNS + 2 * shared_word(state, STRIDE)) * number


@compiled_as("int64(int64, int64)")
def system_times(state, row):
    return row + 8 * COLUMNS


@compiled_as("int64(int64, int64)")
def device_times(state, row):
    return row + 8 * (COLUMNS + shared_word(state, STRIDE))


# ---- sets of publications


@compiled_as("int64(int64, int64, int64)")
def set_of(state, table, number):
    """The address of a set in a table of them."""
    return table + 8 * (1 + shared_word(state, SET_WORDS)) * number


@compiled_as("int64(int64)")
def words_in_use(state):
    """Of a set, behind its first."""
    return (shared_word(state, COUNT) + 64) >> 6


@compiled_as("boolean(int64, int64)")
def holds(members, number):
    return (word64(members, 1 + (number >> 6)) >> (number & 63)) & 1 != 0


@compiled_as("void(int64, int64)")
def put_in(members, number):
    at = 1 + (number >> 6)
    set64(members, 0, 1)
    set64(members, at, word64(members, at) | (np.int64(1) << (number & 63)))


@compiled_as("void(int64, int64, int64)")
def add_all(state, members, others):
    """All of another set."""
    if word64(others, 0) == 0:
        return
    set64(members, 0, 1)
    for at in range(1, 1 + words_in_use(state)):
        set64(members, at, word64(members, at) | word64(others, at))


@compiled_as("void(int64, int64)")
def make_empty(state, members):
    if word64(members, 0):
        for at in range(1 + words_in_use(state)):
            set64(members, at, 0)
