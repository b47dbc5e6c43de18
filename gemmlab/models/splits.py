"""How K is cut into slices, and in how many waves the blocks then run: lesson 10's arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.kernel.launch import cdiv
from gemmlab.models.simulator import FLOAT_BYTES

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Split:
    """A product whose K is cut into slices. `tiles` are those of C, `steps` those of BK along a slice, `at_once` is how
    many blocks the GPU holds at one time, `count` how many elements C has."""

    tiles: int
    slices: int
    steps: int
    at_once: int
    count: int

    @property
    def blocks(self) -> int:
        return self.tiles * self.slices

    @property
    def waves(self) -> int:
        return cdiv(self.blocks, self.at_once)

    @property
    def steps_in_turn(self) -> int:
        """Steps along K that follow each other, wave after wave. The product cannot end before them."""
        return self.waves * self.steps

    @property
    def workspace_bytes(self) -> int:
        """One C for each slice; nothing where there is one slice only."""
        return FLOAT_BYTES * self.count * self.slices if self.slices > 1 else 0


@dataclass(frozen=True)
class Cutting:
    """What the launcher of lesson 10 knows: the tile BM×BN, the step BK, the shortest slice, the blocks at once."""

    BM: int
    BN: int
    BK: int
    shortest: int
    at_once: int

    def most_slices(self, shape: Shape) -> int:
        """As many as fill one wave, none of them shorter than it may be."""
        M, N, K = shape
        return max(1, min(self.at_once // (cdiv(M, self.BM) * cdiv(N, self.BN)), K // self.shortest))

    def split(self, shape: Shape, slices: int | None = None) -> Split:
        """The cut into at most so many slices, or into those that the launcher takes. All are whole steps long but the
        last one, and none is empty."""
        M, N, K = shape
        wanted = self.most_slices(shape) if slices is None else slices
        steps = cdiv(cdiv(K, self.BK), wanted)
        cut = cdiv(K, steps * self.BK)
        return Split(cdiv(M, self.BM) * cdiv(N, self.BN), cut, steps, self.at_once, M * N)
