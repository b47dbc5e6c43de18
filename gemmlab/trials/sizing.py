"""What a kernel becomes with other tile sizes: the compiler's report, occupancy and traffic. Nothing is run."""

from __future__ import annotations

from gemmlab.cuda.sizes import Sizes, require_fit, with_sizes
from gemmlab.errors import UserError
from gemmlab.kernel.limits import MAX_THREADS, occupancy
from gemmlab.kernel.program import Resources
from gemmlab.models.simulator import traffic_register_tiled
from gemmlab.models.sizing import Sizing


def sizing(sizes: Sizes, shape: tuple[int, int, int], source: str | None, kernel: str, arch: str) -> Sizing:
    """The kernel of this source with those sizes, compiled for `arch`; without a source only the traffic.

    UserError where the sizes misfit, make a block of too many threads, or the source does not compile with them.
    """
    require_fit(sizes)
    if sizes.threads > MAX_THREADS:
        raise UserError(f"{sizes} would make a block of {sizes.threads:,} threads; {MAX_THREADS:,} are allowed")
    traffic = traffic_register_tiled(*shape, sizes.BM, sizes.BN, sizes.BK, sizes.TM, sizes.TN)
    if source is None:
        return Sizing(sizes, traffic)
    resources = _resources(with_sizes(source, sizes), kernel, arch)
    if resources is None:
        return Sizing(sizes, traffic)
    full = occupancy(sizes.threads, resources.registers, resources.shared_bytes, arch)
    return Sizing(sizes, traffic, resources, full)


def _resources(source: str, kernel: str, arch: str) -> Resources | None:
    from gemmlab.compiler.compile import CompileError, compile_source

    try:
        return compile_source(source, arch=arch).resources.get(kernel)
    except CompileError:
        raise UserError("the kernel does not compile: run the check, which says why") from None
