"""The GPU as an executor: load the cubin with CuPy, launch it, judge what came back."""

from __future__ import annotations

import csv
import functools
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gemmlab.compile import Program
from gemmlab.device import guards as gpu_guards
from gemmlab.device.faults import KernelFault, explained
from gemmlab.device.guards import Images
from gemmlab.device.process import COMMAND, ChildDied, ChildTimeout, CudaError, GpuProcess
from gemmlab.device.request import request_of
from gemmlab.errors import UserError
from gemmlab.executor import Outcome
from gemmlab.launch import Launch
from gemmlab.plan import Plan, refused
from gemmlab.tolerance import check_shape
from gemmlab.verdict import Finding

TIME_LIMIT = 10.0  # seconds for one launch


@dataclass(frozen=True)
class GpuInfo:
    """The first GPU and the software it is used through. `arch` is as in 'sm_90'."""

    name: str
    arch: str
    driver: str
    runtime: str
    cupy: str


@functools.lru_cache(maxsize=1)
def available() -> str | None:
    """The name of this machine's GPU, or None. Asks the driver's own tool, so that no CUDA starts in this process."""
    found = _nvidia_smi()
    return found[0] if found else None


@functools.lru_cache(maxsize=1)
def device() -> GpuInfo:
    """What the worker process sees. Raises UserError where there is no GPU that can be used."""
    worker = GpuProcess()
    worker.close()
    hello, found = worker.hello, _nvidia_smi()
    driver = found[1] if found else f"CUDA {_version(hello['cuda_driver'])}"
    return GpuInfo(hello["name"], hello["arch"], driver, _version(hello["cuda_runtime"]), hello["cupy"])


def _nvidia_smi() -> tuple[str, str] | None:
    """Name and driver version of the first GPU, as nvidia-smi tells them."""
    tool = shutil.which("nvidia-smi")
    if tool is None or os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return None
    command = [tool, "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_nvidia_smi(done.stdout)


def parse_nvidia_smi(text: str) -> tuple[str, str] | None:
    """('NVIDIA H200', '580.159.04') of the first line; None where it names no GPU ('No devices were found')."""
    first = next(csv.reader(text.strip().splitlines(), skipinitialspace=True), [])
    return (first[0], first[1]) if len(first) == 2 else None


def _version(number: int) -> str:
    """12090 -> '12.9'."""
    return f"{number // 1000}.{number % 1000 // 10}"


class GpuExecutor:
    """Runs kernels on the first GPU, in a child process, so that an endless or broken kernel takes nothing along.

    Make one for each check. Its child serves run after run; after a fault a fresh one is started. `close` ends the
    child, and so does dropping the executor.
    """

    name = "cuda"

    def __init__(self, time_limit: float = TIME_LIMIT, command: Sequence[str] = COMMAND) -> None:
        self._time_limit = time_limit
        self._command = command
        self._worker: GpuProcess | None = None

    def run(
        self, program: Program, work: Launch | Plan, A: np.ndarray, B: np.ndarray, shape: tuple[int, int, int]
    ) -> Outcome:
        """Do the work with C and all surroundings full of NaN; again only to find out where a NaN in C came from.

        A and B are float32. Raises UserError where they are too large or the GPU cannot be used.
        """
        check_shape(shape)
        if faults := refused(work, program):
            return Outcome(None, faults)
        before = gpu_guards.make_images(A, B)
        request = request_of(program, work, shape, before.shape)
        try:
            after, seconds = self._launch(program, request, before)
        except KernelFault as fault:
            return Outcome(None, [fault.finding])
        findings = gpu_guards.write_findings(before, after) + self._read_findings(program, request, A, B, after)
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
        self, program: Program, request: dict, A: np.ndarray, B: np.ndarray, after: Images
    ) -> list[Finding]:
        """Where the NaNs in C came from: launch again with NaN nowhere, then in one place only, place by place."""
        suspects = gpu_guards.written_nan(after)
        if not suspects.any():
            return []
        found = []
        try:
            clean, _ = self._launch(program, request, gpu_guards.make_images(A, B, nan_in=()))
            suspects &= ~np.isnan(clean.C)
            for source in gpu_guards.NAN_SOURCES:
                probed, _ = self._launch(program, request, gpu_guards.make_images(A, B, nan_in=(source,)))
                found.append(gpu_guards.read_finding(source, suspects, probed))
        except KernelFault:  # the first launch did not have it; what is found so far is true all the same
            pass
        return [finding for finding in found if finding]
