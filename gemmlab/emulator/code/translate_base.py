"""What every translation of a PTX instruction needs: its words and operands, and rows of code to emit."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from gemmlab.emulator.code.builder import Builder
from gemmlab.emulator.code.registers import Register, Unsupported, kind_of_type
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.vector import HOT
from gemmlab.emulator.ptx.parser import Function, Instruction, parse_number, split_operands
from gemmlab.emulator.ptx.places import Places
from gemmlab.emulator.ptx.tensor_layouts import LaneValues

__all__ = ["Base", "Register", "Unsupported", "kind_of_type", "plain_type", "translates", "vector_parts"]
_FULL_WIDTH = {"b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "f16x2": "u32", "bf16x2": "u32"}
_Method = TypeVar("_Method", bound=Callable[..., None])
METHODS: dict[str, Callable[[Any], None]] = {}


def translates(*heads: str) -> Callable[[_Method], _Method]:
    """The method translates the instructions that begin with one of these words."""

    def note(method: _Method) -> _Method:
        METHODS.update(dict.fromkeys(heads, method))
        return method

    return note


def plain_type(name: str) -> str:
    """The arithmetic type of an untyped one: bits count as unsigned."""
    return _FULL_WIDTH.get(name, name)


def vector_parts(text: str) -> list[str]:
    """`{%r1, %r2}` -> its registers; a single operand stands for itself."""
    return split_operands(text[1:-1]) if text.startswith("{") else [text]


class Base:
    """One instruction on its way to rows of code. `words` are those of its opcode: ld, global, f32."""

    def __init__(
        self,
        builder: Builder,
        function: Function,
        instruction: Instruction,
        call: Instruction | None,
        places: Places,
    ) -> None:
        self.builder, self.function, self.instruction, self.call = builder, function, instruction, call
        self.places = places
        self.words = instruction.opcode.split(".")
        self.left = self.words[1:]
        self.operands = list(instruction.operands)
        self.guard: Register | None = None
        self.guard_negated = instruction.guard_negated
        if instruction.guard:
            self.guard = self._guard(instruction.guard)

    def _guard(self, name: str) -> Register:
        """The guard; a copy of it where the instruction also names it as an operand, for it may take several rows."""
        guard = self.checked(self.builder.register(self.function, name), "p")
        if not any(name in re.findall(r"[%$\w]+", operand) for operand in self.operands):
            return guard
        copy = self.new("p")
        self.builder.emit(self.instruction, o.PRED_MOV, {"d": copy, "a": guard}, {})
        return copy

    # ---- words: taken one after another, in whatever order they stand

    def take(self, choices: Collection[str], default: str | None = None) -> str:
        """The first word that is one of these; it is then used up. Unsupported if there is none, and no default."""
        for number, word in enumerate(self.left):
            if word in choices:
                return self.left.pop(number)
        if default is None:
            raise Unsupported("")
        return default

    def takes(self, word: str) -> bool:
        """Whether the word is there; it is then used up."""
        return self.take((word,), "") == word

    def need(self, *words: str) -> None:
        for word in words:
            self.take((word,))

    def ignore(self, words: Collection[str]) -> None:
        self.left = [word for word in self.left if word not in words]

    def no_more_words(self) -> None:
        if self.left:
            raise Unsupported("")

    # ---- rows

    def emit(
        self,
        op: int,
        *,
        d: Register | None = None,
        a: Register | None = None,
        b: Register | None = None,
        c: Register | None = None,
        **fields: int,
    ) -> int:
        registers = {"d": d, "a": a, "b": b, "c": c, "guard": self.guard}
        negated = int(self.guard is not None and self.guard_negated)
        return self.builder.emit(self.instruction, op, registers, {**fields, "GUARD_NEGATED": negated})

    def simple(self, name: str, target: Register, *operands: Register, imm: int = 0) -> int:
        """An instruction of vector.py or isa.py on registers."""
        if name not in o.NUMBER:
            raise Unsupported("")
        wanted = [o.result_kind(name), *o.operand_kinds(name)]
        if len(wanted) != len(operands) + 1:
            raise Unsupported("the number of its operands")
        for register, kind in zip((target, *operands), wanted):
            # Instructions of isa.py read and write either width.
            self.checked(register, kind if name in HOT or kind == "p" else "rw")
        a, b, c = (*operands, None, None, None)[:3]
        return self.emit(o.NUMBER[name], d=target, a=a, b=b, c=c, IMM=imm)

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
        return self.builder.new_register(kind)

    def constant(self, value: int | LaneValues, kind: str = "r") -> Register:
        return self.builder.constant(kind, value)

    def source(self, text: str, kind: str = "r") -> Register:
        """A register, special register, immediate or address, of that kind."""
        return self.checked(self.builder.operand(self.function, text, kind), kind)

    def sources(self, texts: Iterable[str], kind: str = "r") -> list[Register]:
        return [self.source(text, kind) for text in texts]

    def any_width(self, text: str, kind: str) -> Register:
        """The same, of either width; an immediate gets the width of `kind`."""
        return self.checked(self.builder.operand(self.function, text, kind), "rw")

    def frame_operand(self, register: str, offset: int) -> Register | None:
        """A constant for %SP + offset (generic) or %SPL + offset (local): both are addresses of local variables."""
        if register not in ("%SP", "%SPL") or not self.builder.variables.has_frame(self.function):
            return None
        window = o.LOCAL_WINDOW if register == "%SP" else 0
        return self.constant(self.builder.variables.frame_address(self.function, offset) + window, "w")

    def target(self, text: str, kinds: str = "r") -> Register:
        """A register to write, or a new one for `_`."""
        if text == "_":
            return self.new(kinds[0])
        return self.checked(self.builder.register(self.function, text), kinds)

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
