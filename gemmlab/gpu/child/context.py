"""The CUDA context of the worker's process: launches, fills, copies and cuBLAS, through CuPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

DEFAULT_MATH, TF32_MATH = 0, 3  # of cuBLAS; by default float32 stays float32
_CUBLAS_TYPES = {"float32": 0, "float16": 2, "bfloat16": 14}  # cudaDataType
_FLOAT_SUMS, _ANY_ALGORITHM = 68, -1  # CUBLAS_COMPUTE_32F
_POISON_THREADS, _POISON_BLOCKS = 256, 16  # of a block, and of an SM
_NAN = 0xFF  # four of these bytes are a NaN


class Gpu:
    """What a request asks of the CUDA context of this process, and what the context is."""

    def __init__(self) -> None:
        import cupy

        self.cuda = cupy.cuda
        self.runtime = cupy.cuda.runtime
        self.cupy_version = cupy.__version__
        self.runtime.free(0)  # creates the context now, while no time limit of a kernel runs
        self._own: dict[int, int] = {}  # the size in bytes of each array that a launcher allocated
        self._module: Any = None
        self.properties = self.runtime.getDeviceProperties(self.runtime.getDevice())

    def describe(self) -> dict:
        name = self.properties["name"]
        return {
            "name": name.decode() if isinstance(name, bytes) else name,
            "arch": f"sm_{self.properties['major']}{self.properties['minor']}",
            "gpus": self.runtime.getDeviceCount(),
            "sms": self.properties["multiProcessorCount"],
            "l2_bytes": self.properties["l2CacheSize"],
            "cuda_driver": self.runtime.driverGetVersion(),
            "cuda_runtime": self.runtime.runtimeGetVersion(),
            "cupy": self.cupy_version,
        }

    def launch(self, request: dict) -> Iterator[dict]:
        """Do the work once on the images of A, B and C: cuBLAS where `kernel` is None, otherwise the steps.

        With `again` it is done in the module of the launch before, whose variables are as that one left them.
        """
        images = {name: np.load(f"{name}.npy", mmap_mode="r+") for name in request["arrays"]}
        buffers = {name: self.runtime.malloc(image.nbytes) for name, image in images.items()}
        for name, image in images.items():
            self.runtime.memcpy(buffers[name], image.ctypes.data, image.nbytes, self.runtime.memcpyHostToDevice)
        work = self.work(request, {name: buffer + request["guard_bytes"] for name, buffer in buffers.items()})
        self._poison()
        yield {"event": "launching"}
        yield {"event": "launched", "seconds": self.seconds(work)}
        for name, image in images.items():
            self.runtime.memcpy(image.ctypes.data, buffers[name], image.nbytes, self.runtime.memcpyDeviceToHost)
            self.runtime.free(buffers[name])
        self.free_own()
        yield {"event": "done"}

    def work(self, request: dict, pointers: dict[str, int]) -> Callable[[], None]:
        """What to do, bound to its arguments. `pointers` are those of A, B and C."""
        if request["kernel"] is None:
            return self.cublas(request.get("dtype", "float32"), pointers, *request["shape"])
        return self.binding(request)(pointers)

    def binding(self, request: dict) -> Callable[[dict[str, int]], Callable[[], None]]:
        """The code loaded and the launcher's arrays made, for A, B and C that lie elsewhere each time."""
        module = self._module if request.get("again") else self._load("kernel.cubin")
        self._module = module
        own = {name: self._own_buffer(size) for name, size in request["buffers"].items()}
        self._opt_in(module, request["steps"])

        def bound(pointers: dict[str, int]) -> Callable[[], None]:
            places = pointers | own
            actions = [getattr(self, f"_{step['do']}")(step, places, module) for step in request["steps"]]

            def work() -> None:
                for action in actions:
                    action()

            return work

        return bound

    def _load(self, name: str) -> Any:
        module = self.cuda.function.Module()
        module.load(Path(name).read_bytes())
        return module

    def _poison(self) -> None:
        """NaN in the shared memory of every SM, where the code for it was sent."""
        if Path("poison.cubin").exists():
            poison = self._load("poison.cubin").get_function("poison")
            poison((_POISON_BLOCKS * self.properties["multiProcessorCount"], 1, 1), (_POISON_THREADS, 1, 1), ())
            self.runtime.deviceSynchronize()

    def _opt_in(self, module: Any, steps: list[dict]) -> None:
        """Allow each kernel the most shared memory that any of its launches opts in to."""
        launches = [step for step in steps if step["do"] == "launch" and step["smem_opt_in"]]
        for step in sorted(launches, key=lambda step: step["smem"]):
            driver, function = self.cuda.driver, module.get_function(step["kernel"])
            driver.funcSetAttribute(function.ptr, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, step["smem"])

    def _own_buffer(self, size: int) -> int:
        """An array that a launcher allocates, full of NaN."""
        buffer = self.runtime.malloc(size)
        self._own[buffer] = size
        self.runtime.memsetAsync(buffer, _NAN, size, 0)
        return buffer

    def poison_own(self) -> None:
        """NaN in all that a launcher allocated: nothing is left there from one launch to the next."""
        for buffer, size in self._own.items():
            self.runtime.memsetAsync(buffer, _NAN, size, 0)

    def free_own(self) -> None:
        while self._own:
            self.runtime.free(self._own.popitem()[0])

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

    def cublas(self, dtype: str, pointers: dict[str, int], M: int, N: int, K: int) -> Callable[[], None]:
        """cuBLAS's product of matrices of an element (gemmlab.kernel.elements), C and its sums in float32."""
        if dtype not in ("float16", "bfloat16"):
            math = TF32_MATH if dtype == "tf32" else DEFAULT_MATH
            return self.multiply("sgemm", np.float32, pointers, M, N, K, math)
        cublas, none = self.cuda.cublas, self.cuda.cublas.CUBLAS_OP_N
        handle = self.cuda.device.get_cublas_handle()
        A, B, C = (pointers[name] for name in "ABC")
        one_zero, inputs, floats = np.array([1, 0], np.float32), _CUBLAS_TYPES[dtype], _CUBLAS_TYPES["float32"]

        def work() -> None:
            one = one_zero.ctypes.data
            zero, how = one + one_zero.itemsize, (_FLOAT_SUMS, _ANY_ALGORITHM)
            cublas.gemmEx(handle, none, none, N, M, K, one, B, inputs, N, A, inputs, K, zero, C, floats, N, *how)

        return work

    def multiply(
        self, name: str, dtype: type, pointers: dict[str, int], M: int, N: int, K: int, math: int = DEFAULT_MATH
    ) -> Callable[[], None]:
        """cuBLAS's 'sgemm' or 'dgemm'. It stores by columns, so that it computes the transposed product: C' = B' A' is
        C by rows."""
        cublas = self.cuda.cublas
        handle = self.cuda.device.get_cublas_handle()
        cublas.setMathMode(handle, math)
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
