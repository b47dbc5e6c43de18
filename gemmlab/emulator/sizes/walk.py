"""All threads of some blocks, of many launches at once, on their ways through a kernel.

Every value is an array over launches, blocks (z, y, x) and threads (z, y, x), of length 1 where it does not differ:
what hangs on a row of C alone is one number a row. Threads that part wait at their own places; those furthest back go
on. No thread ever reads what another one made, so that their order does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gemmlab.emulator.sizes import sentences as say
from gemmlab.emulator.sizes.reading import Code, Step, symbols_of, targets_of

_ALL = np.ones((1,) * 7, bool)
_AXES = "zyx"
_MOST_STEPS = 150_000
_MOST_NUMBERS = 10**8  # that are computed in one walk: a second or so
_OTHER_AXES = tuple(range(1, 7))


class Lost(Exception):
    """Nobody can say which way the threads go. The message is for people."""


class TooLong(Lost):
    """It would take more than some seconds to follow them."""


@dataclass(frozen=True)
class Launched:
    """Launches of one kernel with blocks of one size. `grids` has one a launch; `values` are arrays of int64 or
    float64, one a parameter. All threads go if `thorough`, else those at the corners of blocks at the corners of the
    grid."""

    block: tuple[int, int, int]
    grids: tuple[tuple[int, int, int], ...]
    values: tuple[np.ndarray, ...]
    thorough: bool = True


@dataclass
class Walk:
    """`went` has, of each condition, the launches in which some thread found it true, and false. `steps` were done,
    and so many `numbers` computed."""

    code: Code
    launched: Launched
    went: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    registers: dict[str, np.ndarray | None] = field(default_factory=dict)
    waiting: dict[int, np.ndarray] = field(default_factory=dict)
    steps: int = 0
    numbers: int = 0

    def __post_init__(self) -> None:
        count = len(self.launched.grids)
        self.went = {one: (np.zeros(count, bool), np.zeros(count, bool)) for one in self.code.conditions}
        self.registers |= _special(self.launched)
        for parameter, value in zip(self.code.function.parameters, self.launched.values):
            self.registers[parameter.name] = value

    def run(self) -> Walk:
        """To the end of all threads. Raises Lost."""
        self.waiting = {0: _ALL}
        following = _following(self.code)
        while self.waiting:
            here = min(self.waiting)
            self._straight_on(following, following[here], self.waiting.pop(here))
        return self

    def _straight_on(self, following: list[int | None], at: int | None, threads: np.ndarray) -> None:
        """Up to where they may part; those that wait on the way come along."""
        while at is not None:
            if at in self.waiting:
                threads = self._joined(threads, self.waiting.pop(at))
            self.steps += 1
            if self.steps > _MOST_STEPS or self.numbers > _MOST_NUMBERS:
                raise TooLong(say.TOO_LONG())
            step = self.code.steps.get(at)
            if step and step.kind in ("branch", "end", "call"):
                self._turn(at, step, threads)
                return
            if step:
                self._compute(at, step, threads)
            at = following[at + 1]

    @staticmethod
    def _joined(threads: np.ndarray, others: np.ndarray) -> np.ndarray:
        both = threads | others
        return _ALL if both.all() else both

    # ---- ways

    def _turn(self, at: int, step: Step, threads: np.ndarray) -> None:
        guard = self._guard(step)
        if guard is None:
            self._go_round(at, step, threads)
            return
        turning = threads & guard if step.instruction.guard else threads
        if step.kind == "branch" and len(step.labels) > 1:
            self._spread(at, step, turning)
        elif step.kind == "branch":
            self._send(step.labels[0], turning)
        elif step.kind == "call":
            self._called(step)
            self._send(at + 1, turning)
        if step.instruction.guard:
            self._send(at + 1, threads & ~guard)

    def _send(self, to: int, threads: np.ndarray) -> None:
        if not threads.any() or to >= self.code.end:
            return
        self.waiting[to] = self._joined(threads, self.waiting[to]) if to in self.waiting else threads

    def _spread(self, at: int, step: Step, threads: np.ndarray) -> None:
        """To one of several places, by a number."""
        number = self._value(step.operands[0])
        if number is None:
            self._go_round(at, step, threads)
            return
        for place, label in enumerate(step.labels):
            self._send(label, threads & (number == place))

    def _go_round(self, at: int, step: Step, threads: np.ndarray) -> None:
        """On to where the ways meet, with nothing known of what is set between."""
        between, meet = self.code.ways.decided_by(at)
        if not meet or between & self.code.conditions:
            raise Lost(say.DATA_DECIDE(line=step.line))
        for number in between:
            for name in targets_of(self.code.function.instructions[number]):
                self.registers[name] = None
        meeting = [n for one in between for n in self.code.ways.after[one] if n not in between]
        meeting += [n for n in self.code.ways.after[at] if n not in between]
        self._send(meeting[0], threads)

    def _called(self, step: Step) -> None:
        if symbols_of(self.code, step.instruction.operands):
            raise Lost(say.CALLED(line=step.line))
        for name in step.targets:
            self.registers[name] = None

    def _guard(self, step: Step) -> np.ndarray | None:
        if not step.instruction.guard:
            return _ALL
        value = self.registers.get(step.instruction.guard)
        return ~value if value is not None and step.instruction.guard_negated else value

    # ---- values

    def _compute(self, at: int, step: Step, threads: np.ndarray) -> None:
        guard = self._guard(step)
        value = None if guard is None else self._result(step)
        if value is not None and guard is not None:
            threads = threads & guard if guard is not _ALL else threads
            self.numbers += value.size + threads.size
            if at in self.code.conditions:
                self._note(at, step, value, threads)
        for number, name in enumerate(step.targets):
            self._set(name, value if number == 0 or value is None else ~value, threads)

    def _result(self, step: Step) -> np.ndarray | None:
        given = [self._value(operand) for operand in step.operands]
        if step.kind == "param":
            return given[0]
        if step.do is None or any(one is None for one in given):
            return None
        return step.do(*given)

    def _value(self, operand: str | np.ndarray) -> np.ndarray | None:
        return self.registers.get(operand) if isinstance(operand, str) else operand

    def _set(self, name: str, value: np.ndarray | None, threads: np.ndarray) -> None:
        """For these threads only. Whoever comes later to a register that nobody had set sets it first."""
        if name not in self.registers or threads is _ALL or value is None:
            self.registers[name] = value
            return
        old = self.registers[name]
        self.registers[name] = None if old is None else np.where(threads, value, old)

    def _note(self, at: int, step: Step, value: np.ndarray, threads: np.ndarray) -> None:
        """Who found the condition true, and who false; of a minimum or maximum, whether it is the first operand."""
        if value.dtype != bool:
            value = value == self._value(step.operands[0])
        for seen, who in zip(self.went[at], (threads & value, threads & ~value)):
            if not seen.all():
                seen |= who.any(axis=_OTHER_AXES)


def _following(code: Code) -> list[int | None]:
    """Of each place the next one at which there is something to do."""
    found: list[int | None] = [None] * (code.end + 2)
    stops = set(code.stops)
    for at in range(code.end - 1, -1, -1):
        found[at] = at if at in stops else found[at + 1]
    return found


def _special(launched: Launched) -> dict[str, np.ndarray | None]:
    """tid, ctaid and their sizes, each along an axis of its own."""
    found: dict[str, np.ndarray | None] = {}
    linear = np.zeros((1,) * 7, np.int64)
    for number, axis in enumerate(_AXES):
        size = launched.block[2 - number]
        threads = np.arange(size) if launched.thorough else np.unique([0, size - 1])
        found[f"%tid.{axis}"] = _along(threads[None, :], 4 + number)
        found[f"%ntid.{axis}"] = np.full((1,) * 7, size, np.int64)
        linear = linear * size + found[f"%tid.{axis}"]
        grids = np.array([grid[2 - number] for grid in launched.grids])
        found[f"%ctaid.{axis}"] = _along(_blocks(grids, launched.thorough), 1 + number)
        found[f"%nctaid.{axis}"] = _along(grids[:, None], 1 + number)
    found["%laneid"] = linear % 32
    return found


def _along(values: np.ndarray, axis: int) -> np.ndarray:
    """One row a launch, or one for all, along that axis."""
    shape = [1] * 7
    shape[0], shape[axis] = values.shape
    return values.astype(np.int64).reshape(shape)


_FEW = 6


def _blocks(grids: np.ndarray, thorough: bool) -> np.ndarray:
    """Of each launch some blocks along an axis: all of a few, or those at both ends, and one in the middle."""
    last = grids[:, None] - 1
    if not thorough:
        return last * np.array([[0, 1]] if last.any() else [[0]])
    if last.max() < _FEW:
        return np.minimum(np.arange(last.max() + 1)[None, :], last)
    ends = [np.zeros_like(last), last, np.minimum(1, last), np.maximum(last - 1, 0), last // 2]
    return np.concatenate(ends, axis=1)


def values_at(given: Sequence[Sequence[int | float]]) -> tuple[np.ndarray, ...]:
    """The arguments of many launches, one row each, as arrays, one a parameter."""
    columns = (np.array(column) for column in zip(*given))
    return tuple(column.reshape(-1, 1, 1, 1, 1, 1, 1) for column in columns)
