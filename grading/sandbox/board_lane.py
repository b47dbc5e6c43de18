"""The board's lane: an entry that passed the gate, checked and timed at the board's own shapes on the GPU.

The child of the sandbox compiles it and reads its launcher. What it says is a plan: launches, fills and copies, as
JSON. The plan goes to processes that use the GPU, behind the walls of gpu_lane.py: in one of them it runs once at each
shape, and the grader judges the bytes of C; in the other it is timed by the rules of gemmlab/gpu/contest.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.kinds import GRAVITY, KINDS
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.plan_json import from_json
from gemmlab.kernel.program import Program
from gemmlab.kernel.tolerance import compare, make_inputs
from gemmlab.models.board import SHAPES, named
from grading.model import Job
from grading.sandbox import sentences as say
from grading.sandbox.gpu_lane import COMMAND
from grading.sandbox.worker import Worker

if TYPE_CHECKING:
    import numpy as np

    from gemmlab.kernel.executor import Outcome

Shape = tuple[int, int, int]
_INPUTS = "random"


@dataclass(frozen=True)
class Timed:
    """An entry's speed over cuBLAS's by shape; `reason` says why there is none."""

    ratios: dict[Shape, float] = field(default_factory=dict)
    reason: str = ""


class BoardLane:
    """A sandbox and a GPU, for one entry after the other. Raises UserError where one of them cannot be used."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        from gemmlab.gpu.bench import Bench
        from gemmlab.gpu.executor import GpuExecutor

        self._command = tuple(command)
        with ExitStack() as open_so_far:
            self._bench = open_so_far.enter_context(Bench(self._command))
            self.gpu, self._arch = self._bench.gpu, self._bench.arch
            self._executor = GpuExecutor(command=self._command)
            open_so_far.callback(self._executor.close)
            self._worker = Worker()
            open_so_far.callback(self._worker.close)
            self._worker.greet()
            self._close = open_so_far.pop_all()

    def __enter__(self) -> BoardLane:
        return self

    def __exit__(self, *_: object) -> None:
        self._close.close()

    def time(self, job: Job, seed: int) -> Timed:
        """The job's source at each shape of the board; `seed` draws the inputs of the check before it is timed. The
        first fault ends it: an entry that is wrong at one shape has no time at any."""
        from gemmlab.gpu.contest import contest

        read = self._worker.plans(Job(job.kernel, job.source, (), self._arch), list(SHAPES))
        if read.faults:
            return Timed(reason=_at(None if read.at is None else list(SHAPES)[read.at], _worst(read.faults)))
        if read.problem or read.code is None:
            return Timed(reason=say.NO_PLAN())
        program = Program("", "", read.code.arch, "", read.code.cubin, symbols=read.code.symbols)
        ratios: dict[Shape, float] = {}
        for number, (shape, data) in enumerate(zip(SHAPES, read.plans, strict=True)):
            try:
                plan = from_json(data)
                wrong = self._wrong_at(shape, program, plan, seed + number)
                ratios[shape] = 0.0 if wrong else contest(self._bench, program, plan, shape).ratio
            except ValueError:
                wrong = say.NO_PLAN()
            except UserError as error:
                self._require_gpu()
                wrong = str(error)
            if wrong:
                return Timed(reason=_at(shape, wrong))
        return Timed(ratios)

    def _wrong_at(self, shape: Shape, program: Program, plan: Plan, seed: int) -> str:
        """What is wrong with one run at a shape, in a word for people; '' where nothing is."""
        A, B = make_inputs(_INPUTS, shape, seed)
        outcome = self._executor.run(program, plan, A, B, shape)
        return _fault(outcome) or self._numbers(outcome, A, B)

    def _numbers(self, outcome: Outcome, A: np.ndarray, B: np.ndarray) -> str:
        assert outcome.C is not None, "a run without C has a fault"
        right = compare(outcome.C, A, B, _INPUTS, outcome.written).ok
        again = outcome.again
        kept = again is not None and again.C is not None and not compare(again.C, A, B, _INPUTS, again.written).ok
        return say.WRONG_NUMBERS() if not right else say.KEPT_NUMBERS() if kept else ""

    def _require_gpu(self) -> None:
        """UserError where it is the machine that fails, and not the entry."""
        from gemmlab.gpu.child.process import GpuProcess

        GpuProcess(self._command).close()


def _at(shape: Shape | None, reason: str) -> str:
    return say.AT_SHAPE(shape=named(shape), reason=reason) if shape else reason


def _fault(outcome: Outcome) -> str:
    found = [{"kind": one.kind} for one in outcome.findings if one.is_error]
    if outcome.again:
        found += [{"kind": one.kind} for one in outcome.again.findings if one.is_error]
    return _worst(found) if found or outcome.C is None else ""


def _worst(faults: Sequence[dict]) -> str:
    """The gravest of them, in our own words: a child's sentences are not passed on."""
    kinds = [str(one.get("kind")) for one in faults]
    known = [kind for kind in kinds if kind in KINDS] or ["launch_error"]
    return say.FAULT(meaning=KINDS[min(known, key=lambda kind: GRAVITY[kind])].meaning)
