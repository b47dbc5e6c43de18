"""The ceilings of a machine, and where kernels stand under them at each level of memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from gemmlab.kernel.warp import BANKS, SECTOR_BYTES, WORD_BYTES

if TYPE_CHECKING:
    from gemmlab.kernel.counters import LineCounters

Shape = tuple[int, int, int]
NOTHING_CACHED = "if nothing is cached"
# What must hold for the intensities of `intensities` to be those of the hardware. Caches do better.
IF_COUNTED_SO = {
    "memory": "if each byte is fetched once",
    "L2": "if L1 keeps nothing",
    "shared": f"at {BANKS * WORD_BYTES} bytes a wavefront",
}
TENSOR = {"float16": "float16_tflops", "tf32": "tf32_tflops"}  # what A and B hold, and the ceiling of mma.sync
LEVELS = {"memory": "copy_gbs", "L2": "l2_gbs", "shared": "shared_gbs"}  # a level, and the ceiling of its bytes


@dataclass(frozen=True)
class Ceilings:
    """What a machine can do at most, as measured: `gflops` of float32 multiply-adds and `gbs` of its memory, in GB/s.

    `source` says where and when that was measured, as the student should read it. `nearer` are the memories between
    it and the registers, such as ('L2', 8000.0), each with its GB/s. `tensor` are the GFLOPS of tensor cores by what A
    and B hold; `what` names the arithmetic of `gflops`.
    """

    gflops: float
    gbs: float
    source: str
    nearer: tuple[tuple[str, float], ...] = ()
    tensor: tuple[tuple[str, float], ...] = ()
    what: str = "float32 multiply-adds"

    def on_tensor_cores(self, dtype: str) -> Ceilings:
        """The same machine's, for matrices of that dtype; as they are where no tensor core takes them, or where that
        was not measured."""
        gflops = dict(self.tensor).get(dtype)
        return self if gflops is None else replace(self, gflops=gflops, what=f"{dtype} on tensor cores")

    @property
    def ridge(self) -> float:
        """The intensity, in FLOP/B, from which on arithmetic and not memory is the limit."""
        return self.gflops / self.gbs

    def attainable(self, intensity: float, level: str = "memory") -> float:
        """GFLOPS under the ceilings, at so many FLOP/B of that level: 'memory', or a name in `nearer`."""
        return min(self.gflops, intensity * dict(self.nearer).get(level, self.gbs))


@dataclass(frozen=True)
class Point:
    """A kernel: its intensity in FLOP/B at one level of memory, and its GFLOPS, None where it was not timed.

    `condition` says when the kernel has this intensity: what the ceilings give it is true under this condition only.
    """

    label: str
    intensity: float
    gflops: float | None = None
    level: str = "memory"
    condition: str = NOTHING_CACHED


def intensities(totals: LineCounters, counted: Shape, shape: Shape, size: int = WORD_BYTES) -> dict[str, float]:
    """FLOP of the product for each byte at each level of memory.

    L2 and shared are from what the emulator counted at the shape `counted` (M, N, K): the sectors that loads and stores
    ask for, which no L1 cache lessens here, and the wavefronts of shared memory as they are executed, each of which
    takes the time of all banks, whether it uses them or not. Of a tiled kernel they are hardly other at a larger shape.
    memory is at `shape`: A and B, with elements of `size` bytes, read once and C written once, which is the least.
    """
    M, N, K = shape
    found = {"memory": 2 * M * N * K / (size * (M * K + K * N) + WORD_BYTES * M * N)}
    moved = {
        "L2": SECTOR_BYTES * (totals.global_load_sectors + totals.global_store_sectors + totals.global_atomic_sectors),
        "shared": BANKS * WORD_BYTES * (totals.widened_load_wavefronts + totals.widened_store_wavefronts),
    }
    return found | {level: 2 * prod(counted) / amount for level, amount in moved.items() if amount}


def ceilings_of(measured: Mapping[str, float], source: str) -> Ceilings:
    """Measured ceilings as the roofline draws them. `source` says where and when they were measured."""
    slopes = tuple((level, measured[name]) for level, name in LEVELS.items() if level != "memory" and name in measured)
    tensor = tuple((dtype, 1000 * measured[name]) for dtype, name in TENSOR.items() if name in measured)
    return Ceilings(1000 * measured["fma_tflops"], measured["copy_gbs"], source, slopes, tensor)
