"""The capstone's board: its shapes, the score that ranks an entry, and the least time that a shape takes a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, isfinite, log

from gemmlab.errors import UserError
from gemmlab.models.ceilings import Ceilings

Shape = tuple[int, int, int]

# (M, N, K) of each shape, and what it is there for.
SHAPES: dict[Shape, str] = {
    (4096, 4096, 4096): "large",
    (2048, 2048, 2048): "medium",
    (1024, 1024, 1024): "small",
    (1024, 1024, 512): "small, a short K",
    (1001, 777, 513): "no side a multiple of 4",
    (256, 256, 8192): "a small C, a long K",
    (1, 11008, 4096): "one row: a decode step",
}
_FLOAT = 4  # bytes


def score(ratios: Mapping[Shape, float]) -> float:
    """The geometric mean of an entry's speed over cuBLAS's, of all shapes of the board: 1 is as fast as cuBLAS.

    Twice as fast at one shape weighs as much as half as fast at another. Raises UserError where a shape is missing or
    a ratio is no positive number: such an entry has no score.
    """
    missing = [shape for shape in SHAPES if shape not in ratios]
    if missing:
        raise UserError(f"there is no score without a time at {named(missing[0])}")
    if not all(isfinite(ratios[shape]) and ratios[shape] > 0 for shape in SHAPES):
        raise UserError("a ratio must be a positive number")
    return exp(sum(log(ratios[shape]) for shape in SHAPES) / len(SHAPES))


def named(shape: Shape) -> str:
    """'4096×4096×4096', as M×N×K."""
    return "×".join(map(str, shape))


@dataclass(frozen=True)
class Bound:
    """What holds a product back at one shape: `intensity` in FLOP for each byte that must be moved at least, the
    milliseconds that the arithmetic and the memory take at their ceilings."""

    shape: Shape
    intensity: float
    arithmetic_ms: float
    memory_ms: float

    @property
    def limit(self) -> str:
        """'arithmetic' or 'memory', whichever takes longer."""
        return "arithmetic" if self.arithmetic_ms >= self.memory_ms else "memory"

    @property
    def least_ms(self) -> float:
        return max(self.arithmetic_ms, self.memory_ms)


def bound(shape: Shape, ceilings: Ceilings) -> Bound:
    """The roofline at a shape (M, N, K): each of A, B and C crosses the memory once."""
    M, N, K = shape
    flop, moved = 2 * M * N * K, _FLOAT * (M * K + K * N + M * N)
    return Bound(shape, flop / moved, flop / ceilings.gflops * 1e-6, moved / ceilings.gbs * 1e-6)
