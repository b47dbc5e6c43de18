"""What is known of a kernel's wrong numbers: the results, and where they are wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gemmlab.kernel.elements import Element
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.tolerance import Comparison, Shape, expected

Tile = tuple[int, int]


@dataclass(frozen=True)
class Trial:
    """One judged result: the shape (M, N, K), the kind of inputs, A, B, C, the comparison with the reference, and what
    was to be made of A·B."""

    shape: Shape
    inputs: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    comparison: Comparison
    terms: Terms = PLAIN

    @cached_property
    def right(self) -> np.ndarray:
        """What C should hold, in float64."""
        return self._expected[0]

    @cached_property
    def bound(self) -> np.ndarray:
        """How far rounding may take C from it, whatever the inputs are."""
        return np.broadcast_to(self._expected[1], self.C.shape)

    @cached_property
    def _expected(self) -> tuple[np.ndarray, np.ndarray | float]:
        return expected(self.A.astype(np.float64), self.B.astype(np.float64), "random", self.terms)

    @property
    def element(self) -> Element:
        """What A and B hold."""
        return self.terms.element

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
