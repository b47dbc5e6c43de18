"""Stands in for CuPy where there is no GPU, so that the worker's own code runs in tests: host memory, Python kernels.

A "cubin" is Python text that defines functions of the kernels' names, each called once a launch with `at` and the
launch's arguments, mostly A, B, C, M, N, K; at(pointer, n) is the n floats that begin at a pointer.
"""

import ctypes
import os
import re
import time
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np

__version__ = "0.0 (fake)"
_UNKNOWN = ("multiply_add", "copy", "read_l2", "read_shared", "poison", "float16_products", "tf32_products")
_CONSTANTS = re.compile(r"(chain|chase|rate)_\w+|make_ring|barriers|(read|write)_dram|nothing|straight")
_buffers = {}
_math = {"mode": 0}  # of cuBLAS
_queues = {}  # what is to be done on a stream of its own, by the stream's number


class CUDARuntimeError(RuntimeError):
    def __init__(self, status):
        self.status = status
        super().__init__(f"cudaError{status}: something went wrong\nand more")


def fail(status):
    raise CUDARuntimeError(status)


def at(pointer, n):
    return np.frombuffer((ctypes.c_float * n).from_address(pointer), np.float32)


def words(pointer, n, dtype):
    return at(pointer, n * np.dtype(dtype).itemsize // 4).view(dtype)


def _malloc(size):
    buffer = ctypes.create_string_buffer(size)
    _buffers[ctypes.addressof(buffer)] = buffer
    return ctypes.addressof(buffer)


class _Module:
    def load(self, cubin):
        self.names = {"at": at, "fail": fail, "np": np, "time": time}
        self.is_compiled = cubin.startswith(b"\x7fELF")
        if self.is_compiled:  # compiled code, of which only the names are known here
            self.names |= {"hold": _hold, "sm_clock": _sm_clock, "compare": _compare, "gemm": _right}
            self.names |= dict.fromkeys(_UNKNOWN, _nothing)
            self.names |= {"draw": _draw, "draw_double": _draw_double, "seal": _seal, "demote": _nothing}
        else:
            exec(cubin, self.names)

    def get_function(self, name):
        if self.is_compiled and _CONSTANTS.fullmatch(name):
            return _Function(_takes_rounds)
        if name not in self.names:
            fail(500)
        return _Function(self.names[name])


class _Function:
    ptr = 0

    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, grid, block, arguments, shared_mem=0, stream=None):
        values = [x.item() if isinstance(x, np.generic) else x for x in arguments]
        _queued(stream.ptr if stream else 0, lambda: self.kernel(at, *values))


class _Stream:
    """Work on it waits until the device is waited for; then all streams go on in turns, a step at a time."""

    def __init__(self, non_blocking):
        self.ptr = len(_queues) + 1
        _queues[self.ptr] = []


def _queued(stream, action):
    _queues[stream].append(action) if stream else action()


def _synchronize():
    while any(_queues.values()):
        for queue in _queues.values():
            if queue:
                queue.pop(0)()


def _nothing(at, *arguments):
    pass


def _takes_rounds(at, *arguments):
    """As long as its numbers are large, up to a moment."""
    time.sleep(2e-7 * sum(x for x in arguments if 0 <= x < 2**12))


def _right(at, A, B, C, M, N, K):
    at(C, M * N)[:] = (at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)


def _hold(at, go, ticket, most_ns):
    """Nothing is queued here: everything is done when it is asked for."""


def _sm_clock(at, passed, ns):
    words(passed, 2, np.int64)[:] = (1500 * ns // 1000, ns)


def _compare(at, C, right, magnitude, factor, count, wrong, worst):
    error = np.abs(at(C, count) - words(right, count, np.float64))
    words(wrong, 1, np.uint32)[:] += int((~(error <= factor * words(magnitude, count, np.float64))).sum())
    largest = np.float32(np.nan_to_num(error, nan=np.inf).max())
    words(worst, 1, np.float32)[:] = np.maximum(words(worst, 1, np.float32), largest)


def _drawn(count, seed):
    with np.errstate(over="ignore"):
        bits = _mixed(np.uint64(seed) ^ _mixed(np.arange(count, dtype=np.uint64))) >> np.uint64(40)
    return (bits.astype(np.int64) - 2**23).astype(np.float32) / np.float32(2**23)


def _mixed(x):
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _draw(at, X, count, seed):
    at(X, count)[:] = _drawn(count, seed)


def _draw_double(at, plain, absolute, count, seed):
    words(plain, count, np.float64)[:] = _drawn(count, seed)
    words(absolute, count, np.float64)[:] = np.abs(_drawn(count, seed))


def _seal(at, wrong, secret, sealed):
    with np.errstate(over="ignore"):
        inner = np.uint64(secret) ^ _mixed(words(wrong, 1, np.uint32).astype(np.uint64))
        words(sealed, 1, np.uint64)[:] = _mixed(inner) + inner


class _Event:
    def record(self):
        self.time = time.perf_counter()

    def synchronize(self):
        pass


def _gemm(dtype):
    def gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
        product = words(B, n * k, dtype).reshape(n, k) @ words(A, k * m, dtype).reshape(k, m)
        words(C, n * m, dtype)[:] = words(alpha, 1, dtype) * product.reshape(-1)

    return gemm


def _gemm_ex(handle, transa, transb, m, n, k, alpha, A, kind, lda, B, kind_b, ldb, beta, C, kind_c, ldc, compute, how):
    assert (kind_b, kind_c, compute) == (kind, 0, 68)

    def numbers(pointer, count):
        bits = np.frombuffer((ctypes.c_uint16 * count).from_address(pointer), np.uint16)
        if kind == 2:
            return bits.view(np.float16).astype(np.float32)
        return (bits.astype(np.uint32) << 16).view(np.float32)

    at(C, n * m)[:] = (numbers(B, n * k).reshape(n, k) @ numbers(A, k * m).reshape(k, m)).reshape(-1)


class _Cuda(SimpleNamespace):
    @property
    def cublas(self):
        if "FAKE_GPU_WITHOUT_CUBLAS" in os.environ:
            raise ImportError("libcublas.so.12: cannot open shared object file")
        return SimpleNamespace(
            CUBLAS_OP_N=0,
            sgemm=_gemm(np.float32),
            dgemm=_gemm(np.float64),
            gemmEx=_gemm_ex,
            setMathMode=lambda handle, mode: _math.update(mode=mode),
            getMathMode=lambda handle: _math["mode"],
        )


cuda = _Cuda(
    Event=_Event,
    get_elapsed_time=lambda start, stop: (stop.time - start.time) * 1000,
    function=SimpleNamespace(Module=_Module),
    Stream=_Stream,
    Device=lambda number: nullcontext(),
    driver=SimpleNamespace(
        funcSetAttribute=lambda *_: None,
        funcGetAttribute=lambda *_: 0,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES=8,
    ),
    device=SimpleNamespace(get_cublas_handle=lambda: 0),
    runtime=SimpleNamespace(
        memcpyHostToDevice=1,
        memcpyDeviceToHost=2,
        memcpyDeviceToDevice=3,
        malloc=_malloc,
        hostAlloc=lambda size, flags: _malloc(size),
        free=lambda pointer: _buffers.pop(pointer, None),
        memcpy=lambda to, source, size, kind: ctypes.memmove(to, source, size),
        memcpyAsync=lambda to, source, size, kind, stream: _queued(stream, lambda: ctypes.memmove(to, source, size)),
        memset=ctypes.memset,
        memsetAsync=lambda pointer, value, size, stream: ctypes.memset(pointer, value, size),
        deviceSynchronize=_synchronize,
        getDevice=lambda: 0,
        getDeviceCount=lambda: 1,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 12090,
        getDeviceProperties=lambda number: {
            "name": b"Fake GPU",
            "major": 9,
            "minor": 0,
            "multiProcessorCount": 2,
            "l2CacheSize": 2**16,
        },
    ),
)
