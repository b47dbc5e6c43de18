"""What the blocks of a launch do, counted on one: that in the middle of the grid, which no edge of a matrix cuts off,
or the first, where those in the middle have less to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.counters import Counters, LineCounters, Touched
from gemmlab.kernel.elements import THREE_TF32, Element
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
_CUT_OFF = 1.05  # as many times as many bytes a request has on average, where the last one was cut off
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
    edges: Edges | None = None  # None where all blocks do the same
    element_bytes: int = FLOAT_BYTES  # of A and B
    products_each: int = 1  # of an element of A and one of B

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
        return self.products / self.tile.elements if self.tile.elements else 0.0

    @property
    def products(self) -> float:
        """Of elements of A and of B, by threads and on tensor cores."""
        return self.totals.fma + self.totals.tensor_fma / self.products_each

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
        k_each_time = self.tile.pieces * depth * self.warps / often / max(1, width // self.element_bytes)
        copies = min(len(alike), max(1, round(k_each_time)))
        return copies, alike.index(line) * copies // len(alike)


@dataclass(frozen=True)
class Edges:
    """Blocks of a grid that do less, or more, than the one in the middle: the instructions of the last ones of a row,
    of a column, of both, and of the last layer, as a share of its own. A block has so many `warps`."""

    grid: tuple[int, int, int]
    warps: int
    right: float = 1.0
    bottom: float = 1.0
    corner: float = 1.0
    last_layer: float = 1.0

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each block in its order, the share of a whole block's warps that are at work, and of its way that they go.
        Where there is less to do, other warps end at once, until there is but one."""
        x, y, z = self.grid
        share = np.ones((z, y, x))
        share[:, :, -1], share[:, -1, :], share[:, -1, -1] = self.right, self.bottom, self.corner
        width = np.clip(share, 1 / self.warps, 1.0)
        work = share / width
        work[-1] *= self.last_layer
        return width.reshape(-1), work.reshape(-1)


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
    element = launch.layout.element
    touched = {
        line: _in_words(_usual(last, counters.lines[line], counters.cache_lines.get(line, 0)), element)
        for line, last in counters.touched.items()
    }
    return Sampled(
        prod(launch.grid),
        number,
        counters.lines,
        counters.cache_lines,
        touched,
        tile,
        warps,
        element_bytes=element.size,
        products_each=3 if element is THREE_TF32 else 1,
    )


def _in_words(one: Touched, element: Element) -> Touched:
    """Of smaller elements the emulator counted each."""
    return one if one.array not in ("A", "B") else replace(one, words=one.words * element.size / FLOAT_BYTES)


def _usual(last: Touched, counted: LineCounters, cache_lines: int) -> Touched:
    """What a request of a line touches as a rule. Where K is no multiple of the tile, the last one has few of the
    lanes: a word of each row, in as many lines of the cache as the others."""
    if not counted.global_load_requests or not last.bytes:
        return last
    more = counted.global_load_bytes / counted.global_load_requests / last.bytes
    if more < _CUT_OFF:
        return last
    words = more * last.words
    return replace(last, words=words, in_a_bank=max(last.in_a_bank, cache_lines, ceil(words / WARP)))


def _at_work(run: Callable[[int], Sampled], grid: tuple[int, int, int], products: int) -> Sampled:
    """The block in the middle, unless it leaves work to others: where tiles are dealt out to a fixed number of blocks,
    the first ones may have one more than those in the middle, or the only ones. Blocks without any are not among those
    that it stands for."""
    middle = run(_middle(grid))
    enough = not middle.products or middle.products * middle.blocks >= _EVEN * products
    if middle.stores and enough:
        ragged = _EVEN * middle.products * middle.blocks > products
        return _with_edges(middle, run, grid, ragged)
    if middle.number == 0:
        return middle
    first = run(0)
    if middle.stores or not first.stores:
        return max(first, middle, key=lambda one: one.products)
    working, idle = 0, middle.number
    while idle - working > 1:
        between = (working + idle) // 2
        working, idle = (between, idle) if run(between).stores else (working, between)
    return replace(first, blocks=idle)


def _with_edges(middle: Sampled, run: Callable[[int], Sampled], grid: tuple[int, int, int], ragged: bool) -> Sampled:
    """The same block, with what those at the edges of the grid do beside it. Where the grid's z deals out K, what is
    left for its last layer may be little: then it stands for as many as there is work for."""
    x, y, layers = grid
    if not middle.totals.instructions or not (ragged or layers > 1):
        return middle

    def share(number: int) -> float:
        return 1.0 if number == middle.number else run(number).totals.instructions / middle.totals.instructions

    last_layer = min(1.0, share(middle.number % (x * y) + x * y * (layers - 1))) if layers > 1 else 1.0
    edges = Edges(grid, middle.warps, last_layer=last_layer)
    if ragged:
        first = middle.number - middle.number % (x * y)
        column, row = middle.number % x, middle.number % (x * y) // x
        right, bottom = first + x * row + x - 1, first + x * (y - 1) + column
        edges = replace(edges, right=share(right), bottom=share(bottom), corner=share(first + x * y - 1))
    return replace(middle, blocks=max(1, round(x * y * (layers - 1 + last_layer))), edges=edges)


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
