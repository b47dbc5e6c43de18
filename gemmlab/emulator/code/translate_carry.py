"""Arithmetic with carry (add.cc, addc, sub.cc, subc, mad.lo.cc, madc): the carry is a register of 0 or 1 that each
function has."""

from __future__ import annotations

from gemmlab.emulator.code.translate_base import Base, Register, Unsupported, kind_of_type

CARRY_HEADS = ("addc", "subc", "madc")


class Carry(Base):
    def carry_arithmetic(self) -> None:
        head, *modifiers = self.words
        bits = "u" + modifiers.pop()[1:]
        sets = "cc" in modifiers
        modifiers = [word for word in modifiers if word != "cc"]
        if bits not in ("u32", "u64") or modifiers not in ([], ["lo"], ["hi"]):
            raise Unsupported("")
        kind = kind_of_type(bits)
        target, values = self.target(self.operands[0], kind), self.sources(self.operands[1:], kind)
        if modifiers:
            a, b, c = values
            signed = "s" if modifiers == ["hi"] and self.words[-1].startswith("s") else "u"
            values = [self.computed(f"mul.{modifiers[0]}.{signed}{bits[1:]}", a, b), c]
        a, b = values
        result, carry = (self._subtracted if head.startswith("sub") else self._added)(a, b, bits, head.endswith("c"))
        self.simple(f"mov.{bits}", target, result)
        if sets:
            self.simple("mov.u32", self._flag(), carry)

    def _flag(self) -> Register:
        return self.builder.named_register("%carry", self.function.name, "r")

    def _added(self, a: Register, b: Register, bits: str, with_carry: bool) -> tuple[Register, Register]:
        total = self.computed(f"add.{bits}", a, b)
        carry = self._number(f"setp.lt.{bits}", total, a)
        if with_carry:
            more = self.computed(f"add.{bits}", total, self._flag_as(bits))
            carry = self.computed("or.u32", carry, self._number(f"setp.lt.{bits}", more, total))
            total = more
        return total, carry

    def _subtracted(self, a: Register, b: Register, bits: str, with_borrow: bool) -> tuple[Register, Register]:
        rest = self.computed(f"sub.{bits}", a, b)
        borrow = self._number(f"setp.lt.{bits}", a, b)
        if with_borrow:
            flag = self._flag_as(bits)
            less = self.computed(f"sub.{bits}", rest, flag)
            borrow = self.computed("or.u32", borrow, self._number(f"setp.lt.{bits}", rest, flag))
            rest = less
        return rest, borrow

    def _flag_as(self, bits: str) -> Register:
        return self._flag() if bits == "u32" else self.computed("cvt.to64.u32", self._flag())

    def _number(self, comparison: str, a: Register, b: Register) -> Register:
        return self.computed("selp.u32", self.constant(1), self.constant(0), self.computed(comparison, a, b))
