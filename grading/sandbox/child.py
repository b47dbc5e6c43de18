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
from collections.abc import Callable

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Finding
from grading.sandbox import attacks, wire

CASE_SECONDS = 10.0  # for one launch in the emulator
MOST_MATRICES = 1 << 28  # bytes of A and B together
MOST_FINDINGS = 40
MOST_TEXT = 600  # characters of a message
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
        raise UserError(f"the CUDA compiler NVRTC cannot be loaded on this machine ({hello['error']})")

    include = [os.path.realpath(folder) for folder in hello["include"]]  # the sandbox has no links
    nvrtc_client.ask = lambda request, timeout: nvrtc_worker._compile(nvrtc, request, include)
    _import_all()
    _warm_up()
    return include


def _import_all() -> None:
    """Every module of the emulator and the readers of source: none can be found any more once the walls stand."""
    import gemmlab.emulator
    from gemmlab.emulator.warm import compiled_interpreter

    compiled_interpreter()  # before others import it, because this one knows where its machine code is kept
    for module in pkgutil.walk_packages(gemmlab.emulator.__path__, "gemmlab.emulator."):
        importlib.import_module(module.name)
    readers = "compiler.device_part course.blanks cuda.arrays cuda.signature cuda.tree"
    for name in f"{readers} check.rules kernel.limits kernel.plan kernel.tolerance".split():
        importlib.import_module(f"gemmlab.{name}")


def _warm_up() -> None:
    """Compile and run a kernel that is wrong in many ways, so that every step was taken once, explanations included."""
    from gemmlab.check.rules import MEASURES
    from gemmlab.course.lesson import CounterRule, Kernel
    from gemmlab.kernel.launch import LaunchSpec

    spec = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")
    rules = tuple(CounterRule(*names, 0, (16, 16, 16), "") for names in MEASURES)
    work = _Work(Kernel(None, "warm_up", spec, 16, (), (), _WARM_UP, None, rules), _WARM_UP, None)
    A = np.ones((17, 17), np.float32)
    work.errors()
    work.broken_rules()
    for debug in (False, True):
        work.run(A, A, (17, 17, 17), debug)


class _Work:
    """A source, compiled when it is first asked for."""

    def __init__(self, kernel, source: str, arch: str | None) -> None:
        """`kernel` is the lesson's, without its solution."""
        self.kernel, self.source, self.arch = kernel, source, arch
        self.programs: dict[bool, object] = {}

    def program(self, debug: bool = False):
        """Raises CompileError."""
        from gemmlab.compiler.compile import compile_source

        if debug not in self.programs:
            self.programs[debug] = compile_source(self.source, self._filename, arch=self.arch, debug=debug)
        return self.programs[debug]

    @property
    def _filename(self) -> str:
        return f"{self.kernel.name.rpartition('/')[2]}.cu"

    def errors(self) -> list[Finding]:
        """What keeps the source from being a kernel of the course; nothing if it is one."""
        from gemmlab.compiler.compile import CompileError
        from gemmlab.cuda.signature import check_signature

        try:
            self.program()
        except CompileError as error:
            found = [remark for remark in error.diagnostics if remark.severity == "error"]
            return [Finding("compile_error", remark.message, line=remark.line) for remark in found]
        misfit = check_signature(self.source, self.kernel.launch.kernel)
        return [misfit] if misfit else []

    def run(self, A: np.ndarray, B: np.ndarray, shape: tuple[int, int, int], debug: bool):
        """The Outcome of one launch in the emulator."""
        from gemmlab.emulator import EmulatorExecutor
        from gemmlab.kernel.executor import Outcome
        from gemmlab.kernel.plan import refused

        work, program = self.kernel.launch.at(*shape), self.program(debug)
        if not debug and (faults := refused(work, self.program())):
            return Outcome(None, faults)
        return EmulatorExecutor(seconds=CASE_SECONDS, threads=1).run(program, work, A, B, shape)

    def broken_rules(self) -> list[int]:
        """The numbers of the lesson's rules on memory traffic that this kernel breaks."""
        from gemmlab.check.rules import broken_rules

        return [finding.details["rule"] for finding in broken_rules(self.kernel, self.source, self._filename)]


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
        self.work: _Work | None = None

    def answer(self, request: dict, data: bytes) -> tuple:
        requests: dict[str, Callable] = {
            "compile": self.compile, "run": self.run, "rules": self.rules, "attack": self.attack,
        }  # fmt: skip
        return requests[request["do"]](request, data)

    def compile(self, request: dict, data: bytes) -> tuple:
        """`data` is a pickle that the grader made, of the kernel's spec and the source. The GPU's code follows if one
        is to run it."""
        self.work = _Work(*pickle.loads(data), request["arch"])
        if errors := self.work.errors():
            return ({"errors": _described(errors)},)
        program = self.work.program()
        code = (program.cubin or b"") if request["arch"] else b""
        return {"errors": [], "symbols": program.symbols}, code

    def run(self, request: dict, data: bytes) -> tuple:
        """One launch; `data` are A and B. C and what was written follow where the launch ended."""
        M, N, K = shape = tuple(request["shape"])
        matrices = np.frombuffer(data, np.float32)
        A, B = matrices[: M * K].reshape(M, K).copy(), matrices[M * K :].reshape(K, N).copy()
        outcome = self.work.run(A, B, shape, request["debug"])
        answer = {"findings": _described(outcome.findings), "seconds": outcome.seconds}
        if outcome.C is None:
            return (answer,)
        return answer, outcome.C.tobytes(), outcome.written.astype(np.uint8).tobytes()

    def rules(self, request: dict, data: bytes) -> tuple:
        return ({"broken": self.work.broken_rules()},)

    def attack(self, request: dict, data: bytes) -> tuple:
        return ({"done": attacks.try_all(**request["targets"])},)


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
