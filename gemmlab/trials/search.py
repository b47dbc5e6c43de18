"""The search for tile sizes: what the rules leave is compiled, estimated and, on a GPU, timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.cuda.sizes import Sizes, with_sizes
from gemmlab.errors import UserError
from gemmlab.kernel.program import Resources
from gemmlab.kernel.tolerance import compare, make_inputs
from gemmlab.models import autotune
from gemmlab.models.landscape import Found
from gemmlab.models.warp_tile import WarpTile
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.warp_tile import warp_tile

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel
    from gemmlab.gpu.bench import Bench

Shape = tuple[int, int, int]
_SEED = 9
_SECONDS = 0.5  # of timed launches for each configuration


def find(
    kernel: Kernel,
    source: str,
    shape: Shape,
    depths: Sequence[int],
    arch: str,
    tick: Callable[[], None] = lambda: None,
) -> list[Found]:
    """Every configuration of these depths: ruled out, or compiled and estimated; `tick` is called after each."""
    lanes, found = warp_tile(kernel, source), []
    for sizes in autotune.space(depths):
        found.append(_looked_at(sizes, kernel, source, lanes, shape, arch))
        tick()
    return found


def timed(
    found: Sequence[Found], kernel: Kernel, source: str, shape: Shape, tick: Callable[[], None] = lambda: None
) -> list[Found]:
    """The same with their GFLOPS on this machine's GPU; `tick` is called after each that was timed."""
    from gemmlab.gpu.bench import Bench

    with Bench() as bench:
        return [_timed(one, kernel, source, shape, bench, tick) for one in found]


def _looked_at(sizes: Sizes, kernel: Kernel, source: str, lanes: WarpTile, shape: Shape, arch: str) -> Found:
    reason = autotune.pruned_by(sizes)
    if reason:
        return Found(sizes, reason)
    resources = _resources(with_sizes(source, sizes), kernel, arch)
    if resources is None:
        return Found(sizes, "no room")
    estimate = autotune.estimate(sizes, resources, lanes, shape, arch)
    return Found(sizes, estimate=estimate) if estimate.cycles else Found(sizes, "registers")


def _resources(source: str, kernel: Kernel, arch: str) -> Resources | None:
    from gemmlab.compiler.compile import CompileError

    try:
        return Candidate(source, kernel.path.name, kernel.launch).compiled(arch).resources.get(kernel.launch.kernel)
    except CompileError:
        raise UserError("with other sizes the kernel does not compile: leave its #define lines as they are") from None


def _timed(one: Found, kernel: Kernel, source: str, shape: Shape, bench: Bench, tick: Callable[[], None]) -> Found:
    if one.estimate is None:
        return one
    candidate = _sized(kernel, source, one.sizes)
    (launch,) = candidate.launches(shape)
    timing = bench.time(candidate.compiled(bench.arch), launch, shape, seconds=_SECONDS)
    tick()
    return replace(one, gflops=timing.gflops)


def is_right(kernel: Kernel, source: str, sizes: Sizes) -> bool:
    """Whether the emulator finds nothing wrong with these sizes, at a shape in which every tile is ragged."""
    shape = (sizes.BM + 3, sizes.BN + 5, 2 * sizes.BK + 1)
    outcome = _sized(kernel, source, sizes).run(shape, "integer", _SEED, arch="sm_90")
    if outcome.C is None or outcome.has_error:
        return False
    return compare(outcome.C, *make_inputs("integer", shape, _SEED), "integer", outcome.written).ok


def _sized(kernel: Kernel, source: str, sizes: Sizes) -> Candidate:
    """The kernel with these sizes, in its source and its launch."""
    return Candidate(with_sizes(source, sizes), kernel.path.name, autotune.launch_spec(sizes))
