"""Rows of code under construction: the registers, constants, operands and rows that instructions ask for."""

from __future__ import annotations

from gemmlab.emulator.code.registers import SPECIAL_REGISTERS, SPECIAL_REGISTERS_64, Register, Unsupported
from gemmlab.emulator.code.variables import Variables
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import TYPE_BYTES, Function, Instruction, Location, Module, parse_number
from gemmlab.emulator.ptx.tensor_layouts import LaneValues, Multiplication

_NEAR = 2**31
_MOST_SITES = 0xFFFF
_REGISTER_COLUMNS = {"d": o.ROW_D, "a": o.ROW_A, "b": o.ROW_B, "c": o.ROW_C, "guard": o.ROW_GUARD}


class Builder:
    """Collects what the translation of a kernel's instructions makes. `order` are its functions, callees first."""

    def __init__(self, module: Module, entry: Function, order: list[str]) -> None:
        self.module, self.entry, self.order = module, entry, order
        self.variables = Variables(module, order)
        self.rows: list[list[int]] = []
        self.locations: list[Location] = []
        self.texts: list[str] = []
        self.vectors: list[Register] = []
        self.products: list[Multiplication] = []
        self.site_pc: list[int] = []
        self.messages: list[str] = []
        self.registers: dict[tuple[str, str], Register] = {}
        self.constants: dict[tuple[str, int | LaneValues], Register] = {}
        self.counts = {"w": 0, "r": 0, "p": 0}
        self.fixups: list[tuple[int, int, Register]] = []
        self.jumps: list[tuple[int, str]] = []  # rows whose IMM is to be the place of a label of this function
        self.granule = 4

    # ---- registers

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
            cooperative = ", which only a cooperative launch sets: it is for barriers of the whole grid"
            raise Unsupported(f"the register {name}{cooperative if name.startswith('%envreg') else ''}")
        kind = "p" if declared == "pred" else "w" if TYPE_BYTES[declared] == 8 else "r"
        return self.named_register(function.name, name, kind)

    def return_row(self, name: str) -> Register:
        """Where a function keeps, for each lane, the instruction to return to."""
        return self.named_register("%return", name, "r")

    def constant(self, kind: str, value: int | LaneValues) -> Register:
        """A register that holds a number, or a number for each lane, from the start."""
        if isinstance(value, int):
            value &= 2**64 - 1 if kind == "w" else 2**32 - 1
        if (kind, value) not in self.constants:
            self.constants[kind, value] = self.new_register(kind)
        return self.constants[kind, value]

    def operand(self, function: Function, text: str, kind: str) -> Register:
        """A register, special register, immediate or address; `kind` w or r says how wide an immediate is."""
        if text in SPECIAL_REGISTERS or text in SPECIAL_REGISTERS_64:
            return self.named_register("%special", text, "w" if text in SPECIAL_REGISTERS_64 else "r")
        if text.startswith("%") or text in function.registers:
            return self.register(function, text)
        number = 32 if text == "WARP_SZ" else parse_number(text)
        if number is None:
            number = self.variables.symbol(function, text)
        if number is None and text in self.module.functions:
            # Headers hand such pointers on and never call them; a call through one is not supported.
            number = 16 * (1 + list(self.module.functions).index(text))
        if number is None:
            raise Unsupported(f"the operand {text[:40]}")
        return self.constant("w" if kind == "w" else "r", number)

    # ---- rows

    def emit(
        self, instruction: Instruction, op: int, registers: dict[str, Register | None], fields: dict[str, int]
    ) -> int:
        """Add a row; registers by the columns they stand in (d a b c guard), other fields by name. Gives its number."""
        row = [0] * o.ROW_LENGTH
        row[o.ROW_OP] = op
        row[o.ROW_GUARD] = row[o.ROW_SITE] = -1
        for name, value in fields.items():
            if not -_NEAR <= value < _NEAR:
                raise Unsupported("a number of more than 32 bits")
            row[o.ROW[name]] = value
        pc = len(self.rows)
        if row[o.ROW_SITE] >= 0:
            self.site_pc[row[o.ROW_SITE] :] = [pc] * (len(self.site_pc) - row[o.ROW_SITE])
        self.fixups += [
            (pc, _REGISTER_COLUMNS[name], register) for name, register in registers.items() if register is not None
        ]
        self.rows.append(row)
        self.locations.append(instruction.location)
        self.texts.append(str(instruction))
        return pc

    def vector(self, registers: list[Register]) -> int:
        """The registers of a vector operand, one after another in a table of their own."""
        start = len(self.vectors)
        self.vectors += registers
        return start

    def product(self, kind: Multiplication) -> int:
        """The number of a kind of matrix product among those that the kernel uses."""
        if kind not in self.products:
            self.products.append(kind)
        return self.products.index(kind)

    def site(self, count: int = 1) -> int:
        """The number of the memory instruction that is to be emitted; `count` where it makes several requests."""
        self.site_pc += [-1] * count
        if len(self.site_pc) > _MOST_SITES:
            raise Unsupported(f"more than {_MOST_SITES} memory instructions")
        return len(self.site_pc) - count
