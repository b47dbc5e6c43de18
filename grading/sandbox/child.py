"""The process that meets a student's kernel: it compiles, it emulates, and sends back numbers that the grader judges.

It is forked from the nursery for one submission and lives inside the sandbox. It gets the source first, and the
matrices, case by case, only after it has sent what the compiler said: nothing in those words can tell of a hidden case.
It never gets an expected result, a seed, or a solution. What it says is data; the grader draws the conclusions.
"""

from __future__ import annotations

import importlib
import os
import pickle
import pkgutil
import socket
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.check import second_look
from gemmlab.check.causes import faults_of_second_launch, without_edge_followers
from gemmlab.check.dropped import dropped_by_optimiser
from gemmlab.check.own_shapes import shapes_beside
from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import Inputs
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.plan import refused
from gemmlab.kernel.plan_json import to_json
from gemmlab.kernel.terms import PLAIN
from gemmlab.kernel.verdict import Finding, HoldsFor
from gemmlab.launcher.faults import LauncherError
from gemmlab.launcher.spec import LauncherSpec
from gemmlab.trials.candidate import Candidate
from grading.sandbox import attacks, wire
from grading.sandbox import sentences as say
from grading.sandbox.inputs import unpacked

if TYPE_CHECKING:
    from gemmlab.compiler.compile import CompileError
    from gemmlab.course.lesson import Kernel
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
CASE_SECONDS = 10.0  # for one launch in the emulator
MOST_MATRICES = 1 << 28  # bytes of A and B together
MOST_FINDINGS = 40
MOST_TEXT = 600  # characters of a message
_ROOMS = "compiler cuda emulator kernel launcher trials".split()
_MODULES = "check.holds check.own_shapes check.rules check.second_look course.blanks course.lesson".split()
_WARM_UP = """\
#include <cuda_runtime.h>
#include <vector>
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[4];
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    As[threadIdx.x] = 1.0f;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    if (row < M && col < N) C[row * N + col] = acc * As[3];
}
int main() { std::vector<float> A; return wrong; }
"""


def prepare() -> list[str]:
    """Load all that a child needs, before it is shut off from the files. Returns the folders that it still reads.

    NVRTC is loaded into this very process: its own process, as elsewhere in gemmlab, would be one more to guard.
    Raises UserError where there is no NVRTC.
    """
    from gemmlab.compiler.nvrtc import client as nvrtc_client
    from gemmlab.compiler.nvrtc import worker as nvrtc_worker

    nvrtc, hello = nvrtc_worker._start()
    if nvrtc is None:
        raise UserError(say.NO_COMPILER(reason=hello["error"]))

    include = [os.path.realpath(folder) for folder in hello["include"]]  # the sandbox has no links
    nvrtc_client.ask = lambda request, timeout: nvrtc_worker._compile(nvrtc, request, include)
    _import_all()
    _warm_up()
    return include


def _import_all() -> None:
    """Every module that a child may come to need: none can be found any more once the walls stand."""
    from gemmlab.emulator.warm import compiled_interpreter

    compiled_interpreter()
    for room in _ROOMS:
        folder = importlib.import_module(f"gemmlab.{room}")
        for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
            importlib.import_module(module.name)
    for name in _MODULES:
        importlib.import_module(f"gemmlab.{name}")


def _warm_up() -> None:
    """Compile and run a kernel that is wrong in many ways, so that every step was taken once, explanations included."""
    from gemmlab.check.rules import MEASURES
    from gemmlab.course.lesson import CounterRule, Kernel
    from gemmlab.kernel.launch import LaunchSpec

    spec = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")
    rules = tuple(CounterRule(*names, 0, (16, 16, 16), "") for names in MEASURES)
    work = _Work(Kernel(Path(), "warm_up", spec, 16, (), (), _WARM_UP, None, rules), _WARM_UP, None)
    A = np.ones((17, 17), np.float32)
    work.errors()
    work.own_shapes([(17, 17, 17)])
    work.broken_rules()
    for look in (work.run, work.look_again):
        look((A, A, PLAIN), (17, 17, 17))
    launched = _WARM_UP + "void solve(const float* A, const float* B, float* C, int M, int N, int K) { wrong(); }"
    _Work(replace(work.kernel, launched_by=LauncherSpec("solve")), launched, None).run((A, A, PLAIN), (17, 17, 17))


class _Work:
    """A source, compiled when it is first asked for."""

    def __init__(self, kernel: Kernel, source: str, arch: str | None) -> None:
        """`kernel` is the lesson's, without its solution. `checked` is the program as a check compiles it."""
        self.kernel, self.source, self.arch = kernel, source, arch
        self.filename = f"{kernel.name.rpartition('/')[2]}.cu"
        self.shapes = [case.shape for case in kernel.cases]
        self.whole: list[Shape] = []  # at which all launches came to their end
        self.findings: list[Finding] = []
        self.checked: Program | None = None

    @cached_property
    def candidate(self) -> Candidate:
        """Raises LauncherError where the source lacks the launcher that the lesson asks for."""
        return Candidate(self.source, self.filename, self.kernel.launches_of(self.source))

    @cached_property
    def program(self) -> Program:
        """Templates in it are made as the `shapes` so far launch them. Raises CompileError."""
        return self.candidate.compiled(self.arch, shapes=self.shapes)

    @cached_property
    def unoptimised(self) -> Program | None:
        return second_look.unoptimised(self.candidate, self.arch, self.shapes)

    @cached_property
    def looks(self) -> Iterator[Program | None]:
        """The program of each second look; None where there is none to take."""
        return cycle(second_look.looked_through(self.program, self.unoptimised) or [None])

    @cached_property
    def dropped(self) -> list[Finding]:
        """Warnings on what only the code of the second look would need."""
        return dropped_by_optimiser(self.program, self.unoptimised) if self.unoptimised else []

    def errors(self) -> list[Finding]:
        """What keeps the source from being a kernel of the course; nothing if it is one."""
        from gemmlab.compiler.compile import CompileError, compile_source
        from gemmlab.cuda.signature import launch_misfit

        try:
            try:
                self.checked = self.program
            except LauncherError as unreadable:
                compile_source(self.source, self.filename, arch=self.arch)  # its complaints come first
                return [unreadable.finding]
        except CompileError as error:
            return _remarks(error)
        misfit = launch_misfit(self.source, self.kernel.launched_by)
        return [misfit] if misfit else []

    def run(self, inputs: Inputs, shape: Shape) -> Outcome:
        """All launches at a shape in the emulator, of a source without `errors`."""
        from gemmlab.emulator import EmulatorExecutor

        if faults := self.faults_at(shape):
            return Outcome(None, faults)
        work = self.candidate.launch.at(*shape)
        A, B, terms = inputs
        outcome = EmulatorExecutor(seconds=CASE_SECONDS, threads=1).run(self.program, work, A, B, shape, terms=terms)
        self.findings += outcome.findings
        self.whole += [shape] if outcome.C is not None else []
        return outcome

    def holds(self) -> HoldsFor | None:
        """How far it goes that no race was found."""
        from gemmlab.check.holds import holds_for

        return holds_for(self.program, self.candidate.launch, self.whole, self.findings)

    def faults_at(self, shape: Shape) -> list[Finding]:
        """What keeps the source from being run at a shape."""
        from gemmlab.compiler.compile import CompileError

        try:
            self._make_templates(shape)
            return refused(self.candidate.launch.at(*shape), self.program)
        except LauncherError as unreadable:
            return [unreadable.finding]
        except CompileError as error:
            return _remarks(error)

    def _make_templates(self, shape: Shape) -> None:
        """Compile anew where a kernel is launched at this shape that no shape before has asked for."""
        if not set(self.candidate.kernels([shape])) <= set(self.candidate.kernels(self.shapes)):
            self.shapes.append(shape)
            for made in ("program", "unoptimised", "looks", "dropped"):
                self.__dict__.pop(made, None)

    def plan(self, shape: Shape) -> dict | None:
        """What the source's own launcher does at a shape, for a GPU; None where the lesson's launch is known, and where
        it is not to be done."""
        if self.arch is None or not isinstance(self.kernel.launched_by, LauncherSpec):
            return None
        try:
            return to_json(self.candidate.launch.at(*shape))
        except LauncherError:
            return None

    def look_again(self, inputs: Inputs, shape: Shape) -> Outcome:
        """The second look at one launch, as the check has it."""
        program = next(self.looks)
        if program is None:
            return Outcome(None)
        outcome = second_look.look_again(self.candidate, program, inputs, shape, CASE_SECONDS, threads=1)
        return replace(outcome, findings=[*self.dropped, *outcome.findings])

    def own_shapes(self, hidden: list[Shape]) -> list[Shape]:
        """Where conditions of the source go ways in a check that they go at none of the hidden shapes."""
        if self.checked is None:
            return []
        public = [case.shape for case in self.kernel.cases]
        return shapes_beside(self.checked, self.candidate.launch, public, hidden)

    def broken_rules(self) -> list[int]:
        """The numbers of the lesson's rules on memory traffic that this kernel breaks."""
        from gemmlab.check.rules import broken_rules

        broken = broken_rules(self.kernel, self.source, self.filename)
        return [finding.details["rule"] for finding in broken]


def _remarks(error: CompileError) -> list[Finding]:
    found = [remark for remark in error.diagnostics if remark.severity == "error"]
    return [Finding("compile_error", remark.message, line=remark.line) for remark in found]


def serve(channel: socket.socket) -> None:
    """Answer requests until the grader closes the channel."""
    service = _Service()
    while True:
        try:
            request, data = wire.receive(channel, MOST_MATRICES)
        except wire.Closed:
            return
        try:
            answer, *results = service.answer(request, data)
        except (MemoryError, UserError):  # the emulator says by UserError that it has no memory for the launch
            answer, results = {"problem": "memory"}, []
        except Exception as error:  # an error of ours, which the instructor must hear of
            answer, results = {"problem": "crash", "detail": _where(error)}, []
        wire.send(channel, answer, *results)


class _Service:
    """The requests that a child knows. Each returns a JSON object and the bytes that go with it."""

    def __init__(self) -> None:
        self._work: _Work | None = None

    @property
    def work(self) -> _Work:
        """The source that was compiled. The grader sends it first."""
        assert self._work is not None, "there is nothing to run before `compile`"
        return self._work

    def answer(self, request: dict, data: bytes) -> tuple:
        requests: dict[str, Callable] = {
            "compile": self.compile, "run": self.run, "code": self.code, "rules": self.rules, "attack": self.attack,
            "plans": self.plans, "holds": self.holds, "own_shapes": self.own_shapes,
        }  # fmt: skip
        return requests[request["do"]](request, data)

    def compile(self, request: dict, data: bytes) -> tuple:
        """`data` is a pickle that the grader made, of the kernel's spec and the source. The GPU's code follows if one
        is to run it."""
        kernel, source = pickle.loads(data)
        self._work = _Work(kernel, source, request["arch"])
        if errors := self.work.errors():
            return ({"errors": _described(errors)},)
        return {"errors": []} | self._symbols(), self._cubin()

    def code(self, request: dict, data: bytes) -> tuple:
        """The GPU's code, with the templates that the cases so far have launched."""
        return self._symbols(), self._cubin()

    def _symbols(self) -> dict:
        return {"symbols": self.work.program.symbols}

    def _cubin(self) -> bytes:
        return (self.work.program.cubin or b"") if self.work.arch else b""

    def run(self, request: dict, data: bytes) -> tuple:
        """One launch, or the second look at it; `data` are A, B and whatever else the kernel is given, as they lie in
        memory. C and what was written follow where it ended, and the same of a second launch."""
        shape = tuple(request["shape"])
        inputs = unpacked(request["inputs"], data)
        outcome = (self.work.look_again if request["again"] else self.work.run)(inputs, shape)
        findings = [*outcome.findings, *faults_of_second_launch(outcome)]
        findings = without_edge_followers(findings, self.work.candidate.launch, shape)
        answer = {"findings": _described(findings), "seconds": outcome.seconds, "plan": self.work.plan(shape)}
        return answer, *_bytes(outcome), *(_bytes(outcome.again) if outcome.again else ())

    def plans(self, request: dict, data: bytes) -> tuple:
        """What the source's own launcher does at these shapes, without running it, or what keeps it from being run; and
        the GPU's code, with all that they launch."""
        shapes: list[Shape] = [(M, N, K) for M, N, K in request["shapes"]]
        for number, shape in enumerate(shapes):
            if faults := self.work.faults_at(shape):
                return ({"faults": _described(faults), "at": number},)
        return {"plans": [self.work.plan(shape) for shape in shapes]} | self._symbols(), self._cubin()

    def own_shapes(self, request: dict, data: bytes) -> tuple:
        """Shapes at which to run the source beside these."""
        return ({"shapes": self.work.own_shapes([(M, N, K) for M, N, K in request["shapes"]])},)

    def rules(self, request: dict, data: bytes) -> tuple:
        return ({"broken": self.work.broken_rules()},)

    def holds(self, request: dict, data: bytes) -> tuple:
        """How far it goes that no race was found in the launches so far."""
        holds = self.work.holds()
        return ({"holds": holds.to_json() if holds else {}},)

    def attack(self, request: dict, data: bytes) -> tuple:
        return ({"done": attacks.try_all(**request["targets"])},)


def _bytes(outcome: Outcome) -> tuple[bytes, ...]:
    """C, and what of it was written; nothing where a launch did not end."""
    if outcome.C is None or outcome.written is None:
        return ()
    return outcome.C.tobytes(), outcome.written.astype(np.uint8).tobytes()


def _where(error: Exception) -> str:
    """The error and the innermost lines that it came from."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames[::-1])
    return f"{type(error).__name__}: {error} in {places}"[:MOST_TEXT]


def _described(findings: list[Finding]) -> list[dict]:
    """Kind, severity, line and message of each, cut to a size that the grader takes."""
    return [
        {"kind": one.kind, "severity": one.severity, "line": one.line, "message": one.message[:MOST_TEXT]}
        for one in findings[:MOST_FINDINGS]
    ]
