"""The child process that has the GPU, seen from its parent: it answers within time limits and can be ended whole."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from gemmlab.errors import UserError
from gemmlab.gpu.child.guards import GUARD_BYTES, Images

START_SECONDS = 120.0  # a first import of CuPy from a cold disk, and the driver's start
COPY_SECONDS = 120.0
MEASURE_SECONDS = 120.0
UNREADABLE = "it answered something that could not be read"
NO_DEVICE = {35: "the NVIDIA driver is missing, or too old for this CUDA", 100: "CUDA sees no NVIDIA GPU"}
COMMAND = (sys.executable, "-m", "gemmlab.gpu.child.worker")


class ChildTimeout(Exception):
    """The child did not answer in time."""


class ChildDied(Exception):
    """The child ended, or said something that is no answer. The text says what is known of it."""


class CudaError(Exception):
    """CUDA or the worker's Python reported an error. `code` is CUDA's number, 'no cublas', or None."""

    def __init__(self, code: int | str | None, text: str) -> None:
        self.code = code
        super().__init__(text)


class Child:
    """One process of its own session; messages are JSON objects, one a line, on its stdin and stdout.

    It is killed with everything it started when `kill` is called or this object goes away.
    """

    def __init__(self, command: Sequence[str], cwd: str, env: dict[str, str]) -> None:
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
        )
        self._answers: queue.SimpleQueue[dict | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(self._process.stdout, self._answers), daemon=True).start()
        self._finalizer = weakref.finalize(self, _kill, self._process)

    def send(self, message: dict) -> None:
        """Raises ChildDied where the child no longer listens."""
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ChildDied(self._last_words()) from None

    def receive(self, seconds: float) -> dict:
        """The next answer. Raises ChildTimeout or ChildDied."""
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise ChildTimeout from None
        if answer is None:
            raise ChildDied(self._last_words())
        return answer

    def kill(self) -> None:
        self._finalizer()

    def _last_words(self) -> str:
        """How it ended and the last line of its stderr."""
        try:
            status = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return UNREADABLE
        self._stderr.seek(0)
        lines = self._stderr.read()[-2000:].decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{ended}: {said}"


def _read(stdout: IO[bytes], answers: queue.SimpleQueue[dict | None]) -> None:
    """Hand over one answer a line; None at the end, or at the first line that is none."""
    for line in stdout:
        try:
            answer = json.loads(line)
        except ValueError:
            break
        if not isinstance(answer, dict):
            break
        answers.put(answer)
    answers.put(None)


def _kill(process: subprocess.Popen) -> None:
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    else:
        process.kill()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:  # the driver still holds it; it goes when the kernel does
        pass
    process.stdin.close()


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
        self._start({"do": "launch", "guard_bytes": GUARD_BYTES, **request}, cubin)
        took = self._receive("launched", seconds)["seconds"]
        self.stage = "copying"
        self._receive("done", COPY_SECONDS)
        after = {name: np.load(self._path(f"{name}.npy")) for name in images.words}
        return Images(after, images.shape), float(took)

    def time(
        self, request: dict, cubin: bytes, seconds: float, progress: Callable[[float], None] | None = None
    ) -> dict:
        """The worker's measurement. The kernel's first launch is given `seconds` to end. `progress` is told the part
        that is done."""
        self._start({"do": "time", **request}, cubin)
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
    """This process's environment, with this package importable and TF32 off in CuPy and in cuBLAS."""
    root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "CUPY_TF32": "0", "NVIDIA_TF32_OVERRIDE": "0"}
