"""What the blocks of a launch do, counted on one: that in the middle of the grid, which no edge of a matrix cuts off,
or the first, where those in the middle have less to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.counters import Counters, LineCounters, Touched
from gemmlab.kernel.epilogue import NOTHING, Epilogue
from gemmlab.kernel.launch import Launch, cdiv
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.warp import SECTOR_BYTES, WARP

if TYPE_CHECKING:
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
FLOAT_BYTES = 4
_SECONDS = 20.0
_MOST_BYTES = 1 << 33  # of A, B and C together
_NOBODY = 0xFFFFFFFF  # a word that no thread wrote
_EVEN = 0.98  # of the products, where as many as one block does in each of them are all of them
_HARMLESS = ("uninitialized",)  # of one launch of several: what the launches before it wrote is not there


@dataclass(frozen=True)
class Sampled:
    """One block, the one with this `number`, that stands for the `blocks` of a grid: what it executed by lines of the
    PTX, how many lines of the cache and words of which array a request of each touches, and what it wrote of C."""

    blocks: int
    number: int
    lines: dict[int, LineCounters]
    cache_lines: dict[int, int]
    touched: dict[int, Touched]
    tile: Tile
    warps: int

    @cached_property
    def totals(self) -> LineCounters:
        return sum(self.lines.values(), LineCounters())

    @property
    def stores(self) -> bool:
        """Whether anything of it stays in memory."""
        return bool(self.totals.global_store_requests + self.totals.global_atomic_requests)

    @property
    def depth(self) -> float:
        """The k that an element of C is summed over by this block, on average."""
        return self.totals.fma / self.tile.elements if self.tile.elements else 0.0

    @cached_property
    def loaded(self) -> dict[str, float]:
        """Bytes, in whole sectors, that loads ask for: of each array by its name, and under "" of all."""
        found = {"": float(SECTOR_BYTES * self.totals.global_load_sectors)}
        for line, touched in self.touched.items():
            asked = SECTOR_BYTES * self.lines[line].global_load_sectors
            found[touched.array] = found.get(touched.array, 0.0) + asked
        return found

    def steps(self, line: int, depth: float, width: int) -> tuple[int, int]:
        """Where a loop over k was unrolled, its loads along k stand there several times: how many times, and the place
        of this line of the PTX among them."""
        array, often = self.touched[line].array, self.lines[line].global_load_requests
        alike = sorted(
            other
            for other, touched in self.touched.items()
            if touched.array == array and self.lines[other].global_load_requests == often
        )
        k_each_time = self.tile.pieces * depth * self.warps / often / max(1, width // FLOAT_BYTES)
        copies = min(len(alike), max(1, round(k_each_time)))
        return copies, alike.index(line) * copies // len(alike)


@dataclass(frozen=True)
class Tile:
    """The first piece without gaps of what a block writes of C, of `elements` in all, as rows × columns from `top` and
    `left` on."""

    top: int = 0
    left: int = 0
    rows: int = 0
    columns: int = 0
    elements: int = 0

    @property
    def pieces(self) -> float:
        """How many of them the block writes, one after another."""
        return self.elements / (self.rows * self.columns) if self.elements else 0.0

    @classmethod
    def of(cls, written: np.ndarray | None) -> Tile:
        if written is None or not written.any():
            return cls()
        top = int(written.any(axis=1).argmax())
        left, columns = _run(written[top])
        _, rows = _run(written[:, left])
        return cls(top, left, rows, columns, int(written.sum()))


def _run(marks: np.ndarray) -> tuple[int, int]:
    """Where the first run of marks begins, and how long it is."""
    start = int(marks.argmax())
    gaps = np.flatnonzero(~marks[start:])
    return start, int(gaps[0]) if len(gaps) else len(marks) - start


class NotCounted(Exception):
    """The launch could not be counted; the text says why, as a sentence for people."""


def sampled(
    program: Program, launch: Launch, work: Launch | Plan, shape: Shape, epilogue: Epilogue = NOTHING
) -> Sampled:
    """The block that stands for the grid of one launch of `work`. Raises NotCounted."""
    from gemmlab.emulator import EmulatorExecutor

    M, N, K = launch.layout.product(shape)
    element = launch.layout.element
    if epilogue.batch * (element.size * K * (M + N) + 4 * M * N) > _MOST_BYTES:
        raise NotCounted("Its matrices are too large to be laid out here.")
    A, B = (np.zeros((epilogue.batch * rows, columns), element.storage) for rows, columns in ((M, K), (K, N)))
    terms = epilogue.terms("random", (epilogue.batch * M, N), 1, element)
    alone = Plan((launch,), work.buffers) if isinstance(work, Plan) else launch
    executor = EmulatorExecutor(seconds=_SECONDS, again=False, by_ptx=True)

    def run(number: int) -> Sampled:
        outcome = executor.run(program, alone, A, B, shape, blocks=np.array([number]), terms=terms)
        _require(outcome, isinstance(work, Plan))
        assert outcome.counters is not None
        return counted(launch, number, outcome.counters, _result(outcome, (epilogue.batch * M, N)))

    return _at_work(run, launch.grid, epilogue.batch * M * N * K)


def counted(launch: Launch, number: int, counters: Counters, written: np.ndarray | None) -> Sampled:
    """The block of the launch's grid with this number, from what it did."""
    warps = cdiv(prod(launch.block), WARP)
    tile = Tile.of(written)
    return Sampled(prod(launch.grid), number, counters.lines, counters.cache_lines, counters.touched, tile, warps)


def _at_work(run: Callable[[int], Sampled], grid: tuple[int, int, int], products: int) -> Sampled:
    """The block in the middle, unless it leaves work to others: where tiles are dealt out to a fixed number of blocks,
    the first ones may have one more than those in the middle, or the only ones. Blocks without any are not among those
    that it stands for."""
    middle = run(_middle(grid))
    enough = not middle.totals.fma or middle.totals.fma * middle.blocks >= _EVEN * products
    if middle.stores and enough:
        return _with_the_last_layer(middle, run, grid)
    if middle.number == 0:
        return middle
    first = run(0)
    if middle.stores or not first.stores:
        return max(first, middle, key=lambda one: one.totals.fma)
    working, idle = 0, middle.number
    while idle - working > 1:
        between = (working + idle) // 2
        working, idle = (between, idle) if run(between).stores else (working, between)
    return replace(first, blocks=idle)


def _with_the_last_layer(middle: Sampled, run: Callable[[int], Sampled], grid: tuple[int, int, int]) -> Sampled:
    """The same block for as many as there is work for: where the grid's z deals out K, what is left for its last layer
    may be little."""
    x, y, layers = grid
    instructions = middle.totals.instructions
    if layers == 1 or not instructions:
        return middle
    last = run(_middle((x, y, 1)) + x * y * (layers - 1))
    share = min(1.0, last.totals.instructions / instructions)
    return replace(middle, blocks=max(1, round(x * y * (layers - 1 + share))))


def _result(outcome: Outcome, size: tuple[int, int]) -> np.ndarray | None:
    """What was written of C, or of the first of several matrices of its size that a launcher's own array holds. Sums of
    zeros are not NaN, as what nobody wrote is."""
    if outcome.written is not None and outcome.written.any():
        return outcome.written
    for bytes_of in outcome.buffers.values():
        if bytes_of.size and not bytes_of.size % (FLOAT_BYTES * prod(size)):
            for part in bytes_of.view(np.uint32).reshape(-1, *size):
                if (written := part != _NOBODY).any():
                    return written
    return outcome.written


def _middle(grid: tuple[int, int, int]) -> int:
    """The linear number of a block in the middle, or of the first of few."""
    x, y, _ = grid
    i, j, k = (size // 2 if size > 2 else 0 for size in grid)
    return i + x * (j + y * k)


def _require(outcome: Outcome, of_several: bool) -> None:
    for finding in outcome.findings:
        if finding.is_error and not (of_several and finding.kind in _HARMLESS):
            raise NotCounted(f"A fault keeps it from being counted: {finding.message}")
    if outcome.counters is None:
        raise NotCounted("The emulator did not run it to its end.")
