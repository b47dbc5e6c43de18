"""How the blocks of a grid come to the SMs, and when the last of them ends.

Blocks start in their order, one after another on each SM until all are full. Whenever one ends, its SM takes the next.
Blocks of one SM slow each other down, as far as they ask for the same units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

SPREAD = 0.06  # by which the times of equal blocks differ: what is simulated ends with the last of them
_STEPS = 8  # parts of a block's load, for which there is a pace
_GOLDEN = 0.6180339887498949
_MOST = 200_000  # blocks that are followed one by one


@dataclass(frozen=True)
class Dealt:
    """`cycles` until the last block ends; the cycles that SMs had blocks, as a share of all, and how many blocks, of the
    middle's size, the SM ran that ended last."""

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
    left, wide, count = np.zeros((sms, slots)), np.zeros((sms, slots)), np.zeros(sms, np.int64)
    load, clock, end = np.zeros(sms), np.zeros(sms), np.full(sms, np.inf)
    ends, busy, ran = np.zeros(sms), np.zeros(sms), np.zeros(sms)
    taken, total = 0, len(width)
    for slot in range(slots):
        for s in range(sms):
            if taken < total:
                _take(s, taken, width, work, left, wide, count, load, ran)
                taken += 1
    for s in range(sms):
        _next_end(s, pace, left, count, load, clock, end)
    while True:
        s = int(np.argmin(end))
        now = end[s]
        if now == np.inf:
            return ends, busy, ran
        gone = (now - clock[s]) / pace[int(np.ceil(load[s] * _STEPS))]
        busy[s] += now - clock[s]
        clock[s] = ends[s] = now
        kept = 0
        for slot in range(count[s]):
            after = left[s, slot] - gone
            if after > 1e-9:
                left[s, kept], wide[s, kept] = after, wide[s, slot]
                kept += 1
            else:
                load[s] = max(0.0, load[s] - wide[s, slot])
        count[s] = kept
        while count[s] < slots and taken < total:
            _take(s, taken, width, work, left, wide, count, load, ran)
            taken += 1
        _next_end(s, pace, left, count, load, clock, end)


@njit(cache=True, nogil=True)
def _take(s, number, width, work, left, wide, count, load, ran):  # pragma: no cover
    left[s, count[s]] = work[number] * (1 + SPREAD * ((number * _GOLDEN) % 1.0 - 1.0))
    wide[s, count[s]] = width[number]
    load[s] = min(len(left[s]), load[s] + width[number])
    ran[s] += width[number] * work[number]
    count[s] += 1


@njit(cache=True, nogil=True)
def _next_end(s, pace, left, count, load, clock, end):  # pragma: no cover
    end[s] = np.inf
    for slot in range(count[s]):
        end[s] = min(end[s], clock[s] + left[s, slot] * pace[int(np.ceil(load[s] * _STEPS))])
