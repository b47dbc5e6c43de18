"""The time of one launch: one of its blocks is counted, its machine code followed, one SM simulated.

Where all blocks are at work at one time, that SM decides. Where they are more, or edges have less to do, blocks are
dealt out to all SMs (grid.py), at the pace that simulations of few and of many blocks on an SM have shown.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.epilogue import NOTHING, Epilogue
from gemmlab.kernel.launch import Launch, cdiv
from gemmlab.kernel.limits import occupancy
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.warp import WARP
from gemmlab.model import flow, grid, sass, sm, tensor
from gemmlab.model.costs import numbers, tables
from gemmlab.model.cubin import machine_code
from gemmlab.model.limits import require_few_strong, require_known, require_little_local
from gemmlab.model.machines import Machine
from gemmlab.model.sample import Edges, NotCounted, sampled
from gemmlab.model.traffic import Resident, reuse_of

if TYPE_CHECKING:
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
MOST_STEPS = 20_000  # instructions of a warp that are simulated; the rest goes on at the same pace
_MOST_OF_FEW, _MOST_OF_MANY, _MANY = 160_000, 100_000, 32  # of all warps together, where they are few, and many
_CACHE_BYTES = 256 * 1024  # of an SM: its L1 cache and its shared memory
_FEW_WARPS = 0.25  # of a block, where the others are beyond the edge
_SHORT = 0.02  # of a path that may be left out
_EARLY, _LATE = 1, 5  # the parts of a simulation whose pace counts: neither the start nor when first warps have ended


@dataclass(frozen=True)
class Timed:
    """`cycles` until the launch ends, and of all SMs together those that they had blocks. `busy` and `waits` are
    those of one SM (sm.py), `ran[i]` how often its warps run instruction i of the `code`."""

    cycles: float
    used: float
    busy: np.ndarray
    waits: np.ndarray
    ran: np.ndarray
    code: tuple[sass.Instruction, ...] = ()


def timed(
    launch: Launch,
    program: Program,
    work: Launch | Plan,
    shape: Shape,
    machine: Machine,
    epilogue: Epilogue = NOTHING,
) -> Timed:
    """One launch of `work`, whose kernels do the `epilogue` too. Raises NotCounted where there is no telling."""
    code = _code(program.machine_code, program.symbol(launch.kernel), launch.kernel)
    block = sampled(program, launch, work, shape, epilogue)
    require_known(code, program.ptx, program.symbol(launch.kernel), block, machine)
    block, code = tensor.in_machine_code(block, code, program.ptx)
    warps = cdiv(prod(launch.block), WARP)
    flows = flow.solved(code, {line: counted.instructions / warps for line, counted in block.lines.items()})
    require_little_local(code, flows)
    require_few_strong(code, flows)
    total = block.blocks
    used = program.resources[launch.kernel]
    fits = occupancy(prod(launch.block), used.registers, used.shared_bytes + launch.smem, program.arch).blocks_per_sm
    most = ceil(total / machine.sms)
    slots = min(fits, most)
    left = _CACHE_BYTES - fits * (used.shared_bytes + launch.smem)
    resident = Resident(machine.sms, slots, most / fits, left, machine["l2_bytes"])
    reuse = reuse_of(block, shape, launch.layout, resident)
    whole, costs = tables(code, block, reuse, machine)
    path = _Path.of(flows, _steps(warps * slots))
    values = numbers(machine, min(machine.sms, total), warps)

    def run(load: float) -> _Round:
        return path.run(whole, costs, values, max(1, round(warps * min(1, load))), ceil(load))

    if block.edges is None and most <= fits:
        return run(slots).finished(code, total / machine.sms / most)
    last, share = _dealt(run, block.edges, total, slots, machine.sms)
    return last.finished(code, share)


def _dealt(
    run: Callable[[float], _Round], edges: Edges | None, total: int, slots: int, sms: int
) -> tuple[_Round, float]:
    """What the SM does that ends last, and the share of all SMs' cycles in which they have blocks. `run` simulates one
    with so many whole blocks, of which `slots` fit on it."""
    few = {_FEW_WARPS} if edges else set()
    loads = sorted({*few, 1.0, float(ceil(slots / 2)), float(slots)})
    with ThreadPoolExecutor() as pool:  # the simulation lets others of the process go on
        rounds = list(pool.map(run, loads))
    width, way = edges.sizes() if edges else (np.ones(total), np.ones(total))
    dealt = grid.dealt(width, way, grid.pace(loads, [one.cycles for one in rounds], slots), slots, sms)
    return replace(dealt.blocks / slots * rounds[-1], cycles=dealt.cycles), dealt.used


def _steps(warps: int) -> int:
    """How many instructions of each of so many warps are simulated."""
    return min(MOST_STEPS, (_MOST_OF_MANY if warps >= _MANY else _MOST_OF_FEW) // warps)


@lru_cache(maxsize=256)
def _code(cubin: bytes, symbol: str, kernel: str) -> tuple[sass.Instruction, ...]:
    found = machine_code(cubin, symbol)
    if found is None:
        raise NotCounted(f"The machine code has no kernel {kernel}.")
    return tuple(sass.instructions(found))


@dataclass(frozen=True)
class _Round:
    """A round of blocks of one SM, or several after each other."""

    cycles: float
    busy: np.ndarray
    waits: np.ndarray
    ran: np.ndarray

    def __rmul__(self, times: float) -> _Round:
        return _Round(times * self.cycles, times * self.busy, times * self.waits, times * self.ran)

    def finished(self, code: tuple[sass.Instruction, ...], used: float) -> Timed:
        return Timed(self.cycles, used * self.cycles, self.busy, self.waits, self.ran, code)


@dataclass(frozen=True)
class _Path:
    """The instructions that a warp runs, as far as they are simulated, and how many there are in all; warps may run
    fewer on average, where only some of them come to a part."""

    places: np.ndarray
    length: float

    @classmethod
    def of(cls, flows: flow.Flow, most: int) -> _Path:
        parts = [np.arange(flows.blocks[n].start, flows.blocks[n].end) for n in flow.path(flows, most)]
        length = sum(count * (block.end - block.start) for count, block in zip(flows.counts, flows.blocks))
        return cls(np.concatenate(parts), length)

    def run(self, whole: np.ndarray, costs: np.ndarray, values: np.ndarray, warps: int, together: int) -> _Round:
        done = sm.simulate(self.places, whole, costs, values, warps, together)
        ran = np.bincount(self.places, minlength=len(whole)) * float(warps * together)
        missing = self.length - len(self.places)
        if abs(missing) < _SHORT * self.length:
            return _Round(done.cycles, done.busy, done.waits, ran)
        pace = (done.progress[_LATE] - done.progress[_EARLY]) / (len(self.places) * (_LATE - _EARLY) / sm.PARTS)
        scale = self.length / len(self.places)
        return _Round(done.cycles + missing * pace, scale * done.busy, scale * done.waits, scale * ran)
