"""Branches, calls, exits and fences -> rows of code."""

from __future__ import annotations

from gemmlab.emulator.code.translate_base import Register, Unsupported, translates
from gemmlab.emulator.code.translate_memory import Memory
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import split_operands


class Control(Memory):
    @translates("bra")
    def bra(self) -> None:
        self._branch(self.operands[0])

    def _branch(self, label: str, test: Register | None = None) -> None:
        """A jump, where the test holds if there is one, or else where the instruction's guard does."""
        if label not in self.function.labels:
            raise Unsupported(f"the label {label[:40]}")
        if test is None:
            pc = self.emit(o.BRANCH)
        else:
            pc = self.builder.emit(self.instruction, o.BRANCH, {"guard": test}, {})
        self.builder.jumps.append((pc, label))

    @translates("brx")
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

    @translates("call")
    def call_function(self) -> None:
        name = next(operand for operand in self.operands if not operand.startswith("("))
        order = self.builder.order
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
        elif self.builder.module.functions[name].is_entry:
            raise Unsupported("a kernel that calls a kernel")
        else:
            self.emit(o.CALL, d=self.builder.return_row(name), AUX=order.index(name))

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

    @translates("ret")
    def ret(self) -> None:
        if self.function.is_entry:
            self.emit(o.EXIT)
        else:
            self.emit(o.RETURN, a=self.builder.return_row(self.function.name))

    @translates("exit")
    def exit(self) -> None:
        self.emit(o.EXIT)

    @translates("trap", "brkpt")
    def trap(self) -> None:
        self.emit(o.TRAP)

    @translates("membar")
    def membar(self) -> None:
        """AUX: how far the order is seen. Memory keeps the order without it; only the races need it."""
        self.emit(o.FENCE, AUX=self.reach())

    @translates("fence")
    def fence(self) -> None:
        if "proxy" in self.words or "mbarrier_init" in self.words:
            self.nothing()
        else:
            self.membar()

    @translates("nanosleep", "prefetch", "prefetchu", "discard", "applypriority", "griddepcontrol", "pragma")
    def nothing(self) -> None:
        """Hints."""
        self.emit(o.NOTHING)
