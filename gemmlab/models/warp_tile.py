"""How the lanes of a warp lie over the block's tile, and what reading one k from shared memory costs them.

A load of 16 bytes a lane goes through the banks a quarter of a warp at a time, 8 lanes. Where lanes that are neighbours
want the same 16 bytes, each with the one beside it (lanes l and l ^ 1) or each with the one after that (l and l ^ 2),
it goes half a warp at a time. This is what the hardware counters of an H200 show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gemmlab.cuda.sizes import Sizes
from gemmlab.kernel.limits import WARP
from gemmlab.models.banks import BankRequest

WIDTH = 4  # floats a lane reads at once
LANES = (4, 8)  # rows and columns of a warp's lanes, laid out row by row
IN_ORDER, BY_ROWS = "threads in order, as in lesson 08", "4 rows of 8 lanes, row by row"


@dataclass(frozen=True)
class WarpTile:
    """Where the patch of each lane of warp 0 begins in the block's tile, in elements."""

    sizes: Sizes
    rows: tuple[int, ...]
    cols: tuple[int, ...]

    @property
    def floats(self) -> int:
        """Distinct elements of As and Bs that the warp reads for one k."""
        return self.sizes.TM * len(set(self.rows)) + self.sizes.TN * len(set(self.cols))

    @property
    def multiply_adds(self) -> int:
        """Of all lanes, for one k."""
        return WARP * self.sizes.results

    @property
    def wavefronts(self) -> int:
        """Of the loads from As and Bs for one k, 16 bytes a lane at once."""
        loads = [(self.rows, first) for first in range(0, self.sizes.TM, WIDTH)]
        loads += [(self.cols, first) for first in range(0, self.sizes.TN, WIDTH)]
        return sum(wavefronts([word + first for word in words]) for words, first in loads)


def wavefronts(words: Sequence[int]) -> int:
    """Wavefronts of one load in which lane i reads WIDTH words from words[i] on."""
    return BankRequest(tuple(words), WIDTH, is_load=True).wavefronts


def rescaled(tile: WarpTile, sizes: Sizes) -> WarpTile:
    """The same arrangement of lanes with patches of another size."""
    rows = tuple(row // tile.sizes.TM * sizes.TM for row in tile.rows)
    cols = tuple(col // tile.sizes.TN * sizes.TN for col in tile.cols)
    return WarpTile(sizes, rows, cols)


def arrangements(sizes: Sizes) -> dict[str, WarpTile]:
    """Two ways to lay out a warp: by the number of the thread in its block, and in LANES."""
    across, (_, wide) = sizes.block[0], LANES

    def laid_out(columns: int) -> WarpTile:
        rows = tuple(lane // columns * sizes.TM for lane in range(WARP))
        return WarpTile(sizes, rows, tuple(lane % columns * sizes.TN for lane in range(WARP)))

    return {IN_ORDER: laid_out(across), BY_ROWS: laid_out(wide)}
