"""What a search says of each configuration: a cell of its landscape, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.cuda.sizes import Sizes
from gemmlab.models.autotune import Estimate


@dataclass(frozen=True)
class Cell:
    """One configuration: its `speed` in any unit and a few words under it; with a speed of 0, why it was left out."""

    speed: float
    words: str


@dataclass(frozen=True)
class Found:
    """One configuration of the search: why it was left out, or its estimate, and its GFLOPS where it was timed."""

    sizes: Sizes
    left_out: str = ""
    estimate: Estimate | None = None
    gflops: float | None = None

    @property
    def speed(self) -> float:
        """GFLOPS where measured, else the inverse of the model's cycles; 0 where it was left out."""
        return self.gflops or (1 / self.estimate.cycles if self.estimate else 0)
