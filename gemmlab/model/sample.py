"""What the blocks of a launch do, counted on one in the middle of the grid, where no edge of a matrix cuts it off."""

from __future__ import annotations

from dataclasses import dataclass
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
    outcome = executor.run(program, alone, A, B, shape, blocks=np.array([_middle(launch.grid)]), terms=terms)
    _require(outcome, isinstance(work, Plan))
    assert outcome.counters is not None
    return counted(launch, outcome.counters, outcome.written)


def counted(launch: Launch, counters: Counters, written: np.ndarray | None) -> Sampled:
    """The block in the middle of the launch's grid, from what it did."""
    middle = _middle(launch.grid)
    warps = cdiv(prod(launch.block), WARP)
    return Sampled(
        prod(launch.grid), middle, counters.lines, counters.cache_lines, counters.touched, Tile.of(written), warps
    )


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
