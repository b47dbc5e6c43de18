"""Which neighbouring accesses to shared memory ptxas joins: a GPU executes fewer and wider ones than PTX has.

Found by reading the machine code that CUDA 12.9 and 13.5 make of some 180 kernels for sm_80 and sm_90:
- A thread's loads of one size, at constant offsets from one register, become one load of twice or four times the size,
  16 bytes at most. Two of two must be there, or three of four; stores must fill the width.
- The wide address must be aligned for certain: by the layout of the variables, by shifts and by constant factors. A row
  padded by one float is not.
- No store to shared memory, barrier, call or volatile access may come between. Code that is branched around may come
  between loads.
- A loop that is one block and has a known number of turns is unrolled while it is short. Then its turns are neighbours.
  CUDA 13 joins some turns of longer loops too.
Loops that are unrolled with a remainder, and accesses of less than 4 bytes, may be joined otherwise than this says.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gemmlab.emulator.ptx.parser import TYPE_BYTES, Function, Instruction, Module, parse_number, split_operands

WIDEST = 16
# By the major version of PTX (CUDA 12, CUDA 13): how many instructions all turns of a loop may have together, to be
# unrolled whole; of longer ones, how many turns are joined while they have no more than so many.
UNROLLED = {8: 460, 9: 272}
JOINED = {8: {}, 9: {6: 294, 4: 240}}
_ANY = 1 << 20  # the alignment of 0
_MOST_TURNS = 1000
_WORD_BITS = 64
_LONGEST_CHAIN = 30  # sums and copies that are followed back
_COMPARE = {
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "ne", "eq")},
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}
_ADDRESS = re.compile(r"\[([%\w$.]+)(?:\+(-?\d+))?\]")


@dataclass(frozen=True)
class Wide:
    """The access of `width` bytes that a narrow one is part of. It counts where the address modulo width is `phase`."""

    width: int
    phase: int


def widened(function: Function, module: Module) -> dict[int, Wide]:
    """The accesses of a function that are joined, by the number of their instruction."""
    if not any(_is_shared_access(instruction) for instruction in function.instructions):
        return {}
    return _Widening(function, module).result


@dataclass(frozen=True)
class _Access:
    number: int
    is_load: bool
    base: str
    version: int
    offset: int
    size: int
    guard: tuple[str | None, bool]


@dataclass(frozen=True)
class _Loop:
    """A loop of one block, instructions start to end. `turns` are joined: all that it has, if it is unrolled whole."""

    start: int
    end: int
    turns: int
    is_whole: bool


class _Widening:
    def __init__(self, function: Function, module: Module) -> None:
        self.function, self.module = function, module
        self.definitions = _definitions(function)
        self.symbols = _shared_alignments(function, module)
        self.loops = [*self._unrolled_loops()]
        self.result: dict[int, Wide] = {}
        for loop, run in self._runs():
            self._join(loop, run)

    # ---- loops

    def _unrolled_loops(self) -> Iterator[_Loop]:
        version = self.module.version if self.module.version in UNROLLED else max(UNROLLED)
        heads = set(self.function.labels.values())
        for end, instruction in enumerate(self.function.instructions, 1):
            if not instruction.opcode.startswith("bra") or instruction.guard is None:
                continue
            start = self.function.labels.get(instruction.operands[0], end)
            if start >= end or start in self.function.not_unrolled:
                continue
            turns = self._turns(start, end) if not any(start < head < end for head in heads) else 0
            if turns * (end - start) <= UNROLLED[version]:
                joined = turns
            else:
                fitting = (n for n, most in JOINED[version].items() if n * (end - start) <= most)
                joined = next((n for n in fitting if turns % n == 0), 0)
            if joined:
                yield _Loop(start, end, joined, joined == turns)

    def _turns(self, start: int, end: int) -> int:
        """How often a loop is run, if its counter goes from a constant to a constant; 0 if that is not known."""
        body = self.function.instructions[start:end]
        inside = {id(instruction) for instruction in body}
        tests = [i for i in body if i.opcode.startswith("setp") and i.operands[0] == body[-1].guard]
        if len(tests) != 1 or len(tests[0].operands) != 3:
            return 0
        counter, limit = tests[0].operands[1], parse_number(tests[0].operands[2])
        compare = _COMPARE.get(tests[0].opcode.split(".")[1])
        steps = [i for i in self.definitions.get(counter, ()) if _is_step(i) and id(i) in inside]
        first = [i for i in self.definitions.get(counter, ()) if id(i) not in inside]
        if limit is None or compare is None or len(steps) != 1 or len(first) != 1:
            return 0
        value, step = parse_number(first[0].operands[1]), parse_number(steps[0].operands[2])
        if value is None or step is None or not first[0].opcode.startswith("mov"):
            return 0
        for turn in range(1, _MOST_TURNS):
            value += step
            if compare(value, limit) == body[-1].guard_negated:
                return turn
        return 0

    # ---- runs of accesses that may be joined

    def _runs(self) -> Iterator[tuple[_Loop | None, list[_Access]]]:
        """Accesses with nothing between that keeps them apart; with their loop, where they are all that it has."""
        runs: dict[tuple, list[_Access]] = defaultdict(list)
        for key, access in self._numbered():
            runs[key].append(access)
        for run in runs.values():
            loop = next((loop for loop in self.loops if loop.start <= run[0].number < loop.end), None)
            alone = loop and sum(loop.start <= other[0].number < loop.end for other in runs.values()) == 1
            yield loop if alone else None, run

    def _numbered(self) -> Iterator[tuple[tuple, _Access]]:
        """Each access with the key of its run: the stretch of code, and the block if code may branch around it."""
        heads = set(self.function.labels.values())
        backward = {target for number, target in self._branches() if target <= number}
        stretch, join, block, last = 0, 0, 0, None
        versions: dict[str, int] = defaultdict(int)
        branches = dict(self._branches())
        for number, instruction in enumerate(self.function.instructions):
            block = number if number in heads or number - 1 in branches else block
            if number in backward or _keeps_apart(instruction):
                stretch, join, last = stretch + 1, number, None
            access = self._access(number, instruction, versions)
            if access:
                stretch += last not in (None, access.is_load)
                last = access.is_load
                yield (stretch, block if number < join or not access.is_load else None), access
            for register in _targets(instruction):
                versions[register] += 1
            if number in branches:
                join = max(join, branches[number])
                stretch += branches[number] <= number

    def _branches(self) -> Iterator[tuple[int, int]]:
        """The number and the target of each branch."""
        for number, instruction in enumerate(self.function.instructions):
            if instruction.opcode.startswith("bra") and instruction.operands[0] in self.function.labels:
                yield number, self.function.labels[instruction.operands[0]]

    def _access(self, number: int, instruction: Instruction, versions: dict[str, int]) -> _Access | None:
        if not _is_shared_access(instruction):
            return None
        is_load = instruction.opcode.startswith("ld")
        address = _ADDRESS.fullmatch(instruction.operands[1 if is_load else 0])
        words = instruction.opcode.split(".")
        if not address or words[-1] not in TYPE_BYTES:
            return None
        size = TYPE_BYTES[words[-1]] * (4 if "v4" in words else 2 if "v2" in words else 1)
        guard = (instruction.guard, instruction.guard_negated)
        return _Access(number, is_load, address[1], versions[address[1]], int(address[2] or 0), size, guard)

    # ---- joining

    def _join(self, loop: _Loop | None, run: list[_Access]) -> None:
        groups: dict[tuple, list[tuple[int, int]]] = defaultdict(list)
        for access in run:
            step = self._step(access.base, loop) if loop else None
            inside = loop if step else None
            root, distance = self._root(access.base, inside)
            key = (root, access.version, access.is_load, access.size, access.guard, inside and step)
            groups[key].append((access.offset + distance, access.number))
        for (root, _, is_load, size, _, step), places in groups.items():
            turns = loop.turns if loop and step else 1
            at = {place + turn * (step or 0): number for place, number in places for turn in range(turns)}
            if len(at) == 1:
                continue
            alignment = self._alignment(root, loop if step else None)
            self.result.update(_chunks(at, size, min(alignment, WIDEST), is_load))

    def _inductions(self, loop: _Loop | None) -> set[int]:
        """The steps of counters in a loop that is unrolled whole, for they become constants: ids of instructions."""
        body = self.function.instructions[loop.start : loop.end] if loop and loop.is_whole else []
        return {id(instruction) for instruction in body if _is_step(instruction)}

    def _root(self, register: str, loop: _Loop | None) -> tuple[str, int]:
        """The register and the distance that this one is the plain sum of."""
        skipped, distance = self._inductions(loop), 0
        for _ in range(_LONGEST_CHAIN):
            found = [i for i in self.definitions.get(register, ()) if id(i) not in skipped]
            if len(found) != 1 or found[0].guard:
                return register, distance
            head, source = found[0].opcode.split(".")[0], found[0].operands[1]
            added = parse_number(found[0].operands[2]) if head == "add" else None
            if added is not None and source != register:
                distance += added
            elif head not in ("mov", "cvta") or not source.startswith("%"):
                break
            register = source
        return register, distance

    def _step(self, text: str, loop: _Loop, depth: int = 0) -> int | None:
        """By how much a register grows a turn; None where that is not certain. What is extended must be a constant."""
        body = self.function.instructions[loop.start : loop.end]
        found = [i for i in self.definitions.get(text, ()) if any(i is other for other in body)]
        if not found:
            return 0
        if len(found) > 1 or depth > _LONGEST_CHAIN:
            return None
        instruction, head = found[0], found[0].opcode.split(".")[0]
        if _is_step(instruction):
            return parse_number(instruction.operands[2])
        steps = [self._step(operand, loop, depth + 1) for operand in instruction.operands[1:]]
        sources = [step for step in steps if step is not None]
        if len(sources) < len(steps):
            return None
        if _extends(instruction) and sources[0] and not self._is_known(instruction.operands[1], loop):
            return None
        factor = parse_number(instruction.operands[2]) if len(instruction.operands) > 2 else None
        if head in ("mov", "cvt", "cvta"):
            return sources[0]
        if head in ("add", "sub"):
            return sources[0] + (sources[1] if head == "add" else -sources[1])
        if head in ("mul", "mad") and factor is not None and "hi" not in instruction.opcode:
            return sources[0] * factor + (sources[2] if head == "mad" else 0)
        if head == "shl" and factor is not None:
            return sources[0] << min(factor, _WORD_BITS)
        return None if any(sources) else 0

    def _is_known(self, text: str, loop: _Loop, depth: int = 0) -> bool:
        """Whether the value is a constant in each turn of the unrolled loop."""
        if not loop.is_whole:
            return False
        if parse_number(text) is not None:
            return True
        found = [i for i in self.definitions.get(text, ()) if id(i) not in self._inductions(loop)]
        if len(found) != 1 or depth > _LONGEST_CHAIN:
            return False
        return all(self._is_known(operand, loop, depth + 1) for operand in found[0].operands[1:])

    # ---- alignment

    def _alignment(self, register: str, loop: _Loop | None) -> int:
        """The largest power of two that surely divides the register: a fixed point over what it is computed from."""
        if register not in self.definitions:
            return self._operand(register, {})
        skipped, slice_, todo = self._inductions(loop), {}, [register]
        while todo:
            name = todo.pop()
            if name not in slice_:
                slice_[name] = [i for i in self.definitions.get(name, ()) if id(i) not in skipped]
                todo += [operand for i in slice_[name] for operand in i.operands[1:] if operand in self.definitions]
        known = dict.fromkeys(slice_, _ANY)
        steps = {id(i): loop.turns for i in self.function.instructions[loop.start : loop.end]} if loop else {}
        while True:
            new = {
                name: min((self._result(i, known, steps.get(id(i), 1)) for i in found), default=1)
                for name, found in slice_.items()
            }
            if new == known:
                return known[register]
            known = new

    def _result(self, instruction: Instruction, known: dict[str, int], turns: int) -> int:
        """The alignment of what an instruction computes; of a counter's step, after so many turns."""
        head = instruction.opcode.split(".")[0]
        of = [self._operand(operand, known) for operand in instruction.operands[1:]]
        if head in ("mov", "cvt", "cvta"):
            return of[0]
        if head in ("add", "sub", "or", "xor", "min", "max", "selp"):
            return min(of[0], of[1] * (_power_of_two(turns) if _is_step(instruction) else 1))
        if head == "and":
            return max(of)
        if head in ("mul", "mad") and "hi" not in instruction.opcode:
            return min(of[0] * of[1], *of[2:], _ANY)
        if head == "shl":
            return min(of[0] << min(parse_number(instruction.operands[2]) or 0, _WORD_BITS), _ANY)
        return 1

    def _operand(self, text: str, known: dict[str, int]) -> int:
        number = parse_number(text)
        if number is not None:
            return _power_of_two(number)
        name, _, offset = text.partition("+")
        if name in self.symbols:
            return min(self.symbols[name], _power_of_two(int(offset or 0)))
        return known.get(text, 1)


def _chunks(at: dict[int, int], size: int, alignment: int, is_load: bool) -> dict[int, Wide]:
    """Which of the accesses (place -> number) are joined; the widest that works comes last."""
    found: dict[int, Wide] = {}
    for parts in (2, 4):
        width = parts * size
        chunks: dict[int, dict[int, int]] = defaultdict(dict)
        for place, number in at.items():
            chunks[place // width][place % width] = number
        for members in chunks.values():
            if width <= alignment and len(members) >= (max(2, parts - 1) if is_load else parts):
                found |= {number: Wide(width, min(members)) for number in members.values()}
    return found


def _definitions(function: Function) -> dict[str, list[Instruction]]:
    found: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in function.instructions:
        for register in _targets(instruction):
            found[register].append(instruction)
    return dict(found)


def _targets(instruction: Instruction) -> list[str]:
    """The registers that an instruction writes."""
    if not instruction.operands or instruction.opcode.startswith(("st", "bra", "bar", "red")):
        return []
    first = instruction.operands[0]
    return split_operands(first[1:-1]) if first.startswith("{") else [first] if first.startswith("%") else []


def _shared_alignments(function: Function, module: Module) -> dict[str, int]:
    """Of the shared variables, which lie one after another; what is sized at launch comes last."""
    end, found = 0, {}
    variables = [v for v in (*module.variables, *function.variables) if v.space == "shared"]
    for variable in sorted(variables, key=lambda variable: variable.size == 0):
        align = max(variable.align, 1)
        end = -(-end // align) * align
        found[variable.name] = _power_of_two(end) if variable.size else align
        end += variable.size
    return found


def _power_of_two(number: int) -> int:
    """The largest one that divides the number."""
    return min(number & -number, _ANY) if number else _ANY


def _is_step(instruction: Instruction) -> bool:
    """x = x + constant."""
    operands = instruction.operands
    return instruction.opcode.startswith("add") and operands[0] == operands[1] and parse_number(operands[2]) is not None


def _extends(instruction: Instruction) -> bool:
    return instruction.opcode.startswith("cvt.") or "wide" in instruction.opcode


def _is_shared_access(instruction: Instruction) -> bool:
    return instruction.opcode.startswith(("ld.shared", "st.shared"))


def _keeps_apart(instruction: Instruction) -> bool:
    """Whether shared memory may change here, or be looked at."""
    head = instruction.opcode.split(".")[0]
    if head in ("bar", "barrier", "call", "cp", "ret", "exit") or "volatile" in instruction.opcode:
        return True
    return head in ("atom", "red") and "global" not in instruction.opcode
