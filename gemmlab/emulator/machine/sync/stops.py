"""Instructions that warps stop before, so that all go in step, or in an order that is decided outside, turn by turn.

A table has for each instruction the first one from there on that is stopped before (FAR: none).
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.state import get, word32

# What a turn is: the block begins, a warp runs up to a stop, its asynchronous copies arrive, or warps go on whose
# barrier is complete.
BEGIN, RUN_WARP, LAND, MEET = 1, 2, 3, 4


@compiled_as("boolean(int64, int64)")
def stops_at(state, pc):
    return word32(get(state, s.STOPS), pc) == pc


@compiled_as("int64(int64, int64)")
def stop_behind(state, pc):
    """Where lanes that go on at `pc` have to be looked at again."""
    here = np.int64(word32(get(state, s.STOPS), pc))
    return pc + 1 if here == pc else here
