"""How close is right: the inputs a kernel is tried on, and the comparison of its C with a float64 reference.

Where the inputs are whole numbers small enough that every sum is exact in float32, C must equal the reference. On
random inputs each element may be off by 2 · min(K, 8·√K) · u · (|A| @ |B|), u being float32's unit roundoff 2^-24.
K roundings in any order stay within K · u · (|A| @ |B|). Those of random data do not all go one way: they stay within
a few √K, and a bound that kept growing with K would let wrong results pass where K is large.

What a matrix holds (elements.py) changes the numbers, not the rule:
- float16 and bfloat16: A and B are drawn exact in their type. The product of two such numbers is exact in float32, so
  that only the sum rounds, and it is to be kept in float32. The bound is that of float32.
- TF32: the kernel itself rounds what it multiplies, by at most u = 2^-11 each. To the bound comes
  2 · min(1, 8/√K) · 2u · (|A| @ |B|); this also covers a kernel that cuts the low bits off. Where it splits each factor
  into two TF32 numbers and leaves out the product of the small parts, the same holds with u = 2^-21.
Whole numbers reach as far as their type has them exact, so that a sum which is rounded to the inputs' type on the way
is no longer equal: what TF32's own rounding would hide on random inputs shows there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.terms import PLAIN, Terms

UNIT_ROUNDOFF = 2.0**-24
SAFETY = 2.0
_LUCK = 8.0
MAX_ELEMENTS = 2**27
_CHANCE = 0.25  # of wrong elements that happen to be what C held before, at most
EXACT = 2**24  # float32 holds every whole number up to here
_LARGEST_INTEGER = 8
_SCALES = 7
_VALUES = 65521

Shape = tuple[int, int, int]
Matrices = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Comparison:
    """C against the float64 reference. `wrong` and `unwritten` are M×N bool; `unwritten` is None where nobody knows.

    `max_error` is max |C - C64|, infinite where C holds NaN or Inf. `worst` is the (row, col) of the largest error,
    among the wrong elements where there are any.
    """

    ok: bool
    max_error: float
    wrong: np.ndarray
    worst: tuple[int, int]
    unwritten: np.ndarray | None = None


def check_shape(shape: Shape) -> None:
    """Raise UserError unless M, N and K are positive and A, B and C fit the stated memory budget."""
    M, N, K = shape
    if min(M, N, K) < 1:
        raise UserError(f"the shape {M},{N},{K} has a size below 1; M, N and K must be positive")
    elements = M * K + K * N + M * N
    if elements > MAX_ELEMENTS:
        raise UserError(
            f"the shape {M},{N},{K} needs {elements * 4 / 2**30:.1f} GiB for A, B and C, more than the "
            f"{MAX_ELEMENTS * 4 / 2**30:.1f} GiB allowed for a check; take a smaller one"
        )


def make_inputs(kind: str, shape: Shape, seed: int = 0, element: Element = FLOAT32) -> Matrices:
    """A (M×K) and B (K×N), float32 with numbers of that element, the same for the same arguments. UserError for an
    unknown kind or a bad shape.

    random: uniform in [-1, 1). integer: random whole numbers whose sums are exact in float32. ones: all 1, so that
    every element of C is K. structured: two non-zeros in a row of A pick rows of B whose elements all differ, so that
    a swapped, shifted or transposed index shows; exact as well.
    """
    if kind not in INPUT_KINDS:
        raise UserError(f"unknown inputs '{kind}'; choose one of {', '.join(INPUT_KINDS)}")
    check_shape(shape)
    A, B = INPUT_KINDS[kind](shape, np.random.default_rng(seed), element)
    return element.values(A), element.values(B)


def _random(shape: Shape, rng: np.random.Generator, element: Element) -> Matrices:
    M, N, K = shape
    return rng.random((M, K), np.float32) * 2 - 1, rng.random((K, N), np.float32) * 2 - 1


def _integer(shape: Shape, rng: np.random.Generator, element: Element) -> Matrices:
    M, N, K = shape
    _require_exact(K)
    most = _LARGEST_INTEGER if element is FLOAT32 else element.largest_integer
    largest = min(most, math.isqrt(EXACT // K))
    return rng.integers(-largest, largest, (M, K), endpoint=True), rng.integers(
        -largest, largest, (K, N), endpoint=True
    )


def _ones(shape: Shape, rng: np.random.Generator, element: Element) -> Matrices:
    M, N, K = shape
    _require_exact(K)
    return np.ones((M, K)), np.ones((K, N))


def _structured(shape: Shape, rng: np.random.Generator, element: Element) -> Matrices:
    M, N, K = shape
    row = np.arange(M)
    offset = int(rng.integers(K))
    A = np.zeros((M, K), np.float32)
    A[row, (offset + 3 * row) % K] = 1 + row % _SCALES
    A[row, K - 1] += 1
    B = (offset + np.arange(K * N)) % min(_VALUES, element.largest_integer - 1) + 1
    return A, B.reshape(K, N)


INPUT_KINDS: dict[str, Callable[[Shape, np.random.Generator, Element], Matrices]] = {
    "random": _random,
    "integer": _integer,
    "ones": _ones,
    "structured": _structured,
}


def _require_exact(K: int) -> None:
    if K > EXACT:
        raise UserError(
            f"a sum of {K} products is too large for exact sums in float32 (at most {EXACT}); use random inputs"
        )


def compare(
    C: np.ndarray,
    A: np.ndarray,
    B: np.ndarray,
    kind: str,
    written: np.ndarray | None = None,
    element: Element | None = None,
    terms: Terms = PLAIN,
) -> Comparison:
    """Judge C (M×N) against what it should hold, in float64: A @ B, and what the `terms` make of it. How close is right
    is the rule for inputs of this kind and element, that of the terms where it is left out (see the module).

    An element that `written` (M×N, bool) does not mark is wrong whatever it holds. Where C held values before, what is
    wrong and still as it was counts as unwritten.
    """
    shape = A.shape[0], B.shape[1]
    if C.shape != shape:
        raise ValueError(f"C is {C.shape}, not {shape}")
    A64, B64 = A.astype(np.float64), B.astype(np.float64)
    right, bound = expected(A64, B64, kind, terms, element)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(C - right)
    error[np.isnan(error)] = np.inf
    wrong = ~(error <= bound)
    unwritten = None if written is None else ~written
    if terms.C is not None:
        unwritten = wrong & (C == terms.C)
        unwritten &= unwritten.sum() > _CHANCE * wrong.sum()
    if unwritten is not None:
        wrong |= unwritten
    candidates = np.where(wrong, error, -1.0) if wrong.any() else error
    row, col = divmod(int(np.argmax(candidates)), shape[1])
    return Comparison(not wrong.any(), float(error.max()), wrong, (row, col), unwritten)


def expected(
    A64: np.ndarray, B64: np.ndarray, kind: str, terms: Terms, element: Element | None = None
) -> tuple[np.ndarray, np.ndarray | float]:
    """What C should hold (M×N), and how far it may be from that."""

    def of_one(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.broadcast_to(error_bound(a, b, kind, element or terms.element), (len(a), b.shape[1]))

    product = terms.product(A64, B64)
    return terms.finish(product), terms.bound(product, terms.each(of_one, A64, B64))


def error_bound(A64: np.ndarray, B64: np.ndarray, kind: str, element: Element = FLOAT32) -> np.ndarray | float:
    """The largest |C - C64| that is still right, for each element (M×N) or for all of them."""
    if kind != "random":
        return 0.0
    return rounding_bound(A64.shape[1], np.abs(A64) @ np.abs(B64), element)


def rounding_bound(K: int, magnitude: np.ndarray, element: Element = FLOAT32) -> np.ndarray:
    """How far K float32 roundings, and those of the factors where the kernel rounds them, may take a sum whose terms
    have this sum of absolute values."""
    sums = min(K, _LUCK * math.sqrt(K)) * UNIT_ROUNDOFF
    factors = 0.0 if element.exact else min(1.0, _LUCK / math.sqrt(K)) * 2 * element.roundoff
    return SAFETY * (sums + factors) * magnitude
