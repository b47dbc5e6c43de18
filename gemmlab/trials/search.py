"""The search for tile sizes: what the rules leave is compiled, predicted and, on a GPU, timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from gemmlab.cuda.sizes import Sizes, with_sizes
from gemmlab.errors import UserError
from gemmlab.kernel.program import Resources
from gemmlab.kernel.tolerance import compare, make_inputs
from gemmlab.models import autotune
from gemmlab.models.landscape import Found, use
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel
    from gemmlab.gpu.bench import Bench

Shape = tuple[int, int, int]
_SEED = 9
_SECONDS = 0.5  # of timed launches for each configuration


class Told(Protocol):
    """What a model says of a candidate: GFLOPS and what decides them, or why it gives no number."""

    @property
    def gflops(self) -> float | None: ...

    @property
    def bottleneck(self) -> str | None: ...

    @property
    def unknown(self) -> str | None: ...


@dataclass(frozen=True)
class Search:
    """The kernel whose sizes are searched, at one shape, on a GPU of `arch` with `sms` SMs. `model` is asked about each
    configuration that can run."""

    kernel: Kernel
    source: str
    shape: Shape
    arch: str
    sms: int
    model: Callable[[Candidate, Shape], Told]

    def look_at(self, sizes: Sizes) -> Found:
        """One configuration: ruled out, or compiled and predicted."""
        reason = autotune.pruned_by(sizes)
        if reason:
            return Found(sizes, reason)
        resources = self._resources(sizes)
        if resources is None:
            return Found(sizes, "no room")
        of_gpu = use(sizes, resources, self.shape, self.arch, self.sms)
        if not of_gpu.occupancy.blocks_per_sm:
            return Found(sizes, "registers")
        told = self.model(self.sized(sizes), self.shape)
        return Found(sizes, "", of_gpu, told.gflops, told.bottleneck or "", told.unknown or "")

    def sized(self, sizes: Sizes) -> Candidate:
        """The kernel with these sizes, in its source and its launch."""
        return _sized(self.kernel, self.source, sizes)

    def _resources(self, sizes: Sizes) -> Resources | None:
        from gemmlab.compiler.compile import CompileError

        try:
            return self.sized(sizes).compiled(self.arch).resources.get(self.kernel.launch.kernel)
        except CompileError:
            text = "with other sizes the kernel does not compile: leave its #define lines as they are"
            raise UserError(text) from None


def find(search: Search, depths: Sequence[int], tick: Callable[[], None] = lambda: None) -> list[Found]:
    """Every configuration of these depths: ruled out, or compiled and predicted; `tick` is called after each."""
    found = []
    for sizes in autotune.space(depths):
        found.append(search.look_at(sizes))
        tick()
    return found


def timed(search: Search, found: Sequence[Found], tick: Callable[[], None] = lambda: None) -> list[Found]:
    """The same with their GFLOPS on this machine's GPU; `tick` is called after each that was timed."""
    from gemmlab.gpu.bench import Bench

    with Bench() as bench:
        return [_timed(search, one, bench, tick) for one in found]


def _timed(search: Search, one: Found, bench: Bench, tick: Callable[[], None]) -> Found:
    if one.use is None:
        return one
    candidate = search.sized(one.sizes)
    (launch,) = candidate.launches(search.shape)
    timing = bench.time(candidate.compiled(bench.arch), launch, search.shape, seconds=_SECONDS)
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
