"""What a kernel did in one launch, summed up: reads of shared memory, wavefronts, barriers, requests to memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from gemmlab.cuda.sizes import Sizes
from gemmlab.kernel.launch import Launch, cdiv
from gemmlab.kernel.limits import WARP
from gemmlab.kernel.program import Resources

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Tally:
    """One launch. Requests are those of whole warps. `shared_reads` counts elements (float32), `barriers` the barriers
    that a block went through, `conflicts` the wavefronts beyond those that the requests take without conflict."""

    shape: Shape
    sizes: Sizes
    launch: Launch
    resources: Resources
    arch: str
    instructions: int
    shared_reads: int
    shared_read_requests: int
    shared_wavefronts: int
    conflicts: int
    global_requests: int
    sectors: int
    barriers: float

    @property
    def multiply_adds(self) -> int:
        return prod(self.shape)

    @property
    def reads_per_fma(self) -> float:
        """Elements read from shared memory for each multiply-add."""
        return self.shared_reads / self.multiply_adds

    @property
    def read_instructions_per_fma(self) -> float:
        """Reads of shared memory, of whatever width, that a thread makes for each multiply-add."""
        return self.shared_read_requests * WARP / self.multiply_adds

    @property
    def wavefronts_per_fma(self) -> float:
        """Wavefronts of shared memory for the multiply-adds of 32 threads."""
        return self.shared_wavefronts * WARP / self.multiply_adds

    @property
    def instructions_per_fma(self) -> float:
        """Instructions of a warp, as PTX has them, for the multiply-adds of 32 threads."""
        return self.instructions * WARP / self.multiply_adds

    @property
    def barriers_per_k_tile(self) -> float:
        return self.barriers / cdiv(self.shape[2], self.sizes.BK)
