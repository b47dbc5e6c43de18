"""The search for the tile sizes of lesson 09: which can run, what a model says of each, and what a GPU said.

The model counts cycles of one multiprocessor (SM). All blocks that are on it at one time make a step, one K tile each.
The step takes as long as the longest of four things, see `Step`. Two constants, `WAIT_A_K` and `WAIT_A_STEP`, were set
so that the order is that of what an H200 measured; for other GPUs it is a guess at the order and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
from gemmlab.kernel.launch import LaunchSpec, cdiv, evaluate
from gemmlab.kernel.limits import MAX_THREADS, REGISTERS_PER_THREAD, STATIC_SHARED, WARP, Occupancy, occupancy
from gemmlab.kernel.program import Resources
from gemmlab.models.simulator import FLOAT_BYTES, Traffic, traffic_register_tiled
from gemmlab.models.warp_tile import LANES, WIDTH, WarpTile, rescaled

Shape = tuple[int, int, int]

BLOCKS = ((64, 64), (64, 128), (128, 128))  # BM, BN
DEPTHS = (8, 16, 32)  # BK
PATCHES = ((4, 4), (8, 4), (8, 8), (16, 8), (16, 16))  # TM, TN
PAD = 4
NAMES = ("BM", "BN", "BK", "TM", "TN", "PAD")

SCHEDULERS = 4  # an SM has as many, and each issues one instruction of one warp a cycle
SMS = 132  # of an H200
BYTES_A_CYCLE = 24  # that an SM gets from the L2 cache
COPY_INSTRUCTIONS = 8  # a thread takes for one asynchronous copy: index, test, address, copy
WAIT_A_K = 20  # cycles that one warp waits for its reads of shared memory, each k
WAIT_A_STEP = 200  # and at the barrier, each K tile


@dataclass(frozen=True)
class Rule:
    """One limit that a configuration must keep. `expression` is over NAMES; its value may be `most`."""

    name: str
    what: str
    expression: str
    most: int

    def value(self, sizes: Sizes) -> int:
        return value_of(self.expression, sizes)


RULES = (
    Rule("threads", "threads of a block", "(BM // TM) * (BN // TN)", MAX_THREADS),
    Rule("shared", "bytes of shared memory of a block", "2 * BK * (BM + PAD + BN) * 4", STATIC_SHARED),
    Rule("registers", "registers of a thread, for sums and fragments alone", "TM * TN + TM + TN", REGISTERS_PER_THREAD),
)


def value_of(expression: str, sizes: Sizes) -> int:
    """The value of an integer expression over NAMES. UserError where it cannot be read."""
    return evaluate(expression, dict(zip(NAMES, (sizes.BM, sizes.BN, sizes.BK, sizes.TM, sizes.TN, PAD))))


def space(depths: Sequence[int] = DEPTHS) -> list[Sizes]:
    """Every combination of a block, a depth and a patch."""
    return [Sizes(*block, depth, *patch) for depth in depths for block in BLOCKS for patch in PATCHES]


def pruned_by(sizes: Sizes) -> str | None:
    """Why a configuration need not be compiled: 'warp tile' where whole warp tiles do not fill the block's, 'copies'
    where the bands that the block copies do not fill the tiles of A and B, else the name of the first rule that it
    breaks; None where it is worth a look."""
    if sizes.BM % (LANES[0] * sizes.TM) or sizes.BN % (LANES[1] * sizes.TN):
        return "warp tile"
    if any(rows % band for rows, band in _bands(sizes)):
        return "copies"
    return next((rule.name for rule in RULES if rule.value(sizes) > rule.most), None)


def _bands(sizes: Sizes) -> tuple[tuple[int, int], tuple[int, int]]:
    """For A and B: how many rows the tile has in the order in which it is copied, and how many the block copies at a
    time, one element of A or WIDTH of B a thread."""
    return (sizes.BM, max(1, sizes.threads // sizes.BK)), (sizes.BK, max(1, sizes.threads // (sizes.BN // WIDTH)))


def launch_spec(sizes: Sizes) -> LaunchSpec:
    """The launch of lesson 09's kernel with these sizes."""
    across, down = sizes.block
    return LaunchSpec((str(across), str(down)), (f"cdiv(N, {sizes.BN})", f"cdiv(M, {sizes.BM})"))


@dataclass(frozen=True)
class Step:
    """Cycles of one step of an SM: `issue` for its instructions, `shared` for its wavefronts of shared memory, `memory`
    for its bytes from the L2 cache, and `alone` for one warp that waits for nobody but its own loads."""

    issue: float
    shared: float
    memory: float
    alone: float

    @property
    def cycles(self) -> float:
        return max(self.issue, self.shared, self.memory, self.alone)

    @property
    def limit(self) -> str:
        return max(("issue", "shared", "memory", "alone"), key=lambda name: getattr(self, name))


@dataclass(frozen=True)
class Estimate:
    """What the model says of one configuration at one shape. `step` is one of the first wave; `cycles` is 0 where no
    block fits on an SM."""

    sizes: Sizes
    resources: Resources
    occupancy: Occupancy
    traffic: Traffic
    blocks: int
    waves: float
    step: Step
    cycles: float


def estimate(sizes: Sizes, resources: Resources, lanes: WarpTile, shape: Shape, arch: str, sms: int = SMS) -> Estimate:
    """`lanes` is how the kernel lays out a warp, with patches of any size; `sms` is the number of SMs."""
    M, N, K = shape
    full = occupancy(sizes.threads, resources.registers, resources.shared_bytes, arch)
    blocks, steps = cdiv(M, sizes.BM) * cdiv(N, sizes.BN), cdiv(K, sizes.BK)
    traffic = traffic_register_tiled(M, N, K, sizes.BM, sizes.BN, sizes.BK, sizes.TM, sizes.TN)
    at_once = full.blocks_per_sm * sms
    warp = _Warp(sizes, resources, rescaled(lanes, sizes))
    step = warp.step(max(1, min(full.blocks_per_sm, cdiv(blocks, sms))))
    waves = blocks / at_once if at_once else 0.0
    rest = blocks % at_once if at_once else 0
    cycles = int(waves) * step.cycles + (warp.step(cdiv(rest, sms)).cycles if rest else 0)
    return Estimate(sizes, resources, full, traffic, blocks, waves, step, steps * cycles)


@dataclass(frozen=True)
class _Warp:
    """What one warp does in one step, and with it an SM full of blocks."""

    sizes: Sizes
    resources: Resources
    lanes: WarpTile

    @property
    def instructions(self) -> float:
        """Multiply-adds, reads of fragments, copies of its share of the next tiles, and what was spilled."""
        s = self.sizes
        copies = (s.BM * s.BK + s.BN * s.BK / WIDTH) / s.threads
        spilled = self.resources.spill_store_bytes / FLOAT_BYTES
        return s.BK * (s.results + (s.TM + s.TN) / WIDTH + spilled) + COPY_INSTRUCTIONS * copies

    def step(self, blocks: int) -> Step:
        """A step of an SM that has so many blocks."""
        s = self.sizes
        warps = blocks * s.threads / WARP
        return Step(
            issue=ceil(warps / SCHEDULERS) * self.instructions,
            shared=warps * s.BK * self.lanes.wavefronts,
            memory=blocks * (s.BM + s.BN) * s.BK * FLOAT_BYTES / BYTES_A_CYCLE,
            alone=self.instructions + s.BK * WAIT_A_K + WAIT_A_STEP,
        )


def require_depths(depths: int | Sequence[int]) -> tuple[int, ...]:
    """The depths as a tuple. UserError unless each is one of DEPTHS."""
    chosen = tuple(depths) if isinstance(depths, tuple | list) else (depths,)
    if not chosen or any(depth not in DEPTHS for depth in chosen):
        raise UserError(f"BK is one or several of {', '.join(map(str, DEPTHS))}, such as (8, 16)")
    return chosen
