"""PTX text -> functions, instructions and variables. Knows the grammar that NVRTC 12 and 13 print, not what opcodes
mean.

Source: NVIDIA, Parallel Thread Execution ISA, chapters "Syntax" and "State Spaces, Types, and Variables".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

TYPE_BYTES = {
    "b8": 1,
    "u8": 1,
    "s8": 1,
    "b16": 2,
    "u16": 2,
    "s16": 2,
    "f16": 2,
    "bf16": 2,
    "b32": 4,
    "u32": 4,
    "s32": 4,
    "f32": 4,
    "f16x2": 4,
    "bf16x2": 4,
    "b64": 8,
    "u64": 8,
    "s64": 8,
    "f64": 8,
    "b128": 16,
    "pred": 1,
}


class PtxError(Exception):
    """The text is not PTX that this parser knows."""


@dataclass(frozen=True)
class Location:
    """A place in the student's file; line 0 where the compiler gives none. `ptx` is the line of the PTX itself."""

    line: int = 0
    column: int = 0
    ptx: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Instruction:
    """One instruction. `operands` are texts; a vector `{%f1, %f2}` is one operand, and `[%rd1+4]` too."""

    opcode: str
    operands: tuple[str, ...]
    guard: str | None
    guard_negated: bool
    location: Location

    def __str__(self) -> str:
        guard = f"@{'!' * self.guard_negated}{self.guard} " if self.guard else ""
        return f"{guard}{self.opcode} {', '.join(self.operands)}".rstrip()


@dataclass(frozen=True)
class Variable:
    """A variable in memory: `space` is shared, global, const, local or param; `size` in bytes (0: extern, sized at
    launch).

    `contents` are its initial bytes; a symbol in them (the address of another variable) is in `relocations`, byte
    offset -> name.
    """

    name: str
    space: str
    size: int
    align: int
    contents: bytes = b""
    relocations: tuple[tuple[int, str], ...] = ()


@dataclass
class Function:
    name: str
    is_entry: bool
    parameters: list[Variable] = field(default_factory=list)
    returns: list[Variable] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    branch_targets: dict[str, list[str]] = field(default_factory=dict)
    not_unrolled: set[int] = field(default_factory=set)

    def register_type(self, name: str) -> str | None:
        """The declared type of a register such as %rd7 (declared by its prefix, %rd<9>), or None."""
        return self.registers.get(name) or self.registers.get(name.rstrip("0123456789"))


@dataclass
class _Scope:
    """A block in braces inside a function. Its registers and labels are its own, so they get names of their own."""

    number: int
    first: int
    registers: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def own(self, name: str) -> str:
        return f"%{name.lstrip('%')}${self.number}$"


@dataclass
class Module:
    """`locals` says, for code compiled with -G, what lies in a frame of local memory: frame -> [(offset, name)].

    `version` is the major one of PTX. `not_unrolled` of a function has the first instructions of loops marked so.
    """

    functions: dict[str, Function] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    locals: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    version: int = 0

    def entries(self) -> list[str]:
        return [name for name, function in self.functions.items() if function.is_entry]


_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/                 # comments
    | (?P<loc>\.(?:loc|file|section|version|target|address_size)\b[^\n{]*)
    | (?P<text>"(?:\\.|[^"\\])*")
    | (?P<mark>[;{}])
    | (?P<label>[$\w%.]+:(?!:))
    | (?P<word>[^\s;{}"/]+(?:/(?![/*])[^\s;{}"/]*)*)""",
    re.X | re.S,
)
_ATTRIBUTES = r"(?:\s*\.(?:align\s+\d{1,9}|ptr|global|const|shared|local)\b)*"
_VARIABLE = re.compile(
    rf"\.(?P<space>shared|global|const|local|param)\b(?P<attributes>{_ATTRIBUTES})"
    rf"\s*\.(?P<type>\w+)(?:{_ATTRIBUTES})\s+"
    r"(?P<name>[\w$%.]+)\s*(?P<extent>(?:\[\d{0,18}\])*)\s*(?:=\s*(?P<value>.*))?$",
    re.S,
)
_REGISTERS = re.compile(r"\.reg\s*\.(?P<type>\w+)\s+(?P<names>%?[\w$]+(?:<\d+>)?(?:\s*,\s*%?[\w$]+(?:<\d+>)?)*)\s*$")
_LOC = re.compile(r"\.loc\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,9})(?:.*inlined_at\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,9}))?")
_GUARD = re.compile(r"@(!?)([%\w$]+)\s+")
_NAME = re.compile(r"[%$\w]+")
_FORGOTTEN = (".pragma", ".alias", ".weak .alias")


@lru_cache(maxsize=8)
def parse(text: str) -> Module:
    """Parse one PTX module, which several readers share: none of them changes it. Raises PtxError with the offending
    statement."""
    return _Parser(text).module


class _Parser:
    def __init__(self, text: str) -> None:
        self.module = Module()
        self.function: Function | None = None
        self.inlined_at: dict[tuple[int, int, int], tuple[int, int, int]] = {}
        self.student_file = _student_file(text)
        self.location = Location()
        self.scopes: list[_Scope] = []
        self.scope_count = 0
        self.statement: list[str] = []
        self.first_line = 1  # of the statement, in the PTX
        self.braces_in_statement = 0
        self.skipping_section = False
        self.module.locals = _local_variables(text)
        line, end = 1, 0
        for token in _TOKEN.finditer(text):
            line, end = line + text.count("\n", end, token.start()), token.start()
            if not self.statement:
                self.first_line = line
            self._take(token)

    def _take(self, token: re.Match[str]) -> None:
        kind, value = token.lastgroup, token.group()
        if kind is None:
            return
        if self.skipping_section:
            self.skipping_section = value != "}"
        elif kind == "loc" and not self.statement:
            self._directive(value)
        elif value == "{":
            self._open_brace()
        elif value == "}":
            self._close_brace()
        elif value == ";":
            self._end_statement()
        elif kind == "label" and not self.statement:
            self._label(value[:-1])
        else:
            self.statement.append(value)

    def _directive(self, text: str) -> None:
        if match := _LOC.match(text):
            here = (int(match[1]), int(match[2]), int(match[3]))
            if match[4]:
                self.inlined_at[here] = (int(match[4]), int(match[5]), int(match[6]))
            self._set_location(here)
        elif match := re.match(r"\.version\s+(\d+)", text):
            self.module.version = int(match[1])
        elif text.startswith(".section"):
            self.skipping_section = True

    def _set_location(self, here: tuple[int, int, int]) -> None:
        """Code from a header counts for the line of the student's file that called it."""
        seen = set()
        while here[0] != self.student_file and here in self.inlined_at and here not in seen:
            seen.add(here)
            here = self.inlined_at[here]
        if here[0] == self.student_file and here[1] > 0:
            self.location = Location(here[1], here[2])

    def _open_brace(self) -> None:
        head = " ".join(self.statement)
        if self.statement and (self.function is not None or "=" in head):
            self.statement.append("{")
            self.braces_in_statement += 1
        elif self.statement:
            self.function = self._declare_function(head)
            self.location = Location()
            self.statement.clear()
        else:
            self.scope_count += 1
            self.scopes.append(_Scope(self.scope_count, len(self.function.instructions) if self.function else 0))

    def _close_brace(self) -> None:
        if self.braces_in_statement:
            self.statement.append("}")
            self.braces_in_statement -= 1
        elif self.scopes:
            self._leave_scope(self.scopes.pop())
        else:
            self.function = None

    def _leave_scope(self, scope: _Scope) -> None:
        """Branches of the scope may go to labels further down in it, so labels are renamed at its end."""
        if self.function is None or not scope.labels:
            return
        code = self.function.instructions
        for number in range(scope.first, len(code)):
            if code[number].opcode.startswith(("bra", "brx")):
                operands = tuple(scope.labels.get(operand, operand) for operand in code[number].operands)
                code[number] = replace(code[number], operands=operands)

    def _end_statement(self) -> None:
        text = " ".join(self.statement)
        self.statement.clear()
        if "nounroll" in text and self.function and text.startswith(".pragma"):
            self.function.not_unrolled.add(len(self.function.instructions))
        if not text or text.startswith(_FORGOTTEN):
            return
        if self.function is None:
            self._module_statement(text)
        else:
            self._function_statement(self.function, text)

    def _module_statement(self, text: str) -> None:
        if re.search(r"\.(func|entry)\b", text):
            self._declare_function(text)
        elif (variable := _parse_variable(text)) and variable.space in ("global", "const", "shared"):
            self.module.variables.append(variable)
        else:
            raise PtxError(f"unknown statement: {text[:80]}")

    def _function_statement(self, function: Function, text: str) -> None:
        if text.startswith(".reg"):
            self._declare_registers(function, text)
        elif text.startswith(".branchtargets"):
            labels = [name for name, at in function.labels.items() if at == len(function.instructions)]
            if not labels:
                raise PtxError("a table of branches without a label")
            function.branch_targets[labels[-1]] = [name.strip() for name in text[14:].split(",")]
        elif ".callprototype" in text or text.startswith(".calltargets"):
            return
        elif text.startswith("."):
            variable = _parse_variable(text)
            if variable is None:
                raise PtxError(f"unknown statement: {text[:80]}")
            function.variables.append(variable)
        else:
            function.instructions.append(self._instruction(text))

    def _declare_registers(self, function: Function, text: str) -> None:
        match = _REGISTERS.match(text)
        if not match:
            raise PtxError(f"unknown statement: {text[:80]}")
        for name in match["names"].split(","):
            name = name.partition("<")[0].strip()
            if self.scopes:
                scope = self.scopes[-1]
                scope.registers[name] = scope.own(name)
                name = scope.own(name)
            function.registers[name] = match["type"]

    def _instruction(self, text: str) -> Instruction:
        guard, negated = None, False
        if match := _GUARD.match(text):
            guard, negated, text = self._scoped(match[2]), bool(match[1]), text[match.end() :]
        opcode, _, rest = text.partition(" ")
        if any(scope.registers for scope in self.scopes):
            rest = _NAME.sub(lambda match: self._scoped(match[0]), rest)
        return Instruction(
            opcode, tuple(split_operands(rest)), guard, negated, replace(self.location, ptx=self.first_line)
        )

    def _scoped(self, name: str) -> str:
        """The name of a register, by the innermost scope that declares it or its prefix."""
        prefix = name.rstrip("0123456789")
        for scope in reversed(self.scopes):
            if name in scope.registers:
                return scope.registers[name]
            if prefix in scope.registers:
                return scope.registers[prefix] + name[len(prefix) :]
        return name

    def _label(self, name: str) -> None:
        if self.function is None:
            return
        if self.scopes:
            scope = self.scopes[-1]
            scope.labels[name] = scope.own(name)
            name = scope.own(name)
        self.function.labels[name] = len(self.function.instructions)

    def _declare_function(self, text: str) -> Function:
        match = re.search(r"\.(func|entry)\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*(?:\(([^)]*)\))?", text)
        if not match:
            raise PtxError(f"unknown function head: {text[:80]}")
        function = Function(match[3], match[1] == "entry")
        function.returns = [_parameter(part) for part in split_operands(match[2] or "")]
        function.parameters = [_parameter(part) for part in split_operands(match[4] or "")]
        known = self.module.functions.get(function.name)
        if known is None or not known.instructions:
            self.module.functions[function.name] = function
        return function


def _parameter(text: str) -> Variable:
    variable = _parse_variable(text)
    if variable is None:
        raise PtxError(f"unknown parameter: {text[:80]}")
    return variable


def _student_file(text: str) -> int:
    """The number of the .file entry that is the student's: `SOURCE_NAME` of compile.py, else the first."""
    match = re.search(r'^\s*\.file\s+(\d+)\s+"/gemmlab/kernel\.cu"', text, re.M)
    return int(match[1]) if match else 1


# A variable's place in the debug information: the frame's address, DW_OP_plus_uconst, the offset (LEB128), the name.
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_LOCAL = re.compile(
    rf"\.b64 (\w+)\s+\.b8 35\s+\.b8 ((?:{_BYTE},){{0,4}}{_BYTE})\s+\.b8 ((?:{_BYTE},)*{_BYTE})\s+\.b8 0\b"
)


def _local_variables(text: str) -> dict[str, list[tuple[int, str]]]:
    frames: dict[str, list[tuple[int, str]]] = {}
    for frame, offset, name in _LOCAL.findall(text):
        value = sum((int(part) & 127) << 7 * n for n, part in enumerate(offset.split(",")))
        frames.setdefault(frame, []).append((value, bytes(map(int, name.split(","))).decode("utf-8", "replace")))
    return {frame: sorted(set(found)) for frame, found in frames.items()}


def split_operands(text: str) -> list[str]:
    """Split at commas outside of (), [] and {}."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _parse_variable(text: str) -> Variable | None:
    text = re.sub(r"^(?:\.(?:visible|extern|weak|common)\s+)+", "", text.strip())
    match = _VARIABLE.match(text)
    if not match:
        return None
    align = re.search(r"\.align\s+(\d+)", match["attributes"])
    element = TYPE_BYTES.get(match["type"], 0)
    count = 1
    for extent in re.findall(r"\[(\d*)\]", match["extent"]):
        count *= int(extent or 0)
    contents, relocations = _initial_bytes(match["value"], element) if match["value"] else (b"", ())
    size = max(count * element, len(contents))
    return Variable(
        match["name"], match["space"], size, int(align[1]) if align else max(element, 1), contents, relocations
    )


def _initial_bytes(value: str, element: int) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    contents, relocations = bytearray(), []
    for item in re.findall(r"[^\s,{}]+", value):
        number = parse_number(item)
        if number is None:
            relocations.append((len(contents), item.removeprefix("generic(").rstrip(")")))
            number = 0
        contents += (number & ((1 << 8 * element) - 1)).to_bytes(element, "little")
    return bytes(contents), tuple(relocations)


def parse_number(text: str) -> int | None:
    """An immediate as an integer of its bits (0f3F800000 -> 0x3F800000); None if the text is no number."""
    if re.fullmatch(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", text):
        return int(text[2:], 16)
    if match := re.fullmatch(r"(-?)(?:0[xX]([0-9a-fA-F]{1,16})|0([0-7]{1,22})|(0|[1-9]\d{0,19}))U?", text):
        digits, base = next((match[n], base) for n, base in ((2, 16), (3, 8), (4, 10)) if match[n])
        return int(match[1] + digits, base)
    return None
