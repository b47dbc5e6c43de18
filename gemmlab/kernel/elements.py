"""What an element of A and B is: a type of the course, how it lies in memory, and which numbers it holds. C is float.

The course works with float32 matrices everywhere and makes an element's own bits only where a kernel is launched. The
numbers of A and B are exact in their type, so that nothing is rounded on the way. TF32 is another matter: a kernel gets
floats, and rounds them itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gemmlab.errors import UserError


@dataclass(frozen=True)
class Element:
    """A type of element. `cuda` is its name in C++, `digits` the bits of its significand, with the hidden one.

    `exact` says whether a matrix holds such numbers only; a kernel with TF32 gets any floats. `whole` are the bits of
    whole numbers that every product of two has exact, where these are fewer.
    """

    name: str
    cuda: str
    storage: str
    digits: int
    exact: bool = True
    whole: int = 24

    def __reduce__(self) -> tuple:
        """The same object in another process."""
        return element_named, (self.name,)

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return np.dtype(self.storage).itemsize

    @property
    def roundoff(self) -> float:
        """The largest relative error of rounding to the nearest number of this type."""
        return 2.0**-self.digits

    @property
    def largest_integer(self) -> int:
        """Every whole number up to this one is exact, and multiplied exactly."""
        return 1 << min(self.digits, self.whole)

    def values(self, matrix: np.ndarray) -> np.ndarray:
        """The float32 numbers that a kernel gets where these are asked for."""
        return rounded(matrix, self) if self.exact else np.asarray(matrix, np.float32)

    def encoded(self, matrix: np.ndarray) -> np.ndarray:
        """Float32 numbers of this type as they lie in memory; what lies so already stays as it is."""
        if self is BFLOAT16:
            if matrix.dtype == np.uint16:
                return np.ascontiguousarray(matrix)
            return (np.ascontiguousarray(matrix, np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return np.ascontiguousarray(matrix, self.storage)

    def decoded(self, stored: np.ndarray) -> np.ndarray:
        """The opposite of `encoded`."""
        if self is BFLOAT16:
            return (stored.astype(np.uint32) << 16).view(np.float32)
        return np.asarray(stored, np.float32)


FLOAT32 = Element("float32", "float", "float32", 24)
TF32 = Element("tf32", "float", "float32", 11, exact=False)
# Floats that a kernel splits into two TF32 numbers each, and whose small parts it does not multiply with each other.
THREE_TF32 = Element("3xtf32", "float", "float32", 21, exact=False, whole=11)
FLOAT16 = Element("float16", "__half", "float16", 11)
BFLOAT16 = Element("bfloat16", "__nv_bfloat16", "uint16", 8)
ELEMENTS = {element.name: element for element in (FLOAT32, TF32, THREE_TF32, FLOAT16, BFLOAT16)}
# The pointers to constants that a kernel may take A and B as, in the spelling of gemmlab.cuda.signature.
_POINTEES = {
    **dict.fromkeys(("half", "__half"), FLOAT16),
    **dict.fromkeys(("nv_bfloat16", "__nv_bfloat16"), BFLOAT16),
    "float": FLOAT32,
}


def element_named(name: str) -> Element:
    """Raises UserError for a name that is none."""
    if name not in ELEMENTS:
        raise UserError(f"there are no matrices of '{name}'; choose one of {', '.join(ELEMENTS)}")
    return ELEMENTS[name]


def element_of(pointer: str) -> Element | None:
    """That of 'const __half*'; None where the course has no such matrices."""
    return _POINTEES.get(pointer.removeprefix("const ").removesuffix("*")) if pointer.endswith("*") else None


def rounded(matrix: np.ndarray, element: Element) -> np.ndarray:
    """The nearest numbers of that type, in float32; TF32 has ties away from zero, as cvt.rna does it, the others to
    even."""
    values = np.ascontiguousarray(matrix, np.float32)
    if element is FLOAT32:
        return values
    if element is FLOAT16:
        with np.errstate(over="ignore"):  # beyond the largest number there is infinity
            return values.astype(np.float16).astype(np.float32)
    bits, dropped = values.view(np.uint32), np.uint32(24 - element.digits)
    half = np.uint32(1) << (dropped - np.uint32(1))
    up = half if element is TF32 else half - np.uint32(1) + (bits >> dropped & np.uint32(1))
    return np.where(np.isfinite(values), (bits + up) >> dropped << dropped, bits).astype(np.uint32).view(np.float32)
