"""Numbers as C++ has them on a 64-bit host: each with its type and C's conversions; overflows are noticed."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

INTEGERS = {  # name -> (bits, signed)
    "bool": (1, False),
    "char": (8, True),
    "unsigned char": (8, False),
    "short": (16, True),
    "unsigned short": (16, False),
    "int": (32, True),
    "unsigned int": (32, False),
    "long long": (64, True),
    "unsigned long long": (64, False),
}
FLOATS = {"half": 16, "bfloat16": 16, "float": 32, "double": 64}
_RANK = ("int", "unsigned int", "long long", "unsigned long long", "half", "bfloat16", "float", "double")
_WORDS = {"unsigned", "signed", "long", "short", "int", "char", "float", "double", "bool"}
_BY_BITS = ((8, "char"), (16, "short"), (32, "int"), (64, "long long"))
_FIXED = {
    "size_t": "unsigned long long",
    "ptrdiff_t": "long long",
    "uint": "unsigned int",
    "ushort": "unsigned short",
    "ulong": "unsigned long long",
    "half": "half",
    "__half": "half",
    "nv_bfloat16": "bfloat16",
    "__nv_bfloat16": "bfloat16",
    **{f"int{bits}_t": name for bits, name in _BY_BITS},
    **{f"uint{bits}_t": f"unsigned {name}" for bits, name in _BY_BITS},
}


class ArithmeticFault(Exception):
    """What C++ leaves undefined: a division by zero, an overflow. The message goes on from 'this'."""


@dataclass(frozen=True)
class Number:
    """A value of one of C's arithmetic types; the value fits the type."""

    type: str
    value: int | float

    def to(self, type_: str) -> Number:
        """Converted. An integer wraps; a float that no integer of that type can be is a fault."""
        if type_ in FLOATS:
            return Number(type_, _ROUNDED[type_](float(self.value)))
        if type_ == "bool":
            return Number(type_, int(self.value != 0))
        if self.type in FLOATS:
            return Number(type_, _truncated(self.value, type_))
        return Number(type_, _wrapped(self.whole, type_))

    @property
    def is_integer(self) -> bool:
        return self.type in INTEGERS

    @property
    def whole(self) -> int:
        """The value of an integer; of a float, without its fraction."""
        return int(self.value)


def number_type(text: str) -> str | None:
    """'unsigned int' of 'const unsigned', 'unsigned long long' of 'std::size_t'; None of what is no number."""
    words = [word.removeprefix("std::") for word in text.split() if word not in ("const", "volatile")]
    if len(words) == 1 and words[0] in _FIXED:
        return _FIXED[words[0]]
    if not words or not _WORDS.issuperset(words):
        return None
    for name in ("bool", "float", "double"):
        if name in words:
            return name
    base = next((name for name in ("char", "short") if name in words), "long long" if "long" in words else "int")
    return f"unsigned {base}" if "unsigned" in words else base


def size_of(type_: str) -> int:
    """In bytes."""
    return FLOATS[type_] // 8 if type_ in FLOATS else max(1, INTEGERS[type_][0] // 8)


def _single(value: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _half(value: float) -> float:
    try:
        return struct.unpack("e", struct.pack("e", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _bfloat16(value: float) -> float:
    """The upper half of a float's bits, rounded to the nearest, ties to even."""
    if not math.isfinite(value):
        return value
    bits = struct.unpack("I", struct.pack("f", _single(value)))[0]
    return struct.unpack("f", struct.pack("I", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16))[0]


_ROUNDED: Mapping[str, Callable[[float], float]] = {
    "half": _half,
    "bfloat16": _bfloat16,
    "float": _single,
    "double": float,
}


def _truncated(value: float, type_: str) -> int:
    bits, signed = INTEGERS[type_]
    low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    if not (math.isfinite(value) and low <= int(value) < high):
        raise ArithmeticFault(f"converts {value:g} to {type_}, which cannot hold it")
    return int(value)


def _wrapped(value: int, type_: str) -> int:
    bits, signed = INTEGERS[type_]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def common_type(a: str, b: str) -> str:
    """The type in which C computes a + b."""
    return max((name if name in _RANK else "int" for name in (a, b)), key=_RANK.index)


def _divided(a: int | float, b: int | float) -> int | float:
    if isinstance(a, float):
        return a / b if b else math.copysign(math.inf, a) * math.copysign(1, b) if a else math.nan
    if b == 0:
        raise ArithmeticFault("divides by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * int(_divided(a, b))


_ARITHMETIC: Mapping[str, Callable[..., int | float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": _remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_COMPARISONS: Mapping[str, Callable[..., bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_UNARY: Mapping[str, Callable[..., int | float]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_WHOLE_ONLY = ("%", "&", "|", "^", "<<", ">>", "~")


def binary(sign: str, a: Number, b: Number) -> Number | None:
    """a sign b; None where there is no such operator. Raises ArithmeticFault."""
    if sign in _WHOLE_ONLY and not (a.is_integer and b.is_integer):
        return None
    if sign in ("<<", ">>"):
        return _shifted(sign, a, b)
    type_ = common_type(a.type, b.type)
    left, right = a.to(type_).value, b.to(type_).value
    if sign in _COMPARISONS:
        return Number("bool", int(_COMPARISONS[sign](left, right)))
    return _fitted(type_, _ARITHMETIC[sign](left, right)) if sign in _ARITHMETIC else None


def _shifted(sign: str, a: Number, b: Number) -> Number:
    type_ = common_type(a.type, "int")
    bits = INTEGERS[type_][0]
    if not 0 <= b.whole < bits:
        raise ArithmeticFault(f"shifts by {b.value}, but {type_} has {bits} bits")
    return _fitted(type_, a.whole << b.whole if sign == "<<" else a.whole >> b.whole)


def unary(sign: str, a: Number) -> Number | None:
    """sign a; None where there is no such operator. Raises ArithmeticFault."""
    if sign == "!":
        return Number("bool", int(not a.value))
    if sign in _WHOLE_ONLY and not a.is_integer:
        return None
    type_ = common_type(a.type, "int")
    return _fitted(type_, _UNARY[sign](a.to(type_).value)) if sign in _UNARY else None


def _fitted(type_: str, value: int | float) -> Number:
    """The result of a computation: unsigned ones wrap, signed ones must not overflow."""
    if type_ in FLOATS:
        return Number(type_, _ROUNDED[type_](float(value)))
    wrapped = _wrapped(int(value), type_)
    if wrapped != value and INTEGERS[type_][1]:
        raise ArithmeticFault(f"overflows {type_} ({value:,}); compute it in size_t")
    return Number(type_, wrapped)


def literal(text: str) -> Number | None:
    """The number that a literal such as 16u, 0x10 or 1.5f is; None where it is none of C's."""
    digits = text.replace("'", "").lower()
    try:
        if not digits.startswith(("0x", "0b")) and any(char in digits for char in ".ef"):
            single = digits.endswith("f")
            value = float(digits.rstrip("fl"))
            return Number("float", _single(value)) if single else Number("double", value)
        plain = digits.rstrip("ulz")
        suffix = digits[len(plain) :]
        octal = len(plain) > 1 and plain.isdigit() and plain[0] == "0"
        return _integer(int(plain, 8 if octal else 0), suffix)
    except ValueError:
        return None


def _integer(value: int, suffix: str) -> Number | None:
    unsigned, wide = "u" in suffix, "l" in suffix or "z" in suffix
    types = ["unsigned int", "unsigned long long"] if unsigned else ["int", "long long", "unsigned long long"]
    return next((Number(name, value) for name in types[wide:] if _wrapped(value, name) == value), None)
