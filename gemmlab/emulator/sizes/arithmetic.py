"""Integer instructions of PTX over NumPy arrays: what decides branches, and no more.

A register is an int64 array with the sign of its width, a predicate a bool array, a float a float64 one. An instruction
that is not here gives a value that nobody knows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

Operation = Callable[..., np.ndarray]
_INTEGERS = {f"{sign}{bits}": (bits, sign) for sign in "sub" for bits in (8, 16, 32, 64)}
_FLOATS = ("f32", "f64")
_COMPARE = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
    "equ": operator.eq, "neu": operator.ne, "ltu": operator.lt, "leu": operator.le, "gtu": operator.gt,
    "geu": operator.ge,
}  # fmt: skip
_BOOLEAN = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def wrapped(value: np.ndarray, bits: int) -> np.ndarray:
    """The lowest bits of a value, with their sign."""
    if bits == 64:
        return value
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def constant(bits: int, type_: str) -> np.ndarray:
    """An immediate operand of an instruction of that type, such as s32, from its bits."""
    if type_ in _FLOATS:
        kinds = (np.uint32, np.float32) if type_ == "f32" else (np.uint64, np.float64)
        value = np.array(bits, kinds[0]).view(kinds[1]).astype(np.float64)
    else:
        value = np.array(bits & (1 << 64) - 1, np.uint64).view(np.int64)
        value = wrapped(value, _INTEGERS[type_][0]) if type_ in _INTEGERS else value != 0
    return value.reshape((1,) * 7)


def operation(words: Sequence[str]) -> Operation | None:
    """What an opcode, split at its dots, makes of the values of its operands; None where it is not known here."""
    first, last = words[0], words[-1]
    if first == "setp":
        return _compare(words)
    if first in ("mov", "cvta", "selp"):
        return (lambda p_first, p_second, p: np.where(p, p_first, p_second)) if first == "selp" else _same
    if last == "pred":
        return operator.invert if first == "not" else _BOOLEAN.get(first)
    if first == "cvt":
        return _convert(words)
    if last not in _INTEGERS or {"cc", "sat"}.intersection(words):
        return None
    bits, sign = _INTEGERS[last]
    return _integer(first, words[1:-1], bits, sign == "u")


def _same(value: np.ndarray) -> np.ndarray:
    return value


def _plain(value: np.ndarray, bits: int, is_unsigned: bool) -> np.ndarray:
    """The number that the register stands for, in a type in which it can be compared, divided and shifted."""
    if not is_unsigned:
        return value
    return value.view(np.uint64) if bits == 64 else value & ((1 << bits) - 1)


def _compare(words: Sequence[str]) -> Operation | None:
    """setp.lt.s32, and setp.lt.and.s32 with one predicate more."""
    compare, last = _COMPARE.get(words[1]), words[-1]
    if compare is None or last not in _INTEGERS and last not in _FLOATS:
        return None
    bits, sign = _INTEGERS.get(last, (64, "s"))
    is_unsigned = sign == "u" or words[1] in ("lo", "ls", "hi", "hs")
    join = _BOOLEAN.get(words[2])

    def done(a: np.ndarray, b: np.ndarray, *more: np.ndarray) -> np.ndarray:
        found = compare(_plain(a, bits, is_unsigned), _plain(b, bits, is_unsigned))
        return join(found, more[0]) if join and more else found

    return done


def _convert(words: Sequence[str]) -> Operation | None:
    to, source = words[-2], words[-1]
    if len(words) != 3 or to not in _INTEGERS or source not in _INTEGERS:
        return None
    bits, sign = _INTEGERS[source]
    return lambda a: wrapped(_plain(wrapped(a, bits), bits, sign == "u").astype(np.int64), _INTEGERS[to][0])


def _integer(first: str, modifiers: Sequence[str], bits: int, is_unsigned: bool) -> Operation | None:
    known: dict[str, Operation] = {
        "add": operator.add, "sub": operator.sub, "neg": operator.neg, "abs": np.abs, "not": operator.invert,
        "and": operator.and_, "or": operator.or_, "xor": operator.xor,
        "shl": lambda a, b: _shifted(operator.lshift, a, b, bits),
    }  # fmt: skip
    typed: dict[str, Operation] = {"min": np.minimum, "max": np.maximum, "div": _quotient, "rem": _remainder}
    if first in ("mul", "mad"):
        return _product(first, modifiers, bits, is_unsigned)
    if first in known:
        return lambda *given: wrapped(known[first](*given), bits)
    if first == "shr":
        return lambda a, b: wrapped(_right(_plain(a, bits, is_unsigned), b), bits)
    if first in typed:
        return lambda *given: wrapped(_typed(typed[first], given, bits, is_unsigned), bits)
    return _fields(first, bits, is_unsigned)


def _typed(what: Operation, given: Sequence[np.ndarray], bits: int, is_unsigned: bool) -> np.ndarray:
    return what(*(_plain(value, bits, is_unsigned) for value in given)).astype(np.int64)


def _product(first: str, modifiers: Sequence[str], bits: int, is_unsigned: bool) -> Operation | None:
    """mul and mad; the high half of 64 bits is not known here."""
    if "hi" in modifiers and bits == 64 or not {"lo", "wide", "hi"}.intersection(modifiers):
        return None
    width = 2 * bits if "wide" in modifiers else bits

    def done(a: np.ndarray, b: np.ndarray, *more: np.ndarray) -> np.ndarray:
        product = a * b if bits == 64 else _plain(a, bits, is_unsigned) * _plain(b, bits, is_unsigned)
        product = product >> bits if "hi" in modifiers else product
        return wrapped(product + more[0] if more else product, width)

    return done


def _shifted(what: Operation, a: np.ndarray, b: np.ndarray, bits: int) -> np.ndarray:
    """Bits that are shifted out are gone, also where the distance is larger than the width."""
    distance = b & 0xFFFFFFFF
    return np.where(distance < bits, what(a, np.minimum(distance, bits - 1)), 0)


def _right(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of a signed number the sign comes in; an unsigned one of fewer than 64 bits is above 0 here already."""
    distance = b & 0xFFFFFFFF
    shifted = a >> np.minimum(distance, 63).astype(a.dtype)
    return (np.where(distance > 63, 0, shifted) if a.dtype == np.uint64 else shifted).astype(np.int64)


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rounded towards 0, as in C; all ones where b is 0, as the emulator has it."""
    by = np.where(b == 0, b.dtype.type(1), b)
    with np.errstate(over="ignore"):  # the lowest number by -1 is itself
        found = a // by
    if a.dtype != np.uint64:
        found = found + ((found * by != a) & ((a < 0) != (by < 0)))
    return np.where(b == 0, ~b, found)


def _remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(b == 0, a, a - _quotient(a, b) * b)


def _fields(first: str, bits: int, is_unsigned: bool) -> Operation | None:
    """Fields of bits, of registers of 32 bits."""
    if first == "bfe" and bits == 32 and is_unsigned:
        return lambda a, at, count: wrapped((_plain(a, 32, True) >> _place(at)) & _ones(count), 32)
    if first == "bfi" and bits == 32:

        def inserted(a: np.ndarray, b: np.ndarray, at: np.ndarray, count: np.ndarray) -> np.ndarray:
            field = _ones(count) << _place(at)
            return wrapped((b & ~field) | ((a << _place(at)) & field), 32)

        return inserted
    return None


def _place(at: np.ndarray) -> np.ndarray:
    return np.minimum(at & 255, 63)


def _ones(count: np.ndarray) -> np.ndarray:
    return (1 << np.minimum(count & 255, 32)) - 1
