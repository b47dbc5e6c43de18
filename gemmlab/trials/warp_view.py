"""A student's kernel, and the same with other code in some blanks, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.models.requests import LineRequests, partner
from gemmlab.trials.variant import compiled, variant
from gemmlab.trials.warp_lines import first_block, requests_by_line

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel
    from gemmlab.trials.trace import Trace

Shape = tuple[int, int, int]
BEFORE, AFTER = "your kernel", "with the change"


@dataclass
class WarpView:
    """A kernel, or two versions of one, at one shape. Each version is run once, and each warp looked at once."""

    source: str
    traces: Mapping[str, Trace]
    shape: Shape
    _seen: dict[tuple[str, int], list[LineRequests]] = field(default_factory=dict)

    @property
    def warps(self) -> int:
        """How many warps a block has."""
        return self.traces[BEFORE].warps

    def lines(self, version: str, warp: int) -> list[LineRequests]:
        """What the lines of a version ask for; nothing of a version that is not there."""
        key = version, warp
        if key not in self._seen:
            trace = self.traces.get(version)
            self._seen[key] = requests_by_line(trace, self.shape, warp) if trace is not None else []
        return self._seen[key]

    def find(self, line: int | str | None, warp: int) -> int:
        """The place, among the lines of the kernel, of the first request of this line, given by its number or by a part
        of its text; of the first one for None."""
        numbers = [one.line for one in self.lines(BEFORE, warp)]
        if line is None:
            return 0
        if isinstance(line, str):
            texts = self.source.split("\n")
            found = [number for number in numbers if line in texts[number - 1]]
        else:
            found = [number for number in numbers if number == line]
        if not found:
            known = ", ".join(map(str, dict.fromkeys(numbers)))
            raise UserError(f"line {line} asks nothing of memory; these do: {known}")
        return numbers.index(found[0])

    def both(self, warp: int) -> tuple[list[LineRequests], list[LineRequests]]:
        """All lines of the kernel and of the changed one."""
        return self.lines(BEFORE, warp), self.lines(AFTER, warp)

    def versions(self, place: int, warp: int) -> dict[str, LineRequests]:
        """What the line at this place asks for, and the same of the changed kernel where there is one."""
        before = self.lines(BEFORE, warp)
        after = partner(before[place], self.lines(AFTER, warp), before)
        return {BEFORE: before[place]} | ({AFTER: after} if after else {})


def warp_view_of(kernel: Kernel, source: str, bodies: Mapping[str, str], shape: Shape) -> WarpView:
    """The view of a student's kernel, beside the same with other bodies in some of its blanks where they are given."""
    sources = {BEFORE: source} | ({AFTER: variant(kernel.starter, source, bodies)} if bodies else {})
    launch = kernel.launch.at(*shape)
    traces = {name: first_block(compiled(kernel, text), launch, shape) for name, text in sources.items()}
    return WarpView(source, traces, shape)
