"""What is known of a kernel's wrong numbers: the results, and where they are wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.tolerance import Comparison, Shape

Tile = tuple[int, int]


@dataclass(frozen=True)
class Trial:
    """One judged result: the shape (M, N, K), the kind of inputs, A, B, C, and the comparison with the reference.

    `element` is what A and B hold."""

    shape: Shape
    inputs: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    comparison: Comparison
    element: Element = FLOAT32

    @property
    def work(self) -> int:
        """Products of the multiplication."""
        return math.prod(self.shape)

    @property
    def unwritten(self) -> np.ndarray:
        """M×N bool: never written. C starts as NaN, so that NaN stands for it where the executor cannot tell."""
        known = self.comparison.unwritten
        return np.isnan(self.C) if known is None else known

    @property
    def has_wrong_values(self) -> bool:
        """Whether an element was written that is wrong."""
        return bool((self.comparison.wrong & ~self.unwritten).any())


@dataclass(frozen=True)
class Reading:
    """The pattern's name, one sentence for the student, and the wrong result that shows it."""

    name: str
    sentence: str
    trial: Trial


@dataclass(frozen=True)
class Evidence:
    """The wrong trials, smallest first, the right ones, and the (rows, columns) of C that a block computes."""

    wrong: list[Trial]
    right: list[Trial]
    tile: Tile

    @property
    def masks(self) -> list[np.ndarray]:
        return [trial.comparison.wrong for trial in self.wrong]
