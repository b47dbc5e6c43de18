"""What the kernels of a launch do with the product beside storing it, and the values that a case draws for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.layout import Layout
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.tolerance import Shape, make_inputs

DRAWN = "drawn"
_ALPHAS = (0.5, 0.25, 2.0)  # powers of 2, so that whole numbers stay exact
_BETAS, _NO_BETAS = (0.5, -1.0, 2.0), (0.0, 0.0, 0.0)
_STREAM = 2  # of random numbers, beside that of A and B
_STEP = 61  # structured values repeat after so many
Inputs = tuple[np.ndarray, np.ndarray, Terms]  # A, B, and the other values of a case


@dataclass(frozen=True)
class Epilogue:
    """C = f(alpha·A·B + beta·C + bias), what of it there is; f is the `activation`.

    `alpha` and `beta` are numbers as text, DRAWN where each case draws one, or "" where the kernel has no such factor.
    `bias` and `old_C` say whether it is given a bias, and a C that it adds to. There are `batch` products.
    """

    alpha: str = ""
    beta: str = ""
    bias: bool = False
    old_C: bool = False
    activation: str = "none"
    batch: int = 1

    def draw(self, kind: str, product: Shape, seed: int, element: Element = FLOAT32) -> Inputs:
        """A, B and the other values of a case, the same for the same arguments; `product` is (M, N, K) of one product.

        Of the drawn betas, half are 0: then C holds nothing that may be read. Raises UserError as make_inputs does.
        """
        drawn = [make_inputs(kind, product, seed + number, element) for number in range(self.batch)]
        A, B = drawn[0] if self.batch == 1 else (np.concatenate(matrices) for matrices in zip(*drawn, strict=True))
        return A, B, self.terms(kind, (len(A), product[1]), seed, element)

    def terms(self, kind: str, of_C: tuple[int, int], seed: int, element: Element = FLOAT32) -> Terms:
        """The values beside A and B, for a C of that many rows and columns."""
        if self == NOTHING:
            return PLAIN if element is FLOAT32 else Terms(element=element)
        rng = np.random.default_rng([seed, _STREAM])
        alpha = _factor(self.alpha, lambda: float(rng.choice(_ALPHAS)), 1.0)
        beta = _factor(self.beta, lambda: float(rng.choice((*_BETAS, *_NO_BETAS))), float(self.old_C))
        bias = _values(kind, (1, of_C[1]), rng)[0] if self.bias else None
        old = _values(kind, of_C, rng) if beta else None
        return Terms(alpha, beta, bias, old, self.activation, self.batch, element)


NOTHING = Epilogue()


def _factor(said: str, drawn: Callable[[], float], otherwise: float) -> float:
    if said == DRAWN:
        return drawn()
    return float(said) if said else otherwise


def _values(kind: str, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Numbers of the same sort as those of A and B; structured ones differ from their neighbours."""
    if kind == "random":
        return rng.random(size, np.float32) * 2 - 1
    if kind == "integer":
        return rng.integers(-8, 8, size, endpoint=True).astype(np.float32)
    if kind == "ones":
        return np.ones(size, np.float32)
    return (1 + (int(rng.integers(_STEP)) + np.arange(size[0] * size[1])) % _STEP).reshape(size).astype(np.float32)


def epilogue_of(launches: object) -> Epilogue:
    """That of what is launched; most kernels store the product and nothing else."""
    return getattr(launches, "epilogue", NOTHING)


class _Laid(Protocol):
    @property
    def layout(self) -> Layout: ...


def draw(launches: _Laid, kind: str, product: Shape, seed: int = 0) -> Inputs:
    """A, B and the other values of a case, as these launches need them."""
    return epilogue_of(launches).draw(kind, product, seed, launches.layout.element)
