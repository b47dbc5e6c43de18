"""How the blocks of a grid come to the SMs, and when the last of them ends.

Blocks start in their order, one after another on each SM until all are full. Whenever one ends, its SM takes the next.
Blocks of one SM slow each other down, as far as they ask for the same units.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from numba import njit

SPREAD = 0.06  # by which the times of equal blocks differ: what is simulated ends with the last of them
_STEPS = 8  # parts of a block's load, for which there is a pace
_GOLDEN = 0.6180339887498949
_MOST = 200_000  # blocks that are followed one by one
_NOTHING = 1e-9

# Of each SM: how much of its blocks is left, their widths, how many they are, the sum of the widths, until when it was
# followed, when its next block ends; how long it had blocks, and how much of them.
_Sms = namedtuple("_Sms", "left wide count load clock end busy ran")


@dataclass(frozen=True)
class Dealt:
    """`cycles` until the last block ends; `used` is the share of all SMs' cycles in which they had blocks, `blocks` how
    many, of the middle's size, the SM ran that ended last."""

    cycles: float
    used: float
    blocks: float


def dealt(width: np.ndarray, work: np.ndarray, pace: np.ndarray, slots: int, sms: int) -> Dealt:
    """Of blocks in their order: `width` is the share of a whole block's warps that work in each, `work` that of a whole
    block's way that they go. `slots` blocks fit on an SM at one time. `pace` has how long a block takes beside others:
    its item n is for n/8 whole blocks together."""
    whole = max(0, len(width) - _MOST) // (slots * sms)
    rest = slice(whole * slots * sms, None)
    start = whole * pace[_STEPS * slots]
    ends, busy, ran = _dealt(width[rest], work[rest], pace, slots, sms)
    last = int(ends.argmax())
    cycles = start + ends[last]
    return Dealt(cycles, (start * sms + busy.sum()) / (sms * cycles), whole * slots + ran[last])


def pace(loads: list[float], cycles: list[float], slots: int) -> np.ndarray:
    """How long a block takes beside others, from simulations of some `loads`, in whole blocks on an SM."""
    return np.interp(np.arange(_STEPS * slots + 1) / _STEPS, loads, cycles)


@njit(cache=True, nogil=True)
def _dealt(width, work, pace, slots, sms):  # pragma: no cover
    """When each SM ends, how long it had blocks, and how many."""
    state = _Sms(
        left=np.zeros((sms, slots)),
        wide=np.zeros((sms, slots)),
        count=np.zeros(sms, np.int64),
        load=np.zeros(sms),
        clock=np.zeros(sms),
        end=np.full(sms, np.inf),
        busy=np.zeros(sms),
        ran=np.zeros(sms),
    )
    taken = min(len(width), slots * sms)
    for number in range(taken):
        _take(state, number % sms, number, width[number], work[number])
    for s in range(sms):
        _look_ahead(state, s, pace)
    while True:
        s = int(np.argmin(state.end))
        if state.end[s] == np.inf:
            return state.clock, state.busy, state.ran
        _pass_time(state, s, pace)
        while state.count[s] < slots and taken < len(width):
            _take(state, s, taken, width[taken], work[taken])
            taken += 1
        _look_ahead(state, s, pace)


@njit(cache=True, nogil=True)
def _take(state, s, number, width, work):  # pragma: no cover
    slot = state.count[s]
    state.left[s, slot] = work * (1 - SPREAD * ((number * _GOLDEN) % 1.0))
    state.wide[s, slot] = width
    state.load[s] += width
    state.ran[s] += width * work
    state.count[s] += 1


@njit(cache=True, nogil=True)
def _pass_time(state, s, pace):  # pragma: no cover
    """Until the next block of the SM ends; it is gone then."""
    passed = state.end[s] - state.clock[s]
    done = passed / _beside(state, s, pace)
    state.clock[s] = state.end[s]
    state.busy[s] += passed
    kept = 0
    load = 0.0
    for slot in range(state.count[s]):
        left = state.left[s, slot] - done
        if left > _NOTHING:
            state.left[s, kept], state.wide[s, kept] = left, state.wide[s, slot]
            load += state.wide[s, slot]
            kept += 1
    state.count[s], state.load[s] = kept, load


@njit(cache=True, nogil=True)
def _look_ahead(state, s, pace):  # pragma: no cover
    """When the next block of the SM ends."""
    state.end[s] = np.inf
    for slot in range(state.count[s]):
        state.end[s] = min(state.end[s], state.clock[s] + state.left[s, slot] * _beside(state, s, pace))


@njit(cache=True, nogil=True)
def _beside(state, s, pace):  # pragma: no cover
    """How long a whole block takes beside those that the SM has."""
    return pace[min(len(pace) - 1, int(np.ceil(state.load[s] * _STEPS)))]
