"""Branches, calls, exits and fences -> rows of code."""

from __future__ import annotations

from gemmlab.emulator.code.translate_base import Register, Unsupported
from gemmlab.emulator.code.translate_memory import Memory
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import split_operands


class Control(Memory):
    def bra(self) -> None:
        self._branch(self.operands[0], self.guard, self.guard_negated)

    def _branch(self, label: str, guard: Register | None, negated: bool = False) -> None:
        if label not in self.function.labels:
            raise Unsupported(f"the label {label[:40]}")
        pc = self.decoder.emit(self.instruction, o.BRANCH, guard=guard, negated=negated)
        self.decoder.pending_labels.append((pc, o.ROW_IMM, label))

    def brx(self) -> None:
        """A jump through a table: one comparison and branch an entry."""
        targets = self.function.branch_targets.get(self.operands[1])
        if targets is None or self.guard is not None:
            raise Unsupported("")
        index = self.source(self.operands[0])
        for number, label in enumerate(targets):
            test = self.computed("setp.eq.u32", index, self.constant(number))
            self._branch(label, test)
        self.emit(o.TRAP)

    def call_function(self) -> None:
        name = next(operand for operand in self.operands if not operand.startswith("("))
        order = self.decoder.order
        if name == "vprintf":
            self._printf()
        elif name == "__assertfail":
            self.emit(o.TRAP, IMM=1)
        elif name.startswith("%"):
            raise Unsupported("a call through a pointer")
        elif name not in order:
            raise Unsupported(f"the function {name}")
        elif order.index(name) >= order.index(self.function.name):
            raise Unsupported("recursion")
        elif self.decoder.module.functions[name].is_entry:
            raise Unsupported("a kernel that calls a kernel")
        else:
            self.emit(o.CALL, d=self.decoder.return_row(name), AUX=order.index(name))

    def _printf(self) -> None:
        """vprintf(format, arguments): both addresses were stored to its parameters just before."""
        texts = split_operands(self.operands[-1].strip("() "))
        stores = {}
        for instruction in self.function.instructions:
            if instruction is self.instruction:
                break
            if instruction.opcode.startswith("st.param"):
                stores[self._parameter(instruction.operands[0])[0]] = instruction.operands[1]
        if len(texts) != 2 or not stores.keys() >= set(texts):
            raise Unsupported("")
        self.emit(o.PRINT, a=self.source(stores[texts[0]], "w"), b=self.source(stores[texts[1]], "w"))

    def ret(self) -> None:
        if self.function.is_entry:
            self.emit(o.EXIT)
        else:
            self.emit(o.RETURN, a=self.decoder.return_row(self.function.name))

    def exit(self) -> None:
        self.emit(o.EXIT)

    def trap(self) -> None:
        self.emit(o.TRAP)

    def membar(self) -> None:
        """AUX: whether other blocks see the order too. Memory keeps the order without it; only the races need it."""
        self.emit(o.FENCE, AUX=int(not {"cta"}.intersection(self.words)))

    def fence(self) -> None:
        if "proxy" in self.words or "mbarrier_init" in self.words:
            self.nothing()
        else:
            self.membar()

    def nothing(self) -> None:
        """Hints."""
        self.emit(o.NOTHING)
