"""What is made of a product before it is stored: C = f(alpha·A·B + beta·C + bias), for one product or a batch of them.

The error of such a C is bounded by what comes into f and by f itself. Let x = alpha·A·B + beta·C + bias, let
m = |alpha·A·B| + |beta·C| + |bias|, and let e be the bound of A·B (gemmlab.kernel.tolerance).

- Two products and two sums may round once each, so that x is off by at most |alpha|·e + 4·u·m.
- f makes of an error at most as much as f is steep: |silu'| ≤ 1.1.
- f rounds itself. In x / (1 + exp(-x)) an exp of a few units in the last place, and with __expf of the more of them the
  larger |x| is, counts only as far as exp(-x) matters beside 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32, Element

STEEPEST_SILU = 1.1
_U = 2.0**-24  # an epilogue is computed in float32, whatever A and B are
_ROUNDINGS = 4
_DIVISION, _EXP, _EXP_A_UNIT = 4, 4, 3  # units u: of division and sum, of expf, and of __expf for each unit of |x|
_FLUSHED = 2.0**-100  # where exp(-x) overflows float32, the rest of x / (1 + exp(-x)) is gone


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), without an overflow."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, e) / (1.0 + e)


def silu(x: np.ndarray) -> np.ndarray:
    """x · sigmoid(x)."""
    return x * sigmoid(x)


def _silu_error(x: np.ndarray) -> np.ndarray:
    """How far float32 may be from silu at an exact x."""
    with np.errstate(under="ignore"):
        units = _DIVISION + (_EXP + _EXP_A_UNIT * np.abs(x)) * sigmoid(-x)
        return _U * np.abs(silu(x)) * units + _FLUSHED


@dataclass(frozen=True)
class Activation:
    """A function f of each element, the largest |f'|, and the error of f at an exact x."""

    of: Callable[[np.ndarray], np.ndarray]
    steepest: float
    error: Callable[[np.ndarray], np.ndarray]


ACTIVATIONS = {
    "none": Activation(lambda x: x, 1.0, np.zeros_like),
    "silu": Activation(silu, STEEPEST_SILU, _silu_error),
}


@dataclass(frozen=True, eq=False)
class Terms:
    """The values of one case beside A and B, and what C should then hold.

    `bias` has a value for each column of C, `C` is what C holds before (M×N); each is None where there is none of it.
    `batch` products lie one after the other in A, B and C, the rows of one below those of another. `element` is what A
    and B hold.
    """

    alpha: float = 1.0
    beta: float = 0.0
    bias: np.ndarray | None = None
    C: np.ndarray | None = None
    activation: str = "none"
    batch: int = 1
    element: Element = FLOAT32

    def turned(self, matrix: np.ndarray) -> np.ndarray:
        """A, or C, upside down; as it is where the rows of C do not simply follow those of A, in a batch or beside an
        old C."""
        return matrix[::-1] if self.C is None and self.batch == 1 else matrix

    def each(self, of: Callable[[np.ndarray, np.ndarray], np.ndarray], A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """`of` each pair of factors, the results below one another."""
        if self.batch == 1:
            return of(A, B)
        pairs = zip(np.split(A, self.batch), np.split(B, self.batch), strict=True)
        return np.concatenate([of(*pair) for pair in pairs])

    def product(self, A64: np.ndarray, B64: np.ndarray) -> np.ndarray:
        return self.each(np.matmul, A64, B64)

    def inner(self, product: np.ndarray) -> np.ndarray:
        """What goes into the activation: alpha·A·B + beta·C + bias."""
        x = self.alpha * product
        x = x if self.C is None else x + self.beta * self.C.astype(np.float64)
        return x if self.bias is None else x + self.bias.astype(np.float64)

    def finish(self, product: np.ndarray) -> np.ndarray:
        """What C should hold, given the product."""
        return ACTIVATIONS[self.activation].of(self.inner(product))

    def bound(self, product: np.ndarray, of_product: np.ndarray | float) -> np.ndarray | float:
        """The largest error of C that is still right, where the product may be off by `of_product`."""
        f = ACTIVATIONS[self.activation]
        before = abs(self.alpha) * of_product + _ROUNDINGS * _U * self._magnitude(product)
        return f.steepest * before + f.error(self.inner(product))

    def _magnitude(self, product: np.ndarray) -> np.ndarray | float:
        """The sum of the absolute values of what is added up; 0 where there is nothing to add to the product."""
        added = [np.abs(self.beta * self.C.astype(np.float64))] if self.C is not None else []
        added += [np.abs(self.bias.astype(np.float64))] if self.bias is not None else []
        scaled = self.alpha != 1 or self.activation != "none"
        return np.abs(self.alpha * product) + sum(added) if added or scaled else 0.0


def read_activation(name: str) -> str:
    """The name of an activation. Raises UserError for an unknown one."""
    if name not in ACTIVATIONS:
        raise UserError(f"unknown activation '{name[:40]}'; choose one of {', '.join(ACTIVATIONS)}")
    return name


PLAIN = Terms()  # C is A·B and nothing else
