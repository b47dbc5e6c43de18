"""A timing as the results files have it: rounded to the digits that a measurement has."""

from __future__ import annotations

from gemmlab.kernel.timing import Timing


def figures_of(timing: Timing) -> dict:
    """What a results file says of one kernel's speed, beside its name."""
    return {
        "gflops": digits(timing.gflops, 6),
        "ratio_to_cublas": digits(timing.ratio, 4),
        "spread": [digits(bound, 4) for bound in timing.spread],
        "warm_ratio": digits(timing.warm.ratio, 4),
        "microseconds": digits(1e3 * timing.kernel_ms, 4),
    }


def digits(value: float, count: int) -> float:
    """The value to so many significant digits."""
    return float(f"{value:.{count}g}")
