"""What the rarer arithmetic instructions mean, once: name, types and one expression over its operands {a} {b} {c}.

`{i}` is an immediate of the instruction. `alu.py` turns this table into compiled code that computes a lane at a time on
64-bit patterns. The instructions that kernels spend their time in are in `vector.py`; memory, control flow and warp-
wide instructions in `interpreter.py`.

Source: NVIDIA, Parallel Thread Execution ISA, chapter "Instructions".
"""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.emulator.processor import HAS_FMA

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
FLOATS = ("f16", "bf16", "f32", "f64")
WIDTH = {
    "u8": 8,
    "s8": 8,
    "u16": 16,
    "s16": 16,
    "u32": 32,
    "s32": 32,
    "u64": 64,
    "s64": 64,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "pred": 1,
}


@dataclass(frozen=True)
class Op:
    """`result` and `operands` are types; the expression sees the operands as numbers of those types."""

    name: str
    result: str
    operands: tuple[str, ...]
    expression: str


TABLE: dict[str, Op] = {}
_DIRECTED = {"rz": 1, "rm": 2, "rp": 3}  # as in alu.py


def _define(name: str, result: str, operands: str, expression: str) -> None:
    assert name not in TABLE, name
    TABLE[name] = Op(name, result, tuple(operands.split()), expression)


def _each(names: str, types: str, operands: int, expression: str) -> None:
    """One instruction for several types: `{t}` in the name, operands and result all of that type."""
    for t in types.split():
        _define(names.replace("{t}", t), t, " ".join([t] * operands), expression)


def _packing() -> None:
    """mov between a register and its halves or bytes."""
    for low, wide in (("u16", "u32"), ("u32", "u64")):
        half = WIDTH[low]
        _define(f"pack.{wide}", wide, f"{low} {low}", f"{{a}} | np.uint64({{b}} << np.uint64({half}))")
        _define(f"low.{wide}", low, wide, "{a}")
        _define(f"high.{wide}", low, wide, f"{{a}} >> np.uint64({half})")


def _integers() -> None:
    wide = "u16 s16 u32 s32 u64 s64"
    _each("add.{t}", "u16", 2, "{a} + {b}")
    _each("sub.{t}", "u16", 2, "{a} - {b}")
    _each("mul.lo.{t}", "u16", 2, "{a} * {b}")
    _each("mad.lo.{t}", "u16", 3, "{a} * {b} + {c}")
    for t, w in (("u16", "u32"), ("s16", "s32")):
        _define(f"mul.wide.{t}", w, f"{t} {t}", "{a} * {b}")
        _define(f"mad.wide.{t}", w, f"{t} {t} {w}", "{a} * {b} + {c}")
    for t in ("u16", "s16", "u32", "s32"):
        shift = f"np.uint64({WIDTH[t]})" if t.startswith("u") else str(WIDTH[t])
        _define(f"mul.hi.{t}", t, f"{t} {t}", f"({{a}} * {{b}}) >> {shift}")
        _define(f"mad.hi.{t}", t, f"{t} {t} {t}", f"(({{a}} * {{b}}) >> {shift}) + {{c}}")
    _define("mul.hi.u64", "u64", "u64 u64", "high_product({a}, {b})")
    _define("mul.hi.s64", "s64", "s64 s64", "signed_high_product({a}, {b})")
    _each("div.{t}", "u16 u32 u64", 2, "({a} // {b}) if {b} != np.uint64(0) else ~np.uint64(0)")
    _each("rem.{t}", "u16 u32 u64", 2, "({a} % {b}) if {b} != np.uint64(0) else {a}")
    _each("div.{t}", "s16 s32 s64", 2, "truncated_quotient({a}, {b})")
    _each("rem.{t}", "s16 s32 s64", 2, "truncated_remainder({a}, {b})")
    _each("abs.{t}", "s16 s32 s64", 1, "{a} if {a} >= 0 else -{a}")
    _each("neg.{t}", "s16", 1, "-{a}")
    _each("min.{t}", "u16 s16", 2, "min({a}, {b})")
    _each("max.{t}", "u16 s16", 2, "max({a}, {b})")
    _each("sad.{t}", wide, 3, "{c} + (max({a}, {b}) - min({a}, {b}))")
    _define("mad.hi.u64", "u64", "u64 u64 u64", "high_product({a}, {b}) + {c}")
    _define("mad.hi.s64", "s64", "s64 s64 s64", "signed_high_product({a}, {b}) + {c}")
    for t in ("u32", "s32"):
        for u in ("u32", "s32"):
            signs = ", ".join(str(kind == "s32") for kind in (t, u))
            _define(f"dp4a.{t}.{u}", "u32", "u32 u32 u32", f"dot_of_bytes({{a}}, {{b}}, {{c}}, {signs})")
    _define("mul24.lo.s32", "s32", "s32 s32", "(({a} << 40) >> 40) * (({b} << 40) >> 40)")
    _define("mul24.lo.u32", "u32", "u32 u32", "({a} & np.uint64(0xFFFFFF)) * ({b} & np.uint64(0xFFFFFF))")


def _bitwise() -> None:
    for name, sign in (("and", "&"), ("or", "|"), ("xor", "^")):
        _each(name + ".{t}", "u16", 2, "{a} " + sign + " {b}")
    _each("not.{t}", "u16", 1, "~{a}")
    _each("cnot.{t}", "u16 u32 u64", 1, "np.uint64(1) if {a} == np.uint64(0) else np.uint64(0)")
    _define("shl.u16", "u16", "u16 u32", "np.uint64(0) if {b} > np.uint64(15) else ({a} << {b})")
    _define("shr.u16", "u16", "u16 u32", "np.uint64(0) if {b} > np.uint64(15) else ({a} >> {b})")
    _define("shr.s16", "s16", "s16 u32", "{a} >> min({b}, np.uint64(15))")
    _define("shf.l.wrap.u32", "u32", "u32 u32 u32", "funnel({a}, {b}, {c} & np.uint64(31), True)")
    _define("shf.r.wrap.u32", "u32", "u32 u32 u32", "funnel({a}, {b}, {c} & np.uint64(31), False)")
    _define("shf.l.clamp.u32", "u32", "u32 u32 u32", "funnel({a}, {b}, min({c}, np.uint64(32)), True)")
    _define("shf.r.clamp.u32", "u32", "u32 u32 u32", "funnel({a}, {b}, min({c}, np.uint64(32)), False)")
    for t in ("u32", "u64"):
        bits = WIDTH[t]
        signed = "s" + t[1:]
        magnitude = "np.uint64({a} if {a} >= 0 else ~{a})"
        _define(f"popc.{t}", "u32", t, "ones({a})")
        _define(f"clz.{t}", "u32", t, f"leading_zeros({{a}}, {bits})")
        _define(f"brev.{t}", t, t, f"reversed_bits({{a}}, {bits})")
        _define(f"bfe.{t}", t, f"{t} u32 u32", f"field({{a}}, {{b}}, {{c}}, {bits}, False)")
        _define(f"bfe.{signed}", t, f"{t} u32 u32", f"field({{a}}, {{b}}, {{c}}, {bits}, True)")
        _define(f"bfind.{t}", "u32", t, "highest_bit({a})")
        _define(f"bfind.{signed}", "u32", signed, f"highest_bit({magnitude})")
        _define(f"bfind.shiftamt.{t}", "u32", t, f"shift_amount(highest_bit({{a}}), {bits})")
        _define(f"bfind.shiftamt.{signed}", "u32", signed, f"shift_amount(highest_bit({magnitude}), {bits})")
    ones = "(np.uint64(1) << {width}) - np.uint64(1)"
    wrapped = ones.format(width="({b} & np.uint64(31))")
    clamped = ones.format(width="min({b}, np.uint64(32))")
    _define("bmsk.wrap.u32", "u32", "u32 u32", f"({wrapped}) << ({{a}} & np.uint64(31))")
    _define("bmsk.clamp.u32", "u32", "u32 u32", f"({clamped}) << {{a}} if {{a}} < np.uint64(32) else np.uint64(0)")
    _define("prmt.u32", "u32", "u32 u32 u32", "permuted_bytes({a}, {b}, {c})")
    _define("lop3.u32", "u32", "u32 u32 u32", "truth_table({a}, {b}, {c}, {i})")


COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _comparisons() -> None:
    for t in ("u16", "s16"):
        for name, sign in COMPARISONS.items():
            _define(f"setp.{name}.{t}", "pred", f"{t} {t}", f"{{a}} {sign} {{b}}")
    for t in FLOATS:
        for name, sign in COMPARISONS.items():
            unordered = "({a} != {a}) or ({b} != {b})"
            ordered_ne = " and ({a} == {a}) and ({b} == {b})" if name == "ne" else ""
            if t != "f32":
                _define(f"setp.{name}.{t}", "pred", f"{t} {t}", f"({{a}} {sign} {{b}}){ordered_ne}")
            _define(f"setp.{name}u.{t}", "pred", f"{t} {t}", f"({{a}} {sign} {{b}}) or {unordered}")
        _define(f"setp.num.{t}", "pred", f"{t} {t}", "({a} == {a}) and ({b} == {b})")
        _define(f"setp.nan.{t}", "pred", f"{t} {t}", "({a} != {a}) or ({b} != {b})")


def _floats() -> None:
    """float16 and bfloat16 are computed in float64, which loses nothing that matters, and rounded once."""
    for t in ("f16", "bf16"):
        a, b, c = ("np.float64({%s})" % x for x in "abc")
        _define(f"add.{t}", t, f"{t} {t}", f"sum_to_odd({a}, {b})")
        _define(f"sub.{t}", t, f"{t} {t}", f"sum_to_odd({a}, -{b})")
        _define(f"mul.{t}", t, f"{t} {t}", f"{a} * {b}")
        _define(f"fma.{t}", t, f"{t} {t} {t}", f"sum_to_odd({a} * {b}, {c})")
        _define(f"neg.{t}", t, t, "-{a}")
        _define(f"relu.{t}", t, t, "relu({a})")
        _define(f"ex2.{t}", t, t, f"np.exp2({a})")
        _define(f"tanh.{t}", t, t, f"np.tanh({a})")
    if not HAS_FMA:
        _define("fma.f32", "f32", "f32 f32 f32", "fma32({a}, {b}, {c})")
        _define("fma.f64", "f64", "f64 f64 f64", "fma64({a}, {b}, {c})")
    for t in FLOATS:
        _define(f"abs.{t}", t, t, "abs({a})")
        _define(f"min.{t}", t, f"{t} {t}", "float_min({a}, {b})")
        _define(f"max.{t}", t, f"{t} {t}", "float_max({a}, {b})")
        _define(f"min.nan.{t}", t, f"{t} {t}", "nan_min({a}, {b})")
        _define(f"max.nan.{t}", t, f"{t} {t}", "nan_max({a}, {b})")
        _define(f"copysign.{t}", t, f"{t} {t}", "np.copysign({b}, {a})")
        if t in ("f16", "f32"):
            _define(f"sat.{t}", t, t, "saturate({a})")
    for t in ("f32", "f64"):
        _define(f"rcp.{t}", t, t, "1 / {a}")
        _define(f"sqrt.{t}", t, t, "np.sqrt({a})")
        _define(f"rsqrt.{t}", t, t, "1 / np.sqrt(np.float64({a}))")
        for test, expression in (
            ("finite", "np.isfinite({a})"),
            ("infinite", "np.isinf({a})"),
            ("number", "{a} == {a}"),
            ("notanumber", "{a} != {a}"),
            ("normal", "is_normal(np.float64({a}), %s)" % _tiny(t)),
            ("subnormal", "is_subnormal(np.float64({a}), %s)" % _tiny(t)),
        ):
            _define(f"testp.{test}.{t}", "pred", t, expression)
    for name, function in (("sin", "sin"), ("cos", "cos"), ("lg2", "log2"), ("ex2", "exp2"), ("tanh", "tanh")):
        _define(f"{name}.f32", "f32", "f32", f"np.{function}(np.float64({{a}}))")


def _directed_rounding() -> None:
    """float32 arithmetic that rounds to zero, down or up."""
    a, b, c = ("np.float64({%s})" % x for x in "abc")
    for mode, number in _DIRECTED.items():
        _define(f"add.{mode}.f32", "f32", "f32 f32", f"directed_sum({a}, {b}, {number})")
        _define(f"sub.{mode}.f32", "f32", "f32 f32", f"directed_sum({a}, -{b}, {number})")
        _define(f"mul.{mode}.f32", "f32", "f32 f32", f"narrow_f32({a} * {b}, {number})")
        _define(f"fma.{mode}.f32", "f32", "f32 f32 f32", f"directed_sum({a} * {b}, {c}, {number})")
        _define(f"div.{mode}.f32", "f32", "f32 f32", f"directed_quotient({a}, {b}, {number})")
        _define(f"rcp.{mode}.f32", "f32", "f32", f"directed_quotient(1.0, {a}, {number})")
        _define(f"add.{mode}.f64", "f64", "f64 f64", f"directed_sum64({{a}}, {{b}}, {number})")
        _define(f"sub.{mode}.f64", "f64", "f64 f64", f"directed_sum64({{a}}, -{{b}}, {number})")
        _define(f"sqrt.{mode}.f32", "f32", "f32", f"directed_root({a}, {number})")


def _tiny(t: str) -> str:
    return "1.1754943508222875e-38" if t == "f32" else "2.2250738585072014e-308"


def _halves_in_pairs() -> None:
    """The x2 forms work on both halves of a 32-bit register."""
    for t in ("f16", "bf16"):
        names = "add sub mul fma neg abs min max min.nan max.nan relu ex2 tanh".split()
        for name in [*names, "sat"] if t == "f16" else names:
            op = TABLE[f"{name}.{t}"]
            low, high = (_on_half(op, t, shift) for shift in (0, 16))
            _define(
                f"{name}.{t}x2",
                "u32",
                " ".join(["u32"] * len(op.operands)),
                f"{low} | np.uint64({high} << np.uint64(16))",
            )


def _on_half(op: Op, t: str, shift: int) -> str:
    parts = {x: f"as_{t}({{{x}}} >> np.uint64({shift}))" for x in "abc"[: len(op.operands)]}
    return f"of_{t}({op.expression.format(**parts)})"


def _conversions() -> None:
    """Integer to integer is either an extension of the source (`cvt.to32.s8`) or a cut to the target (`cvt.u8`)."""
    for t in INTEGERS:
        if WIDTH[t] < 32:
            _define(f"cvt.{t}", t, "u64", "{a}")
        for target in ("u32", "u64"):
            if WIDTH[t] < WIDTH[target] and WIDTH[t] < 32:
                signed = target.replace("u", "s") if t.startswith("s") else target
                _define(f"cvt.to{WIDTH[target]}.{t}", signed, t, "{a}")
    for d, s in (("u8", "s32"), ("s8", "s32"), ("u16", "s32"), ("s16", "s32"), ("u32", "s64"), ("s32", "s64")):
        low, high = _range(d)
        _define(f"cvt.sat.{d}.{s}", d, s, f"min(max({{a}}, {low}), {high})")
        _define(f"cvt.sat.{d}.u{s[1:]}", d, f"u{s[1:]}", f"min({{a}}, np.uint64({high}))")


def _float_conversions() -> None:
    roundings = {"rni": "np.rint", "rzi": "np.trunc", "rmi": "np.floor", "rpi": "np.ceil"}
    for f in FLOATS:
        for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
            if WIDTH[t] < 64 or f in ("f32", "f64"):
                _define(f"cvt.{f}.{t}", f, t, "np.float32({a})" if f == "f32" else "np.float64({a})")
            for name, function in roundings.items():
                _define(f"cvt.{name}.{t}.{f}", t, f, _to_integer(f"{function}(np.float64({{a}}))", t, f))
        for name, function in roundings.items():
            _define(f"cvt.{name}.{f}.{f}", f, f, f"{function}({{a}})")
        for g in FLOATS:
            _define(f"cvt.{f}.{g}", f, g, "{a}")


def _narrowing() -> None:
    for f in ("f32", "f16", "bf16"):
        for mode, number in _DIRECTED.items():
            _define(f"narrow.{mode}.{f}", f, "f64", f"narrow_{f}({{a}}, {number})")
    _define("odd.f64.s64", "f64", "s64", "signed_to_odd({a})")
    _define("odd.f64.u64", "f64", "u64", "unsigned_to_odd({a})")
    _define("cvt.tf32.f32", "u32", "f32", "of_tf32({a})")


def _to_integer(value: str, t: str, f: str) -> str:
    """Out of range: the nearest number in it. NaN: 0, or the lowest (unsigned: half way) where one side has 64 bits."""
    unsigned = t.startswith("u")
    clamped = f"to_{'un' if unsigned else ''}signed({value}, {WIDTH[t]})"
    if f != "f64" and WIDTH[t] < 64:
        return clamped
    other = f"np.uint64({2 ** (WIDTH[t] - 1)})" if unsigned else f"np.int64({-(2 ** (WIDTH[t] - 1))})"
    return f"{other} if {{a}} != {{a}} else {clamped}"


def _range(t: str) -> tuple[int, int]:
    return (0, 2 ** WIDTH[t] - 1) if t.startswith("u") else (-(2 ** (WIDTH[t] - 1)), 2 ** (WIDTH[t] - 1) - 1)


for _section in (
    _packing,
    _integers,
    _bitwise,
    _comparisons,
    _floats,
    _directed_rounding,
    _halves_in_pairs,
    _conversions,
    _float_conversions,
    _narrowing,
):
    _section()
