"""How the order of a sum changes its rounding: the same products, added in several ways, beside their sum in float64.

A running sum is rounded to float32 after each fused multiply-add, as a kernel's is. It is computed as the simulator's:
in float64, rounded once. `ways_of_summing` tries sums of many lengths, `reordered` the same partial sums in many
orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ROUNDOFF = 2.0**-24  # of float32
ONE_SUM, SLICED, DOUBLE = "one running sum", "partial sums of {slices} slices", "a running sum in float64"
_SUMS = 256  # sums of each length


@dataclass(frozen=True)
class Growth:
    """The error of sums of `lengths` products, by the way of summing: its root mean square, in units of float32's
    rounding of a number near 1."""

    lengths: tuple[int, ...]
    errors: dict[str, tuple[float, ...]]
    slices: int


@dataclass(frozen=True)
class Reordered:
    """The same partial sums in one order: how many sums differ from those in the slices' order, the largest difference,
    and the largest error of all against float64."""

    name: str
    different: int
    difference: float
    error: float


def ways_of_summing(lengths: Sequence[int], slices: int, seed: int = 10) -> Growth:
    """Random products of numbers in [-1, 1), added in three ways; none of the lengths is shorter than `slices`."""
    rng = np.random.default_rng(seed)
    a, b = (rng.random((max(lengths), _SUMS), np.float32) * 2 - 1 for _ in range(2))
    errors: dict[str, list[float]] = {ONE_SUM: [], SLICED.format(slices=slices): [], DOUBLE: []}
    for length in lengths:
        right = (a[:length].astype(np.float64) * b[:length]).sum(0)
        found = (
            running_sum(a[:length], b[:length]),
            in_order(partial_sums(a[:length], b[:length], slices)),
            right.astype(np.float32),
        )
        for name, sums in zip(errors, found, strict=True):
            errors[name].append(float(np.sqrt(np.mean((sums - right) ** 2)) / ROUNDOFF))
    return Growth(tuple(lengths), {name: tuple(values) for name, values in errors.items()}, slices)


def running_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Σ a·b along the first axis, one fused multiply-add after the other, in float32."""
    acc = np.zeros(a.shape[1:], np.float32)
    for one, other in zip(a, b, strict=True):
        acc = (acc + one.astype(np.float64) * other).astype(np.float32)
    return acc


def partial_sums(a: np.ndarray, b: np.ndarray, slices: int) -> np.ndarray:
    """The running sums of so many slices, of equal length but the last."""
    steps = -(-len(a) // slices)
    return np.stack([running_sum(a[i : i + steps], b[i : i + steps]) for i in range(0, len(a), steps)])


def in_order(parts: np.ndarray) -> np.ndarray:
    """The parts added in float32, one after the other."""
    total = np.zeros(parts.shape[1:], np.float32)
    for part in parts:
        total += part
    return total


def reordered(length: int, slices: int, orders: int, seed: int = 10) -> list[Reordered]:
    """Partial sums of products of this length, added in the slices' order and in so many random ones."""
    rng = np.random.default_rng(seed)
    a, b = (rng.random((length, _SUMS), np.float32) * 2 - 1 for _ in range(2))
    right, parts = (a.astype(np.float64) * b).sum(0), partial_sums(a, b, slices)
    first = in_order(parts)
    found = [_compared("the slices' order", first, first, right)]
    for number in range(1, orders + 1):
        found.append(_compared(f"random order {number}", in_order(rng.permutation(parts)), first, right))
    return found


def sums_tried() -> int:
    """How many sums each of these is of."""
    return _SUMS


def _compared(name: str, sums: np.ndarray, first: np.ndarray, right: np.ndarray) -> Reordered:
    apart = np.abs(sums.astype(np.float64) - first)
    return Reordered(name, int((sums != first).sum()), float(apart.max()), float(np.abs(sums - right).max()))
