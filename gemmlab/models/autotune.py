"""The space of lesson 09's search for tile sizes: its configurations, the rules that leave some out, and the launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
from gemmlab.kernel.launch import LaunchSpec, evaluate
from gemmlab.kernel.limits import MAX_THREADS, REGISTERS_PER_THREAD, STATIC_SHARED
from gemmlab.models.warp_tile import LANES, WIDTH

BLOCKS = ((64, 64), (64, 128), (128, 128))  # BM, BN
DEPTHS = (8, 16, 32)  # BK
PATCHES = ((4, 4), (8, 4), (8, 8), (16, 8), (16, 16))  # TM, TN
PAD = 4
NAMES = ("BM", "BN", "BK", "TM", "TN", "PAD")


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


def require_depths(depths: int | Sequence[int]) -> tuple[int, ...]:
    """The depths as a tuple. UserError unless each is one of DEPTHS."""
    chosen = tuple(depths) if isinstance(depths, tuple | list) else (depths,)
    if not chosen or any(depth not in DEPTHS for depth in chosen):
        raise UserError(f"BK is one or several of {', '.join(map(str, DEPTHS))}, such as (8, 16)")
    return chosen
