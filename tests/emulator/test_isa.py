"""Each instruction of the emulator's tables against an independent definition, through PTX text, masks and all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import hypothesis.strategies as st
import numpy as np
import ptx_reference as ref
import pytest
from hypothesis import given, settings
from ptx_lab import THREADS, bits_of, compute, kernel, launch, register

from gemmlab.emulator.code import decode
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx import parser
from gemmlab.emulator.sizes.arithmetic import operation, wrapped

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
FLOATS = ("f16", "bf16", "f32", "f64")
MODES = ("rz", "rm", "rp")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@dataclass(frozen=True)
class Case:
    """`define(*bits)` gives the result's bits. Floats may be any NaN where it gives one; `error` is relative."""

    opcode: str
    result: str
    operands: tuple[str, ...]
    define: Callable[..., int]
    extra: str = ""
    error: float = 0.0

    @property
    def name(self) -> str:
        return self.opcode + self.extra


CASES: list[Case] = []


def case(
    opcode: str, result: str, operands: str, define: Callable[..., int], extra: str = "", error: float = 0.0
) -> None:
    CASES.append(Case(opcode, result, tuple(operands.split()), define, extra, error))


def integer(opcode: str, t: str, count: int, define: Callable[..., int]) -> None:
    """`define` works on the operands as numbers of type t."""
    case(opcode, t, " ".join([t] * count), lambda *x: define(*(ref.as_type(a, t) for a in x)))


def mask_of(start: int, width: int) -> int:
    """`width` ones from bit `start` on, of 32."""
    return sum(1 << bit for bit in range(32) if start <= bit < start + width)


def _integers() -> None:
    for t in INTEGERS:
        w = int(t[1:])
        integer(f"add.{t}", t, 2, lambda a, b: a + b)
        integer(f"sub.{t}", t, 2, lambda a, b: a - b)
        integer(f"mul.lo.{t}", t, 2, lambda a, b: a * b)
        integer(f"mad.lo.{t}", t, 3, lambda a, b, c: a * b + c)
        integer(f"mul.hi.{t}", t, 2, lambda a, b, w=w: a * b >> w)
        integer(f"mad.hi.{t}", t, 3, lambda a, b, c, w=w: (a * b >> w) + c)
        integer(f"div.{t}", t, 2, lambda a, b, w=w: ref.quotient(a, b, w))
        integer(f"rem.{t}", t, 2, lambda a, b, w=w: ref.remainder(a, b, w))
        integer(f"min.{t}", t, 2, min)
        integer(f"max.{t}", t, 2, max)
        integer(f"sad.{t}", t, 3, lambda a, b, c: c + abs(a - b))
        if t[0] == "s":
            integer(f"abs.{t}", t, 1, abs)
            integer(f"neg.{t}", t, 1, lambda a: -a)
        if w < 64:
            wide = t[0] + str(2 * w)
            product = lambda a, b, t=t: ref.as_type(a, t) * ref.as_type(b, t)  # noqa: E731
            case(f"mul.wide.{t}", wide, f"{t} {t}", product)
            case(f"mad.wide.{t}", wide, f"{t} {t} {wide}", lambda a, b, c, p=product: p(a, b) + c)
        case(f"shr.{t}", t, f"{t} u32", lambda a, b, t=t: ref.shift_right(a, b, t))
        for name in COMPARISONS:
            order = lambda a, b, t=t, name=name: ref._order(name, ref.as_type(a, t), ref.as_type(b, t))  # noqa: E731
            case(f"setp.{name}.{t}", "pred", f"{t} {t}", order)
    integer("mul24.lo.s32", "s32", 2, lambda a, b: ref.signed(a, 24) * ref.signed(b, 24))
    integer("mul24.lo.u32", "u32", 2, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF))
    for t in ("u32", "s32"):
        for u in ("u32", "s32"):
            signs = t == "s32", u == "s32"
            case(f"dp4a.{t}.{u}", "s32", "b32 b32 b32", lambda a, b, c, s=signs: ref.dot_of_bytes(a, b, c, *s))
    for names, t in ((("lo", "ls", "hi", "hs"), "u32"), (("lo", "hs"), "u64")):
        for name in names:
            plain = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[name]
            case(f"setp.{name}.{t}", "pred", f"{t} {t}", lambda a, b, name=plain: ref._order(name, a, b))


def _bits() -> None:
    for w in (16, 32, 64):
        b = f"b{w}"
        case(f"and.{b}", b, f"{b} {b}", lambda x, y: x & y)
        case(f"or.{b}", b, f"{b} {b}", lambda x, y: x | y)
        case(f"xor.{b}", b, f"{b} {b}", lambda x, y: x ^ y)
        case(f"not.{b}", b, b, lambda x: ~x)
        case(f"cnot.{b}", b, b, lambda x: int(x == 0))
        case(f"shl.{b}", b, f"{b} u32", lambda x, y, w=w: ref.shift_left(x, y, w))
        case(f"mov.{b}", b, b, lambda x: x)
        case(f"selp.{b}", b, f"{b} {b}", lambda x, y: x, extra=", %p9")
    case("bmsk.wrap.b32", "b32", "b32 b32", lambda start, width: mask_of(start % 32, width % 32))
    case("bmsk.clamp.b32", "b32", "b32 b32", mask_of)
    for w in (32, 64):
        b = f"b{w}"
        case(f"popc.{b}", "u32", b, lambda x: bin(x).count("1"))
        case(f"clz.{b}", "u32", b, lambda x, w=w: w - x.bit_length())
        case(f"brev.{b}", b, b, lambda x, w=w: int(f"{x:0{w}b}"[::-1], 2))
        case(f"bfi.{b}", b, f"{b} {b} u32 u32", lambda x, y, p, n, w=w: ref.insert(x, y, p, n, w))
        for t in (f"u{w}", f"s{w}"):
            case(f"bfe.{t}", t, f"{t} u32 u32", lambda x, p, n, t=t: ref.extract(x, p, n, t))
            case(f"bfind.{t}", "u32", t, lambda x, t=t: ref.highest_bit(x, t))
            shift = lambda n, w: n if n == 0xFFFFFFFF else w - 1 - n  # noqa: E731
            case(f"bfind.shiftamt.{t}", "u32", t, lambda x, t=t, w=w, f=shift: f(ref.highest_bit(x, t), w))
    case("prmt.b32", "b32", "b32 b32 b32", ref.byte_permutation)
    for table in (0x96, 0xE8, 0xCA, 0x01, 0xFE):
        case("lop3.b32", "b32", "b32 b32 b32", lambda a, b, c, n=table: ref.lop3(a, b, c, n), extra=f", {table}")
    for direction in "lr":
        for mode in ("wrap", "clamp"):
            shifted = lambda a, b, c, d=direction, m=mode: ref.funnel(a, b, c, d == "l", m == "clamp")  # noqa: E731
            case(f"shf.{direction}.{mode}.b32", "b32", "b32 b32 b32", shifted)


def _floats() -> None:
    for t in FLOATS:
        rn = ".rn" if t != "bf16" else ""
        case(f"add{rn}.{t}", t, f"{t} {t}", lambda a, b, t=t: ref.add(a, b, t))
        case(f"sub.{t}", t, f"{t} {t}", lambda a, b, t=t: ref.sub(a, b, t))
        case(f"mul.{t}", t, f"{t} {t}", lambda a, b, t=t: ref.mul(a, b, t))
        case(f"fma.rn.{t}", t, f"{t} {t} {t}", lambda a, b, c, t=t: ref.fma(a, b, c, t))
        sign = 1 << (bits_of(t) - 1)
        case(f"neg.{t}", t, t, lambda a, s=sign: a ^ s)
        case(f"abs.{t}", t, t, lambda a, s=sign: a & ~s)
        for name, largest in (("min", False), ("max", True)):
            case(f"{name}.{t}", t, f"{t} {t}", lambda a, b, t=t, g=largest: ref.least(a, b, t, False, g))
            case(f"{name}.NaN.{t}", t, f"{t} {t}", lambda a, b, t=t, g=largest: ref.least(a, b, t, True, g))
        case(f"copysign.{t}", t, f"{t} {t}", lambda a, b, s=sign: (a & s) | (b & ~s))
        for name in (*COMPARISONS, *(f"{name}u" for name in COMPARISONS), "num", "nan"):
            case(f"setp.{name}.{t}", "pred", f"{t} {t}", lambda a, b, t=t, name=name: ref.compare(name, a, b, t))
    for t in ("f32", "f64"):
        case(f"div.rn.{t}", t, f"{t} {t}", lambda a, b, t=t: ref.div(a, b, t))
        case(f"rcp.rn.{t}", t, t, lambda a, t=t: ref.rcp(a, t))
        case(f"sqrt.rn.{t}", t, t, lambda a, t=t: ref.sqrt(a, t))
        for test, define in _TESTS.items():
            case(f"testp.{test}.{t}", "pred", t, lambda a, t=t, f=define: int(f(ref.value(a, t), ref.FORMATS[t])))
    for t in ("f16", "bf16"):
        fused = lambda a, b, c, t=t: ref.fma(a, b, c, t)  # noqa: E731
        case(f"fma.rn.relu.{t}", t, f"{t} {t} {t}", lambda a, b, c, t=t, f=fused: _relu(f(a, b, c), t))
        if t == "f16":
            case("fma.rn.sat.f16", t, "f16 f16 f16", lambda a, b, c, f=fused: ref.saturated(f(a, b, c), "f16"))
            case("add.sat.f16", t, "f16 f16", lambda a, b: ref.saturated(ref.add(a, b, "f16"), "f16"))


_TESTS = {
    "finite": lambda x, form: x is not None and x[1] != ref.INF,
    "infinite": lambda x, form: x is not None and x[1] == ref.INF,
    "number": lambda x, form: x is not None,
    "notanumber": lambda x, form: x is None,
    "normal": lambda x, form: x is not None and x[1] != ref.INF and x[1] >= form.smallest_normal,
    "subnormal": lambda x, form: x is not None and 0 < x[1] < form.smallest_normal,
}


def _relu(bits: int, t: str) -> int:
    return 0 if not ref.is_nan(bits, t) and bits >> (bits_of(t) - 1) else bits


def _modes() -> None:
    for mode in MODES:
        case(f"add.{mode}.f32", "f32", "f32 f32", lambda a, b, m=mode: ref.add(a, b, "f32", m))
        case(f"sub.{mode}.f32", "f32", "f32 f32", lambda a, b, m=mode: ref.sub(a, b, "f32", m))
        case(f"mul.{mode}.f32", "f32", "f32 f32", lambda a, b, m=mode: ref.mul(a, b, "f32", m))
        case(f"fma.{mode}.f32", "f32", "f32 f32 f32", lambda a, b, c, m=mode: ref.fma(a, b, c, "f32", m))
        case(f"div.{mode}.f32", "f32", "f32 f32", lambda a, b, m=mode: ref.div(a, b, "f32", m))
        case(f"rcp.{mode}.f32", "f32", "f32", lambda a, m=mode: ref.rcp(a, "f32", m))
        case(f"sqrt.{mode}.f32", "f32", "f32", lambda a, m=mode: ref.sqrt(a, "f32", m))
        case(f"add.{mode}.f64", "f64", "f64 f64", lambda a, b, m=mode: ref.add(a, b, "f64", m))
        case(f"sub.{mode}.f64", "f64", "f64 f64", lambda a, b, m=mode: ref.sub(a, b, "f64", m))


def _flushing() -> None:
    """.ftz and .sat of float32."""
    f = lambda a: ref.flush(a, "f32")  # noqa: E731
    for name, define in (
        ("add", ref.add),
        ("sub", ref.sub),
        ("mul", ref.mul),
        ("fma.rn", ref.fma),
        ("div.rn", ref.div),
    ):
        count = 3 if name == "fma.rn" else 2
        types = " ".join(["f32"] * count)
        plain = lambda *x, g=define: g(*x, "f32")  # noqa: E731
        case(f"{name}.ftz.f32", "f32", types, lambda *x, g=plain: f(g(*map(f, x))))
        if name != "div.rn":
            case(f"{name}.sat.f32", "f32", types, lambda *x, g=plain: ref.saturated(g(*x), "f32"))
            case(f"{name}.ftz.sat.f32", "f32", types, lambda *x, g=plain: f(ref.saturated(g(*map(f, x)), "f32")))
    case("fma.rm.ftz.f32", "f32", "f32 f32 f32", lambda a, b, c: f(ref.fma(f(a), f(b), f(c), "f32", "rm")))
    case("min.ftz.f32", "f32", "f32 f32", lambda a, b: ref.least(f(a), f(b), "f32"))
    case("neg.ftz.f32", "f32", "f32", lambda a: f(a) ^ 0x80000000)
    case("abs.ftz.f32", "f32", "f32", lambda a: f(a) & 0x7FFFFFFF)
    case("sqrt.rn.ftz.f32", "f32", "f32", lambda a: f(ref.sqrt(f(a), "f32")))
    case("rcp.rn.ftz.f32", "f32", "f32", lambda a: f(ref.rcp(f(a), "f32")))
    for name in ("lt", "eq", "neu", "geu"):
        case(f"setp.{name}.ftz.f32", "pred", "f32 f32", lambda a, b, n=name: ref.compare(n, f(a), f(b), "f32"))


def _pairs() -> None:
    for t in ("f16", "bf16"):
        binary = {"add": ref.add, "sub": ref.sub, "mul": ref.mul, "min": ref.least}
        for name, define in binary.items():
            case(f"{name}.{t}x2", f"{t}x2", f"{t}x2 {t}x2", _on_halves(lambda a, b, t=t, g=define: g(a, b, t)))
        case(f"max.{t}x2", f"{t}x2", f"{t}x2 {t}x2", _on_halves(lambda a, b, t=t: ref.least(a, b, t, False, True)))
        for name, largest in (("min", False), ("max", True)):
            least = lambda a, b, t=t, g=largest: ref.least(a, b, t, True, g)  # noqa: E731
            case(f"{name}.NaN.{t}x2", f"{t}x2", f"{t}x2 {t}x2", _on_halves(least))
        fused = lambda a, b, c, t=t: ref.fma(a, b, c, t)  # noqa: E731
        case(f"fma.rn.{t}x2", f"{t}x2", f"{t}x2 {t}x2 {t}x2", _on_halves(fused))
        relu = lambda a, b, c, t=t: _relu(ref.fma(a, b, c, t), t)  # noqa: E731
        case(f"fma.rn.relu.{t}x2", f"{t}x2", f"{t}x2 {t}x2 {t}x2", _on_halves(relu))
        case(f"neg.{t}x2", f"{t}x2", f"{t}x2", _on_halves(lambda a: a ^ 0x8000))
        case(f"abs.{t}x2", f"{t}x2", f"{t}x2", _on_halves(lambda a: a & 0x7FFF))
        for name in ("lt", "neu", "ge"):
            true = 0x3C00 if t == "f16" else 0x3F80
            test = lambda a, b, t=t, n=name, v=true: v * ref.compare(n, a, b, t)  # noqa: E731
            case(f"set.{name}.{t}x2.{t}x2", f"{t}x2", f"{t}x2 {t}x2", _on_halves(test))
            mask = lambda a, b, t=t, n=name: 0xFFFF * ref.compare(n, a, b, t)  # noqa: E731
            case(f"set.{name}.u32.{t}x2", "u32", f"{t}x2 {t}x2", _on_halves(mask))
    sat = lambda a, b: ref.saturated(ref.add(a, b, "f16"), "f16")  # noqa: E731
    case("add.sat.f16x2", "f16x2", "f16x2 f16x2", _on_halves(sat))


def _on_halves(define: Callable[..., int]) -> Callable[..., int]:
    return lambda *x: define(*(a & 0xFFFF for a in x)) | define(*(a >> 16 for a in x)) << 16


def _sets() -> None:
    case("set.lt.u32.f32", "u32", "f32 f32", lambda a, b: 0xFFFFFFFF * ref.compare("lt", a, b, "f32"))
    case("set.geu.f32.f32", "f32", "f32 f32", lambda a, b: 0x3F800000 * ref.compare("geu", a, b, "f32"))
    case("set.gt.u32.s32", "u32", "s32 s32", lambda a, b: 0xFFFFFFFF * (ref.signed(a, 32) > ref.signed(b, 32)))
    case("set.eq.f16.f16", "f16", "f16 f16", lambda a, b: 0x3C00 * ref.compare("eq", a, b, "f16"))
    case("slct.b32.s32", "b32", "b32 b32 s32", lambda a, b, c: a if ref.signed(c, 32) >= 0 else b)
    case("slct.u64.s32", "u64", "u64 u64 s32", lambda a, b, c: a if ref.signed(c, 32) >= 0 else b)
    case("slct.f32.f32", "f32", "f32 f32 f32", lambda a, b, c: a if ref.compare("ge", c, 0, "f32") else b)


def _conversions() -> None:
    everything = ("u8", "s8", *INTEGERS)
    for d in everything:
        for s in everything:
            case(f"cvt.{d}.{s}", d, s, lambda a, s=s: ref.as_type(a, s))
    narrow = [(d, s) for d in ("u8", "s8", "u16", "s16") for s in ("s32", "u32")]
    for d, s in [*narrow, *((d, s) for d in ("u32", "s32") for s in ("s64", "u64"))]:
        width = int(d[1:])
        low, high = (0, 2**width - 1) if d[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        clamped = lambda a, s=s, low=low, high=high: max(low, min(high, ref.as_type(a, s)))  # noqa: E731
        case(f"cvt.sat.{d}.{s}", d, s, clamped)
    for f in FLOATS:
        for t in INTEGERS:
            case(f"cvt.rn.{f}.{t}", f, t, lambda a, t=t, f=f: ref.from_integer(a, t, f))
            for mode in ("rn", *MODES):
                case(f"cvt.{mode}i.{t}.{f}", t, f, lambda a, t=t, f=f, m=mode: ref.to_integer(a, f, t, m))
        for mode in ("rn", *MODES):
            case(f"cvt.{mode}i.{f}.{f}", f, f, lambda a, f=f, m=mode: ref.to_integral(a, f, m))
    for mode in MODES:
        for t in ("u32", "s32", "u64", "s64"):
            for f in ("f32", "f16", "bf16"):
                case(f"cvt.{mode}.{f}.{t}", f, t, lambda a, t=t, f=f, m=mode: ref.from_integer(a, t, f, m))
        for d, s in (("f32", "f64"), ("f16", "f64"), ("f16", "f32"), ("bf16", "f32"), ("bf16", "f64")):
            case(f"cvt.{mode}.{d}.{s}", d, s, lambda a, d=d, s=s, m=mode: ref.between_floats(a, s, d, m))
    for d in FLOATS:
        for s in FLOATS:
            case(f"cvt.rn.{d}.{s}" if d != s else f"cvt.{d}.{s}", d, s, lambda a, d=d, s=s: ref.between_floats(a, s, d))
    case("cvt.rna.tf32.f32", "b32", "f32", ref.to_tf32)
    case("cvt.sat.f32.f32", "f32", "f32", lambda a: ref.saturated(a, "f32"))
    case("cvt.rn.sat.f16.f32", "f16", "f32", lambda a: ref.saturated(ref.between_floats(a, "f32", "f16"), "f16"))
    case("cvt.rn.relu.bf16.f32", "bf16", "f32", lambda a: _relu(ref.between_floats(a, "f32", "bf16"), "bf16"))
    case("cvt.ftz.f64.f32", "f64", "f32", lambda a: ref.between_floats(ref.flush(a, "f32"), "f32", "f64"))
    case("cvt.rn.ftz.f32.f64", "f32", "f64", lambda a: ref.flush(ref.between_floats(a, "f64", "f32"), "f32"))
    case("cvt.rzi.ftz.s32.f32", "s32", "f32", lambda a: ref.to_integer(ref.flush(a, "f32"), "f32", "s32", "rz"))
    for t in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            half = lambda a, t=t, m=mode: ref.between_floats(a, "f32", t, m)  # noqa: E731
            case(f"cvt.{mode}.{t}x2.f32", f"{t}x2", "f32 f32", lambda a, b, h=half: h(a) << 16 | h(b))


def _approximate() -> None:
    """Compared with Python's functions. Arguments beyond these functions' range are left out."""
    functions = {
        "sin.approx.f32": math.sin,
        "cos.approx.f32": math.cos,
        "lg2.approx.f32": lambda x: math.log2(x) if x > 0 else -math.inf if x == 0 else math.nan,
        "ex2.approx.f32": lambda x: math.inf if x > 128 else 2.0**x,
        "tanh.approx.f32": math.tanh,
        "rsqrt.approx.f32": lambda x: 1 / math.sqrt(x) if x > 0 else math.copysign(math.inf, x) if x == 0 else math.nan,
        "rcp.approx.f32": lambda x: 1 / x if x else math.copysign(math.inf, x),
        "sqrt.approx.f32": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    }
    for opcode, function in functions.items():
        case(opcode, "f32", "f32", lambda a, f=function: _through_float(f, a, "f32"), error=1e-6)
    case(
        "rsqrt.approx.f64", "f64", "f64", lambda a: _through_float(functions["rsqrt.approx.f32"], a, "f64"), error=1e-6
    )
    for t, error in (("f16", 2e-3), ("bf16", 2e-2)):
        ftz = ".ftz" if t == "bf16" else ""
        for name in ("ex2", "tanh"):
            function = functions[f"{name}.approx.f32"]
            half = lambda a, f=function, t=t: _through_float(f, a, t)  # noqa: E731
            case(f"{name}.approx{ftz if name == 'ex2' else ''}.{t}", t, t, half, error=error)
            case(
                f"{name}.approx{ftz if name == 'ex2' else ''}.{t}x2", f"{t}x2", f"{t}x2", _on_halves(half), error=error
            )
    for opcode in ("div.approx.f32", "div.full.f32"):
        case(opcode, "f32", "f32 f32", lambda a, b: ref.div(a, b, "f32"), error=1e-6)


def _through_float(function: Callable[[float], float], bits: int, kind: str) -> int:
    found = ref.value(bits, kind)
    if found is None:
        return ref.nan(kind)
    try:
        y = function(math.copysign(float(found[1]), -1 if found[0] else 1))
    except (OverflowError, ValueError):
        return ref.nan(kind)
    if math.isnan(y):
        return ref.nan(kind)
    sign = int(math.copysign(1, y) < 0)
    return ref.infinity(sign, kind) if math.isinf(y) else ref.encode(sign, ref.Fraction(abs(y)), kind)


for _part in (_integers, _bits, _floats, _modes, _flushing, _pairs, _sets, _conversions, _approximate):
    _part()
_BY_NAME = {c.name: c for c in CASES}


# ---- operands


def _edges(kind: str) -> list[int]:
    width = bits_of(kind)
    half = 2 ** (width - 1)
    found = [0, 1, 2, 3, 7, half - 1, half, half + 1, 2 * half - 1, 2 * half - 2, 0x5A5A5A5A5A5A5A5A % (2 * half)]
    if kind in ref.FORMATS:
        form = ref.FORMATS[kind]
        texts = (
            "0 1 -1 1/2 -3/2 5/2 1/3 7/2 255/2 32767 32768 65535 65536 -129 2147483647 4294967295 -2147483649".split()
        )
        numbers = [ref.Fraction(text) for text in texts]
        found += [ref.encode(int(x < 0), abs(x), kind) for x in numbers]
        found += [ref.infinity(0, kind), ref.infinity(1, kind), ref.nan(kind), ref.infinity(0, kind) | 1]
        normal = ref.encode(0, form.smallest_normal, kind)
        found += [
            normal,
            normal - 1,
            normal | half,
            ref.encode(0, form.largest, kind),
            ref.encode(1, form.largest, kind),
        ]
    elif kind.endswith("x2"):
        parts = _edges(kind[:-2])
        found += [parts[n] | parts[-n] << 16 for n in range(len(parts))]
    else:
        found += [31, 32, 33, 63, 64, 65, 255, 256, 0x7F, 0x80, 0xFF80, 0x10000]
    return [x % (2 * half) for x in found]


def _any(rng: np.random.Generator, kind: str, count: int) -> np.ndarray:
    """Random bits; floats mostly of near magnitudes, so that sums and products are interesting."""
    width = bits_of(kind)
    bits = (
        rng.integers(0, 2**width, count, np.uint64, endpoint=False)
        if width < 64
        else rng.integers(0, 2**64, count, np.uint64)
    )
    if kind in ref.FORMATS:
        form = ref.FORMATS[kind]
        near = rng.integers(form.bias - 6, form.bias + 7, count).astype(np.uint64) << np.uint64(form.precision - 1)
        keep = np.uint64((1 << (form.width - 1)) | (1 << (form.precision - 1)) - 1)
        bits = np.where(rng.random(count) < 0.6, (bits & keep) | near, bits)
    return bits


@lru_cache
def columns(kinds: tuple[str, ...], count: int) -> list[np.ndarray]:
    """Operands: pairs of edges first, then random ones."""
    rng = np.random.default_rng(len(kinds) * 1000 + sum(map(len, kinds)))
    found = []
    for kind in kinds:
        column = _any(rng, kind, count)
        edges = np.array(_edges(kind), np.uint64)
        column[: count // 2] = rng.choice(edges, count // 2)
        found.append(column)
    return found


def check(c: Case, operands: list[np.ndarray]) -> None:
    """Run the instruction for some lanes only and compare every lane."""
    count = len(operands[0])
    rng = np.random.default_rng(3)
    mask = rng.random(count) < 0.7
    mask[: count // 2] = True
    old = _any(rng, "u32" if c.result == "pred" else c.result, count)
    got, run = compute(c.opcode, c.result, c.operands, operands, old, mask, c.extra)
    assert not len(run.events), c.name
    width = 1 if c.result == "pred" else bits_of(c.result)
    for n in range(count):
        bits = [int(column[n]) for column in operands]
        kept = int(old[n] != 0) if c.result == "pred" else int(old[n])
        wanted = c.define(*bits) % 2**width if mask[n] else kept % 2**width
        found = int(got[n]) % 2**width
        assert _agree(c, wanted, found, mask[n]), f"{c.name} of {[hex(b) for b in bits]}: {found:#x}, not {wanted:#x}"


def _agree(c: Case, wanted: int, found: int, computed: bool) -> bool:
    if wanted == found or not computed:
        return wanted == found
    kind = c.result
    if kind.endswith("x2"):
        halves = [(wanted >> shift & 0xFFFF, found >> shift & 0xFFFF) for shift in (0, 16)]
        return all(_agree(Case(c.name, kind[:-2], (), c.define, error=c.error), *pair, True) for pair in halves)
    if kind not in ref.FORMATS:
        return False
    x, y = ref.value(wanted, kind), ref.value(found, kind)
    if x is None or y is None or not c.error:
        return x is None and y is None
    if ref.INF in (x[1], y[1]):
        return False
    return abs(ref.signed_value(x) - ref.signed_value(y)) <= c.error * max(abs(x[1]), 1)


# ---- the tests

COUNT = 2 * THREADS
OTHERS = {
    "moves": """
        ld.global.u64 %rd1, [%rd54]; ld.global.u64 %rd2, [%rd55];
        mov.b64 {%r1, %r2}, %rd1; mov.b64 {%r3, _}, %rd2; mov.b64 %rd3, {%r2, %r3};
        mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r4, {%rs2, %rs1}; mov.b64 %rd4, {%rs1, %rs2, %rs1, %rs1};
        mov.b64 {%rs3, _, _, %rs4}, %rd1; mov.b32 %r5, {%rs3, %rs4}; mov.b64 {%r2, %r1}, %rd1;
        mov.b64 %rd5, {%r4, %r5}; mov.b64 %rd6, {%r1, %r2};
        xor.b64 %rd7, %rd3, %rd4; add.s64 %rd7, %rd7, %rd5; xor.b64 %rd7, %rd7, %rd6; st.global.u64 [%rd56], %rd7;""",
    "carries of 64 bits": """
        ld.global.u64 %rd1, [%rd54]; ld.global.u64 %rd2, [%rd55]; mul.hi.u64 %rd3, %rd1, %rd2;
        mul.lo.u64 %rd4, %rd1, %rd2;
        add.cc.u64 %rd5, %rd4, %rd1; addc.cc.s64 %rd6, %rd3, %rd2; addc.u64 %rd7, %rd1, %rd2;
        sub.cc.u64 %rd5, %rd5, %rd2; subc.cc.u64 %rd6, %rd6, %rd1; subc.u64 %rd7, %rd7, 3;
        mad.lo.cc.u64 %rd5, %rd1, %rd2, %rd5; madc.hi.u64 %rd6, %rd1, %rd2, %rd6;
        xor.b64 %rd8, %rd5, %rd6; xor.b64 %rd8, %rd8, %rd7; st.global.u64 [%rd56], %rd8;""",
    "carries of 32 bits": """
        ld.global.v2.u32 {%r1, %r2}, [%rd54]; ld.global.v2.u32 {%r3, %r4}, [%rd55];
        mul.lo.u32 %r5, %r1, %r3; mul.hi.u32 %r6, %r1, %r3; mad.lo.cc.u32 %r6, %r1, %r4, %r6;
        madc.hi.u32 %r7, %r1, %r4, 0;
        mad.lo.cc.u32 %r6, %r2, %r3, %r6; madc.hi.u32 %r8, %r2, %r3, 0; mov.b64 %rd8, {%r5, %r6};
        st.global.u64 [%rd56], %rd8;""",
    "predicates": """
        ld.global.u32 %r1, [%rd54]; ld.global.u32 %r2, [%rd55]; setp.lt.u32 %p1, %r1, %r2; setp.gt.s32 %p2|%p3, %r1, 5;
        and.pred %p4, %p1, !%p2; or.pred %p5, %p1, %p3; xor.pred %p6, %p4, %p5; not.pred %p7, %p6; mov.pred %p8, %p7;
        setp.eq.and.u32 %p10|%p11, %r1, %r2, %p8; setp.ne.xor.s32 %p12, %r2, 7, !%p5;
        @%p1 setp.lt.or.u32 %p1|%p2, %r2, 9, %p3;
        selp.u32 %r3, 1, 0, %p4; @%p5 add.u32 %r3, %r3, 2; @!%p6 add.u32 %r3, %r3, 4; @%p8 add.u32 %r3, %r3, 8;
        @%p10 add.u32 %r3, %r3, 16; @%p11 add.u32 %r3, %r3, 32; @%p12 add.u32 %r3, %r3, 64; @%p1 add.u32 %r3, %r3, 128;
        @%p2 add.u32 %r3, %r3, 256; cvt.u64.u32 %rd9, %r3; st.global.u64 [%rd56], %rd9;""",
}


def run_other(name: str) -> tuple[list[int], list[int], list[int]]:
    a, b = (column.copy() for column in columns(("u64", "u64"), COUNT))
    C = np.zeros(COUNT, np.uint64)
    assert not len(launch(kernel(OTHERS[name]), a, b, C, blocks=COUNT // THREADS).events)
    return [int(x) for x in a], [int(x) for x in b], [int(x) for x in C]


@pytest.mark.parametrize("c", CASES, ids=lambda c: c.name)
def test_against_definition(c: Case):
    check(c, columns(c.operands, COUNT))


@settings(max_examples=40)
@given(st.data())
def test_any_bits(data: st.DataObject):
    c = data.draw(st.sampled_from(CASES))
    draw = lambda kind: data.draw(st.lists(st.integers(0, 2 ** bits_of(kind) - 1), min_size=8, max_size=8))  # noqa: E731
    check(c, [np.array(draw(kind) * (THREADS // 8), np.uint64) for kind in c.operands])


def test_moves_of_vectors():
    for a, b, c in zip(*run_other("moves")):
        low, high, other = a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF
        halves = [a >> 16 * n & 0xFFFF for n in range(4)]
        swapped = halves[1] | halves[0] << 16
        four = halves[0] | halves[1] << 16 | halves[0] << 32 | halves[0] << 48
        ends = swapped | (halves[0] | halves[3] << 16) << 32
        assert c == ((high | other << 32) ^ four) + ends & 2**64 - 1 ^ (high | low << 32)


def test_carries():
    full = 2**64 - 1
    for a, b, c in zip(*run_other("carries of 64 bits")):
        x = (a * b + (a | b << 64 | (a + b & full) << 128)) & 2**192 - 1
        x = (x - (b | a << 64 | 3 << 128)) & 2**192 - 1
        low, middle, top = x & full, x >> 64 & full, x >> 128
        y = (low | middle << 64) + a * b & 2**128 - 1
        assert c == (y & full) ^ (y >> 64) ^ top
    for a, b, c in zip(*run_other("carries of 32 bits")):
        assert c == a * b & full


def test_predicates():
    for a, b, c in zip(*run_other("predicates")):
        r1, r2 = a & 0xFFFFFFFF, b & 0xFFFFFFFF
        p1, p2 = r1 < r2, ref.signed(r1, 32) > 5
        p3 = not p2
        p4, p5 = p1 and not p2, p1 or p3
        p6 = p4 != p5
        p8 = not p6
        p10, p11, p12 = r1 == r2 and p8, r1 != r2 and p8, (r2 != 7) != (not p5)
        if p1:
            p1, p2 = r2 < 9 or p3, r2 >= 9 or p3
        bits = (p4, p5, not p6, p8, p10, p11, p12, p1, p2)
        assert c == sum(bit << n for n, bit in enumerate(bits))


def test_every_entry_of_the_tables_is_tested():
    texts = [f"{c.opcode} {', '.join(_operands(c))}{c.extra};" for c in CASES]
    code = decode.decode(parser.parse(kernel("\n".join([*texts, *OTHERS.values()]))), "gemm")
    assert not code.messages
    used = set(code.rows[:, o.ROW_OP])
    assert [name for name, number in o.NUMBER.items() if number not in used] == []


def _operands(c: Case) -> list[str]:
    return [
        "%p1" if c.result == "pred" else register(c.result, 9),
        *(register(t, n) for n, t in enumerate(c.operands, 1)),
    ]


def test_what_decides_branches_is_computed_over_arrays_as_well():
    """gemmlab/emulator/sizes has integer instructions of its own, for whole arrays; floats it only compares."""
    tried = 0
    for c in CASES:
        do = operation(c.opcode.split("."))
        if do is None or not set(c.operands) <= {*INTEGERS, "b16", "b32", "b64"}:
            continue
        operands = columns(c.operands, COUNT)
        given = [wrapped(column.view(np.int64), bits_of(kind)) for column, kind in zip(operands, c.operands)]
        more = [np.True_ if text == "%p9" else np.int64(text) for text in c.extra.replace(",", " ").split()]
        found = np.broadcast_to(do(*given, *more), COUNT)
        for n, got in enumerate(found):
            bits = [int(column[n]) for column in operands]
            width = 1 if c.result == "pred" else bits_of(c.result)
            assert int(got) % 2**width == c.define(*bits) % 2**width, f"{c.name} of {[hex(b) for b in bits]}"
        tried += 1
    assert tried > 100
