"""Accesses to places where they may not be, in words: out of bounds, misaligned, to an input."""

from __future__ import annotations

from gemmlab.cuda.own_element import OwnElement
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.report import sentences as say
from gemmlab.emulator.report.event import Event
from gemmlab.emulator.report.places import Places

_INDEX = {"A": "A[row * K + k]", "B": "B[k * N + col]", "C": "C[row * N + col]"}
_LARGEST_TILE = 64  # along K: so far a tile may hang over the end of a matrix


def out_of_bounds(places: Places, event: Event) -> str:
    """Who reads or writes what outside of which array, and what to look at."""
    me, block, here = places.thread(event.thread), places.block(event.block), places.at(event.pc)
    if event.region < 0:
        return (say.READS_NOWHERE if event.reads else say.WRITES_NOWHERE)(me=me, block=block, here=here)
    bounds, element = places.bounds(event.region), places.named(event)
    if event.region < 3 and not places.is_part(event.region):
        element = say.ELEMENT_NUMBER(number=places.number(event), array=places.array(event.region))
        if _hangs_over(places, event):
            sentence = say.READS_ACROSS_THE_END if event.reads else say.WRITES_ACROSS_THE_END
            return sentence(me=me, block=block, floats=places.numbers(event), element=element, here=here, bounds=bounds)
    edge = say.BEFORE_ITS_START() if event.offset < 0 else say.BEYOND_ITS_END()
    sentence = say.READS_OUTSIDE if event.reads else say.WRITES_OUTSIDE
    advice = _advice(places, event)
    return sentence(me=me, block=block, element=element, here=here, edge=edge, bounds=bounds, advice=advice)


def _hangs_over(places: Places, event: Event) -> bool:
    """Whether a wide access to a matrix begins inside of it."""
    rows, columns = places.extents(places.array(event.region) or "")
    size = places.element_bytes(event.region)
    return event.size > size and 0 <= event.offset < size * rows * columns


def _advice(places: Places, event: Event) -> str:
    if event.region >= o.FIRST_LOCAL:
        return say.STAY_INSIDE_ARRAY()
    if event.region >= o.FIRST_SHARED:
        return say.STAY_INSIDE_TILE()
    if places.is_part(event.region):
        return say.STAY_INSIDE_PART()
    if event.region >= 3:
        return say.STAY_INSIDE_ARRAY()
    if event.offset < 0:
        return say.INDEX_OVERFLOWS()
    return MatrixOverrun(places, event).advice()


class MatrixOverrun:
    """An access beyond the end of A, B or C: is it a guard that is missing, or is the index wrong?

    What tells is the element of C that the thread computes. Where it exists, no guard against M and N can be at fault.
    """

    def __init__(self, places: Places, event: Event) -> None:
        self.places, self.event = places, event
        self.array = places.array(event.region) or ""
        self.rows, self.columns = places.extents(self.array)
        self.letters = places.launch.layout.extents[self.array]
        self.number = places.number(event)

    def advice(self) -> str:
        """A clause that says what to look at."""
        if set(self.places.launch.layout.extents["C"]) != {"M", "N"}:
            return say.GUARD_OWN_ROW_AND_COLUMN(length=self.letters[1])
        own = self._own_element()
        return self._for(*own) if own else self._by_block()

    def _own_element(self) -> tuple[int, int] | None:
        places, event = self.places, self.event
        launch = places.launch
        return OwnElement(places.source, launch.kernel).at(
            dict(zip("MNK", places.shape)),
            threadIdx=_three(event.thread, launch.block),
            blockIdx=_three(event.block, launch.grid),
            blockDim=launch.block,
            gridDim=launch.grid,
        )

    def _for(self, row: int, column: int) -> str:
        M, N, K = self.places.shape
        if self.array != "B" and row >= M:
            return say.GUARD_ROW(row=row, array=self.array, last=M - 1, letter="M")
        if self.array != "A" and column >= N:
            return say.GUARD_COLUMN(column=column, array=self.array, last=N - 1, letter="N")
        k = self._k(row, column)
        if k is not None and K <= k < K + _LARGEST_TILE:
            return say.GUARD_K(
                row=row, column=column, number=self.number, k=k, array=self.array, last=K - 1, index=_INDEX[self.array]
            )
        if row < M and column < N:
            return say.INDEX_IS_WRONG(
                row=row, column=column, array=self.array, length=self.letters[1], index=_INDEX[self.array]
            )
        return say.GUARD_OWN_ROW_AND_COLUMN(length=self.letters[1])

    def _k(self, row: int, column: int) -> int | None:
        """The k that leads to this element of A or B from the thread's own row or column."""
        if self.array == "A":
            return self.number - row * self.columns
        if self.array == "B" and (self.number - column) % self.columns == 0:
            return (self.number - column) // self.columns
        return None

    def _by_block(self) -> str:
        """Where the source does not tell the thread's element: whether its block lies at an edge of C."""
        grid = self.places.launch.grid
        x, y, _ = _three(self.event.block, grid)
        others = [letter for letter in self.letters if letter != "K"]
        if self.array == "C" or x == grid[0] - 1 or y == grid[1] - 1:
            return say.GUARD_OWN_ROW_AND_COLUMN(length=self.letters[1])
        return say.BLOCK_IS_INSIDE(letter=others[0], array=self.array, length=self.letters[1], index=_INDEX[self.array])


def _three(number: int, size: tuple[int, int, int]) -> tuple[int, int, int]:
    """threadIdx or blockIdx of a thread or block that is counted through, as x, y and z."""
    return number % size[0], number // size[0] % size[1], number // (size[0] * size[1])


def misaligned(places: Places, event: Event) -> str:
    """An access of several elements at once at an address that does not allow it."""
    me, here = places.thread(event.thread), places.at(event.pc)
    array = places.array(event.region) or say.MEMORY()
    if event.region >= o.FIRST_SHARED and event.offset % event.size == 0:
        sentence = say.ARRAY_NOT_ALIGNED_READ if event.reads else say.ARRAY_NOT_ALIGNED_WRITE
        return sentence(me=me, here=here, array=array, size=event.size, element=places.named(event))
    sentence = say.READS_MISALIGNED if event.reads else say.WRITES_MISALIGNED
    floats = places.numbers(event)
    return sentence(me=me, here=here, array=array, size=event.size, offset=event.offset, floats=floats)


def input_written(places: Places, event: Event) -> str:
    """A store to A or B."""
    return say.INPUT_WRITTEN(
        me=places.thread(event.thread),
        here=places.at(event.pc),
        element=places.named(event),
        array=places.array(event.region),
    )
