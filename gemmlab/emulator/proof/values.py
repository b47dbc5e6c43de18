"""What a register or a variable may depend on, and where it may point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Place = tuple[str, str]  # the space of a variable or array, and its name


@dataclass(frozen=True)
class Source:
    """Where a dependence begins: the line, and the name of the array, parameter or register that is read there."""

    line: int
    name: str


class Value(NamedTuple):
    """`data`: depends on what lies in arrays; `order`: on who comes first; `numbers`: on these parameters that are
    floats. `places`: the variables that it may point into. Of each kind of dependence the first one found is kept."""

    data: Source | None = None
    order: Source | None = None
    numbers: frozenset[str] = frozenset()
    places: frozenset[Place] = frozenset()

    def join(self, other: Value) -> Value:
        """What may be either, with the dependences of both."""
        if other is CLEAN or other is self:
            return self
        return Value(
            self.data or other.data,
            self.order or other.order,
            self.numbers | other.numbers,
            self.places | other.places,
        )

    def without_places(self) -> Value:
        return self._replace(places=frozenset())


CLEAN = Value()
