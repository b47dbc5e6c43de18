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
    that a block went through, `conflicts` the wavefronts beyond those that the requests take without conflict.

    What is said of shared memory is what the GPU executes, after ptxas has joined neighbouring accesses;
    `shared_reads_written` are the requests to read it as the source has them."""

    shape: Shape
    sizes: Sizes
    launch: Launch
    resources: Resources
    arch: str
    instructions: int
    shared_reads: int
    shared_reads_written: int
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
    def reads_written_per_fma(self) -> float:
        """Reads of shared memory, of whatever width, that the source of a thread has for each multiply-add."""
        return self.shared_reads_written * WARP / self.multiply_adds

    @property
    def read_instructions_per_fma(self) -> float:
        """Reads of shared memory, of whatever width, that a thread executes for each multiply-add."""
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
