"""Which way the conditions of a program go that hang on M, N and K, at which sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from gemmlab.emulator.proof.sentences import UNREADABLE
from gemmlab.emulator.ptx.parser import PtxError
from gemmlab.emulator.sizes import sentences as say
from gemmlab.emulator.sizes.reading import Code, read_code
from gemmlab.emulator.sizes.walk import Launched, Lost, TooLong, Walk, values_at
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Address, Argument, Factor, Launch
from gemmlab.kernel.limits import MAX_THREADS
from gemmlab.kernel.plan import Launches, Ranks, launches_of
from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
_BOTH = (False, True)
_ARRAY = 1 << 40  # bytes from one array to the next
_FACTORS = (0.0, 0.5)  # alpha and beta decide by themselves: 0 or not
_MOST_THREADS = 1 << 18  # that go at once


LAUNCHED = -1  # in place of an instruction's number: that there is a launch in that line


@dataclass(frozen=True, order=True)
class Outcome:
    """That a condition is true, or false, for some thread. `number` is that of its instruction in the kernel, `line`
    that of the student's file, 0 where it has none. A launch is an outcome of what the file's own launcher decides."""

    line: int
    kernel: str
    number: int
    is_true: bool


@dataclass
class Outcomes:
    """`reached` has, of each outcome, the shapes at which it was found; `conditions` are (kernel, number, line). No
    size is below 1: what would need that is `impossible`. `compared` and `others` are the kernels' own numbers."""

    reached: dict[Outcome, dict[Shape, None]] = field(default_factory=dict)
    conditions: set[tuple[str, int, int]] = field(default_factory=set)
    impossible: set[Outcome] = field(default_factory=set)
    compared: set[int] = field(default_factory=set)
    others: set[int] = field(default_factory=set)

    def note(self, outcome: Outcome, shape: Shape) -> None:
        """That it was found there."""
        self.reached.setdefault(outcome, {})[shape] = None

    def missing(self) -> list[Outcome]:
        """Those that were found at no shape, and are not impossible."""
        both = (Outcome(line, kernel, number, is_true) for kernel, number, line in self.conditions for is_true in _BOTH)
        return sorted(one for one in both if one not in self.reached and one not in self.impossible)


def outcomes_at(program: Program, spec: Launches, shapes: Sequence[Shape], thorough: bool = True) -> Outcomes:
    """Which outcomes the launches at these shapes have: of all threads of all blocks along the edges of the grid, or,
    if not `thorough` or where that would take too long, of those at the corners. What is found is found there for sure.
    A kernel or shape that the program was not compiled for, or at which there is no launch, is left out.

    Raises Lost where the ways cannot be followed.
    """
    found = Outcomes()
    for (kernel, block), rows in _grouped(program, spec, shapes).items():
        for some in _in_parts(rows, block, thorough):
            _add(found, program, kernel, block, some, thorough)
    return found


_Row = tuple[Shape, Launch, tuple[Argument, ...]]


def _grouped(program: Program, spec: Launches, shapes: Iterable[Shape]) -> dict[tuple, list[_Row]]:
    """The launches by kernel and block."""
    groups: dict[tuple, list[_Row]] = {}
    for shape in shapes:
        try:
            work = spec.at(*shape)
        except UserError:
            continue
        if isinstance(work, Ranks):
            raise Lost(say.SEVERAL_DEVICES())
        launches = launches_of(work)
        if all(_can_be(launch, program) for launch in launches):
            for launch in launches:
                rows = groups.setdefault((launch.kernel, launch.block), [])
                rows.append((shape, launch, launch.arguments_at(shape)))
    return groups


def _can_be(launch: Launch, program: Program) -> bool:
    is_made = launch.kernel in program.kernels or launch.kernel in program.symbols
    return is_made and min(*launch.grid, *launch.block) > 0 and prod(launch.block) <= MAX_THREADS


def _in_parts(rows: list[_Row], block: tuple[int, int, int], thorough: bool) -> Iterator[list[_Row]]:
    """So many launches as go at once."""
    x, y, z = block
    each = x * y * z * 9 if thorough else 16
    step = max(1, _MOST_THREADS // each)
    for first in range(0, len(rows), step):
        yield rows[first : first + step]


def _add(found: Outcomes, program: Program, kernel: str, block, rows: list[_Row], thorough: bool) -> None:
    for shape, launch, _ in rows:
        found.note(Outcome(launch.line or 0, kernel, LAUNCHED, True), shape)
    arguments = [arguments for _, _, arguments in rows]
    symbol = program.symbol(kernel)
    code = _read(program.ptx, symbol, arguments)
    factors = _FACTORS if any(isinstance(one, Factor) for one in arguments[0]) else _FACTORS[:1]
    found.conditions |= {(kernel, number, code.steps[number].line) for number in code.conditions}
    found.compared |= code.compared
    found.others |= code.others
    for factor in factors:
        values = values_at([[_number(one, factor) for one in row] for row in arguments])
        grids = tuple(launch.grid for _, launch, _ in rows)
        found.impossible |= set(_impossible(code, kernel, values))
        try:
            walk = Walk(code, Launched(block, grids, values, thorough)).run()
        except TooLong:
            if not thorough:
                raise
            walk = Walk(code, Launched(block, grids, values, False)).run()
        for number, seen in walk.went.items():
            for is_true, at in zip((True, False), seen):
                outcome = Outcome(code.steps[number].line, kernel, number, is_true)
                for row in np.flatnonzero(at):
                    found.note(outcome, rows[row][0])


def _impossible(code: Code, kernel: str, values: Sequence[np.ndarray | None]) -> Iterator[Outcome]:
    """What would need a parameter below 1 that is at least 1 at all shapes."""
    named = dict(zip((one.name for one in code.function.parameters), values))
    for number, (name, is_true) in code.below_1.items():
        value = named.get(name)
        if value is not None and value.min() >= 1:
            yield Outcome(code.steps[number].line, kernel, number, is_true)


def _read(ptx: str, symbol: str, arguments: Sequence[Sequence[Argument]]) -> Code:
    """The code, with those parameters as sizes that are whole numbers."""
    sizes = tuple(n for n, one in enumerate(arguments[0]) if not isinstance(one, Address) and "int" in one.dtype)
    try:
        return read_code(ptx, symbol, sizes)
    except (PtxError, KeyError, StopIteration) as reason:
        raise Lost(UNREADABLE(reason=reason)) from None


def _number(argument: Argument, factor: float) -> int | float:
    """An argument as the kernel gets it; each array begins at a multiple of 256 bytes."""
    if isinstance(argument, Address):
        return _ARRAY * (1 + sum(map(ord, argument.array))) + argument.offset
    kind = np.dtype(argument.dtype)
    if kind.kind == "f":
        return factor if isinstance(argument, Factor) else float(argument.value)
    half = 1 << (8 * kind.itemsize - 1)
    return (int(argument.value) + half) % (2 * half) - half  # as a register holds it, with its sign
