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

WIDTH = 4  # floats a lane reads at once; a piece of its elements has as many rows and columns
LANES = (4, 8)  # rows and columns of a warp's lanes, laid out row by row
IN_ORDER, BY_ROWS = "threads in order, as in lesson 08", "4 rows of 8 lanes, row by row"


@dataclass(frozen=True)
class WarpTile:
    """Where the first piece of each lane of warp 0 begins in the block's tile, in elements. A thread's TM×TN elements
    are pieces of WIDTH×WIDTH; from one to the next it is `step` rows and columns."""

    sizes: Sizes
    rows: tuple[int, ...]
    cols: tuple[int, ...]
    step: tuple[int, int]

    @property
    def rows_on(self) -> tuple[int, ...]:
        """How many rows below its first each piece of a thread begins."""
        return tuple(self.step[0] * piece for piece in range(self.sizes.TM // WIDTH))

    @property
    def cols_on(self) -> tuple[int, ...]:
        """The same for columns."""
        return tuple(self.step[1] * piece for piece in range(self.sizes.TN // WIDTH))

    @property
    def sides(self) -> tuple[int, int]:
        """Distinct rows and columns of the block's tile in which the warp has elements."""
        rows = {row + on + i for row in self.rows for on in self.rows_on for i in range(WIDTH)}
        return len(rows), len({col + on + j for col in self.cols for on in self.cols_on for j in range(WIDTH)})

    @property
    def floats(self) -> int:
        """Distinct elements of As and Bs that the warp reads for one k."""
        return sum(self.sides)

    @property
    def multiply_adds(self) -> int:
        """Of all lanes, for one k."""
        return WARP * self.sizes.results

    @property
    def wavefronts(self) -> int:
        """Of the loads from As and Bs for one k, 16 bytes a lane at once."""
        loads = [(self.rows, on) for on in self.rows_on] + [(self.cols, on) for on in self.cols_on]
        return sum(wavefronts([word + on for word in words]) for words, on in loads)


def wavefronts(words: Sequence[int]) -> int:
    """Wavefronts of one load in which lane i reads WIDTH words from words[i] on."""
    return BankRequest(tuple(words), WIDTH, is_load=True).wavefronts


def arrangements(sizes: Sizes) -> dict[str, WarpTile]:
    """Two ways to lay out a warp: by the number of the thread in its block, and in LANES."""
    across, down = sizes.block
    high, wide = LANES

    def laid_out(columns: int, step: tuple[int, int]) -> WarpTile:
        rows = tuple(lane // columns * WIDTH for lane in range(WARP))
        return WarpTile(sizes, rows, tuple(lane % columns * WIDTH for lane in range(WARP)), step)

    return {
        IN_ORDER: laid_out(across, (WIDTH * down, WIDTH * across)),
        BY_ROWS: laid_out(wide, (WIDTH * high, WIDTH * wide)),
    }
