"""A kernel's PTX as what decides its branches: the conditions that hang on M, N and K, and what these are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gemmlab.emulator.proof.control import Ways
from gemmlab.emulator.ptx.parser import Function, Instruction, parse, parse_number
from gemmlab.emulator.sizes.arithmetic import Operation, constant, operation

_NAME = re.compile(r"[%\w$.]+")
_ENDS = ("ret", "exit", "trap", "brkpt")
_BRANCHES = ("bra", "brx")
_NO_RESULT = ("st", "red", "bar", "barrier", "membar", "fence", "cp", "prefetch", "call", *_ENDS, *_BRANCHES)
_DECIDE = ("setp", "min", "max")
_STRIDES = ("add", "and", "rem", "div", "mad", "shl")
_BELOW_1 = {("lt", 1): True, ("le", 0): True, ("eq", 0): True, ("ge", 1): False, ("gt", 0): False, ("ne", 0): False}


@dataclass(frozen=True)
class Step:
    """One instruction that decides something, or of which something that decides is made.

    `kind` is compute, param, branch, end or call. `targets` are registers; `operands` names of registers, or numbers as
    arrays. `do` is None where nobody knows what it gives.
    """

    kind: str
    instruction: Instruction
    targets: tuple[str, ...] = ()
    operands: tuple[str | np.ndarray, ...] = ()
    do: Operation | None = None
    labels: tuple[int, ...] = ()

    @property
    def line(self) -> int:
        """That of the student's file; 0 where there is none."""
        return self.instruction.location.line


@dataclass
class Code:
    """`steps` by their number in the function; `stops` are those numbers, and the places that are jumped to, in order.

    `conditions` are the numbers of comparisons, minima and maxima that hang on the sizes or on the block's place.
    `below_1` has those that only ask whether a parameter is below 1: its name, and what they are then. `compared` are
    the integers that something is compared with, `others` those of strides and masks.
    """

    function: Function
    steps: dict[int, Step]
    conditions: frozenset[int]
    stops: tuple[int, ...]
    ways: Ways
    calls: frozenset[str]
    below_1: dict[int, tuple[str, bool]]
    compared: frozenset[int]
    others: frozenset[int]

    @property
    def end(self) -> int:
        return len(self.function.instructions)


@lru_cache(maxsize=32)
def read_code(ptx: str, symbol: str, of_sizes: tuple[int, ...]) -> Code:
    """The code of one kernel, of whose parameters those numbers hang on the sizes. Raises PtxError, and KeyError where
    there is no such kernel."""
    module = parse(ptx)
    function = module.functions[symbol]
    bodies = frozenset(name for name, one in module.functions.items() if one.instructions)
    sizes = {function.parameters[number].name for number in of_sizes}
    conditions = frozenset(_conditions(function, sizes))
    steps = {number: _step(function, number) for number in _needed(function, conditions)}
    stops = tuple(sorted({*steps, *function.labels.values()}))
    below_1 = dict(_asking_for_below_1(function, conditions, sizes))
    compared, others = (frozenset(_numbers(function, names)) for names in (_DECIDE, _STRIDES))
    return Code(function, steps, conditions, stops, Ways(function), bodies, below_1, compared, others)


def targets_of(instruction: Instruction) -> tuple[str, ...]:
    """The registers that an instruction sets."""
    if not instruction.operands or instruction.operands[0].startswith("[") or _first(instruction) in _NO_RESULT:
        return ()
    return tuple(_NAME.findall(instruction.operands[0]))


def _sources(instruction: Instruction) -> Iterator[str]:
    """The names that it reads."""
    operands = instruction.operands[1:] if targets_of(instruction) else instruction.operands
    for operand in operands:
        yield from _NAME.findall(operand)
    if instruction.guard:
        yield instruction.guard


def _first(instruction: Instruction) -> str:
    return instruction.opcode.split(".")[0]


def _is_load(instruction: Instruction) -> bool:
    """From memory: nobody knows what it gives. What it was told by the launch is known."""
    return _first(instruction) == "ld" and "param" not in instruction.opcode.split(".")


def _is_integer(instruction: Instruction) -> bool:
    return re.fullmatch(r".*\.[sub](8|16|32|64)", instruction.opcode) is not None


def _decides(instruction: Instruction) -> bool:
    return _first(instruction) in _DECIDE and _is_integer(instruction)


def _conditions(function: Function, sizes: set[str]) -> Iterator[int]:
    """Comparisons of integers that are made of the sizes, or of the block's place, which says how large C is."""
    code = function.instructions
    hanging = set(sizes)
    before = -1
    while before != len(hanging):
        before = len(hanging)
        for instruction in code:
            if not _is_load(instruction):
                if any(name in hanging or name.startswith(("%ctaid", "%nctaid")) for name in _sources(instruction)):
                    hanging.update(targets_of(instruction))
    for number, instruction in enumerate(code):
        if _decides(instruction) and hanging.intersection(targets_of(instruction)):
            yield number


def _needed(function: Function, conditions: Iterable[int]) -> set[int]:
    """The instructions of which conditions and branches are made."""
    code = function.instructions
    ways_on = [n for n, one in enumerate(code) if _first(one) in (*_BRANCHES, *_ENDS, "call")]
    found, wanted = {*conditions, *ways_on}, set[str]()
    for number in found:
        wanted.update(_sources(code[number]))
    before = -1
    while before != len(found):
        before = len(found)
        for number, instruction in enumerate(code):
            if number not in found and wanted.intersection(targets_of(instruction)):
                found.add(number)
                if not _is_load(instruction):
                    wanted.update(_sources(instruction))
    return found


def _asking_for_below_1(
    function: Function, conditions: Iterable[int], sizes: set[str]
) -> Iterator[tuple[int, tuple[str, bool]]]:
    """Conditions such as K < 1, before a loop over K."""
    code = function.instructions
    loads = [one for one in code if one.opcode.startswith("ld.param.") and not one.guard]
    loaded = {one.operands[0]: one.operands[1].strip("[] ") for one in loads}
    set_often = {name for name in loaded if sum(name in targets_of(one) for one in code) > 1}
    for number in conditions:
        words, operands = code[number].opcode.split("."), code[number].operands
        name = loaded.get(operands[1]) if operands[1] not in set_often else None
        number_there = parse_number(operands[2])
        is_true = None if number_there is None else _BELOW_1.get((words[1], number_there))
        if words[0] == "setp" and len(words) == 3 and name in sizes and is_true is not None:
            yield number, (name, is_true)


def _step(function: Function, number: int) -> Step:
    instruction = function.instructions[number]
    words, operands = instruction.opcode.split("."), instruction.operands
    if words[0] in _BRANCHES:
        names = operands[:1] if words[0] == "bra" else function.branch_targets[operands[1]]
        labels = tuple(function.labels.get(name, len(function.instructions)) for name in names)
        return Step("branch", instruction, operands=operands[:1] if words[0] == "brx" else (), labels=labels)
    if words[0] in _ENDS:
        return Step("end", instruction)
    if words[0] == "call":
        return Step("call", instruction, tuple(_NAME.findall(operands[0])) if operands[0].startswith("(") else ())
    targets = targets_of(instruction)
    if words[0] == "ld" and "param" in words:
        return Step("param", instruction, targets, tuple(_NAME.findall(operands[1])))
    known = all(re.fullmatch(r"-?[%\w$.]+", operand) for operand in operands[1:])
    do = operation(words) if known and words[0] != "ld" else None
    given = tuple(_operand(operand, words) for operand in operands[1:]) if do else ()
    return Step("compute", instruction, targets, given, do)


def _operand(text: str, words: Sequence[str]) -> str | np.ndarray:
    """A number as an array, of the width that the instruction reads; else the name."""
    number = parse_number(text)
    return text if number is None else constant(number, words[-1])


def _numbers(function: Function, names: Sequence[str]) -> Iterator[int]:
    for instruction in function.instructions:
        if _first(instruction) in names and _is_integer(instruction):
            for operand in instruction.operands[1:]:
                number = parse_number(operand)
                if number is not None:
                    yield 1 << number if _first(instruction) == "shl" and 0 <= number < 31 else abs(number)


def symbols_of(code: Code, names: Sequence[str]) -> bool:
    """Whether any of these is a function with a body, whose branches are not followed."""
    return any(name in code.calls for name in names)
