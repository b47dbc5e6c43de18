"""The GPU as an executor: load the cubin with CuPy, launch it, judge what came back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gemmlab.compiler.compile import compile_source
from gemmlab.errors import UserError
from gemmlab.gpu.child import guards as gpu_guards
from gemmlab.gpu.child.faults import KernelFault, explained
from gemmlab.gpu.child.guards import Images
from gemmlab.gpu.child.process import COMMAND, ChildDied, ChildTimeout, CudaError, GpuProcess
from gemmlab.gpu.child.request import request_of
from gemmlab.gpu.ranks import RanksOnGpu
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Plan, Ranks, bound, refused, stored
from gemmlab.kernel.program import Program
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.tolerance import check_shape
from gemmlab.kernel.verdict import Finding

TIME_LIMIT = 10.0  # seconds for one launch
_POISON = Path(__file__).with_name("child") / "poison.cu"


def _poison(arch: str) -> bytes:
    """The code that fills shared memory with NaN."""
    return compile_source(_POISON.read_text(encoding="utf-8"), _POISON.name, arch=arch).machine_code


class GpuExecutor:
    """Runs kernels on the first GPU, in a child process, so that an endless or broken kernel takes nothing along.

    Make one for each check. Its child serves run after run; after a fault a fresh one is started. `close` ends the
    child, and so does dropping the executor.
    """

    name = "cuda"

    def __init__(
        self, time_limit: float = TIME_LIMIT, command: Sequence[str] = COMMAND, devices: int | None = None
    ) -> None:
        """`devices` are the GPUs that several ranks are spread over, None for as many as there are."""
        self._time_limit, self._devices = time_limit, devices
        self._command = command
        self._worker: GpuProcess | None = None

    def run(
        self,
        program: Program,
        work: Launch | Plan | Ranks,
        A: np.ndarray,
        B: np.ndarray,
        shape: tuple[int, int, int],
        *,
        terms: Terms = PLAIN,
    ) -> Outcome:
        """Do the work with C, unless the `terms` have one, all surroundings and shared memory full of NaN.

        It is done again, with A turned, where the kernels have variables, in which the first launch may have left
        something, and to find out where a NaN in C came from. A and B hold numbers of the launch's
        element. Raises UserError where they are too large or the GPU cannot be used.
        """
        check_shape(shape)
        if isinstance(work, Ranks):
            return self._run_ranks(program, work, A, B, shape, terms)
        if faults := refused(work, program):
            return Outcome(None, faults)
        other = stored(work, terms.turned(A), B)
        A, B = stored(work, A, B)
        before = gpu_guards.make_images(A, B, terms=terms)
        request = request_of(program, bound(work, terms), shape, before.shape)
        try:
            after, seconds = self._launch(program, request, before)
        except KernelFault as fault:
            return Outcome(None, [fault.finding])
        outcome = Outcome(after.C.copy(), gpu_guards.write_findings(before, after), gpu_guards.written(after))
        outcome.seconds = seconds
        if program.may_keep_something and not outcome.has_error:
            again = self._second(program, request, gpu_guards.make_images(*other, terms=terms))
            outcome.again, outcome.kept = again.turned_back(terms), program.variables
        outcome.findings += self._read_findings(program, request, A, B, terms, after)
        return outcome

    def _run_ranks(
        self, program: Program, work: Ranks, A: np.ndarray, B: np.ndarray, shape: tuple[int, int, int], terms: Terms
    ) -> Outcome:
        try:
            return RanksOnGpu(self._launch, self._devices).run(program, work, A, B, shape, terms)
        except KernelFault as fault:
            return Outcome(None, [fault.finding])

    def _second(self, program: Program, request: dict, before: Images) -> Outcome:
        """The same once more in the same module, on other inputs."""
        try:
            after, seconds = self._launch(program, {**request, "again": True}, before)
        except KernelFault as fault:
            return Outcome(None, [fault.finding])
        findings = gpu_guards.write_findings(before, after)
        return Outcome(after.C.copy(), findings, gpu_guards.written(after), seconds=seconds)

    def cublas(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """cuBLAS's A·B (M×N), in float32 with TF32 off. Raises UserError, also where cuBLAS is not installed."""
        images = gpu_guards.make_images(A, B)
        check_shape(images.shape)
        try:
            after, _ = self._launch(None, {"kernel": None, "shape": images.shape}, images)
        except KernelFault as fault:
            raise UserError(f"cuBLAS failed: {fault}") from None
        return after.C.copy()

    def close(self) -> None:
        if self._worker:
            self._worker.close()
        self._worker = None

    def _ready(self) -> GpuProcess:
        if self._worker is None:
            self._worker = GpuProcess(self._command)
            self._worker.put("poison.cubin", _poison(self._worker.hello["arch"]))
        return self._worker

    def _launch(self, program: Program | None, request: dict, images: Images) -> tuple[Images, float]:
        """All work once, in the child. On any fault the child is dropped: its context cannot be trusted any more."""
        worker = self._ready()
        try:
            return worker.launch(request, program.cubin if program else None, images, self._time_limit)
        except (ChildTimeout, ChildDied, CudaError) as error:
            self.close()
            raise explained(error, worker, request, self._time_limit) from None
        except BaseException:  # an interrupt leaves the child out of step
            self.close()
            raise

    def _read_findings(
        self, program: Program, request: dict, A: np.ndarray, B: np.ndarray, terms: Terms, after: Images
    ) -> list[Finding]:
        """Where the NaNs in C came from: launch again with NaN nowhere, then in one place only, place by place."""
        suspects = gpu_guards.written_nan(after)
        if not suspects.any():
            return []
        found = []
        try:
            clean, _ = self._launch(program, request, gpu_guards.make_images(A, B, (), terms))
            suspects &= ~np.isnan(clean.C)
            for source in gpu_guards.sources_of(after):
                probed, _ = self._launch(program, request, gpu_guards.make_images(A, B, (source,), terms))
                found.append(gpu_guards.read_finding(source, suspects, probed))
        except KernelFault:  # the first launch did not have it; what is found so far is true all the same
            pass
        return [finding for finding in found if finding]
