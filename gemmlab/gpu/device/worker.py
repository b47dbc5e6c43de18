"""The process that uses the GPU: `python -m gemmlab.gpu.device.worker`, one JSON object a line on stdin and stdout.

A kernel may loop for ever or break the CUDA context for good; it does so here, and whoever started this process
kills it. It runs in a private folder: kernel.cubin is the code, A.npy, B.npy and C.npy are the memory images, changed
in place. It judges nothing. After any CUDA error it ends, since the context cannot be trusted any more.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gemmlab.gpu.device.stopwatch import Stopwatch

DEFAULT_MATH = 0  # of cuBLAS: no TF32


class Gpu:
    """The CUDA context of this process, and the answers to its requests as iterators of events."""

    def __init__(self) -> None:
        import cupy

        self.cuda = cupy.cuda
        self.runtime = cupy.cuda.runtime
        self.cupy_version = cupy.__version__
        self.runtime.free(0)  # creates the context now, while no time limit of a kernel runs
        self._own: list[int] = []
        self.properties = self.runtime.getDeviceProperties(self.runtime.getDevice())
        self.stopwatch = Stopwatch(self)

    def describe(self) -> dict:
        name = self.properties["name"]
        return {
            "name": name.decode() if isinstance(name, bytes) else name,
            "arch": f"sm_{self.properties['major']}{self.properties['minor']}",
            "sms": self.properties["multiProcessorCount"],
            "l2_bytes": self.properties["l2CacheSize"],
            "cuda_driver": self.runtime.driverGetVersion(),
            "cuda_runtime": self.runtime.runtimeGetVersion(),
            "cupy": self.cupy_version,
        }

    def launch(self, request: dict) -> Iterator[dict]:
        """Do the work once on the images of A, B and C: cuBLAS where `kernel` is None, otherwise the steps."""
        images = {name: np.load(f"{name}.npy", mmap_mode="r+") for name in "ABC"}
        buffers = {name: self.runtime.malloc(image.nbytes) for name, image in images.items()}
        for name, image in images.items():
            self.runtime.memcpy(buffers[name], image.ctypes.data, image.nbytes, self.runtime.memcpyHostToDevice)
        work = self.work(request, {name: buffer + request["guard_bytes"] for name, buffer in buffers.items()})
        yield {"event": "launching"}
        yield {"event": "launched", "seconds": self.seconds(work)}
        for name, image in images.items():
            self.runtime.memcpy(image.ctypes.data, buffers[name], image.nbytes, self.runtime.memcpyDeviceToHost)
            self.runtime.free(buffers[name])
        self.free_own()
        yield {"event": "done"}

    def time(self, request: dict) -> Iterator[dict]:
        """Time the kernel against cuBLAS; see gemmlab.gpu.bench."""
        return self.stopwatch.race(request)

    def spans(self, request: dict) -> Iterator[dict]:
        """Time a kernel by itself, on buffers of its own; see gemmlab.gpu.bench."""
        return self.stopwatch.spans(request)

    def work(self, request: dict, pointers: dict[str, int]) -> Callable[[], None]:
        """What to do, bound to its arguments. `pointers` are those of A, B and C."""
        if request["kernel"] is None:
            return self.multiply("sgemm", np.float32, pointers, *request["shape"])
        module = self.cuda.function.Module()
        module.load(Path("kernel.cubin").read_bytes())
        pointers = pointers | {name: self._own_buffer(size) for name, size in request["buffers"].items()}
        self._opt_in(module, request["steps"])
        actions = [getattr(self, f"_{step['do']}")(step, pointers, module) for step in request["steps"]]

        def work() -> None:
            for action in actions:
                action()

        return work

    def _opt_in(self, module: Any, steps: list[dict]) -> None:
        """Allow each kernel the most shared memory that any of its launches opts in to."""
        launches = [step for step in steps if step["do"] == "launch" and step["smem_opt_in"]]
        for step in sorted(launches, key=lambda step: step["smem"]):
            driver, function = self.cuda.driver, module.get_function(step["kernel"])
            driver.funcSetAttribute(function.ptr, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, step["smem"])

    def _own_buffer(self, size: int) -> int:
        """An array that a launcher allocates, full of NaN."""
        buffer = self.runtime.malloc(size)
        self.runtime.memsetAsync(buffer, 255, size, 0)
        self._own.append(buffer)
        return buffer

    def free_own(self) -> None:
        while self._own:
            self.runtime.free(self._own.pop())

    def _launch(self, step: dict, pointers: dict[str, int], module: Any) -> Callable[[], None]:
        function, smem = module.get_function(step["kernel"]), step["smem"]
        grid, block = tuple(step["grid"]), tuple(step["block"])
        arguments = tuple(
            _address(pointers, argument) if argument[0] in pointers else np.dtype(argument[1]).type(argument[0])
            for argument in step["arguments"]
        )
        return lambda: function(grid, block, arguments, shared_mem=smem)

    def _fill(self, step: dict, pointers: dict[str, int], module: Any) -> Callable[[], None]:
        to = _address(pointers, step["to"])
        return lambda: self.runtime.memsetAsync(to, step["byte"], step["size"], 0)

    def _copy(self, step: dict, pointers: dict[str, int], module: Any) -> Callable[[], None]:
        to, source = _address(pointers, step["to"]), _address(pointers, step["source"])
        return lambda: self.runtime.memcpyAsync(to, source, step["size"], self.runtime.memcpyDeviceToDevice, 0)

    def multiply(self, name: str, dtype: type, pointers: dict[str, int], M: int, N: int, K: int) -> Callable[[], None]:
        """cuBLAS's 'sgemm' or 'dgemm'. It stores by columns, so that it computes the transposed product: C' = B' A' is
        C by rows."""
        cublas = self.cuda.cublas
        handle = self.cuda.device.get_cublas_handle()
        cublas.setMathMode(handle, DEFAULT_MATH)
        multiply = getattr(cublas, name)
        A, B, C = (pointers[name] for name in "ABC")
        one_zero = np.array([1, 0], dtype)
        none = cublas.CUBLAS_OP_N

        def work() -> None:
            one = one_zero.ctypes.data
            multiply(handle, none, none, N, M, K, one, B, N, A, K, one + one_zero.itemsize, C, N)

        return work

    def seconds(self, work: Callable[[], None]) -> float:
        start, stop = self.cuda.Event(), self.cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        return self.cuda.get_elapsed_time(start, stop) / 1000


def _address(pointers: dict[str, int], place: list) -> int:
    """The address of [array, byte offset]."""
    name, offset = place
    return pointers[name] + offset


def main() -> int:
    """Answer requests until stdin closes."""
    send = _answers()
    requests = _requests()
    try:
        gpu = Gpu()
        send({"event": "ready", **gpu.describe()})
        while True:
            request = requests.get()
            for event in getattr(gpu, request.pop("do"))(request):
                send(event)
    except Exception as error:  # whatever it is, whoever asked must hear of it
        send({"event": "error", "code": _code(error), "text": _text(error)})
        return 1


def _answers() -> Callable[[dict], None]:
    """Answers go to a copy of stdout; stdout itself becomes stderr, because a kernel's printf ends up there."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: dict) -> None:
        stream.write(json.dumps(message) + "\n")
        stream.flush()

    return send


def _requests() -> queue.SimpleQueue[dict]:
    """Requests, read by a thread that ends this process when stdin closes, even while a kernel loops for ever."""
    requests: queue.SimpleQueue[dict] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            requests.put(json.loads(line))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return requests


def _code(error: Exception) -> int | str | None:
    """The CUDA error's number, which driver and runtime share; 'no cublas'; None for anything else."""
    if isinstance(error, ImportError) and "cublas" in str(error):
        return "no cublas"
    is_of_cuda = type(error).__name__ in ("CUDARuntimeError", "CUDADriverError")
    return getattr(error, "status", None) if is_of_cuda else None


def _text(error: Exception) -> str:
    lines = str(error).strip().split("\n")
    return f"{type(error).__name__}: {lines[0]}"


if __name__ == "__main__":
    # A broken context makes CuPy's clean-up fail as well; nothing is left here that would need it.
    status = main()
    sys.stderr.flush()
    os._exit(status)
