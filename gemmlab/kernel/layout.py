"""How A, B and C lie in memory: which of M, N and K are their rows and columns, and what an element is.

The course's own layout is A (M×K), B (K×N), C (M×N). LeetGPU's is A (M×N), B (N×K), C (M×K). A shape is always given,
and shown, in the letters of the kernel's file; `product` translates it for whoever multiplies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32, Element

if TYPE_CHECKING:
    import numpy as np

Shape = tuple[int, int, int]

_LETTER = re.compile(r"\b[MNK]\b(?! tile)")  # "K tile" is the name of a step along the sum, whatever its letter
_SHAPE = re.compile(r"\bM, N, K = (\d+), (\d+), (\d+)")


@dataclass(frozen=True)
class Layout:
    """`rows` and `cols` are those of C; `depth` is the letter of the sum's length. The matrices that are `transposed`
    lie column by column, so that their rows and columns change places in memory. `element` is what A and B hold.
    `batch` matrices lie one after the other in each of A, B and C."""

    name: str
    rows: str
    cols: str
    depth: str
    transposed: frozenset[str] = frozenset()
    element: Element = FLOAT32
    batch: int = 1

    @property
    def extents(self) -> dict[str, tuple[str, str]]:
        """The letters of each matrix's rows and columns."""
        extents = {"A": (self.rows, self.depth), "B": (self.depth, self.cols), "C": (self.rows, self.cols)}
        return {name: pair[::-1] if name in self.transposed else pair for name, pair in extents.items()}

    def element_bytes(self, name: str) -> int:
        """Of A, B or C."""
        return 4 if name == "C" else self.element.size

    def stored(self, A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and B with their elements as they lie in memory, and in that order; the shapes as they were."""
        return self._in_memory("A", A), self._in_memory("B", B)

    def _in_memory(self, name: str, matrix: np.ndarray) -> np.ndarray:
        if name in self.transposed:
            matrix = matrix.reshape(self.batch, -1, matrix.shape[1]).swapaxes(1, 2).reshape(matrix.shape)
        return self.element.encoded(matrix)

    def product(self, shape: Shape) -> Shape:
        """(rows of C, columns of C, length of the sum) at a shape (M, N, K) in this layout's letters."""
        sizes = dict(zip("MNK", shape))
        return sizes[self.rows], sizes[self.cols], sizes[self.depth]

    def shape(self, product: Shape) -> Shape:
        """The opposite of `product`."""
        sizes = dict(zip((self.rows, self.cols, self.depth), product))
        return sizes["M"], sizes["N"], sizes["K"]

    def reword(self, text: str) -> str:
        """A sentence in the letters of the course, in those of this layout."""

        def numbers(match: re.Match[str]) -> str:
            M, N, K = self.shape((int(match[1]), int(match[2]), int(match[3])))
            return f"\0{M}, {N}, {K}"

        letters = {"M": self.rows, "N": self.cols, "K": self.depth}
        marked = _LETTER.sub(lambda match: letters[match[0]], _SHAPE.sub(numbers, text))
        return marked.replace("\0", "M, N, K = ")


MOST_DEVICES, MOST_UNIT = 8, 1 << 20
SPLITS = {"rows": "M", "columns": "N", "k": "K", "none": ""}  # which of M, N and K the devices share out


@dataclass(frozen=True)
class Devices:
    """How one product is shared out to `world` devices: each has the rows of A, the columns of B, or the part of K,
    that belong to its rank, in multiples of `unit`; by "none" each has all of A and B. Each has a C of its own, whole,
    and as many `flags`, an expression of M, N, K and world, as it says."""

    world: int
    split: str = "rows"
    unit: int = 1
    flags: str = "0"

    def __post_init__(self) -> None:
        if not 1 <= self.world <= MOST_DEVICES:
            raise UserError(f"{self.world} devices cannot be; give 1 to {MOST_DEVICES}")
        if self.split not in SPLITS:
            raise UserError(f"unknown split '{self.split[:40]}'; choose one of {', '.join(SPLITS)}")
        if not 1 <= self.unit <= MOST_UNIT:
            raise UserError(f"shares cannot be multiples of {self.unit}; give 1 to {MOST_UNIT}")

    def part(self, size: int, rank: int) -> tuple[int, int]:
        """Where the rank's part of a size begins and ends. The last parts may be empty."""
        units = -(-size // self.unit)
        share = -(-units // self.world) * self.unit
        return min(size, rank * share), min(size, (rank + 1) * share)

    def sizes(self, shape: Shape, rank: int, element_bytes: int) -> dict[str, int]:
        """Bytes of A, B and C of the rank."""
        letter, own = SPLITS[self.split], dict(zip("MNK", shape))
        if letter:
            first, end = self.part(own[letter], rank)
            own[letter] = end - first
        M, N, K = own["M"], own["N"], own["K"]
        return {"A": element_bytes * M * K, "B": element_bytes * K * N, "C": 4 * shape[0] * shape[1]}

    def shares(self, A: np.ndarray, B: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """What the rank holds of A (M×K) and B (K×N)."""
        letter, (M, K), N = SPLITS[self.split], A.shape, B.shape[1]
        first, end = self.part({"M": M, "N": N, "K": K}.get(letter, 0), rank)
        own = slice(first, end)
        return {"M": (A[own], B), "N": (A, B[:, own]), "K": (A[:, own], B[own])}.get(letter, (A, B))


COURSE = Layout("course", rows="M", cols="N", depth="K")
LEETGPU = Layout("leetgpu", rows="M", cols="K", depth="N")
LAYOUTS = {layout.name: layout for layout in (COURSE, LEETGPU)}
