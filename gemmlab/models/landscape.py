"""What a search says of each configuration: a cell of its landscape, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.cuda.sizes import Sizes
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.limits import Occupancy, occupancy
from gemmlab.kernel.program import Resources
from gemmlab.models.simulator import Traffic, traffic_register_tiled


@dataclass(frozen=True)
class Cell:
    """One configuration: its `speed` in any unit and a few words under it; with a speed of 0, why it was left out."""

    speed: float
    words: str


@dataclass(frozen=True)
class Use:
    """What a configuration takes of a GPU at one shape: the compiler's report, how full it makes an SM, what it moves,
    its blocks, and the waves in which they run."""

    resources: Resources
    occupancy: Occupancy
    traffic: Traffic
    blocks: int
    waves: float


@dataclass(frozen=True)
class Found:
    """One configuration of the search: why it was left out, or what it takes, and how fast it is.

    `predicted` are the model's GFLOPS, and `reason` is what decides them; where the model gives no number, `unknown`
    says why. `gflops` were measured.
    """

    sizes: Sizes
    left_out: str = ""
    use: Use | None = None
    predicted: float | None = None
    reason: str = ""
    unknown: str = ""
    gflops: float | None = None

    @property
    def speed(self) -> float:
        """GFLOPS, measured or else predicted; 0 where there are none."""
        return self.gflops or self.predicted or 0


def use(sizes: Sizes, resources: Resources, shape: tuple[int, int, int], arch: str, sms: int) -> Use:
    """Of the kernel with these sizes, on a GPU with so many SMs. The waves are 0 where no block fits on an SM."""
    M, N, K = shape
    full = occupancy(sizes.threads, resources.registers, resources.shared_bytes, arch)
    traffic = traffic_register_tiled(M, N, K, sizes.BM, sizes.BN, sizes.BK, sizes.TM, sizes.TN)
    blocks, at_once = cdiv(M, sizes.BM) * cdiv(N, sizes.BN), full.blocks_per_sm * sms
    return Use(resources, full, traffic, blocks, blocks / at_once if at_once else 0.0)
