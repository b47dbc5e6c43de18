"""How fast a kernel was, beside cuBLAS."""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, int, int]
MATH_MODES = {0: "float32, TF32 off", 2: "pedantic float32, TF32 off", 3: "TF32 on"}


@dataclass(frozen=True)
class Timing:
    """A kernel beside cuBLAS with matrices of the same kind, at one shape (M, N, K),
    with A and B driven out of the L2 cache.

    `kernel_ms` and `cublas_ms` are medians, in milliseconds of one launch. `ratio` is the median, over neighbouring
    launches, of cuBLAS's time over the kernel's: 1 is as fast as cuBLAS, 0.1 a tenth of its speed. `spread` holds the
    10th and the 90th percentile of that ratio. `warm` is the same measured with A and B left in the cache.
    `difference` is the largest |C - C64| of all timed launches. `sm_clock_mhz` is the median clock, `math_mode` what
    cuBLAS computed in.
    """

    shape: Shape
    kernel_ms: float
    cublas_ms: float
    gflops: float
    cublas_gflops: float
    ratio: float
    spread: tuple[float, float]
    difference: float
    repeats: int
    gpu: str
    warm: Warm
    sm_clock_mhz: float
    math_mode: str = MATH_MODES[0]


@dataclass(frozen=True)
class Warm:
    """The figures of a Timing without the fill between the launches."""

    gflops: float
    cublas_gflops: float
    ratio: float


@dataclass(frozen=True)
class Ratio:
    """The kernel against cuBLAS at one shape (M, N, K), with cold caches: medians of one launch in milliseconds, and
    the median over pairs of cuBLAS's time over the kernel's, with its 10th and 90th percentile."""

    shape: Shape
    kernel_ms: float
    cublas_ms: float
    ratio: float
    spread: tuple[float, float]
    largest_error: float
    pairs: int
    sm_clock_mhz: float
