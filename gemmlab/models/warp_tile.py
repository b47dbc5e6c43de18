"""How the lanes of a warp lie over the block's tile, and what reading one k from shared memory costs them.

A load of 16 bytes a lane goes through the banks a quarter of a warp at a time, 8 lanes. Where lanes that are neighbours
want the same 16 bytes, each with the one beside it (lanes l and l ^ 1) or each with the one after that (l and l ^ 2),
it goes half a warp at a time. This is what the hardware counters of an H200 show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.cuda.sizes import Sizes, sizes_of
from gemmlab.errors import UserError
from gemmlab.kernel.warp import WARP
from gemmlab.models.banks import BankRequest

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel

WIDTH = 4  # floats a lane reads at once


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


def warp_tile(kernel: Kernel, source: str) -> WarpTile:
    """Where the lanes of a kernel's warp 0 store, as the emulator meets it. UserError where a lane stores nothing."""
    from gemmlab.compiler.compile import CompileError, compile_source
    from gemmlab.trials.warp_requests import requests_of

    sizes = sizes_of(source)
    shape = (sizes.BM, sizes.BN, sizes.BK)
    try:
        program = compile_source(source, kernel.path.name)
    except CompileError:
        raise UserError("the kernel does not compile: run its check, which says why") from None
    stores = [request for request in requests_of(program, kernel.launch.at(*shape), shape) if request.is_store]
    if not stores or None in stores[0].offsets:
        raise UserError("some lane of warp 0 stores nothing at the shape of one tile: run the check, which says more")
    places = [divmod(offset // 4, sizes.BN) for offset in stores[0].offsets]
    return WarpTile(sizes, tuple(row for row, _ in places), tuple(col for _, col in places))


def rescaled(tile: WarpTile, sizes: Sizes) -> WarpTile:
    """The same arrangement of lanes with patches of another size."""
    rows = tuple(row // tile.sizes.TM * sizes.TM for row in tile.rows)
    cols = tuple(col // tile.sizes.TN * sizes.TN for col in tile.cols)
    return WarpTile(sizes, rows, cols)
