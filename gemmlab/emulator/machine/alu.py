"""Turns the table of `isa.py` into compiled code: `cold(op, a, b, c, imm)` computes one lane on 64-bit patterns."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import bits
from gemmlab.emulator.machine.bits import fma64, sum_to_odd, toward_odd
from gemmlab.emulator.machine.isa import TABLE, Op
from gemmlab.emulator.machine.jit import compiled
from gemmlab.emulator.machine.opcodes import FIRST_COLD


@compiled
def truncated_quotient(a, b):
    """Signed division as C does it (toward zero); division by zero gives all ones, as GPUs do."""
    if b == 0:
        return np.int64(-1)
    quotient = np.int64(np.uint64(abs(a)) // np.uint64(abs(b)))  # abs of the lowest number only fits as unsigned
    return -quotient if (a < 0) != (b < 0) else quotient


@compiled
def truncated_remainder(a, b):
    if b == 0:
        return a
    remainder = np.int64(np.uint64(abs(a)) % np.uint64(abs(b)))
    return -remainder if a < 0 else remainder


@compiled
def high_product(a, b):
    """The upper 64 bits of a 64×64-bit product."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    middle = a1 * b0 + ((a0 * b0) >> half)
    return a1 * b1 + (middle >> half) + ((a0 * b1 + (middle & mask)) >> half)


@compiled
def signed_high_product(a, b):
    high = np.int64(high_product(np.uint64(a), np.uint64(b)))
    return high - (b if a < 0 else 0) - (a if b < 0 else 0)


@compiled
def funnel(low, high, amount, left):
    pair = (high << np.uint64(32)) | low
    return (pair << amount) >> np.uint64(32) if left else pair >> amount


@compiled
def ones(x):
    count = np.uint64(0)
    while x != np.uint64(0):
        x &= x - np.uint64(1)
        count += np.uint64(1)
    return count


@compiled
def highest_bit(x):
    """The index of the highest bit set, all ones if there is none."""
    index = np.int64(-1)
    while x != np.uint64(0):
        x >>= np.uint64(1)
        index += 1
    return np.uint64(index)


@compiled
def shift_amount(index, width):
    return index if index == ~np.uint64(0) else np.uint64(width - 1) - index


@compiled
def leading_zeros(x, width):
    return np.uint64(width - 1 - np.int64(highest_bit(x)))


@compiled
def reversed_bits(x, width):
    result = np.uint64(0)
    for _ in range(width):
        result = (result << np.uint64(1)) | (x & np.uint64(1))
        x >>= np.uint64(1)
    return result


@compiled
def field(x, start, length, width, signed):
    """`length` bits of x from bit `start` on, sign-extended if asked (bfe)."""
    start, length = start & np.uint64(0xFF), length & np.uint64(0xFF)
    if length == np.uint64(0):
        return np.uint64(0)
    last = min(start + length - np.uint64(1), np.uint64(width - 1))
    sign = (x >> last) & np.uint64(1) if signed else np.uint64(0)
    value = x >> start if start < np.uint64(width) else np.uint64(0)
    kept = last + np.uint64(1) - start if last >= start else np.uint64(0)
    if kept < np.uint64(64):
        low = (np.uint64(1) << kept) - np.uint64(1)
        value = (value & low) | (~low if sign != np.uint64(0) else np.uint64(0))
    return value


@compiled
def permuted_bytes(a, b, selector):
    pool = a | (b << np.uint64(32))
    result = np.uint64(0)
    for n in range(4):
        choice = (selector >> np.uint64(4 * n)) & np.uint64(15)
        byte = (pool >> (np.uint64(8) * (choice & np.uint64(7)))) & np.uint64(255)
        if choice & np.uint64(8):
            byte = np.uint64(255) if byte & np.uint64(128) else np.uint64(0)
        result |= byte << np.uint64(8 * n)
    return result


@compiled
def truth_table(a, b, c, table):
    """lop3: bit i of `table` is the result where the bits of a, b, c spell i."""
    result = np.uint64(0)
    for row in range(8):
        if table >> row & 1:
            term = a if row & 4 else ~a
            term &= b if row & 2 else ~b
            result |= term & (c if row & 1 else ~c)
    return result


@compiled
def float_min(a, b):
    """NaN loses against a number; -0 is less than +0."""
    if a != a:
        return b
    if b != b:
        return a
    if a == b:
        return a if np.signbit(a) else b
    return a if a < b else b


@compiled
def float_max(a, b):
    if a != a:
        return b
    if b != b:
        return a
    if a == b:
        return b if np.signbit(a) else a
    return a if a > b else b


@compiled
def nan_min(a, b):
    return a + b if (a != a or b != b) else float_min(a, b)


@compiled
def nan_max(a, b):
    return a + b if (a != a or b != b) else float_max(a, b)


@compiled
def is_normal(x, tiny):
    return np.isfinite(x) and abs(x) >= tiny


@compiled
def is_subnormal(x, tiny):
    return x != 0 and abs(x) < tiny


@compiled
def power_of_two(exponent):
    """Of a normal float64: an exponent of -1022 to 1023."""
    return bits.f64_of_u64(np.uint64(exponent + 1023) << np.uint64(52))


@compiled
def to_signed(x, width):
    """An integral float64 as an integer, clamped to the range of `width` bits; NaN becomes 0."""
    if x != x:
        return np.int64(0)
    limit = power_of_two(width - 1)
    if x >= limit:
        return np.int64((np.uint64(1) << np.uint64(width - 1)) - np.uint64(1))
    return np.int64(max(x, -limit))


@compiled
def to_unsigned(x, width):
    if not x > 0:
        return np.uint64(0)
    if x >= power_of_two(width):
        return ~np.uint64(0) >> np.uint64(64 - width)
    return np.uint64(x - 2.0**63) + (np.uint64(1) << np.uint64(63)) if x >= 2.0**63 else np.uint64(np.int64(x))


NEAREST, TO_ZERO, DOWN, UP = range(4)


@compiled
def narrow(x, precision, lowest, largest, mode):
    """A float64 rounded to a type of `precision` bits, with steps of at least 2**lowest and `largest` as its largest
    number."""
    if x == 0 or not np.isfinite(x):
        return x
    exponent = np.int64((bits.u64_of_f64(x) >> np.uint64(52)) & np.uint64(0x7FF)) - 1022
    step = max(exponent - precision, lowest)
    scaled = x * power_of_two(-step)
    if mode == NEAREST:
        scaled = np.rint(scaled)
    elif mode == TO_ZERO:
        scaled = np.trunc(scaled)
    else:
        scaled = np.floor(scaled) if mode == DOWN else np.ceil(scaled)
    result = np.copysign(scaled * power_of_two(step), x)
    if abs(result) > largest:
        stays = mode == TO_ZERO or (mode == DOWN and x > 0) or (mode == UP and x < 0)
        return np.copysign(largest if stays else np.inf, x)
    return result


@compiled
def narrow_f32(x, mode):
    return narrow(x, 24, -149, 3.4028234663852886e38, mode)


@compiled
def narrow_f16(x, mode):
    return narrow(x, 11, -24, 65504.0, mode)


@compiled
def narrow_bf16(x, mode):
    return narrow(x, 8, -133, 3.3895313892515355e38, mode)


@compiled
def directed_sum(x, y, mode):
    """x + y rounded to float32; an exact zero is negative when rounding down, unless both are +0."""
    total = sum_to_odd(x, y)
    if total == 0 and mode == DOWN and not (x == 0 and y == 0 and np.signbit(x) == np.signbit(y)):
        return -0.0
    return narrow_f32(total, mode)


@compiled
def directed_sum64(x, y, mode):
    """x + y of two float64, rounded to zero, down or up."""
    total = x + y
    if np.isinf(total) and np.isfinite(x) and np.isfinite(y):
        stays = mode == TO_ZERO or (mode == DOWN and total > 0) or (mode == UP and total < 0)
        return np.copysign(1.7976931348623157e308, total) if stays else total
    if total == 0 and mode == DOWN and not (x == 0 and y == 0 and np.signbit(x) == np.signbit(y)):
        return -0.0
    part = total - x
    error = (x - (total - part)) + (y - part)
    too_high, too_low = error < 0, error > 0
    if (too_high and (mode == DOWN or (mode == TO_ZERO and total > 0))) or (
        too_low and (mode == UP or (mode == TO_ZERO and total < 0))
    ):
        nearer_zero = too_high == (total > 0)
        bits64 = bits.u64_of_f64(total)
        return bits.f64_of_u64(bits64 - np.uint64(1) if nearer_zero else bits64 + np.uint64(1))
    return total


@compiled
def directed_quotient(x, y, mode):
    quotient = x / y
    if quotient == 0 or not np.isfinite(quotient) or not np.isfinite(y):
        return quotient
    rest = fma64(-quotient, y, x)
    return narrow_f32(toward_odd(quotient, rest if y > 0 else -rest), mode)


@compiled
def directed_root(x, mode):
    root = np.sqrt(x)
    if root == 0 or not np.isfinite(root):
        return root
    return narrow_f32(toward_odd(root, fma64(-root, root, x)), mode)


@compiled
def signed_to_odd(x):
    """A 64-bit integer as float64, inexact ones with an odd last bit."""
    return sum_to_odd(np.float64(x >> 32) * 4294967296.0, np.float64(x & 0xFFFFFFFF))


@compiled
def unsigned_to_odd(x):
    return sum_to_odd(np.float64(x >> np.uint64(32)) * 4294967296.0, np.float64(x & np.uint64(0xFFFFFFFF)))


@compiled
def relu(x):
    """Negative numbers become +0, NaN stays."""
    return np.float64(x) if (x > 0 or x != x) else 0.0


@compiled
def dot_of_bytes(a, b, c, a_signed, b_signed):
    """dp4a: c plus the products of the four bytes of a and b."""
    total = np.int64(c)
    for n in range(4):
        x = np.int64((a >> np.uint64(8 * n)) & np.uint64(255))
        y = np.int64((b >> np.uint64(8 * n)) & np.uint64(255))
        total += (np.int64(np.int8(x)) if a_signed else x) * (np.int64(np.int8(y)) if b_signed else y)
    return np.uint64(total)


_WRITE = {
    "u8": "as_u8(np.uint64(%s))",
    "s8": "np.uint64(as_s8(np.uint64(%s)))",
    "u16": "as_u16(np.uint64(%s))",
    "s16": "np.uint64(as_s16(np.uint64(%s)))",
    "u32": "as_u32(np.uint64(%s))",
    "s32": "as_u32(np.uint64(%s))",
    "u64": "np.uint64(%s)",
    "s64": "np.uint64(%s)",
    "f16": "of_f16(%s)",
    "bf16": "of_bf16(np.float64(%s))",
    "f32": "of_f32(%s)",
    "f64": "of_f64(%s)",
    "pred": "(np.uint64(1) if %s else np.uint64(0))",
}


def _expression(op: Op) -> str:
    reads = {x: f"as_{kind}({x})" for x, kind in zip("abc", op.operands)}
    return _WRITE[op.result] % ("(" + op.expression.format(**reads, i="imm") + ")")


def _chain(labels: list[int], leaves: list[str]) -> list[str]:
    """A binary tree of comparisons on `op`; leaf i is reached where labels[i] <= op < labels[i + 1]."""
    if len(leaves) == 1:
        return [f"return {leaves[0]}"]
    middle = len(leaves) // 2
    lines = [f"if op < {labels[middle]}:"] + ["    " + line for line in _chain(labels[:middle], leaves[:middle])]
    return lines + _chain(labels[middle:], leaves[middle:])


_GROUP = 32  # instructions a function: the compiler's time grows faster than a function's length


def _compiled():
    namespace = {**vars(bits), **globals()}

    def function(name: str, labels: list[int], leaves: list[str]) -> str:
        source = "\n".join([f"def {name}(op, a, b, c, imm):"] + ["    " + line for line in _chain(labels, leaves)])
        exec(compile(source, f"<gemmlab {name}>", "exec"), namespace)
        namespace[name] = compiled(namespace[name])
        return f"{name}(op, a, b, c, imm)"

    labels = list(range(FIRST_COLD, FIRST_COLD + len(TABLE)))
    leaves = [_expression(op) for op in TABLE.values()]
    starts = range(0, len(labels), _GROUP)
    groups = [function(f"cold_{n}", labels[n : n + _GROUP], leaves[n : n + _GROUP]) for n in starts]
    function("cold", [labels[n] for n in starts], groups)
    return namespace["cold"]


cold = _compiled()
