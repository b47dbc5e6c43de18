"""Why a kernel takes its time: what was busy, and what its warps waited for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.model import sm
from gemmlab.model.launch import Timed
from gemmlab.model.prediction import Reason

if TYPE_CHECKING:
    from gemmlab.kernel.program import Program

_WHAT = {
    "issue": "The schedulers issue instructions.",
    "fma": "The units of float32 multiply-adds and of integer products are at work.",
    "tensor": "The tensor cores multiply.",
    "integer": "The units of integer sums, comparisons and logic are at work.",
    "shared": "Requests pass through the banks of shared memory.",
    "cache": "Requests to global memory pass through the L1 cache.",
    "L2": "Bytes come from the L2 cache, as fast as it gives them to an SM.",
    "memory": "Bytes come from memory, as fast as it gives them to an SM.",
    "latency": "No warp can go on: all wait for what they read, or for the instruction before.",
    "barrier": "No warp can go on: all wait at a barrier for others of their block.",
    "launch": "The launches begin and end.",
    "idle": "Some SMs have no block, because the blocks do not divide evenly among them.",
}
_AT_BARRIER = (sm.WAIT_BARRIER,)
_FOR_RESULTS = (sm.PAUSE, sm.WAIT_SHARED, sm.WAIT_MEMORY, sm.WAIT_OTHER)
_BY_LINE = {
    "shared": (sm.WAIT_SHARED,),
    "memory": (sm.WAIT_MEMORY,),
    "barrier": (sm.WAIT_BARRIER,),
    "pause": (sm.PAUSE, sm.WAIT_OTHER),
    "busy": (sm.WAIT_PIPE, sm.WAIT_PORT),
    "turn": (sm.WAIT_TURN,),
}


def reasons_of(launches: Sequence[Timed], cycles: float, overhead: float) -> tuple[Reason, ...]:
    """The largest share of `cycles`, the whole time, first; `overhead` of them are the launches'."""
    busy = sum((one.busy for one in launches), np.zeros(sm.BUSY))
    waits = sum((one.waits.sum(axis=0) for one in launches), np.zeros(sm.WAITS))
    worked = sum(one.cycles for one in launches)
    idle = max(0.0, worked - busy[sm.ISSUE] / sm.SCHEDULERS)
    stalled = float(waits[list(_FOR_RESULTS + _AT_BARRIER)].sum()) or 1.0
    taken = {
        "issue": busy[sm.ISSUE] / sm.SCHEDULERS,
        "fma": busy[sm.FMA_BUSY] / sm.SCHEDULERS,
        "tensor": busy[sm.TENSOR_BUSY] / sm.SCHEDULERS,
        "integer": busy[sm.ALU_BUSY] / sm.SCHEDULERS,
        "shared": busy[sm.SHARED_BUSY],
        "cache": busy[sm.GLOBAL_BUSY],
        "L2": busy[sm.L2_BUSY],
        "memory": busy[sm.DRAM_BUSY],
        "latency": idle * float(waits[list(_FOR_RESULTS)].sum()) / stalled,
        "barrier": idle * float(waits[list(_AT_BARRIER)].sum()) / stalled,
        "launch": overhead,
        "idle": worked - sum(one.used for one in launches),
    }
    found = [Reason(name, float(at), float(at / cycles), _WHAT[name]) for name, at in taken.items() if at > 0]
    return tuple(sorted(found, key=lambda one: -one.share))


def lines_of(launches: Sequence[Timed], program: Program) -> dict[int, dict[str, float]]:
    """For each line of the source, what its warps' time goes to: `issue`, or the wait before an instruction of it."""
    source = _source_lines(program)
    found: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for launch in launches:
        for i, one in enumerate(launch.code):
            line = source.get(one.ptx, 0)
            if launch.ran[i] and line:
                found[line]["issue"] += launch.ran[i]
                for name, columns in _BY_LINE.items():
                    found[line][name] += launch.waits[i, list(columns)].sum()
    total = sum(sum(shares.values()) for shares in found.values()) or 1.0
    return {
        line: {name: float(value / total) for name, value in shares.items() if value > 0}
        for line, shares in sorted(found.items())
    }


def _source_lines(program: Program) -> dict[int, int]:
    """Line of the PTX -> line of the source."""
    from gemmlab.emulator.executor import decoded

    found: dict[int, int] = {}
    for kernel in program.kernels:
        code = decoded(program.ptx, program.symbol(kernel))
        if not isinstance(code, str):
            found |= {location.ptx: location.line for location in code.locations}
    return found
