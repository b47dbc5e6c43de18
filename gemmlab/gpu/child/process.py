"""The child process that has the GPU, seen from its parent: it answers within time limits and can be ended whole."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gemmlab.child_process import UNREADABLE, Child, ChildDied, ChildTimeout
from gemmlab.errors import UserError
from gemmlab.gpu.child.guards import GUARD_BYTES, Images

START_SECONDS = 120.0  # a first import of CuPy from a cold disk, and the driver's start
COPY_SECONDS = 120.0
MEASURE_SECONDS = 120.0
NO_DEVICE = {35: "the NVIDIA driver is missing, or too old for this CUDA", 100: "CUDA sees no NVIDIA GPU"}
COMMAND = (sys.executable, "-m", "gemmlab.gpu.child.worker")


class CudaError(Exception):
    """CUDA or the worker's Python reported an error. `code` is CUDA's number, 'no cublas', or None."""

    def __init__(self, code: int | str | None, text: str) -> None:
        self.code = code
        super().__init__(text)


class GpuProcess:
    """A worker with its CUDA context and a private folder, in which memory images and code travel.

    `hello` is how the worker describes the GPU. `stage` says what the worker is at: 'copying' or 'running' a kernel.
    Every method may raise ChildTimeout, ChildDied or CudaError; then this process is of no more use.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="gemmlab-gpu-", ignore_cleanup_errors=True)
        self._child = Child(command, self._folder.name, _environment())
        self.stage = "copying"
        try:
            self.hello = self._receive("ready", START_SECONDS)
        except (ChildTimeout, ChildDied, CudaError) as error:
            self.close()
            raise UserError(f"{_why_no_start(error)}; use --backend emulator") from None

    def launch(self, request: dict, cubin: bytes | None, images: Images, seconds: float) -> tuple[Images, float]:
        """The images after one launch, and the seconds it took. The kernel is given `seconds` to end."""
        for name, words in images.words.items():
            np.save(self._path(f"{name}.npy"), words)
        self._start({"do": "launch", "guard_bytes": GUARD_BYTES, "arrays": list(images.words), **request}, cubin)
        took = self._receive("launched", seconds)["seconds"]
        self.stage = "copying"
        self._receive("done", COPY_SECONDS)
        after = {name: np.load(self._path(f"{name}.npy")) for name in images.words}
        return replace(images, words=after), float(took)

    def time(
        self,
        request: dict,
        cubin: bytes,
        seconds: float,
        progress: Callable[[float], None] | None = None,
        do: str = "time",
    ) -> dict:
        """The worker's measurement, by the rules of `do`. The kernel's first launch is given `seconds` to end.
        `progress` is told the part that is done."""
        self._start({"do": do, **request}, cubin)
        self._receive("measuring", seconds)
        self.stage = "copying"
        return self._measured(progress)

    def spans(self, request: dict, cubin: bytes) -> dict:
        """The milliseconds of single launches of one kernel."""
        self._start({"do": "spans", **request}, cubin)
        return self._measured(None)

    def put(self, name: str, content: bytes) -> None:
        """A file in the worker's folder."""
        self._path(name).write_bytes(content)

    def _measured(self, progress: Callable[[float], None] | None) -> dict:
        while True:
            answer = self._receive(("progress", "done"), MEASURE_SECONDS)
            if answer["event"] == "done":
                return answer
            if progress:
                progress(answer["part"])

    def close(self) -> None:
        self._child.kill()
        self._folder.cleanup()

    def _start(self, request: dict, cubin: bytes | None) -> None:
        self.stage = "copying"
        if cubin is not None:
            self._path("kernel.cubin").write_bytes(cubin)
        self._child.send(request)
        self._receive("launching", COPY_SECONDS)
        self.stage = "running"

    def _receive(self, event: str | tuple[str, ...], seconds: float) -> dict:
        answer = self._child.receive(seconds)
        if answer.get("event") == "error":
            raise CudaError(answer.get("code"), str(answer.get("text")))
        if answer.get("event") not in (event if isinstance(event, tuple) else (event,)):
            raise ChildDied(UNREADABLE)
        return answer

    def _path(self, name: str) -> Path:
        return Path(self._folder.name, name)


def _why_no_start(error: ChildTimeout | ChildDied | CudaError) -> str:
    if isinstance(error, CudaError) and error.code in NO_DEVICE:
        return NO_DEVICE[error.code]
    return f"the GPU cannot be used ({str(error) or f'no answer within {START_SECONDS:g} s'})"


def _environment() -> dict[str, str]:
    """This process's environment, with this package importable, TF32 off in CuPy, and in cuBLAS only where it is asked
    for."""
    root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    kept = {name: value for name, value in os.environ.items() if name != "NVIDIA_TF32_OVERRIDE"}
    return {**kept, "PYTHONPATH": path, "CUPY_TF32": "0"}
