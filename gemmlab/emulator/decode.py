"""PTX functions -> arrays for the interpreter: one row of numbers an instruction, and the layout of a warp's registers.

A warp's registers lie in one block of memory: 64-bit registers, 32-bit registers, predicates (a bit a lane), then a definedness mask
and an origin (the instruction that last made an undefined value) for each of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from gemmlab.emulator import opcodes as o
from gemmlab.emulator.ptx import (
    TYPE_BYTES,
    Function,
    Instruction,
    Location,
    Module,
    Variable,
    parse_number,
    split_operands,
)

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
]
SPECIAL_REGISTERS_64 = ["%clock64", "%globaltimer"]
EXTERNALS = ("vprintf", "__assertfail")


@dataclass(frozen=True)
class Region:
    """A variable that has a range of addresses. `address` is what PTX code sees as its name (space-relative for shared, local)."""

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
    constants: list[tuple[int, int, int]]
    special_rows: dict[str, int]
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


class Unsupported(Exception):
    """This instruction cannot be emulated; running it is a finding."""


def decode(module: Module, kernel: str) -> Code:
    """Decode the kernel and every function it calls. Raises KeyError if the module has no such kernel."""
    return _Decoder(module, module.functions[kernel]).code()


def _callees(function: Function) -> list[str]:
    names = []
    for instruction in function.instructions:
        if instruction.opcode.startswith("call"):
            operands = [x for x in instruction.operands if not x.startswith("(")]
            names.append(operands[0])
    return names


class _Decoder:
    def __init__(self, module: Module, entry: Function) -> None:
        self.module = module
        self.entry = entry
        self.rows: list[list[int]] = []
        self.vectors: list[tuple[int, int, int]] = []
        self.locations: list[Location] = []
        self.texts: list[str] = []
        self.site_pc: list[int] = []
        self.messages: list[str] = []
        self.registers: dict[tuple[str, str], tuple[str, int]] = {}
        self.counts = {"w": 0, "r": 0, "p": 0}
        self.constants: dict[tuple[str, int], int] = {}
        self.fixups: list[tuple[int, int, str, str]] = []
        self.function_start: dict[str, int] = {}
        self.granule = 4
        self.order = self._call_order()
        self._place_variables()
        for name in self.order:
            self._function(module.functions[name])
        self._fix_branches()

    # ---- layout

    def _call_order(self) -> list[str]:
        """Callees first: with the lowest program counter running first, lanes that called then meet again at the return."""
        order: list[str] = []
        active: set[str] = set()

        def visit(name: str) -> None:
            function = self.module.functions.get(name)
            if name in order or name in active or function is None or not function.instructions:
                return
            active.add(name)
            for callee in _callees(function):
                visit(callee)
            active.discard(name)
            order.append(name)

        visit(self.entry.name)
        return order

    def _place_variables(self) -> None:
        self.symbols: dict[tuple[str, str], int] = {}
        self.globals: list[Region] = []
        self.shared: list[Region] = []
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
            limit = o.MAX_GLOBALS - 4
        elif variable.space == "shared":
            address = (len(self.shared) + 1 << o.WINDOW_SHIFT) + o.WINDOW_CENTRE
            self.shared.append(
                Region(
                    variable.name, o.SHARED_KIND, variable.size, address, dynamic=variable.size == 0, function=function
                )
            )
            limit = o.MAX_SHARED - 1
        else:
            address = self._place_frame(function, variable)
            limit = o.MAX_LOCALS - 1
        if max(len(self.globals), len(self.shared), len(self.locals)) > limit:
            raise Unsupported("more variables in memory than the emulator has room for")
        self.symbols[function, variable.name] = address

    def _place_frame(self, function: str, frame: Variable) -> int:
        """A function's local memory. Debug information tells its variables apart, and each gets its own range."""
        start = -(-self.local_bytes // 16) * 16
        self.local_bytes = start + frame.size
        known = [part for part in self.module.locals.get(frame.name, []) if 0 < part[0] < frame.size]
        first = next((name for offset, name in self.module.locals.get(frame.name, []) if offset == 0), "")
        parts = [(0, first), *known]
        ends = [offset for offset, _ in known] + [frame.size]
        for (offset, name), end in zip(parts, ends):
            address = (len(self.locals) + 1 << o.WINDOW_SHIFT) + o.WINDOW_CENTRE
            self.frame_parts.setdefault(function, []).append((offset, address))
            self.locals.append(Region(name, o.LOCAL_KIND, end - offset, address, function=function, offset=start + offset))
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

    # ---- operands

    def _new_register(self, kind: str) -> tuple[str, int]:
        self.counts[kind] += 1
        return kind, self.counts[kind] - 1

    def _register(self, function: Function, name: str) -> tuple[str, int]:
        key = (function.name, name)
        if key not in self.registers:
            declared = function.register_type(name)
            if declared is None:
                raise Unsupported(f"register {name}")
            kind = "p" if declared == "pred" else "w" if TYPE_BYTES[declared] == 8 else "r"
            self.registers[key] = self._new_register(kind)
        return self.registers[key]

    def _special(self, name: str) -> tuple[str, int]:
        key = ("%special", name)
        if key not in self.registers:
            self.registers[key] = self._new_register("w" if name in SPECIAL_REGISTERS_64 else "r")
        return self.registers[key]

    def _constant(self, kind: str, value: int) -> tuple[str, int]:
        key = ("%constant", f"{kind}{value}")
        if key not in self.registers:
            self.registers[key] = self._new_register(kind)
            self.constants[key[1], value] = 0
        return self.registers[key]

    def _symbol(self, function: Function, text: str) -> int | None:
        """The address a name stands for, with an optional +offset."""
        match = re.fullmatch(r"([\w$.]+?)(?:\+(-?\d+))?", text)
        if not match:
            return None
        for scope in (function.name, ""):
            if (scope, match[1]) in self.symbols:
                return self.symbols[scope, match[1]] + int(match[2] or 0)
        return None

    def _operand(self, function: Function, text: str, kind: str, float_bytes: int = 0) -> tuple[str, int]:
        """A register, special register, immediate or address; `kind` w or r says how wide an immediate is."""
        if text in SPECIAL_REGISTERS or text in SPECIAL_REGISTERS_64:
            return self._special(text)
        if text == "WARP_SZ":
            return self._constant(kind, 32)
        if text.startswith("%"):
            return self._register(function, text)
        number = parse_number(text)
        if number is None:
            number = self._symbol(function, text)
        if number is None:
            raise Unsupported(f"operand {text}")
        return self._constant(kind, number & (2**64 - 1 if kind == "w" else 2**32 - 1))

    # ---- rows

    def _emit(
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
        row = [0] * o.ROW_LENGTH
        row[o.ROW_OP] = op
        row[o.ROW_GUARD] = -1
        pc = len(self.rows)
        for column, register in ((o.ROW_D, d), (o.ROW_A, a), (o.ROW_B, b), (o.ROW_C, c), (o.ROW_GUARD, guard)):
            if register is not None:
                self.fixups.append((pc, column, *register))
        row[o.ROW_GUARD_NEGATED] = int(negated)
        row[o.ROW_SITE] = -1
        for name, value in fields.items():
            row[o.ROW[name]] = value
        self.rows.append(row)
        self.locations.append(instruction.location)
        self.texts.append(str(instruction))
        return pc

    def _vector(self, registers: list[tuple[str, int]]) -> int:
        """Components of a vector operand, each (register, definedness, is 64-bit)."""
        start = len(self.vectors)
        self.vectors += [(kind, index, 0) for kind, index in registers]
        return start

    def _site(self) -> int:
        self.site_pc.append(len(self.rows))
        if len(self.site_pc) > 0xFFFF:
            raise Unsupported("more than 65535 memory instructions")
        return len(self.site_pc) - 1

    def _function(self, function: Function) -> None:
        self.function_start[function.name] = len(self.rows)
        first_pc: list[int] = []
        calls = _enclosing_calls(function)
        self.pending_labels = []
        for number, instruction in enumerate(function.instructions):
            first_pc.append(len(self.rows))
            try:
                translate = _Translator(self, function, instruction, calls.get(number))
                translate.run()
            except Unsupported as reason:
                self.messages.append(f"{instruction.opcode} ({reason})" if str(reason) else instruction.opcode)
                self._emit(instruction, o.UNSUPPORTED, IMM=len(self.messages) - 1)
        first_pc.append(len(self.rows))
        end = Instruction("ret", (), None, False, function.instructions[-1].location)
        self._emit(
            end,
            o.EXIT if function.is_entry else o.RETURN,
            a=None if function.is_entry else self._return_row(function.name),
        )
        for pc, column, label in self.pending_labels:
            self.rows[pc][column] = first_pc[function.labels[label]]

    def _return_row(self, name: str) -> tuple[str, int]:
        key = ("%return", name)
        if key not in self.registers:
            self.registers[key] = self._new_register("r")
        return self.registers[key]

    def _fix_branches(self) -> None:
        for pc, row in enumerate(self.rows):
            if row[o.ROW_OP] == o.CALL:
                row[o.ROW_IMM] = self.function_start[self.order[row[o.ROW_AUX]]]

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
        vectors = np.array(
            [(place(k, i), slot(k, i), int(k == "w")) for k, i, _ in self.vectors] or [(0, 0, 0)], np.int32
        )
        constants = []
        special_rows = {}
        for (scope, name), (kind, index) in self.registers.items():
            if scope == "%constant":
                constants.append((place(kind, index), slot(kind, index), 8 if kind == "w" else 4, int(name[1:])))
            elif scope == "%special":
                special_rows[name] = (place(kind, index), slot(kind, index))
        parameters = [
            (place(*self.registers[self.entry.name, p.name]), slot(*self.registers[self.entry.name, p.name]), p.size)
            if (self.entry.name, p.name) in self.registers
            else (-1, -1, p.size)
            for p in self.entry.parameters
        ]
        total = -(-(slot_start + 8 * slots) // 256) * 256
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


_SIGNED = {"b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "f16x2": "u32", "bf16x2": "u32"}
_NOISE = {"rn", "approx", "full", "uni", "aligned", "sync", "relaxed", "gpu", "cta", "sys", "global", "volatile"}
_CACHE_WORDS = {
    "nc",
    "ca",
    "cg",
    "cs",
    "cv",
    "lu",
    "wb",
    "wt",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "weak",
    "mmio",
    "gpu",
    "cta",
    "sys",
    "cluster",
    "volatile",
    "evict_last",
    "evict_first",
    "no_allocate",
    "L1::no_allocate",
    "L1::evict_last",
    "L1::evict_first",
    "L2::128B",
    "L2::256B",
    "L2::64B",
    "L2::cache_hint",
    "unified",
}


class _Translator:
    """One PTX instruction -> rows."""

    def __init__(
        self, decoder: _Decoder, function: Function, instruction: Instruction, call: Instruction | None
    ) -> None:
        self.decoder = decoder
        self.function = function
        self.instruction = instruction
        self.call = call
        self.words = instruction.opcode.split(".")
        self.operands = list(instruction.operands)
        self.guard = None
        if instruction.guard:
            self.guard = decoder._register(function, instruction.guard)

    def run(self) -> None:
        head = self.words[0]
        method = getattr(self, "_" + head, None) if head in _METHODS else None
        if method is None:
            self._arithmetic()
        else:
            method()

    # ---- helpers

    def emit(self, op: int, **fields) -> int:
        return self.decoder._emit(
            self.instruction, op, guard=self.guard, negated=self.instruction.guard_negated, **fields
        )

    def reg(self, text: str, kind: str = "r") -> tuple[str, int]:
        return self.decoder._operand(self.function, text, kind)

    def simple(self, name: str, *operands, imm: int = 0) -> int:
        """A vector or table instruction on registers already resolved: target first."""
        if name not in o.NUMBER:
            raise Unsupported(name)
        names = dict(zip("dabc", operands))
        return self.emit(o.NUMBER[name], **names, IMM=imm)

    def type_of(self, word: str) -> str:
        return _SIGNED.get(word, word)

    def kind_of(self, word: str) -> str:
        return "w" if TYPE_BYTES.get(word, 4) == 8 else "r"

    def sink_target(self, text: str, kind: str) -> tuple[str, int]:
        return self.decoder._new_register(kind) if text == "_" else self.reg(text)

    def frame_operand(self, register: str, offset: int) -> tuple[str, int] | None:
        """A constant for %SP + offset (generic) or %SPL + offset (local), which are all addresses of local variables."""
        if register not in ("%SP", "%SPL") or self.function.name not in self.decoder.frame_parts:
            return None
        window = o.LOCAL_WINDOW if register == "%SP" else 0
        return self.decoder._constant("w", self.decoder.frame_address(self.function.name, offset) + window)

    # ---- arithmetic

    def _add(self) -> None:
        offset = parse_number(self.operands[-1])
        place = self.frame_operand(self.operands[1], offset) if offset is not None else None
        if place is None:
            self._arithmetic()
        else:
            self.simple("mov.u64", self.reg(self.operands[0]), place)

    def _arithmetic(self) -> None:
        words = [w for w in self.words if w not in ("rn", "approx", "full", "uni")]
        types = [w for w in words[1:] if w in TYPE_BYTES or w == "tf32"]
        if not types:
            raise Unsupported("")
        kind = self.type_of(types[-1])
        modifiers = [w for w in words[1:] if w not in types]
        name = ".".join([words[0], *modifiers, types[-1] if types[-1].endswith("x2") else kind])
        for candidate in _spellings(name):
            if candidate in o.NUMBER:
                operands = [self.reg(x, self.kind_of(types[-1])) for x in self.operands]
                if words[0] in ("shl", "shr", "bfe", "bfi") and len(operands) > 2:
                    operands[2:] = [self.reg(x, "r") for x in self.operands[2:]]
                if words[0] in ("shf", "prmt"):
                    operands = [self.reg(x, "r") for x in self.operands]
                if words[0] == "mad" and "wide" in words:
                    operands[3] = self.reg(self.operands[3], "w" if kind.endswith("32") else "r")
                self.simple(candidate, *operands)
                return
        raise Unsupported("")

    def _mov(self) -> None:
        word = self.words[-1]
        target, source = self.operands
        if word == "pred":
            self._predicate_logic(o.PRED_MOV)
        elif source.startswith("{"):
            self._pack(target, split_operands(source[1:-1]), word)
        elif target.startswith("{"):
            self._unpack(split_operands(target[1:-1]), source, word)
        else:
            kind = self.kind_of(word)
            register = self.reg(target)
            value = self.reg(source, kind)
            if register[0] == "w" and value[0] == "r":
                self.simple("cvt.to64.u32", register, value)
            else:
                self.simple("mov.u64" if register[0] == "w" else "mov.u32", register, value)

    def _pack(self, target: str, parts: list[str], word: str) -> None:
        wide = "u64" if TYPE_BYTES[word] == 8 else "u32"
        if len(parts) == 4 and wide == "u64":
            low, high = self.decoder._new_register("r"), self.decoder._new_register("r")
            self.simple("pack.u32", low, self.reg(parts[0]), self.reg(parts[1]))
            self.simple("pack.u32", high, self.reg(parts[2]), self.reg(parts[3]))
            self.simple("pack.u64", self.reg(target), low, high)
        elif len(parts) == 2:
            self.simple(f"pack.{wide}", self.reg(target), *(self.reg(x) for x in parts))
        else:
            raise Unsupported("mov of this vector")

    def _unpack(self, parts: list[str], source: str, word: str) -> None:
        wide = "u64" if TYPE_BYTES[word] == 8 else "u32"
        value = self.reg(source, self.kind_of(word))
        if len(parts) == 4 and wide == "u64":
            low, high = self.decoder._new_register("r"), self.decoder._new_register("r")
            self.simple("low.u64", low, value)
            self.simple("high.u64", high, value)
            for half, names in ((low, parts[:2]), (high, parts[2:])):
                for end, text in zip(("low", "high"), names):
                    self.simple(f"{end}.u32", self.sink_target(text, "r"), half)
        elif len(parts) == 2:
            for end, text in zip(("low", "high"), parts):
                if text != "_":
                    self.simple(f"{end}.{wide}", self.reg(text), value)
        else:
            raise Unsupported("mov of this vector")

    def _selp(self) -> None:
        word = self.words[-1]
        d, a, b, c = self.operands
        kind = self.kind_of(word)
        self.simple(
            f"selp.{'u64' if kind == 'w' else 'u32'}", self.reg(d), self.reg(a, kind), self.reg(b, kind), self.reg(c)
        )

    def _slct(self) -> None:
        """d = c >= 0 ? a : b."""
        kind = self.kind_of(self.words[1])
        d, a, b, c = self.operands
        test = self.decoder._new_register("p")
        zero = self.decoder._constant("r", 0)
        self.simple("setp.ge." + self.type_of(self.words[-1]), test, self.reg(c), zero)
        self.simple(f"selp.{'u64' if kind == 'w' else 'u32'}", self.reg(d), self.reg(a, kind), self.reg(b, kind), test)

    def _setp(self) -> None:
        words = [w for w in self.words if w != "ftz"]
        comparison, kind = words[1], self.type_of(words[-1])
        combine = words[2] if len(words) > 3 and words[2] in ("and", "or", "xor") else None
        unsigned = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
        comparison = unsigned.get(comparison, comparison)
        targets = self.operands[0].split("|")
        a, b = (self.reg(x, self.kind_of(words[-1])) for x in self.operands[1:3])
        if kind in ("f16x2", "bf16x2"):
            raise Unsupported("")
        if combine is None and len(targets) == 1:
            self.simple(f"setp.{comparison}.{kind}", self.reg(targets[0]), a, b)
            return
        test = self.decoder._new_register("p")
        self.simple(f"setp.{comparison}.{kind}", test, a, b)
        inverse = self.decoder._new_register("p")
        self.emit(o.PRED_NOT, d=inverse, a=test)
        logic = {"and": o.PRED_AND, "or": o.PRED_OR, "xor": o.PRED_XOR, None: o.PRED_MOV}[combine]
        other = {"b": self._predicate(self.operands[3])} if combine else {}
        for target, source in zip(targets, (test, inverse)):
            if target != "_":
                self.emit(logic, d=self.reg(target), a=source, **other)

    def _predicate(self, text: str) -> tuple[str, int]:
        """A predicate operand, possibly negated with '!'."""
        if not text.startswith("!"):
            return self.reg(text)
        inverse = self.decoder._new_register("p")
        self.emit(o.PRED_NOT, d=inverse, a=self.reg(text[1:]))
        return inverse

    def _set(self) -> None:
        words = [w for w in self.words if w != "ftz"]
        if words[2] not in TYPE_BYTES or words[-1] not in TYPE_BYTES:
            raise Unsupported("")
        test = self.decoder._new_register("p")
        a, b = (self.reg(x, self.kind_of(words[-1])) for x in self.operands[1:3])
        self.simple(f"setp.{words[1]}.{self.type_of(words[-1])}", test, a, b)
        true = 0x3F800000 if words[2] == "f32" else 0xFFFFFFFF
        self.simple(
            "selp.u32",
            self.reg(self.operands[0]),
            self.decoder._constant("r", true),
            self.decoder._constant("r", 0),
            test,
        )

    def _predicate_logic(self, op: int) -> None:
        names = dict(zip("dab", (self._predicate_source(x) for x in self.operands)))
        self.emit(op, **names)

    def _predicate_source(self, text: str) -> tuple[str, int]:
        number = parse_number(text)
        if number is None:
            return self._predicate(text)
        register = self.decoder._new_register("p")
        zero = self.decoder._constant("r", 0)
        self.simple("setp.ne.u32" if number == 0 else "setp.eq.u32", register, zero, zero)
        return register

    def _logic(self, name: str, op: int) -> None:
        if self.words[-1] == "pred":
            self._predicate_logic(op)
        else:
            self._arithmetic()

    def _and(self) -> None:
        self._logic("and", o.PRED_AND)

    def _or(self) -> None:
        self._logic("or", o.PRED_OR)

    def _xor(self) -> None:
        self._logic("xor", o.PRED_XOR)

    def _not(self) -> None:
        self._logic("not", o.PRED_NOT)

    def _lop3(self) -> None:
        d, a, b, c = (self.reg(x) for x in self.operands[:4])
        self.simple("lop3.u32", d, a, b, c, imm=parse_number(self.operands[4]))

    def _bfi(self) -> None:
        """f = b with `length` bits from `start` on replaced by the low bits of a: ((ones << start) & (a << start)) | rest."""
        kind = self.kind_of(self.words[-1])
        bits = "u64" if kind == "w" else "u32"
        f, a, b = (self.reg(x, kind) for x in self.operands[:3])
        start, length = (self.reg(x, "r") for x in self.operands[3:5])
        new = lambda: self.decoder._new_register(kind)  # noqa: E731
        one, ones, mask, moved, kept = self.decoder._constant(kind, 1), new(), new(), new(), new()
        self.simple(f"shl.{bits}", ones, one, length)
        self.simple(f"sub.{bits}", ones, ones, one)
        self.simple(f"shl.{bits}", mask, ones, start)
        self.simple(f"shl.{bits}", moved, a, start)
        self.simple(f"and.{bits}", moved, moved, mask)
        self.simple(f"not.{bits}", mask, mask)
        self.simple(f"and.{bits}", kept, b, mask)
        self.simple(f"or.{bits}", f, moved, kept)

    def _cvt(self) -> None:
        words = [w for w in self.words[1:] if w not in ("ftz", "satfinite")]
        *modifiers, d, s = words
        if d.endswith("x2"):
            self.simple(f"cvt.{d}.{s}", *(self.reg(x) for x in self.operands))
            return
        if d == "tf32":
            self.simple("cvt.tf32.f32", *(self.reg(x) for x in self.operands))
            return
        d, s = self.type_of(d), self.type_of(s)
        target, source = self.reg(self.operands[0]), self.reg(self.operands[1], self.kind_of(s))
        floats = ("f16", "bf16", "f32", "f64")
        if d in floats or s in floats:
            rounding = next((m for m in modifiers if m in ("rni", "rzi", "rmi", "rpi", "rz", "rm", "rp")), "")
            if rounding == "rz" and d in ("f16", "bf16"):
                raise Unsupported("")
            names = [f"cvt.{rounding}.{d}.{s}" if rounding else f"cvt.{d}.{s}"]
            if "sat" in modifiers:
                names = [f"cvt.sat.{d}.{s}"]
            self.simple(names[0], target, source)
        elif "sat" in modifiers:
            self.simple(f"cvt.sat.{d}.{s}", target, source)
        else:
            self._integer_conversion(d, s, target, source)

    def _integer_conversion(self, d: str, s: str, target, source) -> None:
        """An extension of the source where the target is wider, else a cut to the target's width."""
        width = {"w": 64, "r": 32}[target[0]]
        if TYPE_BYTES[d] > TYPE_BYTES[s]:
            extended = self.decoder._new_register("r") if TYPE_BYTES[d] < 4 else target
            bits = width if TYPE_BYTES[d] >= 4 else 32
            self.simple(f"cvt.to{bits}.{s}", extended, source)
            if extended is not target:
                self.simple(f"cvt.{d}", target, extended)
        elif target[0] == "r" and source[0] == "w":
            self.simple("cvt.u32", target, source)
            if TYPE_BYTES[d] < 4:
                self.simple(f"cvt.{d}", target, target)
        elif TYPE_BYTES[d] >= 4:
            self.simple("mov.u64" if target[0] == "w" else "mov.u32", target, source)
        else:
            self.simple(f"cvt.{d}", target, source)

    def _cvta(self) -> None:
        """Between generic addresses and those of a space; the same number for global memory."""
        space = next(w for w in self.words if w in ("global", "shared", "local", "const", "param"))
        window = {"shared": o.SHARED_WINDOW, "local": o.LOCAL_WINDOW}.get(space, 0)
        d, a = self.reg(self.operands[0]), self.reg(self.operands[1], "w")
        if window == 0:
            self.simple("mov.u64", d, a)
        else:
            self.simple("sub.u64" if "to" in self.words else "add.u64", d, a, self.decoder._constant("w", window))

    def _isspacep(self) -> None:
        space = {"global": o.GLOBAL, "shared": o.SHARED, "local": o.LOCAL, "const": o.GLOBAL}.get(self.words[1])
        if space is None:
            raise Unsupported("")
        self.emit(o.IS_SPACE, d=self.reg(self.operands[0]), a=self.reg(self.operands[1], "w"), SPACE=space)

    # ---- control flow

    def _bra(self) -> None:
        pc = self.emit(o.BRANCH)
        self.decoder.pending_labels.append((pc, o.ROW_IMM, self.operands[0]))

    def _brx(self) -> None:
        targets = self.function.branch_targets[self.operands[1]]
        index = self.reg(self.operands[0])
        for number, label in enumerate(targets):
            test = self.decoder._new_register("p")
            self.simple("setp.eq.u32", test, index, self.decoder._constant("r", number))
            pc = self.decoder._emit(self.instruction, o.BRANCH, guard=test)
            self.decoder.pending_labels.append((pc, o.ROW_IMM, label))
        self.emit(o.TRAP)

    def _call(self) -> None:
        name = [x for x in self.operands if not x.startswith("(")][0]
        callee = self.decoder.module.functions.get(name)
        if name == "vprintf":
            self._printf()
        elif name == "__assertfail":
            self.emit(o.TRAP, IMM=1)
        elif name not in self.decoder.order or callee is None:
            raise Unsupported(f"call of {name}")
        elif self.decoder.order.index(name) >= self.decoder.order.index(self.function.name):
            raise Unsupported("recursion")
        else:
            self.emit(o.CALL, d=self.decoder._return_row(name), AUX=self.decoder.order.index(name))

    def _ret(self) -> None:
        if self.function.is_entry:
            self.emit(o.EXIT)
        else:
            self.emit(o.RETURN, a=self.decoder._return_row(self.function.name))

    def _exit(self) -> None:
        self.emit(o.EXIT)

    def _trap(self) -> None:
        self.emit(o.TRAP)

    def _brkpt(self) -> None:
        self.emit(o.TRAP)

    def _nothing(self) -> None:
        self.emit(o.NOTHING)

    _membar = _fence = _nanosleep = _prefetch = _prefetchu = _discard = _applypriority = _griddepcontrol = _pragma = (
        _nothing
    )

    # ---- memory

    def address(self, text: str) -> tuple[tuple[str, int], int]:
        """[%rd1+8], [As+64] or [%r3] -> register and offset."""
        inner = text.strip()[1:-1].strip()
        symbol = self.decoder._symbol(self.function, inner)
        if symbol is not None:
            return self.decoder._constant("w", symbol), 0
        match = re.fullmatch(r"([%\w$.]+)(?:\+(-?\d+))?", inner)
        if not match:
            raise Unsupported(f"address {text}")
        offset = int(match[2] or 0)
        place = self.frame_operand(match[1], offset)
        return (place, 0) if place else (self.reg(match[1], "w"), offset)

    def space(self) -> int:
        names = {"global": o.GLOBAL, "shared": o.SHARED, "local": o.LOCAL, "const": o.GLOBAL, "param": o.PARAM}
        for word in self.words[1:]:
            base = word.partition("::")[0]
            if base in names:
                if word.endswith("cluster"):
                    raise Unsupported("clusters")
                return names[base]
        return o.GENERIC

    def memory_fields(self, text: str, space: int, element: str) -> dict:
        register, offset = self.address(text)
        size = TYPE_BYTES[element]
        if space in (o.SHARED, o.GENERIC, o.GLOBAL):
            self.decoder.granule = min(self.decoder.granule, size)
        flags = (o.ADDRESS_64 if register[0] == "w" else 0) | (o.VOLATILE if "volatile" in self.words else 0)
        return {
            "a": register,
            "IMM": offset,
            "SPACE": space,
            "SIZE": size,
            "FLAGS": flags,
            "SIGNED": int(element in ("s8", "s16", "s32")),
            "SITE": self.decoder._site(),
        }

    def _ld(self) -> None:
        if "param" in self.words:
            self._load_parameter()
            return
        self._check_words()
        texts = self._vector_texts(self.operands[0])
        registers = [self.sink_target(x, self.kind_of(self.words[-1])) for x in texts]
        fields = self.memory_fields(self.operands[1], self.space(), self.words[-1])
        self.emit(o.LOAD, VECTOR=self.decoder._vector(registers), COUNT=len(registers), **fields)

    _ldu = _ld

    def _st(self) -> None:
        if "param" in self.words:
            self._store_parameter()
            return
        self._check_words()
        texts = self._vector_texts(self.operands[1])
        registers = [self.reg(x, self.kind_of(self.words[-1])) for x in texts]
        fields = self.memory_fields(self.operands[0], self.space(), self.words[-1])
        self.emit(o.STORE, VECTOR=self.decoder._vector(registers), COUNT=len(registers), **fields)

    def _check_words(self) -> None:
        known = {
            "global",
            "shared",
            "local",
            "const",
            "param",
            "v2",
            "v4",
            "v8",
            "shared::cta",
            *TYPE_BYTES,
            *_CACHE_WORDS,
        }
        for word in self.words[1:]:
            if word not in known:
                raise Unsupported("")

    def _vector_texts(self, text: str) -> list[str]:
        return split_operands(text[1:-1]) if text.startswith("{") else [text]

    def _load_parameter(self) -> None:
        name, offset = self._parameter_address(self.operands[1])
        texts = self._vector_texts(self.operands[0])
        if self.function.is_entry and self.call is None or (self.function.is_entry and not self._is_return(name)):
            if offset or len(texts) > 1 or name not in [p.name for p in self.function.parameters]:
                raise Unsupported("a struct as kernel parameter")
            target = self.reg(texts[0])
            key = (self.function.name, name)
            if key not in self.decoder.registers:
                self.decoder.registers[key] = self.decoder._new_register(target[0])
            self.simple("mov.u64" if target[0] == "w" else "mov.u32", target, self.decoder.registers[key])
            return
        if self._is_return(name):
            callee = self._callee()
            place = self.decoder.parameter_offset[callee.name, callee.returns[0].name] + offset
        else:
            place = self.decoder.parameter_offset[self.function.name, name] + offset
        registers = [self.sink_target(x, self.kind_of(self.words[-1])) for x in texts]
        size = TYPE_BYTES[self.words[-1]]
        self.emit(
            o.LOAD,
            VECTOR=self.decoder._vector(registers),
            COUNT=len(registers),
            SPACE=o.PARAM,
            SIZE=size,
            IMM=place,
            SIGNED=int(self.words[-1] in ("s8", "s16", "s32")),
            a=self.decoder._constant("w", 0),
            FLAGS=o.ADDRESS_64,
        )

    def _is_return(self, name: str) -> bool:
        return (
            self.call is not None
            and self.call.operands[0].startswith("(")
            and name == self.call.operands[0].strip("() ")
        )

    def _callee(self) -> Function:
        name = [x for x in self.call.operands if not x.startswith("(")][0]
        callee = self.decoder.module.functions.get(name)
        if callee is None:
            raise Unsupported(f"call of {name}")
        return callee

    def _store_parameter(self) -> None:
        name, offset = self._parameter_address(self.operands[0])
        own = self.decoder.parameter_offset.get((self.function.name, name))
        if own is not None:
            place = own + offset
        elif self.call is not None:
            callee = self._callee()
            if callee.name in EXTERNALS:
                return
            arguments = split_operands(self.call.operands[-1].strip("() "))
            place = self.decoder.parameter_offset[callee.name, callee.parameters[arguments.index(name)].name] + offset
        else:
            raise Unsupported("")
        texts = self._vector_texts(self.operands[1])
        registers = [self.reg(x, self.kind_of(self.words[-1])) for x in texts]
        self.emit(
            o.STORE,
            VECTOR=self.decoder._vector(registers),
            COUNT=len(registers),
            SPACE=o.PARAM,
            SIZE=TYPE_BYTES[self.words[-1]],
            IMM=place,
            a=self.decoder._constant("w", 0),
            FLAGS=o.ADDRESS_64,
        )

    def _parameter_address(self, text: str) -> tuple[str, int]:
        match = re.fullmatch(r"\[\s*([\w$.]+)\s*(?:\+(\d+))?\s*\]", text)
        if not match:
            raise Unsupported(f"address {text}")
        return match[1], int(match[2] or 0)

    def _printf(self) -> None:
        """vprintf(format, arguments): both addresses were stored to param0 and param1 just before."""
        arguments = split_operands(self.call.operands[-1].strip("() "))
        stores = {}
        for instruction in self.function.instructions:
            if instruction.opcode.startswith("st.param"):
                stores[self._parameter_address(instruction.operands[0])[0]] = instruction.operands[1]
            if instruction is self.instruction:
                break
        self.emit(o.PRINT, a=self.reg(stores[arguments[0]], "w"), b=self.reg(stores[arguments[1]], "w"))
        target = self.call.operands[0].strip("() ")
        self.decoder.parameter_offset.setdefault(
            ("vprintf", target), self.decoder.parameter_offset.get(("vprintf", ""), 0)
        )

    def _atom(self) -> None:
        words = [
            w
            for w in self.words[1:]
            if w not in _CACHE_WORDS and w != "noftz" and not w.startswith(("global", "shared"))
        ]
        if len(words) < 2 or words[0] not in o.ATOMICS or words[-1] not in TYPE_BYTES:
            raise Unsupported("")
        operation, element = words[0], self.type_of(words[-1]) if words[-1] not in ("f16x2", "bf16x2") else words[-1]
        returns = self.words[0] == "atom"
        operands = self.operands if returns else ["_", *self.operands]
        kind = self.kind_of(words[-1])
        target = self.sink_target(operands[0], kind)
        fields = self.memory_fields(operands[1], self.space(), words[-1])
        values = dict(zip("bc", (self.reg(x, kind) for x in operands[2:])))
        self.emit(
            o.ATOMIC, d=target, AUX=o.ATOMICS.index(operation), AUX2=o.ATOMIC_TYPES.index(element), **values, **fields
        )

    _red = _atom

    def _cp(self) -> None:
        words = self.words
        if words[1] != "async":
            raise Unsupported("")
        if words[2:] == ["commit_group"]:
            self.emit(o.ASYNC_COMMIT)
        elif words[2] == "wait_group":
            self.emit(o.ASYNC_WAIT, IMM=parse_number(self.operands[0]))
        elif words[2] == "wait_all":
            self.emit(o.ASYNC_WAIT, IMM=-1)
        elif words[2] in ("ca", "cg"):
            self._async_copy()
        else:
            raise Unsupported("")

    def _async_copy(self) -> None:
        target, offset = self.address(self.operands[0])
        source, source_offset = self.address(self.operands[1])
        size = parse_number(self.operands[2])
        actual = self.reg(self.operands[3], "r") if len(self.operands) > 3 else self.decoder._constant("r", size)
        flags = o.ADDRESS_64 if target[0] == "w" else 0
        self.emit(
            o.ASYNC_COPY,
            a=target,
            b=source,
            c=actual,
            IMM=offset,
            AUX=source_offset,
            SIZE=size,
            SPACE=o.SHARED,
            FLAGS=flags,
            SITE=self.decoder._site(),
        )
        self.decoder._site()

    # ---- warps and blocks

    def _bar(self) -> None:
        if self.words[1] == "warp":
            self.emit(o.WARP_SYNC, a=self.reg(self.operands[0]))
            return
        words = [w for w in self.words[1:] if w not in ("cta", "aligned")]
        if words[0] not in ("sync", "arrive", "red"):
            raise Unsupported("")
        if words[0] == "red":
            self._barrier_reduction(words)
            return
        identifier, count = self.reg(self.operands[0]), self.decoder._constant("r", 0)
        if len(self.operands) > 1:
            count = self.reg(self.operands[1])
        self.emit(o.BARRIER, a=identifier, b=count, AUX=o.BARRIER_FORMS.index(words[0]))

    _barrier = _bar

    def _barrier_reduction(self, words: list[str]) -> None:
        """bar.red.popc.u32 d, id, p  and  bar.red.and.pred p, id, q."""
        operands = list(self.operands)
        vote = self._predicate(operands[-1])
        count = self.reg(operands[2]) if len(operands) > 3 else self.decoder._constant("r", 0)
        self.emit(
            o.BARRIER,
            d=self.reg(operands[0]),
            a=self.reg(operands[1]),
            b=count,
            c=vote,
            AUX=o.BARRIER_FORMS.index(words[1]),
        )

    def _shfl(self) -> None:
        if self.words[1] != "sync":
            raise Unsupported("the form without .sync")
        mode = self.words[2]
        targets = self.operands[0].split("|")
        a, b, c, mask = (self.reg(x) for x in self.operands[1:5])
        valid = self.reg(targets[1]) if len(targets) > 1 and targets[1] != "_" else self.decoder._new_register("p")
        extra = self.decoder._vector([c, mask, valid])
        self.emit(o.SHUFFLE, d=self.reg(targets[0]), a=a, b=b, AUX=o.SHUFFLES.index(mode), VECTOR=extra)

    def _vote(self) -> None:
        if self.words[1] != "sync":
            raise Unsupported("the form without .sync")
        self.emit(
            o.VOTE,
            d=self.reg(self.operands[0]),
            a=self._predicate_source(self.operands[1]),
            b=self.reg(self.operands[2]),
            AUX=o.VOTES.index(self.words[2]),
        )

    def _match(self) -> None:
        targets = self.operands[0].split("|")
        kind = self.kind_of(self.words[-1])
        valid = self.reg(targets[1]) if len(targets) > 1 else self.decoder._new_register("p")
        self.emit(
            o.MATCH,
            d=self.reg(targets[0]),
            a=self.reg(self.operands[1], kind),
            b=self.reg(self.operands[2]),
            AUX=int(self.words[1] == "all"),
            VECTOR=self.decoder._vector([valid]),
        )

    def _activemask(self) -> None:
        self.emit(o.ACTIVE_MASK, d=self.reg(self.operands[0]))

    def _redux(self) -> None:
        operation, element = self.words[2], self.words[-1]
        if operation not in o.REDUCTIONS:
            raise Unsupported("")
        d, a, mask = (self.reg(x) for x in self.operands)
        self.emit(o.REDUCE, d=d, a=a, b=mask, AUX=o.REDUCTIONS.index(operation), SIGNED=int(element == "s32"))

    def _elect(self) -> None:
        targets = self.operands[0].split("|")
        target = self.decoder._new_register("r") if targets[0] == "_" else self.reg(targets[0])
        self.emit(o.ELECT, d=target, b=self.reg(self.operands[1]), VECTOR=self.decoder._vector([self.reg(targets[1])]))


_METHODS = {name[1:] for name in vars(_Translator) if name.startswith("_") and not name.startswith("__")} - {
    "arithmetic",
    "pack",
    "unpack",
    "predicate",
    "predicate_logic",
    "predicate_source",
    "logic",
    "integer_conversion",
    "nothing",
    "check_words",
    "vector_texts",
    "load_parameter",
    "is_return",
    "callee",
    "store_parameter",
    "parameter_address",
    "printf",
    "async_copy",
    "barrier_reduction",
}


def _spellings(name: str) -> list[str]:
    """The table's name of an instruction: types that do not matter to it are written as unsigned."""
    parts = name.split(".")
    unsigned = ".".join([*parts[:-1], parts[-1].replace("s", "u", 1) if parts[-1][:1] == "s" else parts[-1]])
    bits = {"f32": "u32", "f64": "u64"}.get(parts[-1], parts[-1])
    return [name, unsigned, ".".join([*parts[:-1], bits])] if parts[0] in ("mov", "selp") else [name, unsigned]
