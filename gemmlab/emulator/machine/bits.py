"""Bits seen as numbers, for compiled code: bit casts, one-rounding fused multiply-add, float16 and bfloat16, raw
memory.

Everything here is an inlined leaf of the interpreter. Registers are uint64 bit patterns at this level.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gemmlab.emulator.machine.jit import compiled
from gemmlab.emulator.processor import HAS_FMA


def _bitcast(source: types.Type, target: types.Type, name: str):
    """An intrinsic that reinterprets the bits of `source` as `target` (same width)."""

    def typer(typingctx, value):
        def codegen(context, builder, signature, args):
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(source), codegen

    typer.__name__ = name
    return intrinsic(typer)


f32_of_u32 = _bitcast(types.uint32, types.float32, "f32_of_u32")
u32_of_f32 = _bitcast(types.float32, types.uint32, "u32_of_f32")
f64_of_u64 = _bitcast(types.uint64, types.float64, "f64_of_u64")
u64_of_f64 = _bitcast(types.float64, types.uint64, "u64_of_f64")


def _fused(kind: types.Type, name: str):
    """fma(a, b, c) with one rounding: the processor's own instruction."""

    def typer(typingctx, a, b, c):
        def codegen(context, builder, signature, args):
            value = context.get_value_type(kind)
            fma = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(value, [value] * 3),
                f"llvm.fma.{'f32' if kind is types.float32 else 'f64'}",
            )
            return builder.call(fma, args)

        return kind(kind, kind, kind), codegen

    typer.__name__ = name
    return intrinsic(typer)


@compiled
def toward_odd(total, error):
    """A rounded float64 and the sign of what was lost: the neighbour with an odd last bit, which rounds again without
    harm."""
    bits = u64_of_f64(total)
    if error == 0 or not np.isfinite(total) or bits & np.uint64(1):
        return total
    return f64_of_u64(bits + np.uint64(1) if (error > 0) == (total > 0) else bits - np.uint64(1))


@compiled
def sum_to_odd(x, y):
    """x + y of two float64, inexact sums with an odd last bit: rounding that to a narrower type gives the sum rounded
    once."""
    total = x + y
    part = total - x
    return toward_odd(total, (x - (total - part)) + (y - part))


if HAS_FMA:
    fma32 = _fused(types.float32, "fma32")
    fma64 = _fused(types.float64, "fma64")
else:

    @compiled
    def fma32(a, b, c):
        return np.float32(sum_to_odd(np.float64(a) * np.float64(b), np.float64(c)))

    @compiled
    def fma64(a, b, c):
        """Two roundings: this processor has no fused multiply-add."""
        return a * b + c


def _pointer_access(kind: types.Type, store: bool, name: str):
    """An intrinsic that loads from, or stores to, a host address (already checked by the caller)."""

    def load_typer(typingctx, address):
        def codegen(context, builder, signature, args):
            pointer = builder.inttoptr(args[0], context.get_value_type(kind).as_pointer())
            return builder.load(pointer, align=1)

        return kind(types.int64), codegen

    def store_typer(typingctx, address, value):
        def codegen(context, builder, signature, args):
            pointer = builder.inttoptr(args[0], context.get_value_type(kind).as_pointer())
            builder.store(args[1], pointer, align=1)
            return context.get_dummy_value()

        return types.void(types.int64, kind), codegen

    typer = store_typer if store else load_typer
    typer.__name__ = name
    return intrinsic(typer)


peek8 = _pointer_access(types.uint8, False, "peek8")
peek16 = _pointer_access(types.uint16, False, "peek16")
peek32 = _pointer_access(types.uint32, False, "peek32")
peek64 = _pointer_access(types.uint64, False, "peek64")
poke8 = _pointer_access(types.uint8, True, "poke8")
poke16 = _pointer_access(types.uint16, True, "poke16")
poke32 = _pointer_access(types.uint32, True, "poke32")
poke64 = _pointer_access(types.uint64, True, "poke64")


@compiled
def peek(address, size, signed):
    """`size` bytes (1, 2, 4 or 8) at a host address, zero- or sign-extended to 64 bits."""
    if size == 4:
        word = peek32(address)
        return np.uint64(np.int64(np.int32(word))) if signed else np.uint64(word)
    if size == 8:
        return peek64(address)
    if size == 2:
        half = peek16(address)
        return np.uint64(np.int64(np.int16(half))) if signed else np.uint64(half)
    byte = peek8(address)
    return np.uint64(np.int64(np.int8(byte))) if signed else np.uint64(byte)


@compiled
def poke(address, size, value):
    if size == 4:
        poke32(address, np.uint32(value))
    elif size == 8:
        poke64(address, value)
    elif size == 2:
        poke16(address, np.uint16(value))
    else:
        poke8(address, np.uint8(value))


# Registers read as a type. Narrow integers are sign- or zero-extended here, whatever the upper bits hold.
@compiled
def as_u8(x):
    return np.uint64(np.uint8(x))


@compiled
def as_s8(x):
    return np.int64(np.int8(x))


@compiled
def as_u16(x):
    return np.uint64(np.uint16(x))


@compiled
def as_s16(x):
    return np.int64(np.int16(x))


@compiled
def as_u32(x):
    return np.uint64(np.uint32(x))


@compiled
def as_s32(x):
    return np.int64(np.int32(x))


@compiled
def as_u64(x):
    return np.uint64(x)


@compiled
def as_s64(x):
    return np.int64(x)


@compiled
def as_f32(x):
    return f32_of_u32(np.uint32(x))


@compiled
def as_f64(x):
    return f64_of_u64(x)


@compiled
def as_bf16(x):
    return f32_of_u32(np.uint32(np.uint32(np.uint16(x)) << np.uint32(16)))


@compiled
def as_f16(x):
    """float16 bits to float32, exact."""
    half = np.uint32(np.uint16(x))
    sign = np.uint32((half & np.uint32(0x8000)) << np.uint32(16))
    exponent = (half >> np.uint32(10)) & np.uint32(31)
    fraction = half & np.uint32(0x3FF)
    if exponent == np.uint32(31):
        return f32_of_u32(np.uint32(sign | np.uint32(0x7F800000) | np.uint32(fraction << np.uint32(13))))
    if exponent == np.uint32(0):
        value = np.float32(fraction) * np.float32(2.0**-24)
        return -value if sign != np.uint32(0) else value
    return f32_of_u32(
        np.uint32(sign | np.uint32((exponent + np.uint32(112)) << np.uint32(23)) | np.uint32(fraction << np.uint32(13)))
    )


# Results written back as bits.
@compiled
def of_f32(value):
    return np.uint64(u32_of_f32(np.float32(value)))


@compiled
def of_f64(value):
    return u64_of_f64(np.float64(value))


@compiled
def of_u32(value):
    return np.uint64(np.uint32(value))


@compiled
def of_u64(value):
    return np.uint64(value)


@compiled
def of_u16(value):
    return np.uint64(np.uint16(value))


@compiled
def of_bf16(value):
    """float64 to bfloat16 bits, round to nearest even; NaN becomes the canonical 0x7FFF."""
    if value != value:
        return np.uint64(0x7FFF)
    single = np.float32(value)
    bits = u32_of_f32(single)
    if np.float64(single) != value and bits & np.uint32(1) == np.uint32(0) and np.isfinite(single):
        bits = np.uint32(bits + np.uint32(1) if abs(np.float64(single)) < abs(value) else bits - np.uint32(1))
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    return np.uint64(np.uint32(np.uint64(bits) + np.uint64(0x7FFF) + np.uint64(odd)) >> np.uint32(16))


@compiled
def of_f16(value):
    """float64 to float16 bits, round to nearest even; NaN becomes the canonical 0x7FFF."""
    value = np.float64(value)
    if value != value:
        return np.uint64(0x7FFF)
    bits = u64_of_f64(value)
    sign = np.uint64(bits >> np.uint64(48)) & np.uint64(0x8000)
    magnitude = abs(value)
    if magnitude >= 65520.0:
        return np.uint64(sign | np.uint64(0x7C00))
    if magnitude < 2.0**-14:
        return np.uint64(sign | np.uint64(np.rint(magnitude * 2.0**24)))
    exponent = np.int64(np.uint64(bits >> np.uint64(52)) & np.uint64(0x7FF)) - 1023
    fraction = np.uint64(bits & np.uint64(0xFFFFFFFFFFFFF))
    kept = np.uint64(fraction >> np.uint64(42))
    rest = np.uint64(fraction & np.uint64(0x3FFFFFFFFFF))
    half = np.uint64(0x20000000000)
    up = np.uint64(1) if rest > half or (rest == half and (kept & np.uint64(1)) == np.uint64(1)) else np.uint64(0)
    return np.uint64(sign | np.uint64((np.uint64(exponent + 15) << np.uint64(10)) + kept + up))


@compiled
def of_tf32(value):
    """Round to nearest, ties away from zero, to 10 bits of fraction (cvt.rna.tf32.f32)."""
    bits = u32_of_f32(np.float32(value))
    if value != value:
        return np.uint64(0x7FFFFFFF)
    return np.uint64(np.uint32(np.uint64(bits) + np.uint64(0x1000)) & np.uint32(0xFFFFE000))


@compiled
def flush(value):
    """.ftz: a denormal float32 becomes a zero of the same sign."""
    if abs(value) < np.float32(1.1754943508222875e-38):
        return f32_of_u32(np.uint32(u32_of_f32(value) & np.uint32(0x80000000)))
    return value


@compiled
def saturate(value):
    """.sat: into [0, 1]; NaN becomes 0."""
    if not value > 0:
        return np.float32(0)
    return np.float32(min(value, np.float32(1)))


def _count(name: str, llvm_name: str, has_flag: bool):
    def typer(typingctx, mask):
        def codegen(context, builder, signature, args):
            word = ir.IntType(32)
            extra = [ir.IntType(1)] if has_flag else []
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(word, [word, *extra]), llvm_name)
            values = [args[0]] + ([ir.Constant(ir.IntType(1), 0)] if has_flag else [])
            return builder.zext(builder.call(function, values), ir.IntType(64))

        return types.int64(types.uint32), codegen

    typer.__name__ = name
    return intrinsic(typer)


first_lane = _count("first_lane", "llvm.cttz.i32", True)
lane_count = _count("lane_count", "llvm.ctpop.i32", False)


NO_LANES = np.uint32(0)


@compiled
def lane_bit(lane):
    """The mask of one lane."""
    return np.uint32(1) << np.uint32(lane)


@compiled
def next_lane(lanes):
    """The first lane of a mask that is not empty, and the mask without it."""
    return first_lane(lanes), lanes & (lanes - np.uint32(1))
