"""From a kernel and a shape to a time with its reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import Epilogue, epilogue_of
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Copy, Fill, Plan, Ranks, refused, steps_of
from gemmlab.model import sm
from gemmlab.model.accuracy import percent
from gemmlab.model.launch import Timed, timed
from gemmlab.model.machines import DEFAULT, Machine, load
from gemmlab.model.prediction import Prediction, Shape
from gemmlab.model.reasons import lines_of, reasons_of
from gemmlab.model.sample import NotCounted

if TYPE_CHECKING:
    from gemmlab.kernel.program import Program
    from gemmlab.trials.candidate import Candidate


def predict(candidate: Candidate, shape: Shape, gpu: str = DEFAULT) -> Prediction:
    """The time of all launches of the candidate at a shape (M, N, K) on a named GPU, with cold caches.

    Where the model does not know, the prediction has no number and says why. UserError for a GPU that nobody recorded,
    and for a shape with a size below 1.
    """
    from gemmlab.compiler.compile import CompileError

    if min(shape) < 1:
        raise UserError("a shape is three whole numbers from 1 on: M, N and K")
    machine = load(gpu)
    nothing = Prediction(candidate.filename, shape, machine.gpu)
    try:
        program = candidate.compiled(machine.arch, shapes=[shape])
        work = candidate.launch.at(*shape)
        if faults := refused(work, program):
            return nothing.without_number(faults[0].message)
        if isinstance(work, Ranks):
            return nothing.without_number("It is the work of several GPUs, and the model is of one.")
        epilogue = epilogue_of(candidate.launch)
        done = [_timed(step, program, work, shape, machine, epilogue) for step in steps_of(work)]
    except CompileError:
        return nothing.without_number("It does not compile.")
    except NotCounted as reason:
        return nothing.without_number(str(reason))
    M, N, K = candidate.launch.layout.product(shape)
    overhead = machine["launch_cold_us"] + machine["launch_next_us"] * (len(done) - 1)
    us = sum(one.cycles for one in done) / machine.cycles_a_us + overhead
    return Prediction(
        candidate.filename,
        shape,
        machine.gpu,
        ms=1e-3 * us,
        percent=percent(machine.gpu),
        gflops=2e-3 * epilogue.batch * M * N * K / us,
        reasons=reasons_of(done, us * machine.cycles_a_us, overhead * machine.cycles_a_us),
        lines=lines_of(done, program),
    )


def _timed(
    step: Launch | Fill | Copy,
    program: Program,
    work: Launch | Plan,
    shape: Shape,
    machine: Machine,
    epilogue: Epilogue,
) -> Timed:
    if isinstance(step, Launch):
        return timed(step, program, work, shape, machine, epilogue)
    moved = step.size * (2 if isinstance(step, Copy) else 1) / machine["dram_write_rate"]
    busy = np.zeros(sm.BUSY)
    busy[sm.DRAM_BUSY] = moved
    return Timed(moved, moved, busy, np.zeros((0, sm.WAITS)), np.zeros(0))
