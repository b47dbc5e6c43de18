"""The loop over the K tiles as its warps go through it: when tiles are filled and used, and what the barriers order.

Its parts are played on a block, warp by warp, in two orders: all warps in step, and one warp as far ahead of the others
as the barriers let it. Real warps may take any order between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from gemmlab.kernel.limits import WARP

FILL, USE, BARRIER = "fill", "use", "barrier"
_SECONDS = {FILL: 2, USE: 3}  # of drawn time: only the order counts
_SEED = 3


@dataclass(frozen=True)
class Part:
    """One part of the loop, and the kernel's lines that it comes from."""

    kind: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Span:
    """What the warps of a group did from `start` to `end`. `hazard` is 'RAW' where they used rows of the tile that were
    not filled yet, 'WAR' where they used rows that were filled anew already."""

    warps: tuple[int, ...]
    part: Part
    k_tile: int
    start: int
    end: int
    hazard: str | None = None


@dataclass(frozen=True)
class Playback:
    """One order of events. `barriers` are the times at which all warps had come; `wrong` counts elements of C."""

    title: str
    spans: tuple[Span, ...]
    barriers: tuple[int, ...]
    wrong: int
    elements: int


def play(parts: Sequence[Part], tile: int, k_tiles: int) -> list[Playback]:
    """The loop in both orders, on one tile of C with `k_tiles` steps of whole numbers."""
    warps = tuple(range(tile * tile // WARP))
    return [
        _Block(parts, tile, k_tiles).play("All warps in step", [warps]),
        _Block(parts, tile, k_tiles).play("Warp 0 as early as the barriers allow", [warps[:1], warps[1:]]),
    ]


def foreign_reads(tile: int) -> tuple[int, int]:
    """Of the 2·tile elements that a thread reads from As and Bs in one step, how many another thread copied there, and
    how many a thread of another warp. The thread with ty and tx copies element [ty][tx] of both tiles."""
    me = (0, 0)
    reads = [(me[0], k) for k in range(tile)] + [(k, me[1]) for k in range(tile)]
    warp = [(ty * tile + tx) // WARP for ty, tx in reads]
    return sum(copier != me for copier in reads), sum(number != warp[0] for number in warp)


class _Block:
    """A block of tile×tile threads at work on one tile of C; each warp holds neighbouring rows of it."""

    def __init__(self, parts: Sequence[Part], tile: int, k_tiles: int) -> None:
        rng = np.random.default_rng(_SEED)
        self.A = rng.integers(1, 1000, (tile, tile * k_tiles)).astype(float)
        self.B = rng.integers(1, 1000, (tile * k_tiles, tile)).astype(float)
        self.As, self.Bs = np.full((2, tile, tile), np.nan)
        self.held = np.full(tile, -1)  # which K tile each row of As and Bs belongs to, -1 before the first
        self.acc = np.zeros((tile, tile))
        self.program = [(part, k_tile) for k_tile in range(k_tiles) for part in parts]
        self.tile, self.rows = tile, WARP // tile
        self.spans: list[Span] = []

    def play(self, title: str, groups: Sequence[tuple[int, ...]]) -> Playback:
        """Between two barriers the groups go one after the other; the warps of a group go together."""
        now, barriers = 0, list[int]()
        for is_barrier, entries in groupby(self.program, key=lambda entry: entry[0].kind == BARRIER):
            together = list(entries)
            if is_barrier:
                barriers += [now] * len(together)
                continue
            for group in groups:
                for part, k_tile in together:
                    self._run(group, part, k_tile, now)
                    now += _SECONDS[part.kind]
        wrong = int((self.acc != self.A @ self.B).sum())
        return Playback(title, tuple(self.spans), tuple(barriers), wrong, self.acc.size)

    def _run(self, warps: tuple[int, ...], part: Part, k_tile: int, now: int) -> None:
        hazards = [self._fill(warp, k_tile) if part.kind == FILL else self._use(warp, k_tile) for warp in warps]
        hazard = next(filter(None, hazards), None)
        self.spans.append(Span(warps, part, k_tile, now, now + _SECONDS[part.kind], hazard))

    def _fill(self, warp: int, k_tile: int) -> str | None:
        """It meets no hazard: what it overwrites is met by those who use it."""
        rows, k = slice(warp * self.rows, (warp + 1) * self.rows), k_tile * self.tile
        self.As[rows] = self.A[rows, k : k + self.tile]
        self.Bs[rows] = self.B[k : k + self.tile][rows]
        self.held[rows] = k_tile
        return None

    def _use(self, warp: int, k_tile: int) -> str | None:
        """The hazard that it met: a row that was not filled yet, or one that was filled anew already."""
        rows = slice(warp * self.rows, (warp + 1) * self.rows)
        self.acc[rows] += self.As[rows] @ self.Bs
        if (self.held < k_tile).any():
            return "RAW"
        return "WAR" if (self.held > k_tile).any() else None
