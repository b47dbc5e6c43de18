"""What the simulated SM needs to know of each instruction of a kernel, and of the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gemmlab.model import sass, sm, tensor
from gemmlab.model.machines import Machine
from gemmlab.model.sample import Sampled
from gemmlab.model.sass import Instruction
from gemmlab.model.traffic import Request, Reuse, request

_KINDS = {sass.BAR: sm.SYNC, sass.LDGDEPBAR: sm.CLOSE_GROUP, sass.DEPBAR: sm.WAIT_GROUPS}
_LEVELS = {sass.SHARED: sm.WAIT_SHARED, **dict.fromkeys((sass.GLOBAL, sass.COPY, sass.LOCAL), sm.WAIT_MEMORY)}
_CONSTANT_LATENCY = 30  # cycles, of what is read once at the start: thread and block numbers, arguments
_BANKS = 2  # of a thread's registers
# Four numbers that nothing measures, set by hand: how far requests and reads of registers may run ahead of what serves
# them, that a scheduler goes on with the warp that went last, and how far latencies lie from their mean, of which a
# barrier waits for the slowest.
QUEUE_CYCLES = 24.0
_L2_BYTES_AN_SM = 64.0  # a cycle, the width of an SM's way to the L2 cache
BANK_QUEUE = 1.0
GREEDY = 1.0
LATENCY_SPREAD = 0.25


def tables(
    code: Sequence[Instruction], block: Sampled, reuse: Reuse, machine: Machine
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of sm.py for each instruction: what it is, and what it costs."""
    whole, costs = np.zeros((len(code), sm.WHOLE), np.int64), np.zeros((len(code), sm.COSTS))
    for i, one in enumerate(code):
        kind, level = _KINDS.get(one.base, sm.PLAIN), _LEVELS.get(one.unit, sm.WAIT_OTHER)
        whole[i] = (one.unit, kind, one.stall, one.sets, one.reads, one.wait, level, one.immediate)
        asks = sass.SHARED <= one.unit <= sass.LOCAL
        cost = request(one, block, reuse) if asks else Request(0.0)
        if one.unit == sass.TENSOR and one.ptx in block.lines:
            cost = Request(tensor.cycles(one, machine))
        ways = machine["l2_rate"] / machine["l2_write_rate"] if one.base == sass.STG else 1.0
        banks = bank_reads(one, code[i - 1] if i else None)
        if one.product:
            banks = tensor.registers(one)
        costs[i, : sm.BANKS] = cost.port, ways * cost.l2, cost.fresh, latency(one, machine), cost.misses, reuse.late
        costs[i, sm.BANKS :] = *banks, cost.turn, cost.first, tensor.held(one, machine)
    return whole, costs


def latency(one: Instruction, machine: Machine) -> float:
    """Cycles from the end of a request, or from the start of anything else, to its result."""
    if one.base == sass.LDSM and tensor.known(machine):
        return tensor.read_latency(machine)
    if one.unit == sass.SHARED:
        return machine["shared_latency"]
    if one.unit in (sass.GLOBAL, sass.COPY, sass.LOCAL):
        return machine["l1_latency"]
    return _CONSTANT_LATENCY


def bank_reads(one: Instruction, before: Instruction | None) -> tuple[int, int]:
    """How many registers arithmetic reads from each of the two banks; those at hand from before need no read."""
    kept = before.kept if before is not None else ()
    read = {r for slot, r in enumerate(one.sources) if (slot, r) not in kept and r != sass.NO_REGISTER}
    odd = sum(r % _BANKS for r in read)
    return len(read) - odd, odd


def numbers(machine: Machine, active: int, warps: int) -> np.ndarray:
    """The GPU's numbers for one SM, when so many of its SMs are at work on blocks of so many warps."""
    found = np.zeros(sm.MACHINE)
    found[sm.QUEUE] = QUEUE_CYCLES
    found[sm.L2_RATE] = min(_L2_BYTES_AN_SM, machine["l2_rate"] / active)
    found[sm.DRAM_RATE] = min(_L2_BYTES_AN_SM, machine["dram_read_rate"] / active)
    found[sm.BARRIER_LATENCY] = _barrier(machine, warps)
    found[sm.BANK_QUEUE] = BANK_QUEUE
    found[sm.GREEDY] = GREEDY
    found[sm.SPREAD] = LATENCY_SPREAD
    found[sm.ALU_CYCLES] = 2
    found[sm.FMA_CYCLES] = 2
    found[sm.HEAVY_CYCLES] = 2
    found[sm.OTHER_CYCLES] = 8
    found[sm.L2_LATENCY] = machine["l2_latency"]
    found[sm.DRAM_LATENCY] = machine["dram_latency"]
    return found


def _barrier(machine: Machine, warps: int) -> float:
    """Cycles from the last arrival on; what was measured has the warps' turns in it."""
    counts = [1, 2, 4, 8, 16, 32]
    whole = float(np.interp(warps, counts, [machine[f"barrier_{count}"] for count in counts]))
    return max(1.0, whole - warps / sm.SCHEDULERS)
