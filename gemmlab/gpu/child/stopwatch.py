"""Time on the GPU, in the worker's process: a kernel and cuBLAS in turns, or a kernel by itself.

Launches are queued in batches behind a kernel that waits for a word of the host's memory. The host gives it when all of
a batch is queued, so that the time Python takes to launch is in no measurement.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gemmlab.gpu.child.unfused import Unfused
from gemmlab.kernel.elements import ELEMENTS

if TYPE_CHECKING:
    from gemmlab.gpu.child.context import Gpu

MOST_PAIRS, FEWEST_PAIRS = 100, 5
BATCH_PAIRS = 12  # a launch queue holds about 1000 entries, and a timed launch takes some eight
BATCH_SECONDS = 0.5
HOLD_NS = 2_000_000_000  # a batch that is not let go by then starts without
CLOCK_NS = 20_000
FLUSH_CACHES = 4  # L2 sizes that are filled to drive out what is in the cache
POISON = 0xFF  # four of these bytes are a NaN
COMPARE_THREADS, COMPARE_BLOCKS = 256, 1024

Work = Callable[[], None]


@dataclass
class Operands:
    """Buffers of one shape. `right` is A·B and `magnitude` |A|·|B|, both in float64, or what an epilogue makes of them
    with a bias."""

    A: int
    B: int
    C: int
    C_cublas: int
    right: int
    magnitude: int
    count: int  # elements of C
    draw: int
    bias: int = 0


class Stopwatch:
    """Measures on one GPU. Operands are kept from one request to the next of the same shape."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._operands: tuple[tuple, Operands] | None = None
        self._flush_bytes = FLUSH_CACHES * gpu.properties["l2CacheSize"]
        self._ready = False

    def prepare(self) -> None:
        """Load the helpers of bench.cu and allocate what all measurements share."""
        if self._ready:
            return
        runtime = self._gpu.runtime
        module = self._gpu.cuda.function.Module()
        module.load(Path("bench.cubin").read_bytes())
        self._hold, self._clock, self._compare = map(module.get_function, ("hold", "sm_clock", "compare"))
        self._flush = runtime.malloc(self._flush_bytes)
        self._ticket = ctypes.c_int.from_address(runtime.hostAlloc(4, 0))
        self._ticket.value = 0
        self._passed = runtime.malloc(16)
        self._ready = True

    # ---- a kernel against cuBLAS

    def race(self, request: dict) -> Iterator[dict]:
        """Events: launching, measuring, progress, done with the milliseconds of every launch, see gemmlab.gpu.bench."""
        self.prepare()
        operands = self._operands_of(request)
        pointers = {"A": operands.A, "B": operands.B, "bias": operands.bias}
        ours = self._gpu.work(request, pointers | {"C": operands.C})
        cublas = self._gpu.work({**request, "kernel": None}, pointers | {"C": operands.C_cublas})
        if request.get("epilogue"):
            M, N, _ = request["shape"]
            cublas = Unfused(self._gpu, operands.bias, M, N).after(cublas, operands.C_cublas)
        self._gpu.runtime.memsetAsync(operands.C, POISON, 4 * operands.count, 0)
        yield {"event": "launching"}
        self._gpu.seconds(ours)
        yield {"event": "measuring"}
        pair_seconds = self.warm_up(ours, cublas, request["warm_up"])
        race = _Race(self, operands, ours, cublas, request["factor"])
        pairs = max(FEWEST_PAIRS, min(MOST_PAIRS, int(request["seconds"] / pair_seconds / 2)))
        batch = max(1, min(BATCH_PAIRS, int(BATCH_SECONDS / pair_seconds)))
        clocks: list[float] = []
        for is_cold in (True, False):
            for done in range(0, pairs, batch):
                clocks.append(race.run(min(batch, pairs - done), is_cold))
                yield {"event": "progress", "part": (done / pairs + (not is_cold)) / 2}
        self._gpu.free_own()
        yield {"event": "done", **race.results(), "sm_clock_mhz": clocks, "math_mode": self.math_mode()}

    def math_mode(self) -> int:
        """cuBLAS's for floats, 0 for its default: float32 stays float32."""
        return int(self._gpu.cuda.cublas.getMathMode(self._gpu.cuda.device.get_cublas_handle()))

    def warm_up(self, ours: Work, cublas: Work, seconds: float) -> float:
        """Run both until the clocks are up; the seconds that the last pair took."""
        end = time.monotonic() + seconds
        pair_seconds = self._gpu.seconds(ours) + self._gpu.seconds(cublas)
        while time.monotonic() < end:
            pair_seconds = self._gpu.seconds(ours) + self._gpu.seconds(cublas)
        return pair_seconds

    def _operands_of(self, request: dict) -> Operands:
        key = (*request["shape"], request["draw"], request.get("dtype", "float32"), request.get("epilogue", False))
        if self._operands is None or self._operands[0] != key:
            if self._operands:
                old = self._operands[1]
                for buffer in (old.A, old.B, old.C, old.C_cublas, old.right, old.magnitude, old.bias):
                    self._gpu.runtime.free(buffer)
            self._operands = key, self._new_operands(*key)
        return self._operands[1]

    def _new_operands(self, M: int, N: int, K: int, draw: int, dtype: str, epilogue: bool) -> Operands:
        """A and B at random in [-1, 1), exact in their type; the right product from cuBLAS in float64."""
        rng, element = np.random.default_rng(draw), ELEMENTS[dtype]
        A, B = (element.values(rng.random(size, np.float32) * 2 - 1) for size in (M * K, K * N))
        malloc = self._gpu.runtime.malloc
        right, magnitude = malloc(8 * M * N), malloc(8 * M * N)
        self._product64(A, B, right, (M, N, K))
        self._product64(np.abs(A), np.abs(B), magnitude, (M, N, K))
        C, C_cublas = malloc(4 * M * N), malloc(4 * M * N)
        at_A, at_B = (self._upload(element.encoded(X)) for X in (A, B))
        bias = self._upload(rng.random(N, np.float32) * 2 - 1) if epilogue else 0
        if epilogue:
            Unfused(self._gpu, bias, M, N).finish(right, magnitude)
        return Operands(at_A, at_B, C, C_cublas, right, magnitude, M * N, draw, bias)

    def _product64(self, A: np.ndarray, B: np.ndarray, C: int, shape: tuple[int, int, int]) -> None:
        inputs = [self._upload(X.astype(np.float64)) for X in (A, B)]
        self._gpu.multiply("dgemm", np.float64, {"A": inputs[0], "B": inputs[1], "C": C}, *shape)()
        self._gpu.runtime.deviceSynchronize()
        for buffer in inputs:
            self._gpu.runtime.free(buffer)

    def _upload(self, values: np.ndarray) -> int:
        runtime = self._gpu.runtime
        buffer = runtime.malloc(values.nbytes)
        runtime.memcpy(buffer, values.ctypes.data, values.nbytes, runtime.memcpyHostToDevice)
        return buffer

    # ---- a kernel by itself

    def spans(self, request: dict) -> Iterator[dict]:
        """Milliseconds of `repeats` launches, after as many that are not timed; and the SM clock, in MHz. Where `cold`
        is asked for, the L2 cache is filled with other data before each that is timed."""
        self.prepare()
        work = self._gpu.work(request, {})
        yield {"event": "launching"}
        for _ in range(request["repeats"]):
            work()
        spans = []
        self.hold()
        for _ in range(request["repeats"]):
            if request["cold"]:
                self.flush()
            spans.append(self.timed(work))
        clock = self.let_go()
        self._gpu.free_own()
        yield {"event": "done", "ms": [self._gpu.cuda.get_elapsed_time(*span) for span in spans], "sm_clock_mhz": clock}

    def cold(self, request: dict) -> Iterator[dict]:
        """Events: launching, measuring, done with the milliseconds of every launch with cold caches but the first.

        They are as many as fit into `seconds`, within `fewest` and `most`. The first launch's C is compared, and it is
        told how many of its elements are wrong.
        """
        self.prepare()
        operands = self._operands_of(request)
        work = self._gpu.work(request, {"A": operands.A, "B": operands.B, "C": operands.C, "bias": operands.bias})
        runtime = self._gpu.runtime
        runtime.memsetAsync(operands.C, POISON, 4 * operands.count, 0)
        runtime.memsetAsync(self._passed, 0, 16, 0)
        yield {"event": "launching"}
        first = self._gpu.seconds(work)
        self.compare(operands.C, operands, request["factor"], self._passed)
        wrong = int(self.download(self._passed, 2, np.uint32)[0])
        yield {"event": "measuring"}
        launches = max(request["fewest"], min(request["most"], int(request["seconds"] / first)))
        spans = []
        self.hold()
        for _ in range(launches):
            self.flush()
            spans.append(self.timed(work))
        clock = self.let_go()
        self._gpu.free_own()
        ms = [self._gpu.cuda.get_elapsed_time(*span) for span in spans]
        yield {"event": "done", "ms": ms, "wrong": wrong, "sm_clock_mhz": clock}

    # ---- the parts of a batch

    def hold(self) -> None:
        """What is queued after this waits for `let_go`."""
        arguments = (_address_of(self._ticket), np.int32(self._ticket.value + 1), np.int64(HOLD_NS))
        self._hold((1,), (1,), arguments)

    def let_go(self) -> float:
        """Run all that is queued, to its end. The SM clock just after it, in MHz."""
        self._clock((1,), (1,), (self._passed, np.int64(CLOCK_NS)))
        self._ticket.value += 1
        self._gpu.runtime.deviceSynchronize()
        cycles, ns = self.download(self._passed, 2, np.int64)
        return 1000.0 * float(cycles) / float(ns)

    def timed(self, work: Work) -> tuple[Any, Any]:
        start, stop = self._gpu.cuda.Event(), self._gpu.cuda.Event()
        start.record()
        work()
        stop.record()
        return start, stop

    def flush(self) -> None:
        self._gpu.runtime.memsetAsync(self._flush, 0, self._flush_bytes, 0)

    def compare(self, C: int, operands: Operands, factor: float, result: int) -> None:
        """Two words at `result`: how many elements of C are wrong, and the largest error."""
        self.compare_with(C, operands.right, operands.magnitude, factor, operands.count, (result, result + 4))

    def compare_with(
        self, C: int, right: int, magnitude: int, factor: float, count: int, result: tuple[int, int]
    ) -> None:
        """The same with buffers given one by one; the two words go to the two addresses of `result`."""
        arguments = (C, right, magnitude, np.float64(factor), np.int64(count))
        self._compare((COMPARE_BLOCKS,), (COMPARE_THREADS,), (*arguments, *result))

    def download(self, buffer: int, count: int, dtype: type) -> np.ndarray:
        values = np.empty(count, dtype)
        runtime = self._gpu.runtime
        runtime.memcpy(values.ctypes.data, buffer, values.nbytes, runtime.memcpyDeviceToHost)
        return values


class _Race:
    """The measurement of one pair: spans of every launch, and what the comparison said of each C."""

    def __init__(self, watch: Stopwatch, operands: Operands, ours: Work, cublas: Work, factor: float) -> None:
        self._watch = watch
        self._operands = operands
        self._contestants = {"kernel": (ours, operands.C), "cublas": (cublas, operands.C_cublas)}
        self._factor = factor
        self._ms: dict[str, list[float]] = {}
        self._wrong = {"kernel": 0, "cublas": 0}
        self._worst = {"kernel": 0.0, "cublas": 0.0}
        self._pairs = 0

    def run(self, pairs: int, is_cold: bool) -> float:
        """One batch. C is made NaN before every launch and compared after it; neither is timed. The clock in MHz."""
        gpu, watch = self._watch._gpu, self._watch
        results = gpu.runtime.malloc(16 * pairs)
        gpu.runtime.memsetAsync(results, 0, 16 * pairs, 0)
        spans: list[tuple[str, int, tuple]] = []
        watch.hold()
        for _ in range(pairs):
            self._pairs += 1
            for name in ("kernel", "cublas") if self._pairs % 2 else ("cublas", "kernel"):
                work, C = self._contestants[name]
                gpu.runtime.memsetAsync(C, POISON, 4 * self._operands.count, 0)
                if is_cold:
                    watch.flush()
                slot = len(spans)
                spans.append((name, slot, watch.timed(work)))
                watch.compare(C, self._operands, self._factor, results + 8 * slot)
        clock = watch.let_go()
        self._read(watch.download(results, 2 * len(spans), np.uint32).reshape(-1, 2), spans, is_cold)
        gpu.runtime.free(results)
        return clock

    def _read(self, results: np.ndarray, spans: list[tuple[str, int, tuple]], is_cold: bool) -> None:
        for name, slot, span in spans:
            ms = self._watch._gpu.cuda.get_elapsed_time(*span)
            self._ms.setdefault(f"{name}_{'cold' if is_cold else 'warm'}_ms", []).append(ms)
            self._wrong[name] += bool(results[slot, 0])
            self._worst[name] = max(self._worst[name], float(results[slot, 1:2].view(np.float32)[0]))

    def results(self) -> dict:
        return {**self._ms, "wrong_launches": self._wrong, "largest_error": self._worst}


def _address_of(value: ctypes.c_int) -> int:
    return ctypes.addressof(value)
