"""What a wrong kernel may have made of a right product: usual slips of an epilogue, each replayed in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gemmlab.check.diagnosis.sentences import SLIPS
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.terms import ACTIVATIONS, Terms, sigmoid

Candidate = Callable[[Terms, np.ndarray, np.ndarray, int], "np.ndarray | None"]


@dataclass(frozen=True)
class EpilogueSlip:
    """One slip. `candidate(terms, A, B, T)` is the C (M×N, float64) that it gives with K tiles of T, None where it
    cannot happen."""

    name: str
    candidate: Candidate

    def text(self) -> str:
        """The sentence for the student."""
        return SLIPS[self.name]()


def _with(change: Callable[[Terms, int], Terms | None]) -> Candidate:
    """The right epilogue with other terms."""

    def candidate(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
        changed = change(terms, cdiv(A.shape[1], T))
        return None if changed is None else changed.finish(A @ B)

    return candidate


def _bias_of_row(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    """A kernel that reads beyond the bias is told so in other words."""
    if terms.bias is None or len(A) > len(terms.bias):
        return None
    return ACTIVATIONS[terms.activation].of(replace(terms, bias=None).inner(A @ B) + terms.bias[: len(A), None])


def _times_bias(terms: Terms, count: float) -> Terms | None:
    return None if terms.bias is None else replace(terms, bias=count * terms.bias.astype(np.float64))


def _bias_after(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    if terms.bias is None or terms.activation == "none":
        return None
    return replace(terms, bias=None).finish(A @ B) + terms.bias


def _old_after(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    if terms.activation == "none":
        return None
    old = 0.0 if terms.C is None else terms.beta * terms.C.astype(np.float64)
    return replace(terms, C=None).finish(A @ B) + old


def _alpha_on(what: str) -> Candidate:
    """The factor on the bias as well, on all of the sum, or on what the activation gives."""

    def candidate(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
        f, alpha = ACTIVATIONS[terms.activation].of, terms.alpha
        if what == "result":
            return alpha * replace(terms, alpha=1.0).finish(A @ B)
        if terms.bias is None:
            return None
        if what == "sum":
            return f(alpha * replace(terms, alpha=1.0).inner(A @ B))
        return f(terms.inner(A @ B) + (alpha - 1) * terms.bias)

    return candidate


def _in_each_tile(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    """The activation of the running sum after each K tile, and of all at the end."""
    if terms.activation == "none":
        return None
    f, acc = ACTIVATIONS[terms.activation].of, np.zeros((len(A), B.shape[1]))
    for k0 in range(0, A.shape[1], T):
        acc = f(acc + A[:, k0 : k0 + T] @ B[k0 : k0 + T])
    return terms.finish(acc)


def _activated(of: Callable[[np.ndarray], np.ndarray]) -> Candidate:
    """Another function in place of the activation."""

    def candidate(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
        return None if terms.activation == "none" else of(terms.inner(A @ B))

    return candidate


def _of_product(terms: Terms, A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    """x of the sigmoid's factor without what is added to the product."""
    if terms.activation != "silu":
        return None
    return terms.alpha * (A @ B) * sigmoid(terms.inner(A @ B))


EPILOGUE_SLIPS: tuple[EpilogueSlip, ...] = (
    EpilogueSlip("no_epilogue", lambda terms, A, B, T: A @ B),
    EpilogueSlip("no_activation", _activated(lambda x: x)),
    EpilogueSlip("sigmoid_alone", _activated(sigmoid)),
    EpilogueSlip("rectified", _activated(lambda x: np.maximum(x, 0))),
    EpilogueSlip("sigmoid_of_minus", _activated(lambda x: x * sigmoid(-x))),
    EpilogueSlip("product_for_sum", _of_product),
    EpilogueSlip("no_bias", _with(lambda terms, tiles: _times_bias(terms, 0))),
    EpilogueSlip("bias_subtracted", _with(lambda terms, tiles: _times_bias(terms, -1))),
    EpilogueSlip("bias_twice", _with(lambda terms, tiles: _times_bias(terms, 2))),
    EpilogueSlip("bias_of_row", _bias_of_row),
    EpilogueSlip("bias_in_each_tile", _with(_times_bias)),
    EpilogueSlip("bias_after_activation", _bias_after),
    EpilogueSlip("old_after_activation", _old_after),
    EpilogueSlip("activation_in_each_tile", _in_each_tile),
    EpilogueSlip("no_alpha", _with(lambda terms, tiles: replace(terms, alpha=1.0))),
    EpilogueSlip("alpha_on_bias", _alpha_on("bias")),
    EpilogueSlip("alpha_on_sum", _alpha_on("sum")),
    EpilogueSlip("alpha_on_result", _alpha_on("result")),
    EpilogueSlip("no_old_C", _with(lambda terms, tiles: replace(terms, C=None))),
    EpilogueSlip("no_beta", _with(lambda terms, tiles: replace(terms, beta=1.0))),
    EpilogueSlip("alpha_for_beta", _with(lambda terms, tiles: replace(terms, beta=terms.alpha))),
)


def has_epilogue(terms: Terms) -> bool:
    """Whether a kernel with such terms does more than store the product."""
    return terms.alpha != 1 or terms.activation != "none" or any(one is not None for one in (terms.bias, terms.C))
