"""What the blocks of a launch do, counted on one in the middle of the grid, where no edge of a matrix cuts it off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.counters import LineCounters
from gemmlab.kernel.epilogue import NOTHING
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Plan

if TYPE_CHECKING:
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
_SECONDS = 60.0
_HARMLESS = ("uninitialized",)  # of one launch of several: what the launches before it wrote is not there


@dataclass(frozen=True)
class Sampled:
    """One block that stands for the `blocks` of a grid: what it executed by lines of the PTX, and how many rows and
    columns of C it wrote to."""

    blocks: int
    lines: dict[int, LineCounters]
    rows: int
    columns: int

    @cached_property
    def totals(self) -> LineCounters:
        return sum(self.lines.values(), LineCounters())


class NotCounted(Exception):
    """The launch could not be counted; the text says why, as a sentence for people."""


def sampled(program: Program, launch: Launch, work: Launch | Plan, shape: Shape) -> Sampled:
    """The block that stands for the grid of one launch of `work`. Raises NotCounted."""
    from gemmlab.emulator import EmulatorExecutor

    M, N, K = launch.layout.product(shape)
    element = launch.layout.element
    A, B = (np.zeros(size, element.storage) for size in ((M, K), (K, N)))
    terms = NOTHING.terms("random", (M, N), 1, element)
    alone = Plan((launch,), work.buffers) if isinstance(work, Plan) else launch
    executor = EmulatorExecutor(seconds=_SECONDS, again=False, by_ptx=True)
    outcome = executor.run(program, alone, A, B, shape, blocks=np.array([_middle(launch.grid)], np.int64), terms=terms)
    _require(outcome, isinstance(work, Plan))
    assert outcome.counters is not None
    return Sampled(prod(launch.grid), outcome.counters.lines, *_extent(outcome.written))


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


def _extent(written: np.ndarray | None) -> tuple[int, int]:
    if written is None or not written.any():
        return 0, 0
    return int(written.any(axis=1).sum()), int(written.any(axis=0).sum())
