"""Bias and SiLU as kernels of CuPy's after cuBLAS: what a fused kernel is timed beside, in the worker's process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gemmlab.gpu.child.context import Gpu

_SILU = "y = x / (1 + exp(-x))"


class Unfused:
    """For a C of M rows and N columns, and a bias at an address."""

    def __init__(self, gpu: Gpu, bias: int, M: int, N: int) -> None:
        import cupy

        self._cupy, self._gpu, self._shape = cupy, gpu, (M, N)
        self._bias = self._at(bias, (1, N), np.float32)
        self._silu = cupy.ElementwiseKernel("T x", "T y", _SILU, "silu")

    def _at(self, pointer: int, shape: tuple[int, int], dtype: type) -> Any:
        """The memory there as an array of CuPy's."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = self._cupy.cuda.UnownedMemory(pointer, size, self)
        return self._cupy.ndarray(shape, dtype, self._cupy.cuda.MemoryPointer(memory, 0))

    def after(self, multiply: Callable[[], None], C: int) -> Callable[[], None]:
        """The product, then the bias added to C in place, then SiLU of C in place."""
        array = self._at(C, self._shape, np.float32)

        def work() -> None:
            multiply()
            self._cupy.add(array, self._bias, out=array)
            self._silu(array, array)

        return work

    def finish(self, right: int, magnitude: int) -> None:
        """Put what should be in C in place of the product, and add the bias to the sum of absolute values: float64."""
        product, size = self._at(right, self._shape, np.float64), self._at(magnitude, self._shape, np.float64)
        product += self._bias
        self._silu(product, product)
        size += self._cupy.abs(self._bias)
        self._gpu.runtime.deviceSynchronize()
