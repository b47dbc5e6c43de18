"""The story of one block, barrier interval by interval: what goes into shared memory, and who uses it."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.kernel.launch import Launch

Shape = tuple[int, int, int]
FROM_A, FROM_B, ZERO, OTHER = "A", "B", "0", "?"


@dataclass(frozen=True)
class Origin:
    """What a slot of shared memory holds: element `index` (from the start) of A or B, a 0, or something computed."""

    what: str
    index: int = 0


@dataclass(frozen=True)
class Touch:
    """One thread touches one element of an array; `origin` tells what of shared memory's contents is known."""

    thread: int
    array: str
    element: int
    writes: bool
    line: int
    origin: Origin | None = None


@dataclass(frozen=True)
class SharedArray:
    """An array in shared memory, as rows of its last extent."""

    name: str
    rows: int
    cols: int

    def name_of(self, element: int) -> str:
        return f"{self.name}[{element // self.cols}][{element % self.cols}]"


@dataclass(frozen=True)
class Interval:
    """What the block did between two barriers. `fills` and `uses` are the K tiles whose elements went into and came
    from shared memory; `outside` counts accesses outside of every array."""

    number: int
    touches: tuple[Touch, ...]
    fills: tuple[int, ...]
    uses: tuple[int, ...]
    outside: int

    def of(self, array: str, writes: bool, thread: int | None = None) -> list[Touch]:
        """The touches of an array, of one thread or of all."""
        return [
            touch
            for touch in self.touches
            if touch.array == array and touch.writes == writes and thread in (None, touch.thread)
        ]

    def conflicts(self, array: str) -> set[int]:
        """The elements that two threads touched, one of them writing: nothing orders these two."""
        threads: dict[int, set[int]] = {}
        written = set()
        for touch in self.touches:
            if touch.array == array:
                threads.setdefault(touch.element, set()).add(touch.thread)
                if touch.writes:
                    written.add(touch.element)
        return {element for element in written if len(threads[element]) > 1}

    def title(self) -> str:
        """'fills K tile 1, uses K tile 0'."""
        parts = [f"{verb} K tile{'s' * (len(tiles) > 1)} {', '.join(map(str, tiles))}" for verb, tiles in self._tiles()]
        if any(touch.array == "C" and touch.writes for touch in self.touches):
            parts.append("stores C")
        return ", ".join(parts) or "touches no memory"

    def _tiles(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(verb, tiles) for verb, tiles in (("fills", self.fills), ("uses", self.uses)) if tiles]


@dataclass(frozen=True)
class BlockStory:
    """The intervals of one block, `place` (row, column) of the grid, and the arrays that it has in shared memory."""

    shape: Shape
    place: tuple[int, int]
    launch: Launch
    k_step: int
    arrays: tuple[SharedArray, ...]
    intervals: tuple[Interval, ...]

    def contents(self, array: str, before: int) -> dict[int, Origin]:
        """What each slot holds when the interval with this number begins; no entry where nothing was written yet."""
        held: dict[int, Origin] = {}
        for interval in self.intervals[:before]:
            held.update({touch.element: touch.origin for touch in interval.of(array, writes=True) if touch.origin})
        return held

    def filling(self, k_tile: int) -> int:
        """The number of the first interval that fills this K tile; 0 where none does."""
        return next((interval.number for interval in self.intervals if k_tile in interval.fills), 0)
