"""Where the elements of a matrix lie in the registers of a warp, for mma and wmma.

Source: NVIDIA, Parallel Thread Execution ISA, "Matrix Fragments for mma". The layouts of wmma are not specified. Here
they are made of those of mma, tile by tile, as an H200 (sm_90) was seen to keep them: m8n32k16 is m32n8k16 transposed,
with A and B in each other's place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

LANES = range(32)
LaneValues = tuple[int, ...]
Place = tuple[int, int]
# Bits of an element, and elements of a register.
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
ELEMENTS = {kind: max(32 // bits, 1) for kind, bits in BITS.items()}
INTEGERS = ("s8", "u8", "s4", "u4", "b1")


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

    def places(self) -> list[Place]:
        """Register after register, element after element, lane after lane."""
        return [place for register in self.registers for element in register for place in element]


@dataclass(frozen=True)
class Multiplication:
    """D = A·B + C. `form` is satfinite for sums that stop at the ends of int32; xor or and for single bits."""

    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment
    form: str = ""


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


def _in_row(count: int) -> Callable[[int, int], Place]:
    """8 rows of 4 lanes: a lane has `count` neighbours of a row."""
    return lambda lane, e: (lane // 4, lane % 4 * count + e)


def _in_column(count: int) -> Callable[[int, int], Place]:
    return lambda lane, e: (lane % 4 * count + e, lane // 4)


def _by_columns(fragment: Fragment, rows: int, columns: int) -> Fragment:
    """The same tiles, counted by columns within blocks of `rows` and `columns`, as mma orders the registers of A."""

    def key(register: tuple[tuple[Place, ...], ...]) -> tuple:
        row, column = register[0][0]
        return row // rows, column // columns, row

    return Fragment(
        fragment.kind, fragment.rows, fragment.columns, tuple(sorted(fragment.registers, key=key)), fragment.copies
    )


def _a(kind: str, m: int, k: int, copies: int) -> Fragment:
    count = ELEMENTS[kind]
    return _by_columns(_fragment(kind, m, k, (8, 4 * count), _in_row(count), copies), 16, 4 * count)


def _b(kind: str, k: int, n: int, copies: int) -> Fragment:
    count = ELEMENTS[kind]
    return _by_columns(_fragment(kind, k, n, (4 * count, 8), _in_column(count), copies), k, 8)


def accumulator(kind: str, m: int, n: int) -> Fragment:
    """C or D: tiles of 16×8 (8×8 where m is 8), one after another along a row."""
    fragment = _fragment(kind, m, n, (8, 8), _in_row(2))
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
    **dict.fromkeys(("s8", "u8"), ("m8n8k16", "m16n8k16", "m16n8k32")),
    **dict.fromkeys(("s4", "u4"), ("m8n8k32", "m16n8k32", "m16n8k64")),
    "b1": ("m8n8k128", "m16n8k128", "m16n8k256"),
}
WMMA_SHAPES = {
    "f16": ("m16n16k16", "m32n8k16", "m8n32k16"),
    "bf16": ("m16n16k16", "m32n8k16", "m8n32k16"),
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
    **dict.fromkeys(("s8", "u8"), ("m16n16k16", "m32n8k16", "m8n32k16")),
    **dict.fromkeys(("s4", "u4"), ("m8n8k32",)),
    "b1": ("m8n8k128",),
}

ALL_WMMA_SHAPES = tuple({shape: None for shapes in WMMA_SHAPES.values() for shape in shapes})


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
def multiplication(
    kinds: tuple[str, str, str, str], shape: tuple[int, int, int], wmma: bool, form: str = ""
) -> Multiplication:
    """`kinds` are those of the elements of A, B, C and D, `shape` is (m, n, k)."""
    a, b = (input_fragment(role, kind, *shape, wmma) for role, kind in zip("ab", kinds))
    build = wmma_accumulator if wmma else accumulator
    c, d = (build(kind, *shape[:2]) for kind in kinds[2:])
    return Multiplication(a, b, c, d, form)
