"""One launch of a kernel in the emulator, summed up."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from gemmlab.cuda.sizes import sizes_of
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.limits import WARP
from gemmlab.models.tally import Tally
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel

Shape = tuple[int, int, int]


def tally(kernel: Kernel, source: str, shape: Shape, arch: str) -> Tally:
    """Compile the source for `arch` and run it once, all of its launches; block, grid and what the compiler reports are
    the first one's. UserError where it does not compile, or where a fault is found."""
    candidate = Candidate(source, kernel.path.name, kernel.launches_of(source))
    launches = candidate.launches(shape)
    totals = candidate.counts(shape, arch).totals
    launch = launches[0]
    resources = candidate.compiled(arch, shapes=[shape]).resources[launch.kernel]
    warps = sum(prod(one.grid) * cdiv(prod(one.block), WARP) for one in launches)
    return Tally(
        shape=shape,
        sizes=sizes_of(source),
        launch=launch,
        resources=resources,
        arch=arch,
        instructions=totals.instructions,
        shared_reads=totals.shared_load_bytes // 4,
        shared_reads_written=totals.shared_load_requests,
        shared_read_requests=totals.widened_load_requests,
        shared_wavefronts=totals.widened_load_wavefronts + totals.widened_store_wavefronts,
        conflicts=totals.widened_load_conflicts + totals.widened_store_conflicts,
        global_requests=totals.global_load_requests + totals.global_store_requests + totals.global_atomic_requests,
        sectors=totals.global_load_sectors + totals.global_store_sectors + totals.global_atomic_sectors,
        barriers=totals.barriers / warps,
    )
