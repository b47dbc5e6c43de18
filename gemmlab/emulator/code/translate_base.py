"""What every translation of a PTX instruction needs: its operands as registers of a known kind, and rows of code to
emit.

A register is (kind, index): `w` is 64-bit, `r` 32-bit or narrower, `p` a predicate. The interpreter trusts the rows it
is given, so every operand passes a check of its kind here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.vector import HOT
from gemmlab.emulator.ptx.parser import TYPE_BYTES, Function, Instruction, parse_number, split_operands

if TYPE_CHECKING:
    from gemmlab.emulator.code.decode import Decoder

Register = tuple[str, int]

_FULL_WIDTH = {"b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "f16x2": "u32", "bf16x2": "u32"}


class Unsupported(Exception):
    """This instruction cannot be emulated; running it is a finding. The text says what about it."""


def kind_of_type(name: str) -> str:
    """Which kind of register holds a value of a PTX type."""
    return "p" if name == "pred" else "w" if TYPE_BYTES.get(name) == 8 else "r"


def plain_type(name: str) -> str:
    """The arithmetic type of an untyped one: bits count as unsigned."""
    return _FULL_WIDTH.get(name, name)


def vector_parts(text: str) -> list[str]:
    """`{%r1, %r2}` -> its registers; a single operand stands for itself."""
    return split_operands(text[1:-1]) if text.startswith("{") else [text]


class Base:
    """One instruction on its way to rows of code."""

    def __init__(
        self, decoder: Decoder, function: Function, instruction: Instruction, call: Instruction | None
    ) -> None:
        self.decoder, self.function, self.instruction, self.call = decoder, function, instruction, call
        self.words = instruction.opcode.split(".")
        self.operands = list(instruction.operands)
        self.guard: Register | None = None
        self.guard_negated = instruction.guard_negated
        if instruction.guard:
            self.guard = self._guard(instruction.guard)

    def _guard(self, name: str) -> Register:
        """The guard; a copy of it where the instruction also names it as an operand, for it may take several rows."""
        guard = self.checked(self.decoder.register(self.function, name), "p")
        if not any(name in re.findall(r"[%$\w]+", operand) for operand in self.operands):
            return guard
        copy = self.new("p")
        self.decoder.emit(self.instruction, o.PRED_MOV, d=copy, a=guard)
        return copy

    # ---- rows

    def emit(self, op: int, **fields) -> int:
        return self.decoder.emit(self.instruction, op, guard=self.guard, negated=self.guard_negated, **fields)

    def simple(self, name: str, *operands: Register, imm: int = 0) -> int:
        """An instruction of vector.py or isa.py on registers: the target first."""
        if name not in o.NUMBER:
            raise Unsupported("")
        wanted = [o.result_kind(name), *o.operand_kinds(name)]
        if len(wanted) != len(operands):
            raise Unsupported("the number of its operands")
        for register, kind in zip(operands, wanted):
            # Instructions of isa.py read and write either width.
            self.checked(register, kind if name in HOT or kind == "p" else "rw")
        return self.emit(o.NUMBER[name], **dict(zip("dabc", operands)), IMM=imm)

    def computed(self, name: str, *operands: Register) -> Register:
        """The same into a new register."""
        if name not in o.NUMBER:
            raise Unsupported("")
        target = self.new(o.result_kind(name))
        self.simple(name, target, *operands)
        return target

    # ---- registers

    def checked(self, register: Register, kinds: str) -> Register:
        if register[0] not in kinds:
            raise Unsupported("an operand of another type")
        return register

    def new(self, kind: str) -> Register:
        return self.decoder.new_register(kind)

    def constant(self, value: int, kind: str = "r") -> Register:
        return self.decoder.constant(kind, value)

    def source(self, text: str, kind: str = "r") -> Register:
        """A register, special register, immediate or address, of that kind."""
        return self.checked(self.decoder.operand(self.function, text, kind), kind)

    def sources(self, texts: Iterable[str], kind: str = "r") -> list[Register]:
        return [self.source(text, kind) for text in texts]

    def any_width(self, text: str, kind: str) -> Register:
        """The same, of either width; an immediate gets the width of `kind`."""
        return self.checked(self.decoder.operand(self.function, text, kind), "rw")

    def target(self, text: str, kinds: str = "r") -> Register:
        """A register to write, or a new one for `_`."""
        if text == "_":
            return self.new(kinds[0])
        return self.checked(self.decoder.register(self.function, text), kinds)

    def predicate(self, text: str) -> Register:
        """A predicate, possibly negated with '!', or a constant."""
        number = parse_number(text)
        if number is not None:
            zero = self.constant(0)
            return self.computed("setp.ne.u32" if number == 0 else "setp.eq.u32", zero, zero)
        if not text.startswith("!"):
            return self.source(text, "p")
        inverse = self.new("p")
        self.emit(o.PRED_NOT, d=inverse, a=self.source(text[1:], "p"))
        return inverse

    def pair_of_targets(self, text: str, kinds: str) -> list[Register | None]:
        """`p|q`: two targets, of which the second may be missing and either may be `_`."""
        names = text.split("|")
        if len(names) > 2:
            raise Unsupported("more than two targets")
        found = [None if name == "_" else self.target(name, kind) for name, kind in zip(names, kinds)]
        return found + [None] * (2 - len(found))
