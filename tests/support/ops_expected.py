"""What the kernels of tests/kernels_ops must compute, written down in Python: name -> function of A, B and the shape.

Where the header says `compare: bits`, NaNs may differ in their bits. A result of integers stands for the bits of C.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import ptx_reference as ref

from gemmlab.emulator.ptx import tensor_layouts as layouts

FULL = 0xFFFFFFFF


def bits(matrix: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(matrix).view(np.uint32)


def product(A, B, shape):
    return A.astype(np.float64) @ B.astype(np.float64)


def by_rows(*functions: Callable) -> Callable:
    """Row r of C is functions[r] of A's and B's first N elements, element by element."""

    def expected(A, B, shape):
        M, N, K = shape
        assert M == len(functions)
        a, b = (matrix.reshape(-1)[:N].astype(np.float64) for matrix in (A, B))
        with np.errstate(all="ignore"):
            return np.array([np.broadcast_to(function(a, b), N) for function in functions])

    return expected


def by_bits(*functions: Callable[[int, int], int]) -> Callable:
    """The same on the elements' bits, one by one, with the bits of the result."""

    def expected(A, B, shape):
        M, N, K = shape
        assert M == len(functions)
        pairs = [(int(x), int(y)) for x, y in zip(bits(A).reshape(-1)[:N], bits(B).reshape(-1)[:N])]
        return np.array([[function(x, y) & FULL for x, y in pairs] for function in functions], np.uint32)

    return expected


def s(x: int, width: int = 32) -> int:
    return ref.signed(x, width)


def fold(x: int) -> int:
    """low_and_high of the kernels: both halves of 64 bits in 32."""
    return x & FULL ^ (x & 2**64 - 1) >> 32


def _wide(a: int, b: int) -> tuple[int, int]:
    return s(s(a) << 20 | (b & 0xFFFFF), 64), s(s(b) << 17 ^ a, 64)


_integer_arithmetic = by_bits(
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: -a,
    lambda a, b: abs(s(a)),
    lambda a, b: min(s(a), s(b)),
    lambda a, b: max(s(a), s(b)),
    lambda a, b: min(a, b),
    lambda a, b: max(a, b),
    lambda a, b: s(a) * s(b) >> 32,
    lambda a, b: a * b >> 32,
    lambda a, b: s(a, 24) * s(b, 24),
    lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    lambda a, b: abs(s(a) - s(b)) + 7,
    lambda a, b: abs(a - b) + 7,
    lambda a, b: s(a) + s(b) >> 1,
    lambda a, b: s(a) + s(b) + 1 >> 1,
    lambda a, b: a + b >> 1,
    lambda a, b: s(a, 16) * s(b, 16),
    lambda a, b: a + b & 255,
    lambda a, b: s(s(a, 8) - s(b, 8), 8),
    lambda a, b: fold(s(a) * s(b)),
    lambda a, b: fold(a * b),
    lambda a, b: fold(math.prod(_wide(a, b))),
    lambda a, b: fold(math.prod(_wide(a, b)) >> 64),
    lambda a, b: fold(math.prod(x & 2**64 - 1 for x in _wide(a, b)) >> 64),
    lambda a, b: fold(abs(_wide(a, b)[0])),
    lambda a, b: a * b + (a >> 3),
    lambda a, b: fold(s(a) * s(b) + _wide(a, b)[0]),
)


def _c_division(x: int, y: int) -> tuple[int, int]:
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient, x - y * quotient


def _divide(
    part: int, dividend: Callable, divisor: Callable, finish: Callable = lambda x: x
) -> Callable[[int, int], int]:
    return lambda a, b: finish(_c_division(dividend(a, b), divisor(b))[part])


def _safe(b: int) -> int:
    return 5 if b in (0, FULL) else s(b)


_first = lambda a, b: s(a)  # noqa: E731
_bare = lambda a, b: a  # noqa: E731
_wide_a = lambda a, b: _wide(a, b or 3)[0]  # noqa: E731
_bare_wide = lambda a, b: _wide(a, b or 3)[0] & 2**64 - 1  # noqa: E731
_not_zero = lambda b: b or 3  # noqa: E731
_integer_division = by_bits(
    *(_divide(part, _first, _safe) for part in (0, 1)),
    *(_divide(part, _bare, _not_zero) for part in (0, 1)),
    *(_divide(part, _wide_a, _safe, fold) for part in (0, 1)),
    *(_divide(part, _bare_wide, _not_zero, fold) for part in (0, 1)),
    *(_divide(part, _first, lambda b: 7) for part in (0, 1)),
    *(_divide(part, _bare, lambda b: 10) for part in (0, 1)),
    *(_divide(part, _first, lambda b: 16) for part in (0, 1)),
    _divide(0, lambda a, b: s(a, 16), lambda b: s(b, 16) or 9),
    _divide(1, lambda a, b: a & 255, lambda b: b & 255 or 9),
)


def _fields(a: int) -> tuple[int, int, int]:
    return s(a, 7), a >> 7 & 0x7FF, s(a >> 18, 14)


_bit_operations = by_bits(
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a ^ b,
    lambda a, b: ~a,
    lambda a, b: a << (b & 31),
    lambda a, b: s(a) >> (b & 31),
    lambda a, b: a >> (b & 31),
    lambda a, b: fold((a << 32 | b) << (b & 63)),
    lambda a, b: fold(s(a << 32 | b, 64) >> (b & 63)),
    lambda a, b: fold((a << 32 | b) >> (b & 63)),
    lambda a, b: bin(a).count("1"),
    lambda a, b: 32 - a.bit_length(),
    lambda a, b: (a & -a).bit_length(),
    lambda a, b: int(f"{a:032b}"[::-1], 2),
    lambda a, b: bin(a << 32 | b).count("1"),
    lambda a, b: 64 - (a << 32 | b).bit_length(),
    lambda a, b: fold(int(f"{a << 32 | b:064b}"[::-1], 2)),
    lambda a, b: ref.byte_permutation(a, b, a >> 5 & 0x7777),
    lambda a, b: ref.funnel(a, b, b >> 3, True, False),
    lambda a, b: ref.funnel(a, b, b >> 3, False, False),
    lambda a, b: ref.funnel(a, b, b & 63, True, True),
    lambda a, b: ref.funnel(a, b, b & 63, False, True),
    lambda a, b: a << 11 | a >> 21,
    lambda a, b: _fields(a)[0] * 3 + _fields(a)[2],
    lambda a, b: _fields(a)[1],
    lambda a, b: a & ~(0x7FF << 7) | (b & 0x7FF) << 7,
    lambda a, b: (a & b) | (~a & 0x0F0F0F0F),
    lambda a, b: (s(a) < s(b)) + 2 * (a < b) + 4 * (a == b) + 8 * (s(a) >= s(b)) + 16 * (a <= b) + 32 * (a != b),
    lambda a, b: a - b if s(a) > s(b) else b ^ a,
    lambda a, b: (a & 255) << 8 | s(b, 8),
    lambda a, b: int(bool(a) and not b or bool(a & 1)),
)


def _f32(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


_POINT_THREE = _f32(0.3)


def _mode(function: Callable, mode: str, count: int = 2, *more: int) -> Callable[[int, int], int]:
    return lambda a, b: function(*(a, b)[:count], *more, "f32", mode)


def _truth(test: Callable[[float, float], float]) -> Callable[[int, int], int]:
    """A test on floats that gives a number as a float."""
    number = lambda x: float(np.uint32(x).view(np.float32))  # noqa: E731
    return lambda a, b: _f32(test(number(a), number(b)))


def _rounded_away(a: int) -> int:
    x = ref.value(a, "f32")
    if x is None or x[1] == ref.INF:
        return a
    return ref.encode(x[0], ref.Fraction(math.floor(x[1] + ref.Fraction(1, 2))), "f32")


def _next_after(a: int, b: int) -> int:
    with np.errstate(all="ignore"):
        x, y = (np.array([n], np.uint32).view(np.float32) for n in (a, b))
        return int(np.nextafter(x, y).view(np.uint32)[0])


def _scaled(a: int, b: int) -> int:
    x, y = ref.value(a, "f32"), float(np.uint32(b).view(np.float32))
    power = int(min(max(-40.0 if math.isnan(y) else y, -40.0), 40.0))
    if x is None or x[1] == ref.INF:
        return a
    return ref.encode(x[0], x[1] * ref.Fraction(2) ** power, "f32")


def _positive_difference(a: int, b: int) -> int:
    if ref.is_nan(a, "f32") or ref.is_nan(b, "f32"):
        return ref.nan("f32")
    return ref.sub(a, b, "f32") if ref.compare("gt", a, b, "f32") else 0


_float_arithmetic = by_bits(
    _mode(ref.add, "rn"),
    _mode(ref.sub, "rn"),
    _mode(ref.mul, "rn"),
    _mode(ref.div, "rn"),
    _mode(ref.sqrt, "rn", 1),
    _mode(ref.fma, "rn", 2, _POINT_THREE),
    lambda a, b: ref.least(a, b, "f32"),
    lambda a, b: ref.least(a, b, "f32", False, True),
    lambda a, b: a & 0x7FFFFFFF,
    lambda a, b: a ^ 0x80000000,
    lambda a, b: a & 0x7FFFFFFF | b & 0x80000000,
    lambda a, b: ref.to_integral(a, "f32", "rm"),
    lambda a, b: ref.to_integral(a, "f32", "rp"),
    lambda a, b: ref.to_integral(a, "f32", "rz"),
    lambda a, b: ref.to_integral(a, "f32", "rn"),
    lambda a, b: _rounded_away(a),
    _truth(lambda x, y: math.isnan(x)),
    _truth(lambda x, y: math.isinf(x)),
    lambda a, b: _f32(a >> 31),
    _truth(lambda x, y: math.isfinite(x)),
    _truth(lambda x, y: (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x > y) + 32 * (not x >= y)),
    lambda a, b: a if ref.compare("lt", a, b, "f32") else b,
    _mode(ref.rcp, "rn", 1),
    *(_mode(ref.fma, mode, 2, _POINT_THREE) for mode in ("rz", "rm", "rp")),
    *(_mode(ref.add, mode) for mode in ("rz", "rm", "rp")),
    *(_mode(ref.mul, mode) for mode in ("rz", "rm", "rp")),
    *(_mode(ref.div, mode) for mode in ("rz", "rm", "rp")),
    *(_mode(ref.sqrt, mode, 1) for mode in ("rz", "rm", "rp")),
    _mode(ref.rcp, "rz", 1),
    _mode(ref.sub, "rz"),
    _positive_difference,
    lambda a, b: ref.saturated(a, "f32"),
    _next_after,
    _scaled,
)


def _bounded(a: int, limit: float) -> int:
    x = float(np.uint32(a).view(np.float32))
    return int(min(max(-limit if math.isnan(x) else x, -limit), limit))


def _size(a: int, limit: float) -> int:
    x = abs(float(np.uint32(a).view(np.float32)))
    return int(limit if math.isnan(x) else min(x, limit))


def _wide_pair(a: int, b: int) -> int:
    return s(s(a) << 24 ^ s(b), 64)


def _int_rounded(source: str, mode: str) -> Callable[[int, int], int]:
    return lambda a, b: ref.from_integer(a, source, "f32", mode)


def _times_in_f64(a: int, b: int) -> int:
    factor = int(np.float64(1.0000001).view(np.uint64))
    return ref.between_floats(ref.mul(ref.between_floats(a, "f32", "f64"), factor, "f64"), "f64", "f32")


_conversions = by_bits(
    lambda a, b: ref.to_integer(a, "f32", "s32", "rz"),
    lambda a, b: ref.to_integer(a, "f32", "s32", "rn"),
    lambda a, b: ref.to_integer(a, "f32", "s32", "rm"),
    lambda a, b: ref.to_integer(a, "f32", "s32", "rp"),
    lambda a, b: ref.to_integer(a, "f32", "u32", "rn"),
    lambda a, b: fold(ref.to_integer(a, "f32", "s64", "rn")),
    lambda a, b: fold(ref.to_integer(a, "f32", "u64", "rz")),
    lambda a, b: _bounded(a, 3e4),
    lambda a, b: _size(a, 6e4),
    lambda a, b: _bounded(a, 127.0),
    lambda a, b: _size(a, 255.0),
    _int_rounded("s32", "rn"),
    _int_rounded("u32", "rn"),
    lambda a, b: ref.from_integer(_wide_pair(a, b), "s64", "f32"),
    lambda a, b: ref.from_integer(_wide_pair(a, b), "u64", "f32"),
    _int_rounded("s32", "rz"),
    _int_rounded("s32", "rm"),
    _int_rounded("u32", "rp"),
    *((lambda a, b, m=mode: ref.between_floats(a, "f32", "f16", m)) for mode in ("rn", "rz", "rm", "rp")),
    lambda a, b: ref.between_floats(a & 0xFFFF, "f16", "f32"),
    *((lambda a, b, m=mode: ref.between_floats(a, "f32", "bf16", m)) for mode in ("rn", "rz")),
    lambda a, b: ref.to_integer(a & 0xFFFF, "f16", "s32", "rn"),
    lambda a, b: s(ref.to_integer(a & 0xFFFF, "f16", "s16", "rz"), 16),
    lambda a, b: ref.from_integer(a, "s16", "f16"),
    lambda a, b: _f32(1 if a & 0x7FFFFFFF else a & 1),
    _times_in_f64,
    lambda a, b: _f32(s(a, 16) + s(a, 8) + (a >> 8 & 255)),
    lambda a, b: ref.from_integer(_wide_pair(a, b), "s64", "f32", "rz"),
)


# ---- real functions

_erf, _erfc, _gamma, _lgamma = (np.vectorize(f, otypes=[float]) for f in (math.erf, math.erfc, math.gamma, math.lgamma))
_remainder = np.vectorize(math.remainder, otypes=[float])


def _inverse_erf(y):
    """By bisection."""
    low, high = np.full_like(y, -7.0), np.full_like(y, 7.0)
    for _ in range(80):
        middle = (low + high) / 2
        below = _erf(middle) < y
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def _single(x):
    """Rounded to float32, as the kernel's own intermediate results are."""
    return np.asarray(x, np.float32).astype(np.float64)


_math_functions = by_rows(
    lambda a, b: np.exp(a),
    lambda a, b: np.exp2(a),
    lambda a, b: 10**a,
    lambda a, b: np.expm1(a),
    lambda a, b: np.log(_single(abs(a) + _single(0.1))),
    lambda a, b: np.log2(_single(abs(a) + _single(0.1))),
    lambda a, b: np.log10(_single(abs(a) + _single(0.1))),
    lambda a, b: np.log1p(abs(a)),
    lambda a, b: np.sin(_single(a * 20000)),
    lambda a, b: np.cos(_single(a * 100)),
    lambda a, b: np.tan(a),
    lambda a, b: np.arcsin(a / 8),
    lambda a, b: np.arccos(a / 8),
    lambda a, b: np.arctan(a),
    lambda a, b: np.arctan2(a, b),
    lambda a, b: np.sinh(a),
    lambda a, b: np.cosh(a),
    lambda a, b: np.tanh(a),
    lambda a, b: np.arcsinh(a),
    lambda a, b: np.arccosh(_single(abs(a) + 1)),
    lambda a, b: np.arctanh(a / 8),
    lambda a, b: _single(abs(a) + _single(0.01)) ** b,
    lambda a, b: np.cbrt(a),
    lambda a, b: np.hypot(a, b),
    lambda a, b: _erf(a),
    lambda a, b: _erfc(a),
    lambda a, b: np.fmod(a, b),
    lambda a, b: _remainder(a * 8, 3.25),
    lambda a, b: _gamma(_single(abs(a) + 0.5)),
    lambda a, b: _lgamma(abs(a) + 3),
    lambda a, b: 1 / np.sqrt(abs(a) + 0.1),
    lambda a, b: np.sin(a) + 2 * np.cos(a),
    lambda a, b: np.sin(np.pi * a),
    lambda a, b: _erfc(-a / math.sqrt(2)) / 2,
    lambda a, b: _inverse_erf(a / 8),
    lambda a, b: a**3,
    lambda a, b: np.exp(a),
    lambda a, b: 1 / np.cbrt(abs(a) + 0.1),
)
_fast_functions = by_rows(
    lambda a, b: np.exp(a),
    lambda a, b: np.log(abs(a) + 2.1),
    lambda a, b: np.log2(abs(a) + 2.1),
    lambda a, b: np.log10(abs(a) + 2.1),
    lambda a, b: np.sin(a / 4) + 2,
    lambda a, b: np.cos(a / 4) + 2,
    lambda a, b: np.tan(a / 8) + 2,
    lambda a, b: (abs(a) + 0.1) ** 1.5,
    lambda a, b: a / (abs(a) + 0.1),
    lambda a, b: 1 / (abs(a) + 0.1),
    lambda a, b: np.sqrt(abs(a) + 0.1),
    lambda a, b: 1 / np.sqrt(abs(a) + 0.1),
    lambda a, b: 10**a,
    lambda a, b: np.tanh(a) + 2,
    lambda a, b: a / (abs(a) + 0.1),
    lambda a, b: np.sqrt(abs(a) + 0.1),
    lambda a, b: a / (1 + np.exp(-a)) + 1,
    lambda a, b: 0.5 * a * (1 + np.tanh(0.79788456 * (a + 0.044715 * a**3))) + 1,
)
_double_arithmetic = by_rows(
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: np.sqrt(abs(a)),
    lambda a, b: a * b + 0.1,
    lambda a, b: np.fmin(a, b),
    lambda a, b: np.fmax(a, b),
    lambda a, b: abs(a),
    lambda a, b: np.floor(a),
    lambda a, b: np.copysign(np.floor(abs(a) + 0.5), a),
    lambda a, b: np.trunc(a),
    lambda a, b: (a < b) + 2.0 * (a <= b) + 4 * (a == b) + 8 * (a != b),
    lambda a, b: np.trunc(a * 1000),
    lambda a, b: np.array([_c_division(int(x * 1e12), 1000003)[1] for x in a]),
    lambda a, b: np.trunc(b * 1e15),
    lambda a, b: a * 0,
    lambda a, b: 1 / np.sqrt(abs(a)),
    lambda a, b: a * 1.1,
    lambda a, b: a * 1.1,
    lambda a, b: np.exp(a),
    lambda a, b: np.log(abs(a)),
    lambda a, b: np.sin(a * 1000),
    lambda a, b: abs(a) ** b,
)


# ---- float16 and bfloat16


def _rounder(kind: str) -> Callable:
    """Rounds a float64 array to float16 or bfloat16."""

    def rounded(x):
        one = lambda y: ref.signed_value(ref.value(_encode(float(y), kind), kind))  # noqa: E731
        return np.array([float(one(y)) if math.isfinite(y) else y for y in np.broadcast_to(x, np.shape(x) or (1,))])

    return rounded


def _encode(y: float, kind: str) -> int:
    return ref.encode(int(math.copysign(1, y) < 0), ref.Fraction(abs(y)), kind)


def _small_floats(kind: str, *functions: Callable) -> Callable:
    """As by_rows, with a and b rounded to the small type; h rounds."""
    h = _rounder(kind)
    return by_rows(*(lambda a, b, f=function: f(h(a), h(b), h) for function in functions))


def _pair(first: Callable, second: Callable) -> Callable:
    """both() of the kernels: x + 3·y."""
    return lambda a, b, h: first(a, b, h) + 3 * second(a, b, h)


def _compared(a, b, h):
    return (a < b) + 2.0 * (a <= b) + 4 * (a == b) + 8 * (a != b)


_half_arithmetic = _small_floats(
    "f16",
    lambda a, b, h: h(a + b),
    lambda a, b, h: h(a - b),
    lambda a, b, h: h(a * b),
    lambda a, b, h: h(a / b),
    lambda a, b, h: h(a * b + h(0.3)),
    lambda a, b, h: -a,
    lambda a, b, h: abs(a),
    lambda a, b, h: np.fmax(a, b),
    lambda a, b, h: np.fmin(a, b),
    lambda a, b, h: _compared(a, b, h) + 16 * (a > b),
    _pair(lambda a, b, h: h(a + b), lambda a, b, h: h(b + 0.75)),
    _pair(lambda a, b, h: h(a * b), lambda a, b, h: h(b * 0.75)),
    _pair(lambda a, b, h: h(a * b + a), lambda a, b, h: h(b * 0.75 + b)),
    lambda a, b, h: (a < b) + 3.0 * (b < 0.75) + 8.0 * ((a == b) & (b == 0.75)),
    lambda a, b, h: (a >= b) + 3.0 * (b >= 0.75),
    _pair(lambda a, b, h: np.fmax(a, b), lambda a, b, h: np.fmax(b, 0.75)),
    lambda a, b, h: np.fmax(a, b),
    lambda a, b, h: np.rint(a),
    lambda a, b, h: np.floor(a),
    lambda a, b, h: np.sqrt(abs(a)),
    lambda a, b, h: np.exp(np.fmin(a, 8)),
    lambda a, b, h: np.log(abs(a)),
    lambda a, b, h: 1 / a,
    lambda a, b, h: np.clip(a + b, 0, 1),
    lambda a, b, h: np.fmax(h(a * b + a), 0),
    lambda a, b, h: b + 3 * a,
    lambda a, b, h: np.trunc(a),
    lambda a, b, h: h(_single(a * _single(1.1))) + 3 * b,
    lambda a, b, h: np.clip(a * b + h(0.1), 0, 1),
    lambda a, b, h: abs(a) + 3 * abs(b),
    lambda a, b, h: -a - 3 * b,
    lambda a, b, h: a * 0,
)
_bfloat16_arithmetic = _small_floats(
    "bf16",
    lambda a, b, h: h(a + b),
    lambda a, b, h: h(a - b),
    lambda a, b, h: h(a * b),
    lambda a, b, h: h(a / b),
    lambda a, b, h: h(a * b + h(0.3)),
    lambda a, b, h: -a,
    lambda a, b, h: abs(a),
    lambda a, b, h: np.fmax(a, b),
    lambda a, b, h: np.fmin(a, b),
    _compared,
    _pair(lambda a, b, h: h(a + b), lambda a, b, h: h(b + 0.75)),
    _pair(lambda a, b, h: h(a * b), lambda a, b, h: h(b * 0.75)),
    _pair(lambda a, b, h: h(a * b + a), lambda a, b, h: h(b * 0.75 + b)),
    lambda a, b, h: (a < b) + 3.0 * (b < 0.75),
    _pair(lambda a, b, h: np.fmax(a, b), lambda a, b, h: np.fmax(b, 0.75)),
    lambda a, b, h: np.fmax(a, b),
    lambda a, b, h: np.rint(a),
    lambda a, b, h: np.exp(np.fmin(a, 8)),
    lambda a, b, h: np.log(abs(a)),
    lambda a, b, h: np.trunc(a),
    lambda a, b, h: h(_single(a * _single(1.1))) + 3 * b,
    lambda a, b, h: np.fmax(h(a * b + a), 0),
)


# ---- warps


def _per_warp(*functions: Callable) -> Callable:
    """Row r of C: functions[r] of each warp's 32 values of A (float64) and the warp's number."""

    def expected(A, B, shape):
        M, N, K = shape
        assert M == len(functions)
        x = A.reshape(-1)[:N].astype(np.float64).reshape(-1, 32)
        return np.array([np.concatenate([np.broadcast_to(f(x[w], w), 32) for w in range(len(x))]) for f in functions])

    return expected


_LANE = np.arange(32)


def _from(source: Callable, width: int = 32) -> Callable:
    """A shuffle: lane l of a segment gets lane source(l), or keeps its own where that is outside."""

    def shuffled(x):
        wanted = np.array([source(lane % width) for lane in _LANE])
        inside = (wanted >= 0) & (wanted < width)
        return x[np.where(inside, _LANE // width * width + wanted, _LANE)]

    return shuffled


def _running(x):
    return np.cumsum(x)


_warp_shuffles = _per_warp(
    lambda x, w: _from(lambda lane: lane * 5 & 31)(x),
    lambda x, w: _from(lambda lane: lane - 3)(x),
    lambda x, w: _from(lambda lane: lane + 7)(x),
    lambda x, w: _from(lambda lane: lane ^ 21)(x),
    lambda x, w: _from(lambda lane: (lane + 3) % 8, 8)(x),
    lambda x, w: _from(lambda lane: lane - 2, 16)(x),
    lambda x, w: _from(lambda lane: lane + 1, 4)(x),
    lambda x, w: _from(lambda lane: lane ^ 5, 8)(x),
    lambda x, w: _from(lambda lane: lane ^ 1)(x) * 3,
    lambda x, w: np.trunc(_single(_from(lambda lane: lane + 4)(x) * 1000)) * 2.0**33,
    lambda x, w: (_LANE ^ 2) * 1.0,
    lambda x, w: x.sum(),
    lambda x, w: _running(x),
    lambda x, w: x[3],
    lambda x, w: (31 - _LANE) * 7.0,
)


def _mask(test) -> int:
    return sum(int(bit) << lane for lane, bit in enumerate(test))


def _warp_bits(*functions: Callable) -> Callable:
    """As _per_warp on n = (int)(x·20), with the bits of the result: a number for all lanes, or one each."""

    def expected(A, B, shape):
        M, N, K = shape
        x = A.reshape(-1)[:N].reshape(-1, 32)
        n = np.trunc(x * np.float32(20)).astype(int)
        rows = [[f(x[w], n[w], w) for w in range(len(x))] for f in functions]
        flat = [[int(v) & FULL for part in row for v in np.broadcast_to(np.array(part, object), 32)] for row in rows]
        assert M == len(flat)
        return np.array(flat, np.uint32)

    return expected


def _same(values) -> list[int]:
    return [_mask(values == value) for value in values]


def _fold_all(values, function) -> int:
    total = int(values[0]) & FULL
    for value in values[1:]:
        total = function(total, int(value) & FULL)
    return total


_warp_votes = _warp_bits(
    lambda x, n, w: _mask(x > 0),
    lambda x, n, w: int((x > np.float32(0.95)).any()),
    lambda x, n, w: int((x > np.float32(-0.97)).all()),
    lambda x, n, w: FULL,
    lambda x, n, w: _same(n),
    lambda x, n, w: FULL + 1,
    lambda x, n, w: _same(n),
    lambda x, n, w: int(n.sum()),
    lambda x, n, w: int(n.min()),
    lambda x, n, w: int(n.max()),
    lambda x, n, w: _fold_all(n, int.__and__),
    lambda x, n, w: _fold_all(n, int.__or__),
    lambda x, n, w: _fold_all(n, int.__xor__),
    lambda x, n, w: _fold_all(n, min),
    lambda x, n, w: _fold_all(n, max),
    lambda x, n, w: [_mask((n & (1 if half == 0 else 2) != 0) & (_LANE // 16 == half)) for half in _LANE // 16],
    lambda x, n, w: _LANE,
    lambda x, n, w: np.where(_LANE % 3 == 0, 11, -1),
    lambda x, n, w: [
        (1 << i) * 3
        ^ ((1 << i) - 1) * 5
        ^ ((2 << i) - 1) * 7
        ^ (FULL & ~((2 << i) - 1)) * 9
        ^ (FULL & ~((1 << i) - 1)) * 11
        for i in range(32)
    ],
)  # fmt: skip


def _tiles(size: int, function: Callable) -> Callable:
    """A function of each tile of `size` neighbouring values."""
    return lambda x: np.concatenate([np.broadcast_to(function(part), size) for part in x.reshape(-1, size)])


def _eight_matches(x):
    n = np.trunc(_single(x * 3))
    parts = n.reshape(-1, 8)
    return np.array([sum(int(part[k] == value) << k for k in range(8)) for part in parts for value in part])


def _cooperative_groups_tiles(A, B, shape):
    x = A.reshape(-1)[:64].astype(np.float64)
    rank = np.arange(64.0)
    eight_up = np.concatenate([np.concatenate([part[:1], part[:-1]]) for part in x.reshape(-1, 8)])
    flag = lambda size, test: _tiles(size, test)(x)  # noqa: E731
    return np.array(
        [
            _tiles(32, np.sum)(x),
            _tiles(8, np.sum)(x),
            _tiles(4, np.sum)(x),
            eight_up + x[(rank.astype(int) & ~7) | (rank.astype(int) & 7 ^ 3)],
            _tiles(32, lambda part: _mask(part > 0) & 0xFFFF)(x),
            flag(8, lambda p: (p > 0.5).any() + 2.0 * (p > -0.5).all()) + 4 * flag(4, lambda p: float(_mask(p > 0))),
            rank + 64000 + 6,
            rank % 8 + 80 + 100 * (rank % 32 // 8) + 1000 * 4,
            x[::-1],
            x[np.arange(64) ^ 31],
            _tiles(32, np.sum)(x),
            _tiles(8, lambda p: np.trunc(_single(p * 100)).max())(x),
            32 + rank % 32,
            _eight_matches(x) + rank + 64,
        ]
    )


# ---- memory


def _shared_atomics(A, B, shape):
    n = np.trunc(A.reshape(-1)[:128] * np.float32(1000)).astype(int)
    x = A.reshape(-1)[:128].astype(np.float64)
    lanes = [[k for k in range(128) if k % 32 * 3 % 32 == cell] for cell in range(32)]

    def each(start, step):
        out = []
        for cell in range(32):
            value = cell * 3
            for k in lanes[cell]:
                value = step(value, int(n[k]))
            out.append(float(s(value)))
        return out

    by_lane = lambda values: values.reshape(4, 32).sum(0)  # noqa: E731
    own = np.arange(32) * 3.0
    exchanged = np.array([n[next(k for k in lanes[cell] if k < 32)] for cell in range(32)], float)
    halves = np.array([sum(float(np.fmod(v, 8)) for v in n.reshape(4, 32)[:, lane]) + 8 for lane in range(32)])
    unsigned = lambda x: x & FULL  # noqa: E731
    return np.array(
        [
            each(own, lambda v, k: v + k),
            by_lane(x),
            by_lane(x),
            each(own, min),
            each(own, max),
            each(own, lambda v, k: v & k),
            each(own, lambda v, k: v | k),
            each(own, lambda v, k: v ^ k),
            each(own, lambda v, k: 0 if v >= 40 else v + 1),
            each(own, lambda v, k: 40 if v == 0 or v > 40 else v - 1),
            exchanged,
            each(own, lambda v, k: v + k),
            each(own, lambda v, k: min(unsigned(v), unsigned(k))),
            2.0**20 + by_lane((n + 1000).astype(np.float64)),
            each(own, lambda v, k: v - k),
            halves,
        ]
    )


def _switch_tables(A, B, shape):
    M, N, K = shape
    a, b = A.reshape(-1), B.reshape(-1)
    C = np.empty((M, N), np.float32)
    for row in range(M):
        for col in range(N):
            x, y = a[col % (M * K)], b[col]
            branches = [x + y, x - y, x * y, x * 3, y + 1, y + 1, -x, max(x, y), 0 if x > 0.5 else 3, 9, 42]
            C[row, col] = branches[(row + col) % 11]
    return C


def _global_variables(A, B, shape):
    M, N, K = shape
    row, col = np.arange(M)[:, None], np.arange(N)[None, :]
    x = A.reshape(-1)[:N].astype(np.float64)[None, :]
    weights, table, letters = (
        np.array([1.0, 2, 4, 8]),
        np.array([[1, 2], [3, 4], [5, 6]]),
        np.frombuffer(b"gemm\0", np.uint8),
    )
    words = np.array([1, 65535, 0])
    y = weights[row % 4] * x + table[row % 3, col % 2] + weights[col % 4] + 0.125
    return y + letters[row % 5] + words[col % 3]


def _narrow_types(A, B, shape):
    M, N, K = shape
    C = np.empty((M, N))
    for row in range(M):
        n = [int(v) + row for v in np.trunc(A.reshape(-1)[:N] * np.float32(1000))]
        for col in range(N):
            o = N - 1 - col
            byte, word = [s(v, 8) for v in n], [v & 0xFFFF for v in n]
            q, p = o & ~3, o & ~1
            total = byte[o] + byte[q] * 3 + sum(byte[q + 1 : q + 4]) + word[p] - word[p + 1]
            total += s(n[o], 8) + s(n[o] * 7, 16) * 2 + (n[o] & 255)
            C[row, col] = total + (100 if n[o] % 3 == 0 else 0) + n[o]
    return C.astype(np.float32)


def _launch_shape(A, B, shape):
    M, N, K = shape
    row, col = np.arange(M)[:, None], np.arange(N)[None, :]
    return (col + 100 * row + 20000 + 3 + 7 + 0.0).astype(np.float32)


def _wide_integers(A, B, shape):
    def folded(r: int) -> int:
        r &= 2**128 - 1
        return fold(r & 2**64 - 1 ^ r >> 64)

    full = 2**128 - 1
    out = []
    for col in range(shape[1]):
        a = int(bits(A).reshape(-1)[col]) << 61 & full | int(bits(B).reshape(-1)[col])
        b = a * 3 + 77 & full
        shifted = b << col % 64 & full ^ a >> col + 1
        out.append([folded(r) for r in (a + b + (b << 40), a * b, b - (a << 3), shifted, (a < b) + (a > b >> 2))])
    return np.array(out, np.uint32).T


def _copies_of_memory(A, B, shape):
    M, N, K = shape
    a = A.reshape(-1)[:N].astype(np.float32)
    return np.array([-a[np.arange(N) ^ 1] + np.arange(N, dtype=np.float32) for _ in range(M)])


def _control_flow(A, B, shape):
    M, N, K = shape
    return np.array([[_steps(float(A.reshape(-1)[col]), row, col) for col in range(N)] for row in range(M)], np.float32)


def _steps(x: float, row: int, col: int) -> float:
    n, steps = int(np.float32(abs(x)) * np.float32(50)) + row, 0
    if n % 13 == 0:
        return -1
    for i in range(n):
        if i % 5 == 3:
            continue
        j = i
        while j > 0:
            if i ^ j == 21:
                return _finished(steps, row, col)
            steps += j & 1
            j //= 2
        while n > 30 and steps % 7:
            steps += 1
            if steps > 200:
                break
        steps += 2
        while steps % 3:
            steps += 2
    return _finished(steps, row, col)


def _finished(steps: int, row: int, col: int) -> float:
    return steps + (0.5 if col % 2 and row % 3 else 0.25)


def _wmma_places(A, B, shape):
    """Element i of each lane as its place in memory. float16 fragments of A and B are as long as 16 elements."""
    half, single = ("f16", 16, 16, 16), ("f16", 16, 16, 8)
    a, b = (lambda kind, m, n, k, role=role: layouts.input_fragment(role, kind, m, n, k, True) for role in "ab")
    by_row = [
        a(*half), None, b(*half), None, layouts.accumulator("f32", 16, 16), layouts.accumulator("f16", 16, 16),
        a("bf16", 16, 16, 16), b("bf16", 16, 16, 16), a("tf32", *single[1:]), b("tf32", *single[1:]),
        layouts.accumulator("f32", 16, 16), a("f16", 32, 8, 16), b("f16", 32, 8, 16), layouts.accumulator("f32", 32, 8),
        a("f16", 8, 32, 16), b("f16", 8, 32, 16), layouts.wmma_accumulator("f32", 8, 32),
    ]  # fmt: skip
    rows = [_places(fragment, fragment.columns, 1) if fragment else None for fragment in by_row]
    rows[1], rows[3] = _places(a(*half), 1, 16), _places(b(*half), 1, 16)
    return np.array(rows, np.float32)


def _places(fragment: layouts.Fragment, row_step: int, column_step: int) -> np.ndarray:
    elements = [element for register in fragment.registers for element in register] * fragment.copies
    found = np.full((32, 16), -1)
    for i, element in enumerate(elements):
        found[:, i] = [row * row_step + column * column_step for row, column in element]
    return found.reshape(-1)


def _barrier_objects(A, B, shape):
    """Three turns in which each thread gets what the thread at the other end had; the rows differ in how they wait."""
    found = A[:, :64].astype(np.float64)
    for turn in range(3):
        given = found.copy()
        given[5] = np.roll(A[5], -turn)
        found = given[:, ::-1] + turn
    found[3, :32] = found[3, :32][::-1]
    return found.astype(np.float32)


def _wmma_bytes(A, B, shape):
    """The lower right corner is the product of bytes that are larger by 100."""
    found = A @ B
    found[16:, 16:] = (A[16:] + 100) @ (B[:, 16:] + 100)
    return found


EXPECTED: dict[str, Callable] = {
    "barrier_objects": _barrier_objects,
    "pipeline_object": lambda A, B, shape: A @ B,
    "pipeline_roles": lambda A, B, shape: A @ B[:, ::-1],
    "wmma_bytes": _wmma_bytes,
    "wmma_places": _wmma_places,
    "integer_arithmetic": _integer_arithmetic,
    "integer_division": _integer_division,
    "bit_operations": _bit_operations,
    "byte_products": by_bits(
        lambda a, b: ref.dot_of_bytes(a, b, 11, True, True), lambda a, b: ref.dot_of_bytes(a, b, 11, False, False)
    ),
    "float_arithmetic": _float_arithmetic,
    "conversions": _conversions,
    "math_functions": _math_functions,
    "fast_functions": _fast_functions,
    "double_arithmetic": _double_arithmetic,
    "half_arithmetic": _half_arithmetic,
    "bfloat16_arithmetic": _bfloat16_arithmetic,
    "warp_shuffles": _warp_shuffles,
    "warp_votes": _warp_votes,
    "cooperative_groups_tiles": _cooperative_groups_tiles,
    "shared_atomics": _shared_atomics,
    "switch_tables": _switch_tables,
    "global_variables": _global_variables,
    "narrow_types": _narrow_types,
    "launch_shape": _launch_shape,
    "wide_integers": _wide_integers,
    "copies_of_memory": _copies_of_memory,
    "control_flow": _control_flow,
    **dict.fromkeys(
        "templates_structs_lambdas helper_functions local_arrays global_atomics cached_loads vector_accesses "
        "dynamic_shared inline_assembly asynchronous_copies printing wmma_half wmma_bfloat16_layouts wmma_tf32 "
        "wmma_shapes mma_half_ldmatrix mma_kinds".split(),
        product,
    ),
}
