"""PTX functions -> code for the interpreter: instruction after instruction, functions in the order of their calls."""

from __future__ import annotations

from gemmlab.emulator.code.builder import Builder
from gemmlab.emulator.code.code import Code
from gemmlab.emulator.code.layout import finished
from gemmlab.emulator.code.registers import Unsupported
from gemmlab.emulator.code.translate import Translator
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import Function, Instruction, Location, Module
from gemmlab.emulator.ptx.places import Places
from gemmlab.emulator.ptx.widening import widened

__all__ = ["Unsupported", "decode"]
# What an instruction with operands of a wrong form makes its translation run into.
_MALFORMED = (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError)


def decode(module: Module, kernel: str) -> Code:
    """Decode the kernel and every function it calls. Raises KeyError if the module has no such kernel, Unsupported if
    its variables find no room; an instruction that is not known is a finding where it is executed."""
    return _Decoder(module, module.functions[kernel]).code()


def _callees(function: Function) -> list[str]:
    calls = [instruction for instruction in function.instructions if instruction.opcode.startswith("call")]
    return [operand for call in calls for operand in call.operands if not operand.startswith("(")]


def _call_order(module: Module, entry: Function) -> list[str]:
    """Callees first: with the lowest program counter running first, lanes that called then meet again at the return."""
    order: dict[str, None] = {}
    seen: set[str] = set()
    todo = [(entry.name, False)]
    while todo:
        name, has_all_callees = todo.pop()
        function = module.functions.get(name)
        if has_all_callees:
            order[name] = None
        elif name not in seen and function is not None and (function.instructions or function is entry):
            seen.add(name)
            todo += [(name, True), *((callee, False) for callee in reversed(_callees(function)))]
    return list(order)


class _Decoder:
    def __init__(self, module: Module, entry: Function) -> None:
        self.builder = Builder(module, entry, _call_order(module, entry))
        self.start: dict[str, int] = {}

    def code(self) -> Code:
        builder = self.builder
        for name in builder.order:
            self.start[name] = len(builder.rows)
            self._function(builder.module.functions[name])
        for row in builder.rows:
            if row[o.ROW_OP] == o.CALL:
                row[o.ROW_IMM] = self.start[builder.order[row[o.ROW_AUX]]]
        self._locate_headers()
        return finished(builder, self.start[builder.entry.name])

    def _function(self, function: Function) -> None:
        builder, first_pc = self.builder, []
        calls, places = _enclosing_calls(function), Places(function)
        builder.jumps = []
        for number, instruction in enumerate(function.instructions):
            first_pc.append(len(builder.rows))
            try:
                Translator(builder, function, instruction, calls.get(number), places).run()
            except Unsupported as reason:
                self._unsupported(function, instruction, str(reason))
            except _MALFORMED:
                self._unsupported(function, instruction, "its operands")
        first_pc.append(len(builder.rows))
        self._note_widening(function, first_pc)
        last = function.instructions[-1].location if function.instructions else Location()
        Translator(builder, function, Instruction("ret", (), None, False, last), None, places).run()
        for pc, label in builder.jumps:
            builder.rows[pc][o.ROW_IMM] = first_pc[function.labels[label]]

    def _note_widening(self, function: Function, first_pc: list[int]) -> None:
        """Of what access each load and store of shared memory becomes a part in the GPU's own code."""
        try:
            found = widened(function, self.builder.module)
        except _MALFORMED:
            return
        for number, wide in found.items():
            for row in self.builder.rows[first_pc[number] : first_pc[number + 1]]:
                if row[o.ROW_OP] in (o.LOAD, o.STORE):
                    row[o.ROW_WIDEN] = wide.width | wide.phase << o.WIDEN_SHIFT

    def _unsupported(self, function: Function, instruction: Instruction, reason: str) -> None:
        """Running the instruction will be a finding."""
        builder = self.builder
        builder.messages.append(f"{instruction.opcode} ({reason})" if reason else instruction.opcode)
        fields = {"IMM": len(builder.messages) - 1}
        guard = None
        if instruction.guard and function.register_type(instruction.guard) == "pred":
            guard = builder.register(function, instruction.guard)
            fields["GUARD_NEGATED"] = int(instruction.guard_negated)
        builder.emit(instruction, o.UNSUPPORTED, {"guard": guard}, fields)

    def _locate_headers(self) -> None:
        """Code of a header's function, which has no line of the student's, counts for the line that calls it first."""
        rows, locations = self.builder.rows, self.builder.locations
        starts = [*self.start.values(), len(rows)]
        ends = dict(zip(starts, starts[1:]))
        for pc in reversed(range(len(rows))):
            row = rows[pc]
            if row[o.ROW_OP] == o.CALL and locations[pc].line:
                for place in range(row[o.ROW_IMM], ends[row[o.ROW_IMM]]):
                    if not locations[place].line:
                        locations[place] = locations[pc]


def _enclosing_calls(function: Function) -> dict[int, Instruction]:
    """For st.param and ld.param around a call: the call whose parameters and result they name."""
    calls: dict[int, Instruction] = {}
    pending: list[int] = []
    last: Instruction | None = None
    for number, instruction in enumerate(function.instructions):
        if instruction.opcode.startswith("st.param"):
            pending.append(number)
        elif instruction.opcode.startswith("call"):
            for waiting in pending:
                calls[waiting] = instruction
            pending.clear()
            last = calls[number] = instruction
        elif instruction.opcode.startswith("ld.param") and last is not None:
            calls[number] = last
    return calls
