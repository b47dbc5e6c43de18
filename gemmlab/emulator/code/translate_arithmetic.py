"""Arithmetic, comparisons, conversions and moves -> rows of code.

Most are one entry of vector.py or isa.py. Modifiers that change the operands or the result (.ftz .sat .relu) are
entries of their own, put before and behind.
"""

from __future__ import annotations

from itertools import permutations, product

from gemmlab.emulator.code.translate_base import Base, Register, Unsupported, kind_of_type, plain_type, translates
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.isa import FLOATS
from gemmlab.emulator.ptx.parser import TYPE_BYTES, parse_number, split_operands

_SILENT = ("rn", "approx", "full", "uni")
_AFTERWARDS = ("ftz", "sat", "relu")
_MOST_MODIFIERS = 3  # of one instruction, beside those that are translated apart
_UNSIGNED_COMPARISONS = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_PAIRS = {"f16x2": "f16", "bf16x2": "bf16"}
_TRUE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80, "f16x2": 0x3C00, "bf16x2": 0x3F80}
_LOGIC = {"and": o.PRED_AND, "or": o.PRED_OR, "xor": o.PRED_XOR, "not": o.PRED_NOT, "mov": o.PRED_MOV}


class Arithmetic(Base):
    # ---- one entry of a table

    def arithmetic(self) -> None:
        words = [word for word in self.words if word not in _SILENT]
        types = [word for word in words[1:] if word in TYPE_BYTES]
        if len(types) != 1:
            raise Unsupported("")
        kind = plain_type(types[0])
        if types[0] in _PAIRS:
            kind = types[0]
        modifiers = [word.lower() for word in words[1:] if word not in types and word not in _AFTERWARDS]
        name = _known(words[0], modifiers, kind, "ftz" in words)
        operands = [self.source(text, kind_of) for text, kind_of in zip(self.operands[1:], o.operand_kinds(name))]
        if len(operands) != len(self.operands) - 1:
            raise Unsupported("the number of its operands")
        if name.endswith(".ftz.f32"):
            self.finish(self.operands[0], kind, name, operands, [word for word in words if word != "ftz"])
        else:
            self.finish(self.operands[0], kind, name, self.flushed(operands, kind, words), words)

    def finish(self, target: str, kind: str, name: str, operands: list[Register], words: list[str]) -> None:
        """`name` into the target, then what its modifiers do to the result."""
        after = [f"{word}.{kind}" for word in ("relu", "sat") if word in words]
        after += ["flush.f32"] if "ftz" in words and kind == "f32" else []
        register = self.target(target, o.result_kind(name))
        for next_name in after:
            operands, name = [self.computed(name, *operands)], next_name
        self.simple(name, register, *operands)

    def flushed(self, operands: list[Register], kind: str, words: list[str]) -> list[Register]:
        """.ftz: denormal operands count as zero."""
        if "ftz" not in words or kind != "f32":
            return operands
        return [self.computed("flush.f32", operand) if operand[0] == "r" else operand for operand in operands]

    @translates("add")
    def add(self) -> None:
        offset = parse_number(self.operands[-1])
        place = self.frame_operand(self.operands[1], offset) if offset is not None else None
        if place is None:
            self.arithmetic()
        else:
            self.simple("mov.u64", self.target(self.operands[0], "w"), place)

    @translates("dp4a")
    def dp4a(self) -> None:
        d, a, b, c = self.operands
        self.simple("dp4a." + ".".join(self.words[1:]), self.target(d), *self.sources((a, b, c)))

    # ---- moves

    @translates("mov")
    def mov(self) -> None:
        word = self.words[-1]
        target, source = self.operands
        if word == "pred":
            self.predicate_logic()
        elif source.startswith("{"):
            self._pack(self.target(target, kind_of_type(word)), split_operands(source[1:-1]), word)
        elif target.startswith("{"):
            self._unpack(split_operands(target[1:-1]), self.source(source, kind_of_type(word)), word)
        else:
            register = self.target(target, "rw")
            value = self.any_width(source, kind_of_type(word))
            self.simple(
                {"ww": "mov.u64", "rr": "mov.u32", "wr": "cvt.to64.u32"}.get(register[0] + value[0], ""),
                register,
                value,
            )

    def _pack(self, target: Register, parts: list[str], word: str) -> None:
        wide = target[0] == "w"
        if len(parts) == 4 and wide:
            low = self.computed("pack.u32", *self.sources(parts[:2]))
            high = self.computed("pack.u32", *self.sources(parts[2:]))
            self.simple("pack.u64", target, low, high)
        elif len(parts) == 2:
            self.simple("pack.u64" if wide else "pack.u32", target, *self.sources(parts))
        else:
            raise Unsupported("mov of this vector")

    def _unpack(self, parts: list[str], value: Register, word: str) -> None:
        if len(parts) == 4 and value[0] == "w":
            halves = [(self.computed("low.u64", value), parts[:2]), (self.computed("high.u64", value), parts[2:])]
        elif len(parts) == 2:
            halves = [(value, parts)]
        else:
            raise Unsupported("mov of this vector")
        # The source may be one of the targets.
        found = [
            (text, self.computed(f"{end}.u64" if half[0] == "w" else f"{end}.u32", half))
            for half, names in halves
            for end, text in zip(("low", "high"), names)
        ]
        for text, register in found:
            if text != "_":
                self.simple("mov.u32", self.target(text), register)

    # ---- selection

    @translates("selp")
    def selp(self) -> None:
        d, a, b, c = self.operands
        self._select(d, a, b, self.source(c, "p"), kind_of_type(self.words[-1]))

    @translates("slct")
    def slct(self) -> None:
        """d = c >= 0 ? a : b."""
        d, a, b, c = self.operands
        kind = plain_type(self.words[-1])
        (value,) = self.flushed([self.source(c)], kind, self.words)
        test = self.computed("setp.ge." + kind, value, self.constant(0))
        self._select(d, a, b, test, kind_of_type(next(word for word in self.words[1:] if word in TYPE_BYTES)))

    def _select(self, d: str, a: str, b: str, test: Register, kind: str) -> None:
        name = "selp.u64" if kind == "w" else "selp.u32"
        self.simple(name, self.target(d, kind), self.source(a, kind), self.source(b, kind), test)

    # ---- comparisons

    @translates("setp")
    def setp(self) -> None:
        kind = self.take(TYPE_BYTES)
        combine = self.take(("and", "or", "xor"), "mov")
        self.ignore(("ftz",))
        comparison = self._comparison(self.left[0])
        a, b = self.sources(self.operands[1:3], kind_of_type(plain_type(kind)))
        targets = self.pair_of_targets(self.operands[0], "pp")
        if kind in _PAIRS:
            tests = [self._test(comparison, _PAIRS[kind], *pair) for pair in zip(self._halves(a), self._halves(b))]
        else:
            tests = [self._test(comparison, plain_type(kind), *self.flushed([a, b], plain_type(kind), self.words))]
        if len(tests) == 1 and targets[1] is not None:
            inverse = self.new("p")
            self.emit(o.PRED_NOT, d=inverse, a=tests[0])
            tests.append(inverse)
        other = None if combine == "mov" else self.predicate(self.operands[3])
        for target, test in zip(targets, tests):
            if target is not None:
                self.emit(_LOGIC[combine], d=target, a=test, b=other)

    def _comparison(self, word: str) -> str:
        return _UNSIGNED_COMPARISONS.get(word, word)

    def _test(self, comparison: str, kind: str, a: Register, b: Register) -> Register:
        name = f"setp.{comparison}.{kind}"
        if name not in o.NUMBER:
            name = f"setp.{comparison}.{kind.replace('s', 'u')}"
        test = self.new("p")
        self.simple(name, test, a, b)
        return test

    def _halves(self, register: Register) -> list[Register]:
        return [self.computed("low.u32", register), self.computed("high.u32", register)]

    @translates("set")
    def set(self) -> None:
        """Like setp, with all ones or 1.0 as the result."""
        result, kind = self.take(TYPE_BYTES), self.take(TYPE_BYTES)
        self.ignore(("ftz",))
        (comparison,) = self.left
        a, b = self.sources(self.operands[1:3], kind_of_type(plain_type(kind)))
        target = self.target(self.operands[0])
        zero = self.constant(0)
        if kind in _PAIRS:
            true = self.constant(_TRUE.get(result, 0xFFFF))
            halves = [
                self.computed("selp.u32", true, zero, self._test(self._comparison(comparison), _PAIRS[kind], *pair))
                for pair in zip(self._halves(a), self._halves(b))
            ]
            self.simple("pack.u32", target, *halves)
            return
        true = self.constant(_TRUE.get(result, 2 ** (8 * TYPE_BYTES[result]) - 1))
        operands = self.flushed([a, b], plain_type(kind), self.words)
        self.simple(
            "selp.u32", target, true, zero, self._test(self._comparison(comparison), plain_type(kind), *operands)
        )

    # ---- bits

    @translates("and", "or", "xor", "not")
    def logic(self) -> None:
        if self.words[-1] == "pred":
            self.predicate_logic()
        else:
            self.arithmetic()

    def predicate_logic(self) -> None:
        target = self.target(self.operands[0], "p")
        operands = [self.predicate(text) for text in self.operands[1:]]
        if len(operands) != (1 if self.words[0] in ("mov", "not") else 2):
            raise Unsupported("the number of its operands")
        a, b = [*operands, None][:2]
        self.emit(_LOGIC[self.words[0]], d=target, a=a, b=b)

    @translates("lop3")
    def lop3(self) -> None:
        if self.words[1:] != ["b32"]:
            raise Unsupported("")
        d, *abc, table = self.operands
        number = parse_number(table)
        if number is None:
            raise Unsupported("its operands")
        self.simple("lop3.u32", self.target(d), *self.sources(abc), imm=number & 0xFF)

    @translates("bfi")
    def bfi(self) -> None:
        """b with `length` bits from `start` on replaced by the low bits of a."""
        kind = kind_of_type(self.words[-1])
        bits = "u64" if kind == "w" else "u32"
        a, b = self.sources(self.operands[1:3], kind)
        byte = self.constant(0xFF)
        start, length = (self.computed("and.u32", register, byte) for register in self.sources(self.operands[3:5]))
        one = self.constant(1, kind)
        ones = self.computed(f"sub.{bits}", self.computed(f"shl.{bits}", one, length), one)
        mask = self.computed(f"shl.{bits}", ones, start)
        moved = self.computed(f"and.{bits}", self.computed(f"shl.{bits}", a, start), mask)
        kept = self.computed(f"and.{bits}", b, self.computed(f"not.{bits}", mask))
        self.simple(f"or.{bits}", self.target(self.operands[0], kind), moved, kept)

    # ---- conversions

    @translates("cvt")
    def cvt(self) -> None:
        d, s = self.take((*TYPE_BYTES, "tf32")), self.take(TYPE_BYTES)
        modifiers = self.left
        if "satfinite" in modifiers:
            raise Unsupported("")
        rounding = next((word for word in modifiers if word in ("rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")), "")
        if d in _PAIRS:
            self._convert_pair(_PAIRS[d], s, rounding, modifiers)
        elif d == "tf32":
            if modifiers != ["rna"]:
                raise Unsupported("")
            self.simple("cvt.tf32.f32", self.target(self.operands[0]), self.source(self.operands[1]))
        elif d in FLOATS or s in FLOATS:
            source = self.source(self.operands[1], kind_of_type(s))
            self._convert_float(self.operands[0], d, plain_type(s), source, rounding, modifiers)
        else:
            self._convert_integer(plain_type(d), plain_type(s), "sat" in modifiers)

    def _convert_pair(self, d: str, s: str, rounding: str, modifiers: list[str]) -> None:
        """cvt.f16x2.f32 d, a, b: a becomes the upper half."""
        halves = [self.new("r") for _ in range(2)]
        for half, text in zip(halves, self.operands[2:0:-1]):
            self._convert_float(half, d, s, self.source(text), rounding, modifiers)
        self.simple("pack.u32", self.target(self.operands[0]), *halves)

    def _convert_float(self, target, d: str, s: str, source: Register, rounding: str, modifiers: list[str]) -> None:
        register = self.target(target, kind_of_type(d)) if isinstance(target, str) else target
        (source,) = self.flushed([source], s, modifiers)
        if rounding in ("rz", "rm", "rp") or (s in ("u64", "s64") and d in ("f16", "bf16")):
            name = f"narrow.{rounding}.{d}" if rounding else f"cvt.{d}.f64"
            if s != "f64":
                source = self.computed(f"odd.f64.{s}" if s in ("u64", "s64") else f"cvt.f64.{s}", source)
        else:
            name = f"cvt.{rounding}.{d}.{s}" if rounding else f"cvt.{d}.{s}"
        after = [f"{word}.{d}" for word in ("relu", "sat") if word in modifiers and d in FLOATS]
        after += ["flush.f32"] if "ftz" in modifiers and d == "f32" else []
        for next_name in after:
            if name not in o.NUMBER:
                raise Unsupported("")
            source, name = self.computed(name, source), next_name
        self.simple(name, register, source)

    def _convert_integer(self, d: str, s: str, saturate: bool) -> None:
        """An extension of the source where the target is wider, else a cut to the target's width."""
        target, source = self.target(self.operands[0], "rw"), self.any_width(self.operands[1], kind_of_type(s))
        if saturate and f"cvt.sat.{d}.{s}" in o.NUMBER:
            self.simple(f"cvt.sat.{d}.{s}", target, source)
        elif TYPE_BYTES[d] > TYPE_BYTES[s]:
            if saturate and s.startswith("s") and d.startswith("u"):
                raise Unsupported("")
            wide = self.new("r") if TYPE_BYTES[d] < 4 else target
            self.simple(f"cvt.to{64 if wide[0] == 'w' else 32}.{s}", wide, source)
            if wide is not target:
                self.simple(f"cvt.{d}", target, wide)
        elif saturate and d != s:
            raise Unsupported("")
        elif TYPE_BYTES[d] < 4:
            self.simple(f"cvt.{d}", target, source)
        elif target[0] == source[0]:
            self.simple("mov.u64" if target[0] == "w" else "mov.u32", target, source)
        else:
            self.simple("cvt.u32" if target[0] == "r" else f"cvt.to64.{s}", target, source)


def _known(head: str, modifiers: list[str], kind: str, flush: bool) -> str:
    """The name in the tables: types that do not matter to an instruction are written as unsigned, modifiers stand in
    any order."""
    if len(modifiers) > _MOST_MODIFIERS:
        raise Unsupported("")
    kinds = [f"ftz.{kind}"] * flush + [kind] + [f"u{kind[1:]}"] * kind.startswith("s")
    for words, end in product(permutations(modifiers), kinds):
        spelling = ".".join((head, *words, end))
        if spelling in o.NUMBER:
            return spelling
    raise Unsupported("")
