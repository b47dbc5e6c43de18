"""PTX instructions as what data flow needs of them: what is read, what is set, which memory, and who must come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gemmlab.emulator.proof.values import Place
from gemmlab.emulator.ptx.parser import Function, Instruction, Module, parse_number, split_operands

_NAME = re.compile(r"(?<![\w$%])[%A-Za-z_$][\w$%]*(?:\.[xyzw])?")
_SPACES = {"shared": "shared", "shared::cta": "shared", "global": "global", "local": "local", "const": "const"}
_STRONG = {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "sc"}
_FULL_MASKS = (-1, 0xFFFFFFFF)

# Instructions that compute their first operand from the others and do nothing else.
_COMPUTE = frozenset(
    "abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt cvta div dp2a dp4a ex2 fma isspacep lg2 lop3 "
    "mad mad24 madc max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct "
    "sqrt sub subc tanh testp xor".split()
)
_MATRICES = frozenset(("mma", "wmma.mma", "movmatrix"))  # the same, by all lanes of a warp together
_NOTHING = frozenset("membar fence nanosleep prefetch prefetchu pragma applypriority".split())
_ENDS = frozenset(("ret", "exit", "trap", "brkpt"))
_CARRY = "%carry"


@dataclass(frozen=True)
class Effect:
    """One instruction. `defs` and `uses` are registers, parameters and carry, by names that are unique in the module.

    `address` are the registers of a memory operand and `base` the variables that it names; `space` is None for a
    generic one. `names` are variables whose address is taken. `decides` are registers that say who waits for whom.
    `obstacle` names what keeps a proof from being made at all, whatever the values are. `is_partial` says of a barrier
    that it may be one of some warps.
    """

    number: int
    function: str
    instruction: Instruction
    kind: str
    defs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    names: frozenset[Place] = frozenset()
    address: tuple[str, ...] = ()
    base: frozenset[Place] = frozenset()
    space: str | None = None
    source: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()
    guard: str | None = None
    obstacle: str = ""
    is_partial: bool = False

    @property
    def line(self) -> int:
        return self.instruction.location.line

    @property
    def reads(self) -> bool:
        return self.kind == "load"

    @property
    def writes(self) -> bool:
        return self.kind in ("store", "copy")


@dataclass
class Reader:
    """Reads the functions of a module that one kernel may reach."""

    module: Module
    variables: dict[str, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for variable in self.module.variables:
            self.variables[variable.name] = self._place(variable)
        for function in self.module.functions.values():
            for variable in function.variables:
                if variable.space != "param":
                    self.variables[variable.name] = self._place(variable)

    @staticmethod
    def _place(variable) -> Place:
        """All dynamic shared memory is one place, whatever its names are."""
        dynamic = variable.space == "shared" and variable.size == 0
        return variable.space, "" if dynamic else variable.name

    def effects(self, entry: str) -> list[Effect]:
        """Those of the kernel and of all that it calls."""
        found: list[Effect] = []
        todo, seen = [entry], {entry}
        while todo:
            function = self.module.functions[todo.pop()]
            reader, last = _FunctionReader(self, function, _constants(function)), _LastSet()
            meeting_points = set(function.labels.values())
            for number, instruction in enumerate(function.instructions):
                if number in meeting_points:
                    last = _LastSet()
                effect = last.told(reader.effect(number, instruction))
                found.append(effect)
                if effect.kind == "call":
                    found += self._passed(effect, function)
                    callee = _callee(instruction.operands)
                    if callee in self.module.functions and callee not in seen:
                        seen.add(callee)
                        todo.append(callee)
        return found

    def _passed(self, call: Effect, function: Function) -> Iterator[Effect]:
        """Arguments go to the function's parameters, what it returns comes back."""
        callee = self.module.functions.get(_callee(call.instruction.operands))
        if callee is None:
            return
        arguments = split_operands(call.instruction.operands[-1].strip("() "))
        pairs = [
            (f"{callee.name}:{formal.name}", f"{function.name}:{name}")
            for formal, name in zip(callee.parameters, arguments)
        ]
        if call.instruction.operands[0].startswith("(") and callee.returns:
            returned = call.instruction.operands[0].strip("() ")
            pairs.append((f"{function.name}:{returned}", f"{callee.name}:{callee.returns[0].name}"))
        for to, source in pairs:
            yield Effect(call.number, function.name, call.instruction, "compute", defs=(to,), uses=(source,))


class _LastSet:
    """Where registers were set since the last label: what is read there is what was put there, and not what the same
    register holds elsewhere. A compiler likes to take one register for the zero that a sum and a counter begin with."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def told(self, effect: Effect) -> Effect:
        """The effect that reads just those; it sets the register as a whole as well."""
        guard = self.names.get(effect.guard, effect.guard) if effect.guard else None
        uses, address = self._of(effect.uses), self._of(effect.address)
        source, decides = self._of(effect.source), self._of(effect.decides)
        read = replace(effect, uses=uses, address=address, source=source, decides=decides)
        registers = [name for name in effect.defs if ":%" in name]
        for name in registers:
            self.names.pop(name, None)
            if not effect.guard:
                self.names[name] = f"{name}@{effect.number}"
        own = tuple(self.names[name] for name in registers if name in self.names)
        return replace(read, guard=guard, defs=(*effect.defs, *own))

    def _of(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.names.get(name, name) for name in names)


def _callee(operands: tuple[str, ...]) -> str:
    return next((operand for operand in operands if not operand.startswith("(")), "")


def _constants(function: Function) -> dict[str, int]:
    """Registers that are set once, to a number."""
    found: dict[str, int | None] = {}
    for instruction in function.instructions:
        if not instruction.operands or instruction.opcode.startswith(("bar", "st.")):
            continue  # what is named first is only read
        number = parse_number(instruction.operands[1]) if instruction.opcode.startswith("mov.") else None
        for name in _NAME.findall(instruction.operands[0]):
            found[name] = None if name in found or instruction.guard else number
    return {name: number for name, number in found.items() if number is not None}


class _FunctionReader:
    def __init__(self, reader: Reader, function: Function, constants: dict[str, int]) -> None:
        self.reader, self.function, self.constants = reader, function, constants

    def effect(self, number: int, instruction: Instruction) -> Effect:
        """What the instruction does. One that is not known here is an obstacle."""
        words = instruction.opcode.split(".")
        fields = self._fields(words, instruction.operands)
        kind = fields.pop("kind")
        guard = self._own(instruction.guard) if instruction.guard else None
        if guard:
            fields["uses"] = (*fields.get("uses", ()), guard)
        return Effect(number, self.function.name, instruction, kind, guard=guard, **fields)

    def _fields(self, words: list[str], operands: tuple[str, ...]) -> dict:
        first = f"wmma.{words[1]}" if words[0] == "wmma" else words[0]
        for known, method in self._FAMILIES:
            if first in known:
                return method(self, words, operands)
        return {"kind": "unknown", "obstacle": {"atom": "atomic", "red": "atomic"}.get(first, "unknown")}

    def _branch(self, words: list[str], operands: tuple[str, ...]) -> dict:
        return {"kind": "branch", "uses": self._registers(operands[:1] if words[0] == "brx" else ())}

    def _call(self, words: list[str], operands: tuple[str, ...]) -> dict:
        return {"kind": "call", "obstacle": "pointer" if _callee(operands).startswith("%") else ""}

    def _end(self, words: list[str], operands: tuple[str, ...]) -> dict:
        return {"kind": "end"}

    def _nothing(self, words: list[str], operands: tuple[str, ...]) -> dict:
        return {"kind": "nothing"}

    def _computed(self, words: list[str], operands: tuple[str, ...]) -> dict:
        defs, uses = self._registers(operands[:1]), self._registers(operands[1:])
        if words[0] in ("addc", "subc", "madc"):
            uses = (*uses, _CARRY)
        if "cc" in words:
            defs = (*defs, _CARRY)
        return {"kind": "compute", "defs": defs, "uses": uses, "names": self._variables(operands[1:])}

    def _together(self, words: list[str], operands: tuple[str, ...]) -> dict:
        return {**self._computed(words, operands), "kind": "matrices"}

    def _load(self, words: list[str], operands: tuple[str, ...]) -> dict:
        if "param" in words:
            return {"kind": "compute", "defs": self._registers(operands[:1]), "uses": self._parameters(operands[1])}
        return {"kind": "load", "defs": self._registers(operands[:1]), **self._memory(words, operands[1:])}

    def _store(self, words: list[str], operands: tuple[str, ...]) -> dict:
        if "param" in words:
            return {
                "kind": "compute",
                "defs": self._parameters(operands[0]),
                "uses": self._registers(operands[1:]),
                "names": self._variables(operands[1:]),
            }
        return {
            "kind": "store",
            "uses": self._registers(operands[1:2]),
            "names": self._variables(operands[1:2]),
            **self._memory(words, (operands[0], *operands[2:])),
        }

    def _memory(self, words: list[str], operands: tuple[str, ...]) -> dict:
        """The address, and what else says where the words lie, such as a stride."""
        obstacle = "strong" if _STRONG.intersection(words) else ""
        if any("cluster" in word for word in words):
            obstacle = "unknown"
        return {
            "address": self._registers(operands),
            "base": self._variables(operands),
            "space": next((_SPACES[word] for word in words if word in _SPACES), None),
            "obstacle": obstacle,
        }

    def _copy(self, words: list[str], operands: tuple[str, ...]) -> dict:
        """cp.async: what is not waited for by objects in memory."""
        if words[1] != "async" or {"mbarrier", "bulk"}.intersection(words):
            return {"kind": "unknown", "obstacle": "object"}
        if words[2] not in ("ca", "cg"):
            return {"kind": "group"}
        return {
            "kind": "copy",
            "uses": self._registers(operands[3:]),
            "source": self._registers(operands[1:2]),
            **self._memory(["cp", "shared"], operands[:1]),
        }

    def _warp(self, words: list[str], operands: tuple[str, ...]) -> dict:
        if words[0] == "activemask":
            return {"kind": "warp", "defs": self._registers(operands[:1]), "uses": ("%activemask",)}
        mask = operands[-1]
        return {
            "kind": "warp",
            "defs": self._registers(operands[:1]),
            "uses": self._registers(operands[1:]),
            "decides": self._registers((mask,)),
            "obstacle": "" if self._number(mask) in _FULL_MASKS else "mask",
        }

    def _barrier(self, words: list[str], operands: tuple[str, ...]) -> dict:
        if "cluster" in words:
            return {"kind": "unknown", "obstacle": "unknown"}
        if "warp" in words:
            whole = self._number(operands[0]) in _FULL_MASKS
            return {"kind": "barrier", "decides": self._registers(operands), "obstacle": "" if whole else "mask"}
        has_result = "red" in words
        who = operands[1:-1] if has_result else operands
        return {
            "kind": "barrier",
            "defs": self._registers(operands[:1]) if has_result else (),
            "uses": self._registers(operands[-1:]) if has_result else (),
            "decides": self._registers(who),
            "obstacle": "arrival" if "arrive" in words else "",
            "is_partial": len(who) > 1,
        }

    def _number(self, text: str) -> int | None:
        return self.constants.get(text, parse_number(text))

    def _own(self, name: str) -> str:
        """The register or parameter of this function; a special register is the same everywhere."""
        return f"{self.function.name}:{name}" if self._is_own(name) else name

    def _is_own(self, name: str) -> bool:
        return bool(self.function.register_type(name)) or any(one.name == name for one in self.function.parameters)

    def _registers(self, operands: tuple[str, ...]) -> tuple[str, ...]:
        names = (name for operand in operands for name in _NAME.findall(operand))
        return tuple(self._own(name) for name in names if name.startswith("%") or self._is_own(name))

    def _variables(self, operands: tuple[str, ...]) -> frozenset[Place]:
        names = (name for operand in operands for name in _NAME.findall(operand))
        return frozenset(self.reader.variables[name] for name in names if name in self.reader.variables)

    def _parameters(self, operand: str) -> tuple[str, ...]:
        return tuple(f"{self.function.name}:{name}" for name in _NAME.findall(operand))

    _FAMILIES = (
        (_COMPUTE, _computed),
        (_MATRICES, _together),
        (("ld", "ldu", "ldmatrix", "wmma.load"), _load),
        (("st", "stmatrix", "wmma.store"), _store),
        (("shfl", "vote", "match", "redux", "activemask"), _warp),
        (("bar", "barrier"), _barrier),
        (("bra", "brx"), _branch),
        (("call",), _call),
        (("cp",), _copy),
        (_ENDS, _end),
        (_NOTHING, _nothing),
    )
