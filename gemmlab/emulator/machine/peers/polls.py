"""A warp that asks again and again for what another device must do first: it gives way.

Asking is reading the same word at the same instruction, strongly or by an atomic that changes nothing. What a warp
asked for last is kept, so that a wait without an end can be told.
"""

from __future__ import annotations

from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.jit import compiled_as
from gemmlab.emulator.machine.peers.tables import ASKED_BY, shared_word
from gemmlab.emulator.machine.state import get, put, set32, set64, word64

PATIENCE = 100  # questions without another answer, after which others get a turn

# Columns of ASKS, one row a warp: what is asked for, by which instruction and thread.
ADDRESS, PC, THREAD = range(3)
ASKS_ROW = 3


@compiled_as("void(int64, int64, int64, int64, int64)")
def ask(state, site, pc, thread, address):
    """A thread reads a word of global memory that others may change."""
    set32(shared_word(state, ASKED_BY), get(state, s.BLOCK), thread + 1)
    if word64(get(state, s.ASKED_AT), site) != address:
        set64(get(state, s.ASKED_AT), site, address)
        put(state, s.QUESTIONS, 0)
        return
    put(state, s.QUESTIONS, get(state, s.QUESTIONS) + 1)
    if get(state, s.QUESTIONS) > PATIENCE:
        row = get(state, s.ASKS) + 8 * ASKS_ROW * (thread >> 5)
        set64(row, ADDRESS, address)
        set64(row, PC, pc)
        set64(row, THREAD, thread)
        put(state, s.YIELD, max(get(state, s.YIELD), 1))
