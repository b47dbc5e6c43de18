"""The instructions that GEMM kernels spend their time in, as vector code over the 32 lanes of a warp.

A register is 32 consecutive lanes in memory: 128 bytes for 32-bit types, 256 for 64-bit types. Each entry of HOT says
once what an instruction does to whole registers. A lane outside the mask keeps its old value. Instructions not listed
here are in `isa.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gemmlab.emulator.machine.jit import inlined
from gemmlab.emulator.processor import HAS_FMA

LANES = 32
_ELEMENT = {
    "u32": ir.IntType(32),
    "s32": ir.IntType(32),
    "u64": ir.IntType(64),
    "s64": ir.IntType(64),
    "f32": ir.FloatType(),
    "f64": ir.DoubleType(),
}
_BYTES = {"u32": 4, "s32": 4, "f32": 4, "u64": 8, "s64": 8, "f64": 8, "pred": 0}


@dataclass(frozen=True)
class VectorOp:
    """`build(builder, *operands)` gives the result; operands are vectors of the types named, a predicate a vector of
    bits."""

    name: str
    result: str
    operands: tuple[str, ...]
    build: Callable


HOT: dict[str, VectorOp] = {}


def _define(name: str, result: str, operands: str, build: Callable) -> None:
    HOT[name] = VectorOp(name, result, tuple(operands.split()), build)


def _vector(kind: str) -> ir.Type:
    return ir.VectorType(ir.IntType(1) if kind == "pred" else _ELEMENT[kind], LANES)


def _splat(kind: str, value) -> ir.Constant:
    return ir.Constant(_vector(kind), [value] * LANES)


def _shift(kind: str, which: str) -> Callable:
    """Shift by a 32-bit amount; PTX clamps amounts beyond the width."""
    bits = 8 * _BYTES[kind]

    def build(b, value, amount):
        last = _splat("u32", bits - 1)
        beyond = b.icmp_unsigned(">", amount, last)
        clamped = b.select(beyond, last, amount)
        if bits == 64:
            clamped = b.zext(clamped, value.type)
        shifted = getattr(b, which)(value, clamped)
        return shifted if which == "ashr" else b.select(beyond, _splat(kind, 0), shifted)

    return build


def _compare(kind: str, sign: str) -> Callable:
    if kind == "f32":
        return lambda b, x, y: b.fcmp_ordered(sign, x, y)
    return lambda b, x, y: (b.icmp_signed if kind.startswith("s") else b.icmp_unsigned)(sign, x, y)


def _pick(kind: str, sign: str) -> Callable:
    compare = _compare(kind, sign)
    return lambda b, x, y: b.select(compare(b, x, y), x, y)


def _fused(kind: str) -> Callable:
    def build(b, x, y, z):
        name = f"llvm.fma.v{LANES}{kind}"
        function = cgutils.get_or_insert_function(b.module, ir.FunctionType(x.type, [x.type] * 3), name)
        return b.call(function, [x, y, z])

    return build


def _flush(b, x):
    """A denormal becomes a zero of the same sign."""
    bits = b.bitcast(x, _vector("u32"))
    magnitude = b.and_(bits, _splat("u32", 0x7FFFFFFF))
    zero = b.and_(bits, _splat("u32", 0x80000000))
    return b.bitcast(b.select(b.icmp_unsigned("<", magnitude, _splat("u32", 0x00800000)), zero, bits), x.type)


def _flushing(build: Callable) -> Callable:
    return lambda b, *operands: _flush(b, build(b, *(_flush(b, operand) for operand in operands)))


def _fill() -> None:
    for t in ("u32", "u64"):
        signed = t.replace("u", "s")
        _define(f"mov.{t}", t, t, lambda b, x: x)
        _define(f"selp.{t}", t, f"{t} {t} pred", lambda b, x, y, p: b.select(p, x, y))
        _define(f"add.{t}", t, f"{t} {t}", lambda b, x, y: b.add(x, y))
        _define(f"sub.{t}", t, f"{t} {t}", lambda b, x, y: b.sub(x, y))
        _define(f"mul.lo.{t}", t, f"{t} {t}", lambda b, x, y: b.mul(x, y))
        _define(f"mad.lo.{t}", t, f"{t} {t} {t}", lambda b, x, y, z: b.add(b.mul(x, y), z))
        _define(f"and.{t}", t, f"{t} {t}", lambda b, x, y: b.and_(x, y))
        _define(f"or.{t}", t, f"{t} {t}", lambda b, x, y: b.or_(x, y))
        _define(f"xor.{t}", t, f"{t} {t}", lambda b, x, y: b.xor(x, y))
        _define(f"not.{t}", t, t, lambda b, x: b.not_(x))
        _define(f"neg.{signed}", signed, signed, lambda b, x: b.neg(x))
        _define(f"shl.{t}", t, f"{t} u32", _shift(t, "shl"))
        _define(f"shr.{t}", t, f"{t} u32", _shift(t, "lshr"))
        _define(f"shr.{signed}", signed, f"{signed} u32", _shift(signed, "ashr"))
        for kind in (t, signed):
            _define(f"min.{kind}", kind, f"{kind} {kind}", _pick(kind, "<"))
            _define(f"max.{kind}", kind, f"{kind} {kind}", _pick(kind, ">"))
    for kind in ("u32", "s32", "u64", "s64", "f32"):
        for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
            _define(f"setp.{name}.{kind}", "pred", f"{kind} {kind}", _compare(kind, sign))
    for narrow, wide, extend in (("u32", "u64", "zext"), ("s32", "s64", "sext")):
        _define(f"cvt.to64.{narrow}", wide, narrow, lambda b, x, w=wide, e=extend: getattr(b, e)(x, _vector(w)))
        product = lambda b, x, y, w=wide, e=extend: b.mul(getattr(b, e)(x, _vector(w)), getattr(b, e)(y, _vector(w)))  # noqa: E731
        _define(f"mul.wide.{narrow}", wide, f"{narrow} {narrow}", product)
        _define(
            f"mad.wide.{narrow}", wide, f"{narrow} {narrow} {wide}", lambda b, x, y, z, p=product: b.add(p(b, x, y), z)
        )
    _define("cvt.u32", "u32", "u64", lambda b, x: b.trunc(x, _vector("u32")))
    for kind in ("f32", "f64"):
        _define(f"add.{kind}", kind, f"{kind} {kind}", lambda b, x, y: b.fadd(x, y))
        _define(f"sub.{kind}", kind, f"{kind} {kind}", lambda b, x, y: b.fsub(x, y))
        _define(f"mul.{kind}", kind, f"{kind} {kind}", lambda b, x, y: b.fmul(x, y))
        _define(f"div.{kind}", kind, f"{kind} {kind}", lambda b, x, y: b.fdiv(x, y))
        _define(f"neg.{kind}", kind, kind, lambda b, x: b.fneg(x))
        if HAS_FMA:
            _define(f"fma.{kind}", kind, f"{kind} {kind} {kind}", _fused(kind))
    _define("flush.f32", "f32", "f32", _flush)
    for name in ("add", "sub", "mul", "fma"):
        if op := HOT.get(f"{name}.f32"):
            _define(f"{name}.ftz.f32", "f32", " ".join(op.operands), _flushing(op.build))


_fill()


def _intrinsic(op: VectorOp):
    """op(d, a, b, c, mask): registers are host addresses; a predicate operand is its bits. A predicate result is
    returned."""

    def typer(typingctx, d, a, b, c, mask):
        def codegen(context, builder, signature, args):
            loaded = [_load(builder, kind, argument) for kind, argument in zip(op.operands, args[1:])]
            value = op.build(builder, *loaded)
            if op.result == "pred":
                return builder.bitcast(value, ir.IntType(32))
            _masked_store(builder, op.result, value, args[0], args[4])
            return ir.Constant(ir.IntType(32), 0)

        return types.uint32(types.int64, types.int64, types.int64, types.int64, types.uint32), codegen

    typer.__name__ = "vector_" + op.name.replace(".", "_")
    return intrinsic(typer)


def _load(builder: ir.IRBuilder, kind: str, argument: ir.Value) -> ir.Value:
    if kind == "pred":
        return builder.bitcast(builder.trunc(argument, ir.IntType(32)), _vector("pred"))
    pointer = builder.inttoptr(argument, _vector(kind).as_pointer())
    return builder.load(pointer, align=LANES)


def _masked_store(builder: ir.IRBuilder, kind: str, value: ir.Value, address: ir.Value, mask: ir.Value) -> None:
    """Store all lanes at once where the mask is full, else only its lanes."""
    pointer = builder.inttoptr(address, value.type.as_pointer())
    full = builder.icmp_unsigned("==", mask, ir.Constant(ir.IntType(32), 0xFFFFFFFF))
    with builder.if_else(full, likely=True) as (all_lanes, some_lanes):
        with all_lanes:
            builder.store(value, pointer, align=LANES)
        with some_lanes:
            old = builder.load(pointer, align=LANES)
            chosen = builder.select(builder.bitcast(mask, _vector("pred")), value, old)
            builder.store(chosen, pointer, align=LANES)


def _chain(names: list[str], first: int) -> list[str]:
    """A binary tree of comparisons on `op`, ending in one call each."""
    if len(names) == 1:
        return [f"return {typer_name(names[0])}(d, a, b, c, mask)"]
    middle = len(names) // 2
    lines = [f"if op < {first + middle}:"]
    lines += ["    " + line for line in _chain(names[:middle], first)]
    return lines + _chain(names[middle:], first + middle)


def typer_name(name: str) -> str:
    return "vector_" + name.replace(".", "_")


def _dispatcher():
    namespace = {typer_name(name): _intrinsic(op) for name, op in HOT.items()}
    lines = ["def hot(op, d, a, b, c, mask):"] + ["    " + line for line in _chain(list(HOT), 0)]
    exec(compile("\n".join(lines), "<gemmlab vector>", "exec"), namespace)
    return inlined(namespace["hot"])


hot = _dispatcher()


# Whole-warp helpers for memory instructions. `addresses` is a buffer of 32 int64.
_I64 = ir.IntType(64)
_I32 = ir.IntType(32)
_V64 = ir.VectorType(_I64, LANES)


def _spread(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The same 64-bit value in every lane."""
    one = builder.insert_element(ir.Constant(_V64, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(
        one, ir.Constant(_V64, ir.Undefined), ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES)
    )


def _helper(signature, codegen, name):
    def codegen_all(context, builder, sig, args):
        return codegen(builder, *args)

    arguments = ", ".join(f"x{n}" for n in range(len(signature.args)))
    namespace = {"signature": signature, "codegen_all": codegen_all}
    exec(f"def {name}(typingctx, {arguments}):\n    return signature, codegen_all", namespace)
    return intrinsic(namespace[name])


def _addresses(builder, target, register, is64, offset, use):
    """target[l] = register[l] + offset, a 32-bit register counting as unsigned; what `use` makes of the addresses."""
    results = []
    wide = builder.icmp_signed("!=", is64, ir.Constant(_I64, 0))
    with builder.if_else(wide) as branches:
        for branch, kind in zip(branches, ("u64", "u32")):
            with branch:
                value = builder.zext(_load(builder, kind, register), _V64)
                value = builder.add(value, _spread(builder, offset))
                builder.store(value, builder.inttoptr(target, _V64.as_pointer()), align=LANES)
                results.append((use(value), builder.block))
    joined = builder.phi(results[0][0].type)
    for result, block in results:
        joined.add_incoming(result, block)
    return joined


def _address_codegen(builder, target, register, is64, offset):
    return _addresses(builder, target, register, is64, offset, lambda value: ir.Constant(_I64, 0))


def _request_codegen(builder, target, register, is64, offset, origin, pattern):
    """The addresses, and the lanes for which address - origin differs from the pattern (32 int64)."""

    def differing(value):
        relative = builder.sub(value, _spread(builder, origin))
        return builder.bitcast(builder.icmp_unsigned("!=", relative, _load(builder, "u64", pattern)), _I32)

    return _addresses(builder, target, register, is64, offset, differing)


def _outside_codegen(builder, addresses, low, high):
    """Lanes whose address is < low or > high."""
    value = _load(builder, "u64", addresses)
    below = builder.icmp_signed("<", value, _spread(builder, low))
    above = builder.icmp_signed(">", value, _spread(builder, high))
    return builder.bitcast(builder.or_(below, above), _I32)


def _unaligned_codegen(builder, addresses, low_bits):
    """Lanes whose address has one of `low_bits` set."""
    value = builder.and_(_load(builder, "u64", addresses), _spread(builder, low_bits))
    return builder.bitcast(builder.icmp_unsigned("!=", value, _splat("u64", 0)), _I32)


def _changed_codegen(builder, addresses, origin, pattern):
    """Lanes for which address - origin differs from the pattern (32 int64)."""
    relative = builder.sub(_load(builder, "u64", addresses), _spread(builder, origin))
    return builder.bitcast(builder.icmp_unsigned("!=", relative, _load(builder, "u64", pattern)), _I32)


def _half(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """The address as that of 16 words."""
    return builder.inttoptr(address, ir.VectorType(_I32, LANES // 2).as_pointer())


def _copy_half_codegen(builder, target, source):
    """16 lanes of a register get 16 neighbouring words."""
    builder.store(builder.load(_half(builder, source), align=4), _half(builder, target), align=4)
    return ir.Constant(_I64, 0)


def _fill_half_codegen(builder, target, source):
    """16 lanes of a register get the same word."""
    word = builder.load(builder.inttoptr(source, _I32.as_pointer()), align=4)
    none = ir.Constant(ir.VectorType(_I32, LANES // 2), ir.Undefined)
    one = builder.insert_element(none, word, ir.Constant(_I32, 0))
    same = builder.shuffle_vector(one, none, ir.Constant(none.type, [0] * (LANES // 2)))
    builder.store(same, _half(builder, target), align=4)
    return ir.Constant(_I64, 0)


_i64, _u32 = types.int64, types.uint32
vector_addresses = _helper(_i64(_i64, _i64, _i64, _i64), _address_codegen, "vector_addresses")
vector_request = _helper(_u32(_i64, _i64, _i64, _i64, _i64, _i64), _request_codegen, "vector_request")
vector_outside = _helper(_u32(_i64, _i64, _i64), _outside_codegen, "vector_outside")
vector_unaligned = _helper(_u32(_i64, _i64), _unaligned_codegen, "vector_unaligned")
vector_changed = _helper(_u32(_i64, _i64, _i64), _changed_codegen, "vector_changed")
copy_half = _helper(_i64(_i64, _i64), _copy_half_codegen, "copy_half")
fill_half = _helper(_i64(_i64, _i64), _fill_half_codegen, "fill_half")
