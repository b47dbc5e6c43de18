"""The right kernels of which mutants are made, each with the cases that must find them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from field_kernels import OWN, FieldKernel, Shape, read_kernels

from gemmlab.check.check import Case, check_source
from gemmlab.course.lesson import load_all
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.verdict import Verdict

# Each of M, N and K is once the largest, and K is once smaller than a tile: else a swapped bound may do no harm.
# M = 40 is a multiple of 4 where N and K are not.
SHAPES: tuple[Shape, ...] = ((7, 21, 40), (40, 7, 21), (21, 40, 7))


@dataclass(frozen=True)
class Subject:
    name: str
    source: str
    spec: LaunchSpec
    cases: tuple[Case, ...]

    def verdict(self, source: str) -> Verdict:
        """The verdict on a mutant of it, or on itself."""
        return check_source(source, "kernel.cu", self.spec, self.cases, backend="emulator")


def subjects() -> dict[str, Subject]:
    """The right kernels from the field at shapes of our own, the lessons' solutions at their public cases. A file with
    its own launcher is left out: its mutants would need to be read anew."""
    found = [Subject(k.path.stem, k.source, k.spec, _cases(k)) for k in read_kernels(OWN / "right")]
    kernels = [kernel for lesson in load_all() for kernel in lesson.kernels if kernel.solved]
    found += [
        Subject(kernel.name, kernel.solution, kernel.launch, kernel.cases)
        for kernel in kernels
        if isinstance(kernel.launched_by, LaunchSpec)
    ]
    return {subject.name: subject for subject in found}


def _cases(kernel: FieldKernel) -> tuple[Case, ...]:
    shapes: Sequence[Shape] = (*kernel.passing[:1], *SHAPES)
    return tuple(Case(shape, kernel.inputs[0], 1, "ragged") for shape in shapes)
