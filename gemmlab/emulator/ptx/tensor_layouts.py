"""Where the elements of a matrix lie in the registers of a warp, for mma and wmma.

Source: NVIDIA, Parallel Thread Execution ISA, "Matrix Fragments for mma". The layouts of wmma are not specified. Here
they are made of those of mma, tile by tile, as an H200 (sm_90) was seen to keep them: m8n32k16 is m32n8k16 transposed,
with A and B in each other's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

LANES = range(32)
LaneValues = tuple[int, ...]
Place = tuple[int, int]
KINDS = ("f16", "bf16", "tf32", "f32", "f64")
ELEMENTS = {"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "f64": 1}  # of one register
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "f64": 8}  # of one element


@dataclass(frozen=True)
class Fragment:
    """`registers[n][e][lane]` is the (row, column) of element e of register n. `copies`: how often wmma keeps them."""

    kind: str
    rows: int
    columns: int
    registers: tuple[tuple[tuple[Place, ...], ...], ...]
    copies: int = 1

    @property
    def register_count(self) -> int:
        return len(self.registers) * self.copies

    def table(self) -> list[int]:
        """Row << 8 | column, register after register, element after element, lane after lane."""
        return [row << 8 | column for register in self.registers for element in register for row, column in element]


@dataclass(frozen=True)
class Multiplication:
    """D = A·B + C."""

    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment

    def table(self) -> list[int]:
        """What tensor.py reads: sizes, kinds, registers, then the places of all elements."""
        m, n, k = self.a.rows, self.b.columns, self.a.columns
        parts = (self.a, self.b, self.c, self.d)
        kinds = [KINDS.index(part.kind) for part in parts]
        counts = [len(part.registers) for part in parts]
        operands = [part.register_count for part in parts]
        return [m, n, k, *kinds, *counts, *operands, *(place for part in parts for place in part.table())]


HEADER = 15


def _fragment(kind: str, rows: int, columns: int, tile: tuple[int, int], place, copies: int = 1) -> Fragment:
    """Tiles of (rows, columns), row by row; `place(lane, e)` is where element e of a lane lies in its tile."""
    count = tile[0] * tile[1] // 32
    elements = [
        tuple((row + place(lane, e)[0], column + place(lane, e)[1]) for lane in LANES)
        for row, column in product(range(0, rows, tile[0]), range(0, columns, tile[1]))
        for e in range(count)
    ]
    size = ELEMENTS[kind]
    registers = tuple(tuple(elements[n : n + size]) for n in range(0, len(elements), size))
    return Fragment(kind, rows, columns, registers, copies)


def _pair_in_row(lane: int, e: int) -> Place:
    """8 rows of 8: a lane has two neighbours of a row."""
    return lane // 4, lane % 4 * 2 + e


def _pair_in_column(lane: int, e: int) -> Place:
    return lane % 4 * 2 + e, lane // 4


def _one_in_row(lane: int, e: int) -> Place:
    """8 rows of 4."""
    return lane // 4, lane % 4


def _one_in_column(lane: int, e: int) -> Place:
    return lane % 4, lane // 4


def _by_columns(fragment: Fragment, rows: int, columns: int) -> Fragment:
    """The same tiles, counted by columns within blocks of `rows` and `columns`, as mma orders the registers of A."""

    def key(register: tuple[tuple[Place, ...], ...]) -> tuple:
        row, column = register[0][0]
        return row // rows, column // columns, row

    return Fragment(
        fragment.kind, fragment.rows, fragment.columns, tuple(sorted(fragment.registers, key=key)), fragment.copies
    )


def _a(kind: str, m: int, k: int, copies: int) -> Fragment:
    pairs = ELEMENTS[kind] == 2
    tile = (8, 8) if pairs else (8, 4)
    return _by_columns(_fragment(kind, m, k, tile, _pair_in_row if pairs else _one_in_row, copies), 16, tile[1])


def _b(kind: str, k: int, n: int, copies: int) -> Fragment:
    pairs = ELEMENTS[kind] == 2
    tile = (8, 8) if pairs else (4, 8)
    fragment = _fragment(kind, k, n, tile, _pair_in_column if pairs else _one_in_column, copies)
    return _by_columns(fragment, k, 8)


def accumulator(kind: str, m: int, n: int) -> Fragment:
    """C or D: tiles of 16×8 (8×8 where m is 8), one after another along a row."""
    fragment = _fragment(kind, m, n, (8, 8), _pair_in_row)
    key = lambda register: (register[0][0][0] // 16, register[0][0][1] // 8, register[0][0])  # noqa: E731
    return Fragment(kind, m, n, tuple(sorted(fragment.registers, key=key)))


def _transposed(fragment: Fragment) -> Fragment:
    registers = tuple(
        tuple(tuple((column, row) for row, column in element) for element in register)
        for register in fragment.registers
    )
    return Fragment(fragment.kind, fragment.columns, fragment.rows, registers, fragment.copies)


# wmma's float16 fragments of A and B have 8 registers whatever the shape; smaller ones hold each element more than
# once.
_WMMA_HALF_REGISTERS = 8
MMA_SHAPES = {
    "f16": ("m16n8k8", "m16n8k16"),
    "bf16": ("m16n8k8", "m16n8k16"),
    "tf32": ("m16n8k4", "m16n8k8"),
    "f64": ("m8n8k4",),
}
WMMA_SHAPES = {
    "f16": ("m16n16k16", "m32n8k16", "m8n32k16"),
    "bf16": ("m16n16k16", "m32n8k16", "m8n32k16"),
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
}


@cache
def input_fragment(role: str, kind: str, m: int, n: int, k: int, wmma: bool) -> Fragment:
    """A (`a`) or B (`b`)."""
    if wmma and (m, n) == (8, 32):
        return _transposed(input_fragment("b" if role == "a" else "a", kind, n, m, k, wmma))
    build, size = (_a, (m, k)) if role == "a" else (_b, (k, n))
    fragment = build(kind, *size, 1)
    if wmma and kind == "f16":
        return build(kind, *size, _WMMA_HALF_REGISTERS // len(fragment.registers))
    return fragment


def wmma_accumulator(kind: str, m: int, n: int) -> Fragment:
    return _transposed(accumulator(kind, n, m)) if (m, n) == (8, 32) else accumulator(kind, m, n)


@cache
def multiplication(kind: str, c_kind: str, d_kind: str, m: int, n: int, k: int, wmma: bool) -> Multiplication:
    a, b = (input_fragment(role, kind, m, n, k, wmma) for role in "ab")
    build = wmma_accumulator if wmma else accumulator
    return Multiplication(a, b, build(c_kind, m, n), build(d_kind, m, n))


def tables(kinds: list[Multiplication]) -> tuple[np.ndarray, list[int]]:
    """All of them in one array, and where each starts."""
    parts = [kind.table() for kind in kinds]
    starts = [sum(len(part) for part in parts[:number]) for number in range(len(parts))]
    return np.array([value for part in parts for value in part] or [0], np.int32), starts
