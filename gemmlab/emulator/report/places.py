"""Words for where something happened: lines, threads and blocks, arrays and their elements."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.report import sentences as say
from gemmlab.emulator.report.event import Event
from gemmlab.kernel.launch import Launch

if TYPE_CHECKING:
    from gemmlab.cuda.arrays import ArrayDeclaration

_MATRICES = "ABC"


class Places:
    """The places of one launch of a kernel at a shape (M, N, K)."""

    def __init__(self, code: Code, launch: Launch, shape: tuple[int, int, int], source: str) -> None:
        self.code, self.launch, self.shape, self.source = code, launch, shape, source

    # ---- lines, threads, blocks

    def line(self, pc: int) -> int:
        """The line of an instruction in the student's file; 0 where none is known."""
        return self.code.locations[pc].line if 0 <= pc < len(self.code.locations) else 0

    def at(self, pc: int, tile: int = -1) -> str:
        """'(line 23, K tile 1)'."""
        line = self.line(pc)
        if not line:
            return say.AT_UNKNOWN()
        return say.AT_LINE(line=line) if tile < 0 else say.AT_LINE_IN_TILE(line=line, tile=tile)

    def thread_index(self, number: int) -> tuple[int, ...]:
        """threadIdx as x, y, z, with no more of it than the block has dimensions."""
        return _coordinates(number, self.launch.block)

    def block_index(self, number: int) -> tuple[int, ...]:
        """blockIdx as x, y, z, with no more of it than the grid has dimensions."""
        return _coordinates(number, self.launch.grid)

    def thread(self, number: int) -> str:
        """'thread (3,1)', by threadIdx."""
        return say.THREAD(where=_joined(self.thread_index(number)))

    def block(self, number: int) -> str:
        """'block (0,1)', by blockIdx."""
        return say.BLOCK(where=_joined(self.block_index(number)))

    # ---- arrays

    def exists(self, region: int) -> bool:
        """Whether there is an array with this number. A wild address may fall where an array could be, but is none."""
        starts = ((0, 3 + len(self.code.globals)), (o.FIRST_SHARED, len(self.code.shared)))
        return any(0 <= region - start < count for start, count in (*starts, (o.FIRST_LOCAL, len(self.code.locals))))

    def array(self, region: int) -> str | None:
        """The name of an array as the source writes it."""
        if region < 0:
            return None
        if region < len(_MATRICES):
            return _MATRICES[region]
        if region < o.FIRST_SHARED:
            return plain_name(self.code.globals[region - 3].name)
        if region < o.FIRST_LOCAL:
            return plain_name(self.code.shared[region - o.FIRST_SHARED].name)
        return self.code.locals[region - o.FIRST_LOCAL].name

    @property
    def declarations(self) -> dict[str, ArrayDeclaration]:
        """The arrays that the source declares, by name."""
        return _declared(self.source)

    def declaration(self, region: int) -> ArrayDeclaration | None:
        """The declaration of an array, None where the source shows none."""
        return self.declarations.get(self.array(region) or "")

    def is_part(self, region: int) -> bool:
        """Whether it is a matrix of one of several devices, perhaps a part only; here it is not."""
        return False

    def element(self, event: Event) -> str | None:
        """'As[1][0]' or 'A[3][17]': the element that was touched; None where the array's extents are not known."""
        name = self.array(event.region)
        if 0 <= event.region < len(_MATRICES):
            return f"{name}{self._indices(_MATRICES[event.region], self.number(event))}"
        if self._is_input(event.region):
            return f"{name}[{event.offset // 4}]"
        declared = self.declaration(event.region)
        if declared is None and event.offset == 0 and self._size(event.region) <= 8:
            return name
        if declared is not None and not declared.dynamic:
            if element := declared.element_at(event.offset):
                return element
        return f"{name}[{event.offset // 4}]" if declared is not None else None

    def _indices(self, matrix: str, number: int) -> str:
        """'[3][17]', with the number of the matrix before it where there is a batch."""
        rows, columns = self.extents(matrix)
        row, column = divmod(number, columns)
        if self.launch.layout.batch == 1:
            return f"[{row}][{column}]"
        which, row = divmod(row, rows // self.launch.layout.batch)
        return f"[{which}][{row}][{column}]"

    def _is_input(self, region: int) -> bool:
        """Whether it is an input beside A and B."""
        return 3 <= region < o.FIRST_SHARED and self.code.globals[region - 3].kind == o.INPUT

    def number(self, event: Event) -> int:
        """Which element of A, B or C in memory's order."""
        return event.offset // self.element_bytes(event.region)

    def element_bytes(self, region: int) -> int:
        """Of A, B or C; a float's of another array, whose elements are not known here."""
        return self.launch.layout.element_bytes(_MATRICES[region]) if 0 <= region < len(_MATRICES) else 4

    def numbers(self, event: Event) -> str:
        """What one access takes: '4 floats'."""
        size = self.element_bytes(event.region)
        count = max(event.size // size, 1)
        return say.FLOATS(count=count) if size == 4 else say.NUMBERS(count=count, size=size)

    def named(self, event: Event) -> str:
        """The element, or the array with a byte offset where its extents are not known."""
        if element := self.element(event):
            return element
        if array := self.array(event.region):
            return say.BYTE_OF_ARRAY(offset=event.offset, array=array)
        return say.BYTE_OF_LOCAL_MEMORY(offset=event.offset)

    def _size(self, region: int) -> int:
        """Bytes of a variable; of dynamic shared memory, which has no size of its own, more than a number has."""
        if region < o.FIRST_SHARED:
            return self.code.globals[region - 3].size
        if region >= o.FIRST_LOCAL:
            return self.code.locals[region - o.FIRST_LOCAL].size
        variable = self.code.shared[region - o.FIRST_SHARED]
        return 9 if variable.dynamic else variable.size

    def extents(self, name: str) -> tuple[int, int]:
        """Rows and columns of A, B or C; the rows of all of a batch."""
        sizes = dict(zip("MNK", self.shape))
        rows, columns = self.launch.layout.extents[name]
        return self.launch.layout.batch * sizes[rows], sizes[columns]

    def bounds(self, region: int) -> str:
        """What an array's size is, as a clause: 'A is 40×24 (M×K), its last element is number 959'."""
        name = self.array(region)
        if region < len(_MATRICES):
            matrix = _MATRICES[region]
            rows, columns = self.extents(matrix)
            batch = [str(self.launch.layout.batch)] if self.launch.layout.batch > 1 else []
            letters = "×".join([*batch, *self.launch.layout.extents[matrix]])
            last = rows * columns - 1
            return say.MATRIX_BOUNDS(array=name, rows=rows, columns=columns, letters=letters, last=last)
        if region >= o.FIRST_SHARED:
            if region < o.FIRST_LOCAL and self.code.shared[region - o.FIRST_SHARED].dynamic:
                return say.DYNAMIC_BYTES(size=self.launch.smem)
            declared = self.declaration(region)
            if declared is not None and all(declared.extents):
                extents = "".join(f"[{extent}]" for extent in declared.extents)
                return say.DECLARED_AS(declaration=f"{declared.element} {name}{extents}")
        size = self._size(region)
        if self._is_input(region):
            return say.VECTOR_BOUNDS(array=name, count=size // 4, last=size // 4 - 1)
        return say.BYTES_OF_ARRAY(array=name, size=size) if name else say.BYTES_OF_SOMETHING(size=size)


@lru_cache(maxsize=8)
def _declared(source: str) -> dict[str, ArrayDeclaration]:
    """The arrays of a source; a kernel with a fault at each of its cases is asked for them each time."""
    from gemmlab.cuda.arrays import array_extents

    try:
        scopes = array_extents(source)
    except Exception:  # the source compiled; a reading of it that fails costs an index in a sentence, nothing more
        return {}
    return {name: array for scope in scopes.values() for name, array in scope.items()}


def _coordinates(number: int, size: tuple[int, int, int]) -> tuple[int, ...]:
    x, y, z = number % size[0], number // size[0] % size[1], number // (size[0] * size[1])
    return (x, y, z) if size[2] > 1 else (x, y) if size[1] > 1 else (x,)


def _joined(where: tuple[int, ...]) -> str:
    return f"({','.join(map(str, where))})" if len(where) > 1 else str(where[0])


def plain_name(symbol: str) -> str:
    """'_ZZ4gemmE2As' -> 'As': the last name in a mangled symbol (Itanium C++ ABI: its length, then the name)."""
    for match in re.finditer(r"(?<=E)(\d+)([A-Za-z_]\w*)", symbol):
        length = int(match[1])
        if length <= len(match[2]):
            return match[2][:length]
    return symbol
