"""What surrounds A, B, C and a bias on the GPU, and what it tells after a launch.

Each lies in an allocation of its own between two guard zones. Guards, and C itself, start as NaN, of the
matrix's own type, with a bit pattern of their own: a write outside changes a guard, a read from outside makes C NaN,
and an element of C that keeps its pattern was never written. Arithmetic does not keep the pattern, so where a NaN in C
came from is found by launching again with NaN in one place only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gemmlab.gpu.child import sentences as say
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.verdict import Finding

GUARD_BYTES = 1 << 20  # on either side; a multiple of 256, so that a matrix stays as aligned as its allocation
C_START = 0x7FC0C0DE
GUARD_PATTERN = {"A": 0x7FC0A0A0, "B": 0x7FC0B0B0, "C": 0x7FC0C0C0, "bias": 0x7FC0D0D0}
FLAG_GUARD = 0x7FC0F0F0
NARROW_PATTERN = {"A": 0x7FA0, "B": 0x7FB0}  # a NaN as a float16 and as a bfloat16
NAN_SOURCES = ("guard A", "guard B", "guard C", "guard bias", "start of C")


@dataclass(frozen=True)
class Images:
    """A, B, C and whatever else there is, with their guards, as words of an element: what is copied to the GPU, or what
    came back from it. `sizes` are the rows and columns of each. `C_is_given` says that C held values before."""

    words: dict[str, np.ndarray]
    sizes: dict[str, tuple[int, int]]
    C_is_given: bool = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows of C, columns of C, columns of A."""
        return *self.sizes["C"], self.sizes["A"][1]

    @property
    def inputs(self) -> list[str]:
        """The names of what must stay as it is."""
        return [name for name in self.words if name != "C"]

    def inside(self, name: str) -> np.ndarray:
        """The words of one of them, without its guards, in its two dimensions."""
        return self.words[name][self.guard(name) : -self.guard(name)].reshape(self.sizes[name])

    def guard(self, name: str) -> int:
        """Elements of a guard zone."""
        return GUARD_BYTES // self.words[name].itemsize

    def pattern(self, name: str) -> int:
        """What each of them holds at first."""
        return (GUARD_PATTERN if self.words[name].itemsize == 4 else NARROW_PATTERN)[name]

    @property
    def C(self) -> np.ndarray:
        return self.inside("C").view(np.float32)


def make_images(A: np.ndarray, B: np.ndarray, nan_in: tuple[str, ...] = NAN_SOURCES, terms: Terms = PLAIN) -> Images:
    """The images for one launch. A and B are as they lie in memory. Places not named in `nan_in` hold zeros instead of
    NaN."""
    start = C_START if "start of C" in nan_in else 0
    C = np.full((len(A), B.shape[1]), start, np.uint32) if terms.C is None else np.ascontiguousarray(terms.C)
    bias = {} if terms.bias is None else {"bias": np.ascontiguousarray(terms.bias, np.float32).reshape(1, -1)}
    inside = {"A": A, "B": B, "C": C, **bias}
    words = {name: one.reshape(-1).view(f"u{one.itemsize}") for name, one in inside.items()}
    images = Images(words, {name: one.shape for name, one in inside.items()}, terms.C is not None)
    for name, within in words.items():
        pattern = images.pattern(name) if f"guard {name}" in nan_in else 0
        guard = np.full(images.guard(name), pattern, within.dtype)
        words[name] = np.concatenate((guard, within, guard))
    return images


def with_whole_C(images: Images, size: tuple[int, int]) -> Images:
    """The images of a rank that has a part of A or B, with a C of so many rows and columns, full of NaN."""
    guard = np.full(images.guard("C"), images.pattern("C"), np.uint32)
    C = np.full(size[0] * size[1], C_START, np.uint32)
    return replace(
        images, words={**images.words, "C": np.concatenate((guard, C, guard))}, sizes={**images.sizes, "C": size}
    )


def flag_words(count: int) -> np.ndarray:
    """So many flags, all down, between their guards."""
    guard = np.full(GUARD_BYTES // 4, FLAG_GUARD, np.uint32)
    return np.concatenate((guard, np.zeros(count, np.uint32), guard))


def sources_of(images: Images) -> list[str]:
    """The places of these images that NaN in C can come from."""
    known = {f"guard {name}" for name in images.words} | (set() if images.C_is_given else {"start of C"})
    return [source for source in NAN_SOURCES if source in known]


def written(after: Images) -> np.ndarray:
    """Which elements of C hold a value: M×N, bool. Of a C that held values before, all."""
    return np.ones(after.sizes["C"], bool) if after.C_is_given else after.inside("C") != C_START


def write_findings(before: Images, after: Images) -> list[Finding]:
    """Writes outside a matrix, and writes to A, B or a bias, which are inputs."""
    found = [_guard_finding(name, side, after) for name in after.words for side in ("before", "after")]
    found += [_changed_finding(name, before, after) for name in after.inputs]
    return [finding for finding in found if finding]


def _guard_finding(name: str, side: str, after: Images) -> Finding | None:
    words, length = after.words[name], after.guard(name)
    guard = words[:length][::-1] if side == "before" else words[-length:]
    hit = np.flatnonzero(guard != after.pattern(name))
    if not hit.size:
        return None
    farthest = int(hit[-1]) + 1
    rows, cols = after.inside(name).shape
    floats = _count(hit.size, words.itemsize)
    sentence = say.WROTE_BEFORE if side == "before" else say.WROTE_AFTER
    message = sentence(array=name, rows=rows, cols=cols, floats=floats, farthest=farthest)
    details = {"array": name, "side": side, "farthest": farthest}
    return Finding("out_of_bounds", message, count=int(hit.size), details=details)


def _count(count: int, size: int) -> str:
    if size != 4:
        return say.ONE_NUMBER(size=size) if count == 1 else say.NUMBERS(count=count, size=size)
    return say.ONE_FLOAT() if count == 1 else say.FLOATS(count=count)


def _changed_finding(name: str, before: Images, after: Images) -> Finding | None:
    changed = np.argwhere(before.inside(name) != after.inside(name))
    if not len(changed):
        return None
    message = say.CHANGED_INPUT(elements=_elements(name, changed), array=name)
    details = {"array": name, "index": changed[0].tolist()}
    return Finding("wrong_result", message, count=len(changed), details=details)


def written_nan(after: Images) -> np.ndarray:
    """The elements of C that the kernel wrote and that are NaN all the same: M×N, bool."""
    return np.isnan(after.C) & written(after)


def read_finding(source: str, suspects: np.ndarray, after: Images) -> Finding | None:
    """What a launch with NaN in `source` alone says: those of the `suspects` that are NaN again got it from there."""
    reached = np.argwhere(suspects & np.isnan(after.C))
    if not len(reached):
        return None
    elements = _elements("C", reached)
    if source == "start of C":
        kind, name = "uninitialized", "C"
        message = say.READ_C_FIRST(elements=elements)
    else:
        kind, name = "out_of_bounds", source.removeprefix("guard ")
        message = say.READ_OUTSIDE(array=name, elements=elements)
    return Finding(kind, message, count=len(reached), details={"array": name, "index": reached[0].tolist()})


def _elements(name: str, indices: np.ndarray) -> str:
    """'C[0][3] and 7 more elements'."""
    (row, col), more = indices[0], len(indices) - 1
    if more > 1:
        return say.MORE_ELEMENTS(array=name, row=row, col=col, more=more)
    return (say.ONE_MORE_ELEMENT if more else say.ONE_ELEMENT)(array=name, row=row, col=col)
