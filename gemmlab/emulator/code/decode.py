"""PTX functions -> arrays for the interpreter: one row of numbers an instruction, and the layout of a warp's registers.

A warp's registers lie in one block of memory: 64-bit registers, 32-bit registers, predicates (a bit a lane), then a
definedness mask and an origin (the instruction that last made an undefined value) for each of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from gemmlab.emulator.code.translate import Translator
from gemmlab.emulator.code.translate_base import Register, Unsupported
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import TYPE_BYTES, Function, Instruction, Location, Module, Variable, parse_number
from gemmlab.emulator.ptx.places import Places
from gemmlab.emulator.ptx.tensor_layouts import LaneValues, Multiplication, tables
from gemmlab.emulator.ptx.widening import widened

SPECIAL_REGISTERS = [
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%lanemask_eq",
    "%lanemask_lt",
    "%lanemask_le",
    "%lanemask_gt",
    "%lanemask_ge",
    "%dynamic_smem_size",
    "%total_smem_size",
    "%smid",
    "%nsmid",
    "%gridid",
    "%clock",
    "%clock_hi",
    "%globaltimer_lo",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
]
SPECIAL_REGISTERS_64 = ["%clock64", "%globaltimer"]
_LARGEST = {"shared": o.WINDOW_CENTRE, "local": o.WINDOW_CENTRE, "global": 1 << 30, "const": 1 << 30}
_NEAR = 2**31
# What an instruction with operands of a wrong form makes its translation run into.
_MALFORMED = (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError)


@dataclass(frozen=True)
class Region:
    """A variable that has a range of addresses. `address` is what PTX code sees as its name (space-relative for shared,
    local)."""

    name: str
    kind: int
    size: int
    address: int
    contents: bytes = b""
    dynamic: bool = False
    function: str = ""
    offset: int = 0
    relocations: tuple[tuple[int, str], ...] = ()


@dataclass
class Code:
    """What the interpreter needs of one kernel, and what the findings need to speak of it."""

    rows: np.ndarray
    vectors: np.ndarray
    locations: list[Location]
    texts: list[str]
    site_count: int
    site_pc: list[int]
    warp_bytes: int
    slot_offset: int
    slot_bytes: int
    constants: list[tuple[int, int, int, int | LaneValues]]
    special_rows: dict[str, tuple[int, int]]
    parameter_rows: list[tuple[int, int, int]]
    globals: list[Region]
    shared: list[Region]
    locals: list[Region]
    local_bytes: int
    granule: int
    messages: list[str]
    entry_pc: int
    pattern_start: list[int]
    pattern_words: int
    uses_async: bool
    orders_blocks: bool
    has_fences: bool
    tensor_table: np.ndarray


def decode(module: Module, kernel: str) -> Code:
    """Decode the kernel and every function it calls. Raises KeyError if the module has no such kernel."""
    return Decoder(module, module.functions[kernel]).code()


def _callees(function: Function) -> list[str]:
    calls = [instruction for instruction in function.instructions if instruction.opcode.startswith("call")]
    return [operand for call in calls for operand in call.operands if not operand.startswith("(")]


class Decoder:
    """Collects the rows, registers and variables of a kernel while its instructions are translated."""

    def __init__(self, module: Module, entry: Function) -> None:
        self.module = module
        self.entry = entry
        self.rows: list[list[int]] = []
        self.vectors: list[Register] = []
        self.tensor_kinds: list[Multiplication] = []
        self.locations: list[Location] = []
        self.texts: list[str] = []
        self.site_pc: list[int] = []
        self.messages: list[str] = []
        self.registers: dict[tuple[str, str], Register] = {}
        self.constants: dict[tuple[str, int | LaneValues], Register] = {}
        self.counts = {"w": 0, "r": 0, "p": 0}
        self.fixups: list[tuple[int, int, str, int]] = []
        self.function_start: dict[str, int] = {}
        self.granule = 4
        self.order = self._call_order()
        self._place_variables()
        for name in self.order:
            self._function(module.functions[name])
        self._fix_branches()
        self._locate_headers()

    # ---- layout

    def _call_order(self) -> list[str]:
        """Callees first: with the lowest program counter running first, lanes that called then meet again at the
        return."""
        order: dict[str, None] = {}
        seen: set[str] = set()
        todo = [(self.entry.name, False)]
        while todo:
            name, has_all_callees = todo.pop()
            function = self.module.functions.get(name)
            if has_all_callees:
                order[name] = None
            elif name not in seen and function is not None and (function.instructions or function is self.entry):
                seen.add(name)
                todo += [(name, True), *((callee, False) for callee in reversed(_callees(function)))]
        return list(order)

    def _place_variables(self) -> None:
        self.symbols: dict[tuple[str, str], int] = {}
        self.globals: list[Region] = []
        self.shared: list[Region] = []
        self.shared_bytes = 0
        self.locals: list[Region] = []
        self.local_bytes = 0
        self.frame_parts: dict[str, list[tuple[int, int]]] = {}
        named = self._named_symbols()
        for variable in self.module.variables:
            if variable.name in named:
                self._place("", variable)
        for name in self.order:
            for variable in self.module.functions[name].variables:
                if variable.space != "param":
                    self._place(name, variable)
        self._place_parameters()

    def _named_symbols(self) -> set[str]:
        """Names that the reachable code, or a variable it names, speaks of."""
        named = {
            word
            for name in self.order
            for instruction in self.module.functions[name].instructions
            for word in re.findall(r"[\w$.]+", " ".join(instruction.operands))
        }
        for variable in reversed(self.module.variables):
            if variable.name in named:
                named.update(name for _, name in variable.relocations)
        return named

    def _place(self, function: str, variable: Variable) -> None:
        if variable.size > _LARGEST[variable.space]:
            raise Unsupported(f"a variable of {variable.size} bytes")
        if any(offset + 8 > variable.size for offset, _ in variable.relocations):
            raise Unsupported("an address in fewer than 8 bytes")
        if variable.space in ("global", "const"):
            # A, B and C come first: see machine.py.
            index = len(self.globals) + 3
            address = (index + 1 << o.GLOBAL_SHIFT) + o.GLOBAL_CENTRE
            kind = o.CONSTANT if variable.space == "const" else o.TRACKED
            self.globals.append(
                Region(
                    variable.name,
                    kind,
                    variable.size,
                    address,
                    variable.contents,
                    function=function,
                    relocations=variable.relocations,
                )
            )
            full = index >= o.MAX_GLOBALS
        elif variable.space == "shared":
            address = self._place_shared(function, variable)
            full = len(self.shared) > o.MAX_SHARED
        else:
            address = self._place_frame(function, variable)
            full = len(self.locals) > o.MAX_LOCALS
        if full:
            raise Unsupported("more variables in memory than the emulator has room for")
        self.symbols[function, variable.name] = address

    def _place_shared(self, function: str, variable: Variable) -> int:
        """The address of a shared variable. All of dynamic shared memory is one region, however many names it has."""
        dynamic = variable.size == 0
        known = next((region for region in self.shared if dynamic and region.dynamic), None)
        if known:
            return known.address
        address = (len(self.shared) + 1 << o.WINDOW_SHIFT) + o.WINDOW_CENTRE + self._shared_offset(variable) % 16
        self.shared.append(
            Region(variable.name, o.SHARED_KIND, variable.size, address, dynamic=dynamic, function=function)
        )
        return address

    def _shared_offset(self, variable: Variable) -> int:
        """Where ptxas puts it: one variable after the other, each at a multiple of its own alignment and no more, as an
        H200 showed; dynamic shared memory at a multiple of 16."""
        if variable.size == 0:
            return 0
        start = -(-self.shared_bytes // variable.align) * variable.align
        self.shared_bytes = start + variable.size
        return start

    def _place_frame(self, function: str, frame: Variable) -> int:
        """A function's local memory. Debug information tells its variables apart, and each gets its own range."""
        start = -(-self.local_bytes // 16) * 16
        self.local_bytes = start + frame.size
        known = [part for part in self.module.locals.get(frame.name, []) if 0 < part[0] < frame.size]
        first = next((name for offset, name in self.module.locals.get(frame.name, []) if offset == 0), "")
        parts = [(0, first), *known]
        ends = [offset for offset, _ in known] + [frame.size]
        for (offset, name), end in zip(parts, ends):
            # Alignment is that of the place in the frame.
            address = (len(self.locals) + 1 << o.WINDOW_SHIFT) + o.WINDOW_CENTRE + offset % 16
            self.frame_parts.setdefault(function, []).append((offset, address))
            self.locals.append(
                Region(name, o.LOCAL_KIND, end - offset, address, function=function, offset=start + offset)
            )
        return self.frame_parts[function][0][1]

    def frame_address(self, function: str, offset: int) -> int:
        """The address of a byte of the function's frame: in the range of the variable that lies there."""
        start, address = max(part for part in self.frame_parts[function] if part[0] <= max(offset, 0))
        return address + offset - start

    def _place_parameters(self) -> None:
        """Parameters and results of device functions have fixed places: recursion is not supported."""
        self.parameter_offset: dict[tuple[str, str], int] = {}
        for name in self.order:
            function = self.module.functions[name]
            if function.is_entry:
                continue
            for variable in [*function.parameters, *function.returns]:
                offset = -(-self.local_bytes // 16) * 16
                self.parameter_offset[name, variable.name] = offset
                self.local_bytes = offset + max(variable.size, TYPE_BYTES["b64"])

    def has_parameter(self, function: Function, name: str) -> bool:
        return (function.name, name) in self.parameter_offset

    def parameter_place(self, function: Function, name: str) -> tuple[int, int]:
        """Where a parameter or result of a device function lies in a thread's memory, and its size."""
        if not self.has_parameter(function, name):
            raise Unsupported(f"the parameter {name}")
        declared = next(v for v in (*function.parameters, *function.returns) if v.name == name)
        return self.parameter_offset[function.name, name], max(declared.size, TYPE_BYTES["b64"])

    # ---- operands

    def new_register(self, kind: str) -> Register:
        self.counts[kind] += 1
        return kind, self.counts[kind] - 1

    def named_register(self, scope: str, name: str, kind: str) -> Register:
        """The register of that name, made when first asked for."""
        if (scope, name) not in self.registers:
            self.registers[scope, name] = self.new_register(kind)
        return self.registers[scope, name]

    def register(self, function: Function, name: str) -> Register:
        """A register that the function declares."""
        declared = function.register_type(name)
        if declared not in TYPE_BYTES or TYPE_BYTES[declared] > 8:
            raise Unsupported(f"the register {name}")
        kind = "p" if declared == "pred" else "w" if TYPE_BYTES[declared] == 8 else "r"
        return self.named_register(function.name, name, kind)

    def constant(self, kind: str, value: int | LaneValues) -> Register:
        """A register that holds a number, or a number for each lane, from the start."""
        if isinstance(value, int):
            value &= 2**64 - 1 if kind == "w" else 2**32 - 1
        if (kind, value) not in self.constants:
            self.constants[kind, value] = self.new_register(kind)
        return self.constants[kind, value]

    def symbol(self, function: Function, text: str) -> int | None:
        """The address a name stands for, with an optional +offset."""
        match = re.fullmatch(r"([\w$.]+?)(?:\+(-?\d{1,10}))?", text)
        if not match:
            return None
        for scope in (function.name, ""):
            if (scope, match[1]) in self.symbols:
                return self.symbols[scope, match[1]] + int(match[2] or 0)
        return None

    def operand(self, function: Function, text: str, kind: str) -> Register:
        """A register, special register, immediate or address; `kind` w or r says how wide an immediate is."""
        if text in SPECIAL_REGISTERS or text in SPECIAL_REGISTERS_64:
            return self.named_register("%special", text, "w" if text in SPECIAL_REGISTERS_64 else "r")
        if text.startswith("%") or text in function.registers:
            return self.register(function, text)
        number = 32 if text == "WARP_SZ" else parse_number(text)
        if number is None:
            number = self.symbol(function, text)
        if number is None:
            what = "a function pointer" if text in self.module.functions else f"the operand {text[:40]}"
            raise Unsupported(what)
        return self.constant("w" if kind == "w" else "r", number)

    # ---- rows

    def emit(
        self,
        instruction: Instruction,
        op: int,
        d=None,
        a=None,
        b=None,
        c=None,
        guard=None,
        negated=False,
        **fields: int,
    ) -> int:
        """Add a row; registers by the columns they stand in, other fields by name. Returns its number."""
        row = [0] * o.ROW_LENGTH
        row[o.ROW_OP] = op
        row[o.ROW_GUARD] = row[o.ROW_SITE] = -1
        row[o.ROW_GUARD_NEGATED] = int(negated)
        for name, value in fields.items():
            if not -_NEAR <= value < _NEAR:
                raise Unsupported("a number of more than 32 bits")
            row[o.ROW[name]] = value
        pc = len(self.rows)
        for column, register in ((o.ROW_D, d), (o.ROW_A, a), (o.ROW_B, b), (o.ROW_C, c), (o.ROW_GUARD, guard)):
            if register is not None:
                self.fixups.append((pc, column, *register))
        self.rows.append(row)
        self.locations.append(instruction.location)
        self.texts.append(str(instruction))
        return pc

    def vector(self, registers: list[Register]) -> int:
        """The registers of a vector operand, one after another in a table of their own."""
        start = len(self.vectors)
        self.vectors += registers
        return start

    def tensor_kind(self, kind: Multiplication) -> int:
        """The number of a kind of matrix product among those that the kernel uses."""
        if kind not in self.tensor_kinds:
            self.tensor_kinds.append(kind)
        return self.tensor_kinds.index(kind)

    def site(self, count: int = 1) -> int:
        """The number of the memory instruction that comes next; `count` where it makes several requests."""
        self.site_pc += [len(self.rows)] * count
        if len(self.site_pc) > 0xFFFF:
            raise Unsupported("more than 65535 memory instructions")
        return len(self.site_pc) - count

    def _function(self, function: Function) -> None:
        self.function_start[function.name] = len(self.rows)
        first_pc: list[int] = []
        calls = _enclosing_calls(function)
        self.places = Places(function)
        self.pending_labels: list[tuple[int, int, str]] = []
        for number, instruction in enumerate(function.instructions):
            first_pc.append(len(self.rows))
            try:
                Translator(self, function, instruction, calls.get(number)).run()
            except Unsupported as reason:
                self._unsupported(function, instruction, str(reason))
            except _MALFORMED:
                self._unsupported(function, instruction, "its operands")
        first_pc.append(len(self.rows))
        self._note_widening(function, first_pc)
        end = Instruction(
            "ret", (), None, False, function.instructions[-1].location if function.instructions else Location()
        )
        if function.is_entry:
            self.emit(end, o.EXIT)
        else:
            self.emit(end, o.RETURN, a=self.return_row(function.name))
        for pc, column, label in self.pending_labels:
            self.rows[pc][column] = first_pc[function.labels[label]]

    def _note_widening(self, function: Function, first_pc: list[int]) -> None:
        """Of what access each load and store of shared memory becomes a part in the GPU's own code."""
        try:
            found = widened(function, self.module)
        except _MALFORMED:
            return
        for number, wide in found.items():
            for row in self.rows[first_pc[number] : first_pc[number + 1]]:
                if row[o.ROW_OP] in (o.LOAD, o.STORE):
                    row[o.ROW_WIDEN] = wide.width | wide.phase << 5

    def _unsupported(self, function: Function, instruction: Instruction, reason: str) -> None:
        """Running the instruction will be a finding."""
        self.messages.append(f"{instruction.opcode} ({reason})" if reason else instruction.opcode)
        guarded = instruction.guard and function.register_type(instruction.guard) == "pred"
        guard = self.register(function, instruction.guard) if guarded else None
        negated = bool(guarded and instruction.guard_negated)
        self.emit(instruction, o.UNSUPPORTED, guard=guard, negated=negated, IMM=len(self.messages) - 1)

    def return_row(self, name: str) -> Register:
        """Where a function keeps, for each lane, the instruction to return to."""
        return self.named_register("%return", name, "r")

    def _fix_branches(self) -> None:
        for row in self.rows:
            if row[o.ROW_OP] == o.CALL:
                row[o.ROW_IMM] = self.function_start[self.order[row[o.ROW_AUX]]]

    def _locate_headers(self) -> None:
        """Code of a header's function, which has no line of the student's, counts for the line that calls it first."""
        starts = [*self.function_start.values(), len(self.rows)]
        ends = dict(zip(starts, starts[1:]))
        for pc in reversed(range(len(self.rows))):
            row = self.rows[pc]
            if row[o.ROW_OP] == o.CALL and self.locations[pc].line:
                for place in range(row[o.ROW_IMM], ends[row[o.ROW_IMM]]):
                    if not self.locations[place].line:
                        self.locations[place] = self.locations[pc]

    # ---- the result

    def code(self) -> Code:
        wide_bytes, narrow_bytes = 256 * self.counts["w"], 128 * self.counts["r"]
        # Slot 0 is always defined; it stands for operands that are not there.
        start = {"w": 0, "r": wide_bytes, "p": wide_bytes + narrow_bytes}
        slot_start = start["p"] + 4 * self.counts["p"]
        first_slot = {"w": 1, "r": 1 + self.counts["w"], "p": 1 + self.counts["w"] + self.counts["r"]}
        slots = first_slot["p"] + self.counts["p"]

        def place(kind: str, index: int) -> int:
            return start[kind] + index * {"w": 256, "r": 128, "p": 4}[kind]

        def slot(kind: str, index: int) -> int:
            return slot_start + 4 * (first_slot[kind] + index)

        rows = np.zeros((max(len(self.rows), 1), o.ROW_LENGTH), np.int32)
        rows[: len(self.rows)] = self.rows
        for column in (o.ROW_OK_D, o.ROW_OK_A, o.ROW_OK_B, o.ROW_OK_C, o.ROW_OK_GUARD):
            rows[:, column] = slot_start
        ok_column = {
            o.ROW_D: o.ROW_OK_D,
            o.ROW_A: o.ROW_OK_A,
            o.ROW_B: o.ROW_OK_B,
            o.ROW_C: o.ROW_OK_C,
            o.ROW_GUARD: o.ROW_OK_GUARD,
        }
        wide_bit = {o.ROW_D: o.WIDE_D, o.ROW_A: o.WIDE_A, o.ROW_B: o.WIDE_B, o.ROW_C: o.WIDE_C}
        for pc, column, kind, index in self.fixups:
            rows[pc, column] = place(kind, index)
            if column in ok_column:
                rows[pc, ok_column[column]] = slot(kind, index)
                if kind == "w" and column in wide_bit:
                    rows[pc, o.ROW_WIDE] |= wide_bit[column]
                if kind == "p" and column in (o.ROW_D, o.ROW_C):
                    rows[pc, o.ROW_WIDE] |= o.PRED_D if column == o.ROW_D else o.PRED_C
        vectors = np.array([(place(k, i), slot(k, i), int(k == "w")) for k, i in self.vectors] or [(0, 0, 0)], np.int32)
        constants = [
            (place(*register), slot(*register), 8 if kind == "w" else 4, value)
            for (kind, value), register in self.constants.items()
        ]
        special_rows = {
            name: (place(*register), slot(*register))
            for (scope, name), register in self.registers.items()
            if scope == "%special"
        }
        parameters = [
            (place(*self.registers[self.entry.name, p.name]), slot(*self.registers[self.entry.name, p.name]), p.size)
            if (self.entry.name, p.name) in self.registers
            else (-1, -1, p.size)
            for p in self.entry.parameters
        ]
        total = -(-(slot_start + 8 * slots) // 256) * 256
        tensor_table, starts = tables(self.tensor_kinds)
        rows[np.isin(rows[:, o.ROW_OP], o.PUT_TOGETHER), o.ROW_WIDE] |= o.ANY_WRITTEN
        products = rows[:, o.ROW_OP] == o.MMA
        rows[products, o.ROW_IMM] = [starts[number] for number in rows[products, o.ROW_AUX]]
        return Code(
            rows=rows,
            vectors=vectors,
            locations=self.locations,
            texts=self.texts,
            site_count=len(self.site_pc),
            site_pc=self.site_pc,
            warp_bytes=total,
            slot_offset=slot_start,
            slot_bytes=4 * slots,
            constants=constants,
            special_rows=special_rows,
            parameter_rows=parameters,
            globals=self.globals,
            shared=self.shared,
            locals=self.locals,
            local_bytes=-(-max(self.local_bytes, 1) // 16) * 16,
            granule=self.granule,
            messages=self.messages,
            entry_pc=self.function_start[self.entry.name],
            tensor_table=tensor_table,
            **self._request_sizes(rows),
        )

    def _request_sizes(self, rows: np.ndarray) -> dict:
        """Room for the words of each memory instruction's request, and what kinds of them there are."""
        starts, total = [], 0
        for pc in self.site_pc:
            row = rows[pc]
            starts.append(total)
            total += 32 * max(row[o.ROW_SIZE] * max(row[o.ROW_COUNT], 1) // self.granule, 1)
        operations = rows[:, o.ROW_OP]
        atomic = rows[operations == o.ATOMIC]
        return {
            "pattern_start": starts,
            "pattern_words": int(total),
            "uses_async": bool((operations == o.ASYNC_COPY).any()),
            "orders_blocks": bool((atomic[:, o.ROW_SPACE] != o.SHARED).any()),
            "has_fences": bool((operations == o.FENCE).any()),
        }


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
