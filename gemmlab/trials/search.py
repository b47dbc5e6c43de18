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
    from gemmlab.compiler.compile import CompileError, compile_source

    try:
        return compile_source(source, kernel.path.name, arch=arch).resources.get(kernel.launch.kernel)
    except CompileError:
        raise UserError("with other sizes the kernel does not compile: leave its #define lines as they are") from None


def _timed(one: Found, kernel: Kernel, source: str, shape: Shape, bench: Bench, tick: Callable[[], None]) -> Found:
    from gemmlab.compiler.compile import compile_source

    if one.estimate is None:
        return one
    program = compile_source(with_sizes(source, one.sizes), kernel.path.name, arch=bench.arch)
    timing = bench.time(program, autotune.launch_spec(one.sizes).at(*shape), shape, seconds=_SECONDS)
    tick()
    return replace(one, gflops=timing.gflops)


def is_right(kernel: Kernel, source: str, sizes: Sizes) -> bool:
    """Whether the emulator finds nothing wrong with these sizes, at a shape in which every tile is ragged."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.emulator import EmulatorExecutor

    shape = (sizes.BM + 3, sizes.BN + 5, 2 * sizes.BK + 1)
    A, B = make_inputs("integer", shape, _SEED)
    program = compile_source(with_sizes(source, sizes), kernel.path.name, arch="sm_90")
    outcome = EmulatorExecutor().run(program, autotune.launch_spec(sizes).at(*shape), A, B, shape)
    if any(finding.is_error for finding in outcome.findings) or outcome.C is None:
        return False
    return compare(outcome.C, A, B, "integer", outcome.written).ok
