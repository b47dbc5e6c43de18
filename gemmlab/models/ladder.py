"""One rung of the ladder of lessons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rung:
    """One lesson. `state` is "open", "tried" or "passed". `gflops` is the best measured, None where the kernel was not
    timed; `cublas_gflops` was measured beside it, `ratio` is to cuBLAS, `where` names the GPU and the shape. `recorded`
    is what the solved kernel reached on the GPU of a record."""

    name: str
    state: str
    gflops: float | None = None
    cublas_gflops: float | None = None
    ratio: float | None = None
    where: str = ""
    recorded: float | None = None
