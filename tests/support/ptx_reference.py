"""What PTX instructions compute, in Python integers and fractions: a second opinion on the emulator's tables.

Values are bit patterns. A float is None (NaN), or (sign, Fraction or inf).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

INF = float("inf")


@dataclass(frozen=True)
class Format:
    width: int
    precision: int  # with the hidden bit

    @property
    def bias(self) -> int:
        return 2 ** (self.width - self.precision - 1) - 1

    @property
    def lowest(self) -> int:
        """Exponent of the smallest step."""
        return 2 - self.bias - self.precision

    @property
    def largest(self) -> Fraction:
        return (2 - Fraction(2) ** (1 - self.precision)) * Fraction(2) ** self.bias

    @property
    def smallest_normal(self) -> Fraction:
        return Fraction(2) ** (1 - self.bias)


FORMATS = {"f16": Format(16, 11), "bf16": Format(16, 8), "f32": Format(32, 24), "f64": Format(64, 53)}


def value(bits: int, kind: str):
    form = FORMATS[kind]
    fraction_bits = form.precision - 1
    sign = bits >> (form.width - 1) & 1
    exponent = bits >> fraction_bits & (2 ** (form.width - form.precision) - 1)
    fraction = bits & (2**fraction_bits - 1)
    if exponent == 2 ** (form.width - form.precision) - 1:
        return None if fraction else (sign, INF)
    scale = Fraction(2) ** form.lowest
    if exponent == 0:
        return sign, fraction * scale
    return sign, (fraction + 2**fraction_bits) * scale * 2 ** (exponent - 1)


def is_nan(bits: int, kind: str) -> bool:
    return value(bits, kind) is None


def nan(kind: str) -> int:
    return 2 ** (FORMATS[kind].width - 1) - 1


def infinity(sign: int, kind: str) -> int:
    form = FORMATS[kind]
    return sign << (form.width - 1) | (2 ** (form.width - form.precision) - 1) << (form.precision - 1)


def round_integer(x: Fraction, mode: str) -> int:
    """x to an integer; modes rn (even), rz, rm, rp; x may be negative."""
    low = x.numerator // x.denominator
    rest = x - low
    if mode == "rn":
        return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))
    if mode == "rm" or (mode == "rz" and x >= 0):
        return low
    return low + (rest > 0)


def encode(sign: int, magnitude, kind: str, mode: str = "rn") -> int:
    """The bits of ±magnitude (Fraction or inf), rounded."""
    form = FORMATS[kind]
    if magnitude == INF:
        return infinity(sign, kind)
    if magnitude == 0:
        return sign << (form.width - 1)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    step = max(exponent - form.precision + 1, form.lowest)
    signed = -magnitude if sign else magnitude
    rounded = abs(round_integer(signed / Fraction(2) ** step, mode)) * Fraction(2) ** step
    if rounded > form.largest:
        stays = mode == "rz" or (mode == "rm" and not sign) or (mode == "rp" and sign)
        if not stays:
            return infinity(sign, kind)
        rounded = form.largest
    if rounded < form.smallest_normal:
        field = int(rounded / Fraction(2) ** form.lowest)
    else:
        exponent = rounded.numerator.bit_length() - rounded.denominator.bit_length()
        if Fraction(2) ** exponent > rounded:
            exponent -= 1
        fraction = rounded / Fraction(2) ** (exponent - form.precision + 1)
        field = (exponent + form.bias - 1 << (form.precision - 1)) + int(fraction)
    return sign << (form.width - 1) | field


def flush(bits: int, kind: str) -> int:
    """.ftz"""
    found = value(bits, kind)
    if found is not None and found[1] != INF and found[1] < FORMATS[kind].smallest_normal:
        return bits & 1 << (FORMATS[kind].width - 1)
    return bits


def saturated(bits: int, kind: str) -> int:
    found = value(bits, kind)
    if found is None or found[0] or found[1] == 0:
        return 0
    return encode(0, min(found[1], Fraction(1)), kind)


def signed_value(found) -> Fraction:
    return -found[1] if found[0] else found[1]


def _total(x, y, kind: str, mode: str) -> int:
    """The sum of two values, rounded."""
    if x is None or y is None:
        return nan(kind)
    if x[1] == INF or y[1] == INF:
        if x[1] == y[1] and x[0] != y[0]:
            return nan(kind)
        return infinity(x[0] if x[1] == INF else y[0], kind)
    total = signed_value(x) + signed_value(y)
    if total == 0:
        sign = x[0] if x[1] == y[1] == 0 and x[0] == y[0] else int(mode == "rm")
        return encode(sign, total, kind)
    return encode(int(total < 0), abs(total), kind, mode)


def _product(x, y):
    if x is None or y is None or {x[1], y[1]} == {0, INF}:
        return None
    return x[0] ^ y[0], INF if INF in (x[1], y[1]) else x[1] * y[1]


def add(a: int, b: int, kind: str, mode: str = "rn") -> int:
    return _total(value(a, kind), value(b, kind), kind, mode)


def sub(a: int, b: int, kind: str, mode: str = "rn") -> int:
    return add(a, b ^ 1 << (FORMATS[kind].width - 1), kind, mode)


def mul(a: int, b: int, kind: str, mode: str = "rn") -> int:
    found = _product(value(a, kind), value(b, kind))
    return nan(kind) if found is None else encode(*found, kind, mode)


def fma(a: int, b: int, c: int, kind: str, mode: str = "rn") -> int:
    return _total(_product(value(a, kind), value(b, kind)), value(c, kind), kind, mode)


def div(a: int, b: int, kind: str, mode: str = "rn") -> int:
    x, y = value(a, kind), value(b, kind)
    if x is None or y is None or (x[1] == y[1] and x[1] in (0, INF)):
        return nan(kind)
    sign = x[0] ^ y[0]
    if y[1] == 0 or x[1] == INF:
        return infinity(sign, kind)
    return encode(sign, Fraction(0) if y[1] == INF else x[1] / y[1], kind, mode)


def rcp(a: int, kind: str, mode: str = "rn") -> int:
    return div(encode(0, Fraction(1), kind), a, kind, mode)


def sqrt(a: int, kind: str, mode: str = "rn") -> int:
    found = value(a, kind)
    if found is None or (found[0] and found[1] != 0):
        return nan(kind)
    if found[1] in (0, INF):
        return a
    # Enough bits that what is cut off decides no rounding but by being there: put it in as half a last bit.
    scaled = found[1] * 4**700
    root = isqrt(scaled.numerator // scaled.denominator)
    exact = root * root == scaled
    return encode(0, Fraction(2 * root + (not exact), 2 * 2**700), kind, mode)


def compare(name: str, a: int, b: int, kind: str) -> int:
    """setp on floats, with its unordered forms."""
    x, y = value(a, kind), value(b, kind)
    unordered = x is None or y is None
    if name in ("num", "nan"):
        return int(unordered == (name == "nan"))
    if unordered:
        return int(name.endswith("u"))
    return _order(name.rstrip("u"), signed_value(x), signed_value(y))


def _order(name: str, x, y) -> int:
    return int({"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[name])


def least(a: int, b: int, kind: str, nan_wins: bool = False, largest: bool = False) -> int:
    """min and max: a number beats NaN (or the other way round), -0 is below +0."""
    x, y = value(a, kind), value(b, kind)
    if x is None or y is None:
        return nan(kind) if nan_wins or (x is None and y is None) else b if x is None else a
    key = lambda bits: (signed_value(value(bits, kind)), -value(bits, kind)[0])  # noqa: E731
    return (max if largest else min)(a, b, key=key)


# ---- integers


def signed(x: int, width: int) -> int:
    x &= 2**width - 1
    return x - 2**width if x >> (width - 1) else x


def as_type(x: int, kind: str) -> int:
    width = int(kind[1:])
    return signed(x, width) if kind[0] == "s" else x & (2**width - 1)


def quotient(x: int, y: int, width: int) -> int:
    if y == 0:
        return 2**width - 1
    magnitude = abs(x) // abs(y)
    return -magnitude if (x < 0) != (y < 0) else magnitude


def remainder(x: int, y: int, width: int) -> int:
    return x if y == 0 else x - y * quotient(x, y, width)


def shift_left(x: int, amount: int, width: int) -> int:
    return 0 if amount >= width else x << amount


def shift_right(x: int, amount: int, kind: str) -> int:
    return as_type(x, kind) >> min(amount, int(kind[1:]))


def funnel(a: int, b: int, c: int, left: bool, clamp: bool) -> int:
    amount = min(c, 32) if clamp else c % 32
    pair = b << 32 | a
    return (pair << amount >> 32 if left else pair >> amount) & 0xFFFFFFFF


def byte_permutation(a: int, b: int, selector: int) -> int:
    pool = [(b << 32 | a) >> 8 * n & 255 for n in range(8)]
    result = 0
    for n in range(4):
        choice = selector >> 4 * n & 15
        byte = pool[choice & 7]
        result |= (255 * (byte >> 7) if choice & 8 else byte) << 8 * n
    return result


def lop3(a: int, b: int, c: int, table: int) -> int:
    spelled = ((a >> n & 1) << 2 | (b >> n & 1) << 1 | (c >> n & 1) for n in range(32))
    return sum((table >> place & 1) << n for n, place in enumerate(spelled))


def extract(a: int, start: int, length: int, kind: str) -> int:
    """bfe, bit by bit."""
    width, start, length = int(kind[1:]), start & 255, length & 255
    last = min(start + length - 1, width - 1)
    sign = 0 if kind[0] == "u" or length == 0 else a >> last & 1
    bit = lambda n: a >> (n + start) & 1 if n < length and n + start < width else sign  # noqa: E731
    return sum(bit(n) << n for n in range(width))


def insert(a: int, b: int, start: int, length: int, width: int) -> int:
    """bfi, bit by bit."""
    start, length = start & 255, length & 255
    place = lambda n: start <= n < start + length  # noqa: E731
    return sum(((a >> (n - start) if place(n) else b >> n) & 1) << n for n in range(width))


def highest_bit(a: int, kind: str) -> int:
    x = as_type(a, kind)
    x = ~x if x < 0 else x
    return x.bit_length() - 1 if x else 0xFFFFFFFF


def dot_of_bytes(a: int, b: int, c: int, a_signed: bool, b_signed: bool) -> int:
    byte = lambda x, n, is_signed: signed(x >> 8 * n, 8) if is_signed else x >> 8 * n & 255  # noqa: E731
    return c + sum(byte(a, n, a_signed) * byte(b, n, b_signed) for n in range(4))


# ---- conversions


def to_integer(a: int, source: str, target: str, mode: str) -> int:
    """cvt.MODEi.target.source: rounded, then clamped."""
    width = int(target[1:])
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if target[0] == "s" else (0, 2**width - 1)
    found = value(a, source)
    if found is None:
        return 0 if source != "f64" and width < 64 else 2 ** (width - 1)
    if found[1] == INF:
        return low if found[0] else high
    return max(low, min(high, round_integer(signed_value(found), mode)))


def from_integer(a: int, source: str, target: str, mode: str = "rn") -> int:
    x = as_type(a, source)
    return encode(int(x < 0), Fraction(abs(x)), target, mode)


def between_floats(a: int, source: str, target: str, mode: str = "rn") -> int:
    found = value(a, source)
    return nan(target) if found is None else encode(*found, target, mode)


def to_integral(a: int, kind: str, mode: str) -> int:
    """cvt.MODEi.f.f: to an integer that stays a float; the sign of zero stays too."""
    found = value(a, kind)
    if found is None:
        return nan(kind)
    if found[1] == INF:
        return a
    return encode(found[0], Fraction(abs(round_integer(signed_value(found), mode))), kind)


def to_tf32(a: int) -> int:
    """cvt.rna.tf32.f32: nearest, ties away from zero."""
    found = value(a, "f32")
    if found is None:
        return nan("f32")
    if found[1] == INF:
        return a
    kept = a & 0x7FFFFFFF
    return (a & 0x80000000) | (kept + 0x1000 & 0x7FFFE000)
