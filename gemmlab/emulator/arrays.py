"""The arrays that the steps of a plan share on the emulator: A, B, C, the launcher's own, and kernels' variables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gemmlab.kernel.launch import Address
from gemmlab.kernel.plan import Copy, Fill
from gemmlab.kernel.terms import PLAIN, Terms


class DeviceArrays:
    """A and B stay as they are. C (M×N), unless the `terms` have one, and the `buffers` (name -> bytes) start as NaN;
    `written` (M×N, bool) marks the elements of C that hold a value, None standing for none of them. `variables` are the
    kernels' own, by name, and `first` is what was in them before the first launch. A bias is one of the buffers, and an
    input."""

    def __init__(self, A: np.ndarray, B: np.ndarray, buffers: Mapping[str, int], terms: Terms = PLAIN) -> None:
        self.A, self.B = (np.ascontiguousarray(matrix) for matrix in (A, B))
        self.terms = terms
        self.C = np.full((A.shape[0], B.shape[1]), np.nan, np.float32) if terms.C is None else terms.C.copy()
        self.written: np.ndarray | None = None if terms.C is None else np.ones(self.C.shape, bool)
        self.buffers = {name: np.full(size, 255, np.uint8) for name, size in buffers.items()}
        self.inputs = () if terms.bias is None else ("bias",)
        if terms.bias is not None:
            self.buffers["bias"] = np.ascontiguousarray(terms.bias, np.float32).view(np.uint8)
        self.variables: dict[str, np.ndarray] = {}
        self.first: dict[str, np.ndarray] = {}

    def variable(self, name: str, contents: np.ndarray) -> np.ndarray:
        """The variable of that name, which has these contents where no launch knew it before."""
        if name not in self.variables:
            self.variables[name], self.first[name] = contents, contents.copy()
        return self.variables[name]

    @property
    def kept(self) -> tuple[str, ...]:
        """The variables that are no longer as they were before the first launch."""
        return tuple(name for name, now in self.variables.items() if not np.array_equal(now, self.first[name]))

    def for_another_launch(self, A: np.ndarray, B: np.ndarray) -> DeviceArrays:
        """Other A and B of the same shapes and all else new, but for the kernels' variables, which stay as they are."""
        sizes = {name: buffer.size for name, buffer in self.buffers.items() if name not in self.inputs}
        arrays = DeviceArrays(A, B, sizes, self.terms)
        arrays.variables, arrays.first = self.variables, self.first
        return arrays

    def fill(self, step: Fill) -> None:
        self._bytes(step.to, step.size)[:] = step.byte
        self._mark(step.to, np.ones(step.size, bool))

    def copy(self, step: Copy) -> None:
        """What was not written yet in C is not written where it is copied to either."""
        self._bytes(step.to, step.size)[:] = self._bytes(step.source, step.size).copy()
        known = self._written_bytes()[step.source.offset :] if step.source.array == "C" else np.ones(step.size, bool)
        self._mark(step.to, known[: step.size])

    def _bytes(self, at: Address, size: int) -> np.ndarray:
        matrices = {"A": self.A, "B": self.B, "C": self.C}
        array = matrices[at.array] if at.array in matrices else self.buffers[at.array]
        return array.reshape(-1).view(np.uint8)[at.offset : at.offset + size]

    def _written_bytes(self) -> np.ndarray:
        return np.zeros(self.C.nbytes, bool) if self.written is None else np.repeat(self.written.reshape(-1), 4)

    def _mark(self, at: Address, known: np.ndarray) -> None:
        """Elements of C all of whose bytes are known are written."""
        if at.array == "C":
            whole = self._written_bytes()
            whole[at.offset : at.offset + len(known)] = known
            self.written = whole.reshape(-1, 4).all(axis=1).reshape(self.C.shape)
