"""Time a kernel that would gain by cheating, beside cuBLAS, in the worker's process; gemmlab.gpu.contest has the rules.

Each launch, be it the kernel's or cuBLAS's, has matrices of its own, drawn on the GPU just before it and lying where no
launch lately had any. The right product is computed after it: while it runs, no memory holds its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gemmlab.gpu.child.stopwatch import POISON, Stopwatch

if TYPE_CHECKING:
    from gemmlab.gpu.child.context import Gpu

FEWEST_PAIRS, MOST_PAIRS = 7, 40
BATCH_PAIRS = 8  # a launch queue holds about 1000 entries; a launch with all that goes with it takes some twenty
BATCH_SECONDS = 0.5
WANDER_CACHES = 4  # L2 sizes that the matrices wander through before they come back
ALIGNMENT = 256  # bytes, as cudaMalloc aligns
_LINE = 128  # bytes of the L2 cache that are marked as one
_THREADS, _BLOCKS = 256, 2048

CONTESTANTS = ("kernel", "cublas")
SEEDS, PLACES = 10, 11  # what else a key is used for

Work = Callable[[], None]
Shape = tuple[int, int, int]


def secrets_of(key: int, name: str) -> list[int]:
    """The secret that seals each launch of a contestant, in order: host memory alone has them, and the parent."""
    drawn = np.random.default_rng([key, CONTESTANTS.index(name)]).integers(0, 2**64, MOST_PAIRS, np.uint64)
    return [int(secret) for secret in drawn]


@dataclass(frozen=True)
class Judging:
    """Buffers for the right product of a launch: A and B in float64, their absolute values, and both products."""

    A: int
    B: int
    absolute_A: int
    absolute_B: int
    right: int
    magnitude: int
    wrong: int  # of one launch: elements, and the largest error

    @property
    def buffers(self) -> tuple[int, ...]:
        return self.A, self.B, self.absolute_A, self.absolute_B, self.right, self.magnitude, self.wrong


class Wandering:
    """A stretch of memory in which A, B and C lie somewhere else at each launch."""

    def __init__(self, gpu: Gpu, shape: Shape, rng: np.random.Generator) -> None:
        M, N, K = shape
        self._sizes = {"A": 4 * M * K, "B": 4 * K * N, "C": 4 * M * N}
        needed = sum(self._sizes.values()) + 32 * ALIGNMENT
        self.size = WANDER_CACHES * gpu.properties["l2CacheSize"] + 2 * needed
        self._needed, self._rng, self._place = needed, rng, 0
        self.buffer = gpu.runtime.malloc(self.size)

    def next(self) -> dict[str, int]:
        """The addresses of A, B and C of the next launch."""
        if self._place + self._needed > self.size:
            self._place = 0
        found = {}
        for name, size in self._sizes.items():
            self._place += ALIGNMENT * int(self._rng.integers(1, 8))
            found[name] = self.buffer + self._place
            self._place += -(-size // ALIGNMENT) * ALIGNMENT
        return found


class Contest:
    """One measurement at one shape. It uses the holding, the cold cache and the comparison of the stopwatch."""

    def __init__(self, gpu: Gpu, watch: Stopwatch, request: dict) -> None:
        watch.prepare()
        self._gpu, self._watch, self._request = gpu, watch, request
        self._shape: Shape = tuple(request["shape"])
        module = gpu.cuda.function.Module()
        module.load(Path("contest.cubin").read_bytes())
        kernels = map(module.get_function, ("draw", "draw_double", "seal", "demote"))
        self._draw, self._draw_double, self._seal, self._demote = kernels
        self._seeds, places = (np.random.default_rng([request["key"], use]) for use in (SEEDS, PLACES))
        self._secrets = {name: iter(secrets_of(request["key"], name)) for name in CONTESTANTS}
        self._wandering = Wandering(gpu, self._shape, places)
        self._judging = self._new_judging()
        self._products = [
            gpu.multiply("dgemm", np.float64, {"A": A, "B": B, "C": C}, *self._shape)
            for A, B, C in (
                (self._judging.A, self._judging.B, self._judging.right),
                (self._judging.absolute_A, self._judging.absolute_B, self._judging.magnitude),
            )
        ]
        self._bind = gpu.binding(request)
        self._spans: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
        self._seals: dict[str, list[int]] = {name: [] for name in CONTESTANTS}
        self._errors = dict.fromkeys(CONTESTANTS, 0.0)

    def run(self) -> Iterator[dict]:
        """Events: launching, measuring, progress, done with the milliseconds and the seal of every launch."""
        yield {"event": "launching"}
        self._gpu.seconds(self._drawn("kernel")[0])
        yield {"event": "measuring"}
        ours, cublas = (self._drawn(name)[0] for name in CONTESTANTS)
        pair_seconds = self._watch.warm_up(ours, cublas, self._request["warm_up"])
        pairs = max(FEWEST_PAIRS, min(MOST_PAIRS, int(self._request["seconds"] / pair_seconds)))
        batch = max(1, min(BATCH_PAIRS, int(BATCH_SECONDS / pair_seconds)))
        clocks = []
        for done in range(0, pairs, batch):
            clocks.append(self._batch(min(batch, pairs - done), done))
            yield {"event": "progress", "part": done / pairs}
        self._free()
        results = {"ms": self._spans, "seals": self._seals, "largest_error": self._errors}
        yield {"event": "done", **results, "sm_clock_mhz": clocks, "math_mode": self._watch.math_mode()}

    def _batch(self, pairs: int, done: int) -> float:
        """So many pairs, queued and then run. The SM clock in MHz."""
        runtime, watch = self._gpu.runtime, self._watch
        results = runtime.malloc(32 * pairs)
        launches: list[tuple[str, tuple[Any, Any]]] = []
        watch.hold()
        for number in range(done, done + pairs):
            for name in ("kernel", "cublas") if number % 2 else ("cublas", "kernel"):
                launches.append((name, self._launch(name, results + 16 * len(launches))))
        clock = watch.let_go()
        found = watch.download(results, 2 * len(launches), np.uint64).reshape(-1, 2)
        runtime.free(results)
        for (name, span), (sealed, worst) in zip(launches, found):
            self._spans[name].append(self._gpu.cuda.get_elapsed_time(*span))
            self._seals[name].append(int(sealed))
            self._errors[name] = max(self._errors[name], float(worst.astype(np.uint32).view(np.float32)))
        return clock

    def _launch(self, name: str, result: int) -> tuple[Any, Any]:
        """One timed launch and its judgement, queued; two words go to `result`, the seal and the largest error."""
        work, C, seeds = self._drawn(name)
        self._demote((_BLOCKS,), (_THREADS,), (self._wandering.buffer, np.int64(self._wandering.size // _LINE)))
        self._watch.flush()
        span = self._watch.timed(work)
        self._judge(C, seeds, next(self._secrets[name]), result)
        return span

    def _drawn(self, name: str) -> tuple[Work, int, np.ndarray]:
        """The work of the kernel or of cuBLAS on new matrices in another place; where C is, and the matrices' seeds."""
        (M, N, K), place = self._shape, self._wandering.next()
        seeds = self._seeds.integers(0, 2**64, 2, np.uint64)
        for letter, count, seed in (("A", M * K, seeds[0]), ("B", K * N, seeds[1])):
            self._draw((_BLOCKS,), (_THREADS,), (place[letter], np.int64(count), seed))
        self._gpu.runtime.memsetAsync(place["C"], POISON, 4 * M * N, 0)
        self._gpu.poison_own()
        if name == "kernel":
            return self._bind(place), place["C"], seeds
        return self._gpu.multiply("sgemm", np.float32, place, *self._shape), place["C"], seeds

    def _judge(self, C: int, seeds: np.ndarray, secret: int, result: int) -> None:
        judging, (M, N, K) = self._judging, self._shape
        matrices = ((judging.A, judging.absolute_A, M * K), (judging.B, judging.absolute_B, K * N))
        for (plain, absolute, count), seed in zip(matrices, seeds):
            self._draw_double((_BLOCKS,), (_THREADS,), (plain, absolute, np.int64(count), seed))
        for product in self._products:
            product()
        self._gpu.runtime.memsetAsync(judging.wrong, 0, 4, 0)
        self._gpu.runtime.memsetAsync(result, 0, 16, 0)
        self._watch.compare_with(
            C, judging.right, judging.magnitude, self._request["factor"], M * N, (judging.wrong, result + 8)
        )
        self._seal((1,), (1,), (judging.wrong, np.uint64(secret), result))

    def _new_judging(self) -> Judging:
        M, N, K = self._shape
        malloc = self._gpu.runtime.malloc
        A, B, right = 8 * M * K, 8 * K * N, 8 * M * N
        return Judging(malloc(A), malloc(B), malloc(A), malloc(B), malloc(right), malloc(right), malloc(4))

    def _free(self) -> None:
        for buffer in (self._wandering.buffer, *self._judging.buffers):
            self._gpu.runtime.free(buffer)
        self._gpu.free_own()
