"""One multiprocessor (SM), cycle by cycle: its warps take turns at four schedulers and share what executes them.

Each warp follows the same path through the machine code. An instruction is issued when the pause that the compiler
planned after the one before is over, the counters that it waits for are at zero, and what executes it is free. Of
several warps that could go on, a scheduler takes the one that went last, else the oldest. A barrier lets the warps of a
block go when all of them are there. What a warp waited for is added up, instruction by instruction.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from numba import njit

from gemmlab.kernel.limits import SM_PARTITIONS
from gemmlab.model import sass

SCHEDULERS = SM_PARTITIONS  # each has one
COUNTERS = 6
PARTS = 8  # of a path, whose ends are noted
_GROUPS = 16  # of asynchronous copies that a warp may have under way
_NEVER = 1e15

# How an instruction is executed, beside its unit.
PLAIN, SYNC, CLOSE_GROUP, WAIT_GROUPS = range(4)
# Why a warp could not go on.
PAUSE, WAIT_SHARED, WAIT_MEMORY, WAIT_OTHER, WAIT_BARRIER, WAIT_PIPE, WAIT_PORT, WAIT_TURN = range(8)
WAITS = 8
# What was busy, in cycles; ISSUE, FMA, ALU and TENSOR of the four schedulers together.
ISSUE, FMA_BUSY, ALU_BUSY, SHARED_BUSY, GLOBAL_BUSY, L2_BUSY, DRAM_BUSY = range(7)
TENSOR_BUSY = 7
BUSY = 8

# Columns of an instruction: what it is, and what it costs. GROUPS_LEFT is of an instruction that waits for groups.
UNIT, KIND, STALL, SETS, READS, WAIT, LEVEL, GROUPS_LEFT = range(8)
PORT, L2_BYTES, DRAM_BYTES, LATENCY, MISSES, LATE, BANKS = range(7)
STEPS, FIRST = 8, 9
HOLD = 10  # cycles that a result's way into the registers keeps the tensor core from its own
WHOLE, COSTS = 8, 11  # of BANKS there are two columns: registers that are read from each
# Numbers of the machine. QUEUE is how far, in cycles, requests may run ahead of the load/store unit, SPREAD by which
# share of the mean the latencies of the L2 cache and of memory lie below and above it.
QUEUE, L2_RATE, DRAM_RATE, BARRIER_LATENCY, ALU_CYCLES, FMA_CYCLES, HEAVY_CYCLES, OTHER_CYCLES = range(8)
L2_LATENCY, DRAM_LATENCY, BANK_QUEUE, GREEDY, SPREAD = 8, 9, 10, 11, 12
MACHINE = 13

# Columns of a warp.
_AT, _READY, _ALLOWED, _REASON, _CLOSED, _OPEN_COPY, _COUNTER = range(7)
_CAUSE = _COUNTER + COUNTERS
_GROUP = _CAUSE + COUNTERS
_WARP = _GROUP + _GROUPS
# Columns of a scheduler: when each part is free again; which warp went last; until when no warp can go on.
_HEAVY, _LITE, _ALU, _OTHER, _LAST, _ASLEEP, _BANK = range(7)  # of _BANK there are two columns
_TENSOR = _BANK + 2
_SCHEDULER = _TENSOR + 1
# What the whole SM shares: when its ways are free again; how many warps have ended.
_PORT, _L2, _DRAM, _ENDED = range(4)

_Sm = namedtuple("_Sm", "path turns whole costs machine warp scheduler shared arrived busy waits progress")


@dataclass(frozen=True)
class Simulated:
    """`cycles` until all blocks ended; `progress[n]` is when (n + 1)/PARTS of all instructions were issued.
    `busy` are cycles of the SM's parts, `waits[i]` those that warps waited at instruction i of the code, by reason."""

    cycles: float
    progress: np.ndarray
    busy: np.ndarray
    waits: np.ndarray


def simulate(
    path: np.ndarray, whole: np.ndarray, costs: np.ndarray, machine: np.ndarray, warps: int, blocks: int
) -> Simulated:
    """`blocks` blocks of `warps` warps start together, and each warp follows the `path`, places in the code. `whole`
    and
    `costs` are the instructions', one row each (columns UNIT… and PORT…), `machine` has the numbers QUEUE…"""
    total = warps * blocks
    scheduler = np.zeros((SCHEDULERS, _SCHEDULER))
    scheduler[:, _LAST] = -1
    model = _Sm(
        path=path,
        turns=_turns(path),
        whole=whole,
        costs=costs,
        machine=machine,
        warp=np.zeros((total, _WARP)),
        scheduler=scheduler,
        shared=np.zeros(4),
        arrived=np.zeros(blocks, np.int64),
        busy=np.zeros(BUSY),
        waits=np.zeros((len(whole), WAITS)),
        progress=np.zeros(PARTS),
    )
    cycles = _run(model, warps)
    return Simulated(float(cycles), model.progress, model.busy, model.waits)


def _turns(path: np.ndarray) -> np.ndarray:
    """For each place of the path, how often its instruction ran before."""
    order = np.argsort(path, kind="stable")
    starts = np.flatnonzero(np.diff(path[order], prepend=-1))
    before = np.arange(len(path)) - np.repeat(starts, np.diff(starts, append=len(path)))
    found = np.empty(len(path), np.int64)
    found[order] = before
    return found


@njit(cache=True, nogil=True)
def _run(sm, warps):  # pragma: no cover
    now, total = 0.0, len(sm.warp)
    while sm.shared[_ENDED] < total:
        soonest = _NEVER
        for s in range(SCHEDULERS):
            if sm.scheduler[s, _ASLEEP] <= now:
                sm.scheduler[s, _ASLEEP] = _turn(sm, s, now, warps)
            soonest = min(soonest, sm.scheduler[s, _ASLEEP])
        if soonest >= _NEVER:
            break
        now = max(now + 1, np.ceil(soonest))
    return max(now, sm.shared[_PORT], sm.shared[_L2])


@njit(cache=True, nogil=True)
def _turn(sm, s, now, warps):  # pragma: no cover
    """Issue an instruction of one warp, if any can go on. Returns when to look again."""
    later, total = _NEVER, len(sm.warp)
    mine = (total - s + SCHEDULERS - 1) // SCHEDULERS
    last = int(sm.scheduler[s, _LAST])
    if sm.machine[GREEDY] > 0:
        if last >= 0:
            later = _looked_at(sm, s, last, now)
            if later <= now:
                _issue(sm, s, last, now, warps)
                return now + 1
        first = 0
    else:
        first = (last - s) // SCHEDULERS + 1 if last >= 0 else 0
    for n in range(mine):
        w = s + SCHEDULERS * ((first + n) % mine)
        when = _looked_at(sm, s, w, now)
        if when <= now:
            sm.scheduler[s, _LAST] = w
            _issue(sm, s, w, now, warps)
            return now + 1
        later = min(later, when)
    return later


@njit(cache=True, nogil=True)
def _looked_at(sm, s, w, now):  # pragma: no cover
    """When the warp can go on; where it waits for what executes it, that is noted."""
    warp = sm.warp[w]
    if warp[_READY] > now:
        return warp[_READY]
    i = sm.path[int(warp[_AT])]
    unit = sm.whole[i, UNIT]
    free = _free(sm, s, unit)
    if free > now:
        sm.waits[i, int(warp[_REASON])] += now - warp[_ALLOWED]
        warp[_ALLOWED], warp[_READY] = now, np.ceil(free)
        warp[_REASON] = WAIT_PORT if sass.SHARED <= unit <= sass.LOCAL else WAIT_PIPE
    return warp[_READY]


@njit(cache=True, nogil=True)
def _free(sm, s, unit):  # pragma: no cover
    """When what executes the instruction can take it."""
    scheduler = sm.scheduler[s]
    banks = max(scheduler[_BANK], scheduler[_BANK + 1]) - sm.machine[BANK_QUEUE]
    if unit == sass.FMA:
        return max(banks, min(scheduler[_HEAVY], scheduler[_LITE]))
    if unit == sass.HEAVY:
        return max(banks, scheduler[_HEAVY])
    if unit == sass.ALU:
        return max(banks, scheduler[_ALU])
    if unit == sass.SPECIAL or unit == sass.DOUBLE:
        return scheduler[_OTHER]
    if unit == sass.TENSOR:
        return max(banks, scheduler[_TENSOR])
    if sass.SHARED <= unit <= sass.LOCAL:
        return sm.shared[_PORT] - sm.machine[QUEUE]
    return 0.0


@njit(cache=True, nogil=True)
def _issue(sm, s, w, now, warps):  # pragma: no cover
    warp = sm.warp[w]
    at = int(warp[_AT])
    i = sm.path[at]
    waited = max(0.0, min(now, warp[_READY]) - warp[_ALLOWED])
    sm.waits[i, int(warp[_REASON])] += waited
    sm.waits[i, WAIT_TURN] += max(0.0, now - warp[_ALLOWED] - waited)
    sm.busy[ISSUE] += 1
    unit = sm.whole[i, UNIT]
    if sass.SHARED <= unit <= sass.LOCAL:
        done, read = _request(sm, w, i, now)
        sm.scheduler[s, _TENSOR] = max(sm.scheduler[s, _TENSOR], now) + sm.costs[i, HOLD]
    else:
        done, read = _computed(sm, s, i, now), now
    _raise(sm, w, i, done, read)
    _go_on(sm, w, i, now, warps)


@njit(cache=True, nogil=True)
def _computed(sm, s, i, now):  # pragma: no cover
    """Keep what executes an instruction busy. Returns when its result is there."""
    unit, scheduler, machine = sm.whole[i, UNIT], sm.scheduler[s], sm.machine
    for bank in range(2):
        scheduler[_BANK + bank] = max(scheduler[_BANK + bank], now) + sm.costs[i, BANKS + bank]
    if unit == sass.FMA:
        sm.busy[FMA_BUSY] += machine[FMA_CYCLES] / 2
        scheduler[_LITE if scheduler[_LITE] <= now else _HEAVY] = now + machine[FMA_CYCLES]
    elif unit == sass.HEAVY:
        sm.busy[FMA_BUSY] += machine[HEAVY_CYCLES] / 2
        scheduler[_HEAVY] = now + machine[HEAVY_CYCLES]
    elif unit == sass.ALU:
        sm.busy[ALU_BUSY] += machine[ALU_CYCLES]
        scheduler[_ALU] = now + machine[ALU_CYCLES]
    elif unit == sass.SPECIAL or unit == sass.DOUBLE:
        scheduler[_OTHER] = now + machine[OTHER_CYCLES]
    elif unit == sass.TENSOR:
        sm.busy[TENSOR_BUSY] += sm.costs[i, PORT]
        # Its takt is no whole number of cycles: what is left of one counts for the next.
        scheduler[_TENSOR] = max(scheduler[_TENSOR], now - 1.0) + sm.costs[i, PORT]
    return now + sm.costs[i, LATENCY]


@njit(cache=True, nogil=True)
def _request(sm, w, i, now):  # pragma: no cover
    """A request to memory. Returns when its result is there, and when its registers were read."""
    cost, shared = sm.costs[i], sm.shared
    start = max(shared[_PORT], now)
    shared[_PORT] = start + cost[PORT]
    sm.busy[SHARED_BUSY if sm.whole[i, UNIT] == sass.SHARED else GLOBAL_BUSY] += cost[PORT]
    done = shared[_PORT] + cost[LATENCY]
    if cost[L2_BYTES] > 0:
        done = max(done, _fetched(sm, w, i, start))
    return done, shared[_PORT]


@njit(cache=True, nogil=True)
def _fetched(sm, w, i, start):  # pragma: no cover
    """Bytes that the SM does not have. Returns when they are there, 0 where this request finds all it asks for."""
    cost, shared, machine = sm.costs[i], sm.shared, sm.machine
    taken = cost[L2_BYTES] / machine[L2_RATE]
    shared[_L2] = max(shared[_L2], start) + taken
    sm.busy[L2_BUSY] += taken
    if cost[DRAM_BYTES] > 0:
        taken = cost[DRAM_BYTES] / machine[DRAM_RATE]
        shared[_DRAM] = max(shared[_DRAM], start) + taken
        sm.busy[DRAM_BUSY] += taken
    # Warps of a block come to what is new at the same step along k, and all of them wait for it.
    at = int(sm.warp[w, _AT])
    step = sm.turns[at] * cost[STEPS] + cost[FIRST]
    if (step * cost[MISSES]) % 1.0 >= cost[MISSES]:
        return 0.0
    draw = (at * 0.6180339887498949 + w * 0.7548776662466927) % 1.0
    is_late = (draw * 37.0 + sm.warp[w, _AT] * 0.5698402909980532) % 1.0 < cost[LATE]
    latency = machine[DRAM_LATENCY if is_late else L2_LATENCY]
    apart = 2.0 * ((draw * 91.0 + step * 0.3819660112501051) % 1.0) - 1.0
    return max(shared[_L2], shared[_DRAM], shared[_PORT]) + latency * (1.0 + machine[SPREAD] * apart)


@njit(cache=True, nogil=True)
def _raise(sm, w, i, done, read):  # pragma: no cover
    """The counters that the instruction raises, and the group that it belongs to or closes."""
    warp, one = sm.warp[w], sm.whole[i]
    if one[UNIT] == sass.COPY:
        warp[_OPEN_COPY] = max(warp[_OPEN_COPY], done)
    if one[KIND] == CLOSE_GROUP:
        warp[_GROUP + int(warp[_CLOSED]) % _GROUPS] = warp[_OPEN_COPY]
        warp[_CLOSED] += 1
    elif one[SETS] < COUNTERS:
        _lift(warp, one[SETS], done, one[LEVEL])
    if one[READS] < COUNTERS:
        _lift(warp, one[READS], read, WAIT_PORT)


@njit(cache=True, nogil=True)
def _lift(warp, counter, until, cause):  # pragma: no cover
    if until > warp[_COUNTER + counter]:
        warp[_COUNTER + counter] = until
        warp[_CAUSE + counter] = cause


@njit(cache=True, nogil=True)
def _go_on(sm, w, i, now, warps):  # pragma: no cover
    """To the next instruction, to the barrier, or to the end."""
    warp, length = sm.warp[w], len(sm.path)
    warp[_AT] += 1
    part = int(sm.busy[ISSUE] * PARTS / (length * len(sm.warp)))
    if part and sm.progress[part - 1] == 0:
        sm.progress[part - 1] = now
    warp[_ALLOWED] = now + max(1.0, sm.whole[i, STALL])
    warp[_REASON] = PAUSE
    if warp[_AT] >= length:
        warp[_READY] = _NEVER
        sm.shared[_ENDED] += 1
    elif sm.whole[i, KIND] == SYNC:
        _arrive(sm, w, now, warps)
    else:
        warp[_READY] = warp[_ALLOWED]
        _wait(sm, w)


@njit(cache=True, nogil=True)
def _arrive(sm, w, now, warps):  # pragma: no cover
    """The last warp of a block lets all of them go."""
    block = w // warps
    sm.warp[w, _READY], sm.warp[w, _REASON] = _NEVER, WAIT_BARRIER
    sm.arrived[block] += 1
    if sm.arrived[block] % warps == 0:
        sm.scheduler[:, _ASLEEP] = now  # look again
        for other in range(block * warps, block * warps + warps):
            sm.warp[other, _READY] = now + sm.machine[BARRIER_LATENCY]
            _wait(sm, other)


@njit(cache=True, nogil=True)
def _wait(sm, w):  # pragma: no cover
    """Put off the warp until the counters that its next instruction waits for are at zero."""
    warp = sm.warp[w]
    one = sm.whole[sm.path[int(warp[_AT])]]
    for c in range(COUNTERS):
        if one[WAIT] >> c & 1:
            _put_off(warp, warp[_COUNTER + c], warp[_CAUSE + c])
    if one[KIND] == WAIT_GROUPS:
        closed = int(warp[_CLOSED])
        for n in range(max(0, closed - _GROUPS), closed - one[GROUPS_LEFT]):
            _put_off(warp, warp[_GROUP + n % _GROUPS], WAIT_MEMORY)


@njit(cache=True, nogil=True)
def _put_off(warp, until, reason):  # pragma: no cover
    if until > warp[_READY]:
        warp[_READY], warp[_REASON] = np.ceil(until), reason
