"""Stands in for CuPy where there is no GPU, so that the worker's own code runs in tests: host memory, Python kernels.

A "cubin" is Python text that defines functions of the kernels' names, each called once a launch with `at` and the
launch's arguments, mostly A, B, C, M, N, K; at(pointer, n) is the n floats that begin at a pointer.
"""

import ctypes
import os
import time
from types import SimpleNamespace

import numpy as np

__version__ = "0.0 (fake)"
_buffers = {}


class CUDARuntimeError(RuntimeError):
    def __init__(self, status):
        self.status = status
        super().__init__(f"cudaError{status}: something went wrong\nand more")


def fail(status):
    raise CUDARuntimeError(status)


def at(pointer, n):
    return np.frombuffer((ctypes.c_float * n).from_address(pointer), np.float32)


def _malloc(size):
    buffer = ctypes.create_string_buffer(size)
    _buffers[ctypes.addressof(buffer)] = buffer
    return ctypes.addressof(buffer)


class _Module:
    def load(self, cubin):
        self.names = {"at": at, "fail": fail, "np": np, "time": time}
        exec(cubin, self.names)

    def get_function(self, name):
        if name not in self.names:
            fail(500)
        kernel = self.names[name]
        return lambda grid, block, arguments, shared_mem=0: kernel(
            at, *(x.item() if isinstance(x, np.generic) else x for x in arguments)
        )


class _Event:
    def record(self):
        self.time = time.perf_counter()

    def synchronize(self):
        pass


def _sgemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    product = at(B, n * k).reshape(n, k) @ at(A, k * m).reshape(k, m)
    at(C, n * m)[:] = at(alpha, 1) * product.reshape(-1)


class _Cuda(SimpleNamespace):
    @property
    def cublas(self):
        if "FAKE_GPU_WITHOUT_CUBLAS" in os.environ:
            raise ImportError("libcublas.so.12: cannot open shared object file")
        return SimpleNamespace(CUBLAS_OP_N=0, sgemm=_sgemm)


cuda = _Cuda(
    Event=_Event,
    get_elapsed_time=lambda start, stop: (stop.time - start.time) * 1000,
    function=SimpleNamespace(Module=_Module),
    device=SimpleNamespace(get_cublas_handle=lambda: 0),
    runtime=SimpleNamespace(
        memcpyHostToDevice=1,
        memcpyDeviceToHost=2,
        memcpyDeviceToDevice=3,
        malloc=_malloc,
        free=lambda pointer: _buffers.pop(pointer, None),
        memcpy=lambda to, source, size, kind: ctypes.memmove(to, source, size),
        memcpyAsync=lambda to, source, size, kind, stream: ctypes.memmove(to, source, size),
        memsetAsync=lambda pointer, value, size, stream: ctypes.memset(pointer, value, size),
        deviceSynchronize=lambda: None,
        getDevice=lambda: 0,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 12090,
        getDeviceProperties=lambda number: {
            "name": b"Fake GPU",
            "major": 9,
            "minor": 0,
            "l2CacheSize": 4096,
        },
    ),
)
