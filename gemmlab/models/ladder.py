"""One rung of the ladder of lessons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Forecast:
    """What the model says of one kernel on a GPU that it never ran on: GFLOPS, at least and at most so many, `percent`
    either way, and the `reason` that decides. Where it gives no number, these are None, and `unknown` says why in a
    sentence."""

    gflops: float | None = None
    least: float | None = None
    most: float | None = None
    percent: float | None = None
    reason: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Rung:
    """One lesson. `state` is "open", "tried" or "passed". `gflops` is the best measured, None where the kernel was not
    timed; `cublas_gflops` was measured beside it, `ratio` is to cuBLAS, `where` names the GPU and the shape. `recorded`
    is what the solved kernel reached on the GPU of a record. `forecast` is the model's of the student's own kernel.
    `remark` says in a sentence what is missing from the picture, and why."""

    name: str
    state: str
    gflops: float | None = None
    cublas_gflops: float | None = None
    ratio: float | None = None
    where: str = ""
    recorded: float | None = None
    forecast: Forecast | None = None
    remark: str = ""
