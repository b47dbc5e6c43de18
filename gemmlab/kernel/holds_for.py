"""For what a verdict holds beyond the runs that it comes from: orders of the warps, data, shapes."""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, int, int]
ALL, RAN = "all", "those that ran"


@dataclass(frozen=True)
class Because:
    """What stands in the way of a proof: the line of the student's file (None where it has none), the value or the
    instruction there, and a sentence on both."""

    line: int | None
    value: str
    message: str

    def to_json(self) -> dict:
        return {"line": self.line, "value": self.value, "message": self.message}


@dataclass(frozen=True)
class HoldsFor:
    """That no race was found holds for every launch at these `shapes` (M, N, K), whatever the order of the warps and
    the data, but for what stands in the way: of all orders (`schedules`), of all data (`data`), None where nothing
    does. `numbers` are parameters, such as beta, that decide what a thread does: it holds for the values that ran."""

    shapes: tuple[Shape, ...]
    schedules: Because | None = None
    data: Because | None = None
    numbers: tuple[str, ...] = ()

    @property
    def because(self) -> Because | None:
        """What stands in the way first."""
        return self.schedules or self.data

    def to_json(self) -> dict:
        return {
            "schedules": RAN if self.schedules else ALL,
            "data": RAN if self.because else ALL,
            **({"numbers": {name: RAN for name in self.numbers}} if self.numbers else {}),
            "shapes": [list(shape) for shape in self.shapes],
            "because": self.because.to_json() if self.because else None,
        }
