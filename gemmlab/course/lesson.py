"""A lesson: the front matter of lessons/NN_slug.md, with its kernels, as one Lesson object."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from gemmlab.course.kernel import Blank, Kernel, read_kernel, read_patients
from gemmlab.course.parts import (
    INPUT_KINDS,
    Case,
    Claim,
    CounterRule,
    OtherSizes,
    Prediction,
    Question,
    read_claim,
    read_marks,
    read_other_sizes,
    read_prediction,
    read_question,
)
from gemmlab.course.places import find_root, lesson_path, spec_path, starter_path, work_in, work_root
from gemmlab.course.spec import Block, front_matter
from gemmlab.errors import UserError
from gemmlab.files import read_source
from gemmlab.kernel.launch import LaunchSpec

# The front of the room: what others need of a lesson can be had here.
__all__ = [
    "INPUT_KINDS",
    "Blank",
    "Case",
    "Claim",
    "CounterRule",
    "Kernel",
    "Lesson",
    "Prediction",
    "Question",
    "find_root",
    "is_name",
    "load",
    "load_all",
    "names",
    "spec_path",
    "starter_path",
    "work_in",
    "work_root",
]

_NAME = re.compile(r"(\d\d)_([a-z][a-z0-9_]*)")


@dataclass(frozen=True)
class Lesson:
    """One lesson. Most have one kernel, and the attributes of that kernel are theirs as well."""

    root: Path
    number: str
    slug: str
    title: str
    kernels: tuple[Kernel, ...]
    predictions: tuple[Prediction, ...]
    questions: tuple[Question, ...]
    marks: dict[str, float]
    vetoes: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    recorded: OtherSizes | None = None

    @property
    def name(self) -> str:
        return f"{self.number}_{self.slug}"

    @property
    def kernel(self) -> Kernel:
        """The only kernel. Raises UserError where there are several, or none."""
        if len(self.kernels) == 1:
            return self.kernels[0]
        if not self.kernels:
            raise UserError(f"lesson {self.number} has no kernel to write")
        known = ", ".join(f"{self.number}/{kernel.patient}" for kernel in self.kernels)
        raise UserError(f"lesson {self.number} has several kernels; name one of them: {known}")

    def kernel_named(self, patient: str | None) -> Kernel:
        """The kernel of that patient; None asks for the only kernel. Raises UserError where there is no such kernel."""
        if patient is None:
            return self.kernel
        found = [kernel for kernel in self.kernels if kernel.patient == patient]
        if not found:
            known = ", ".join(kernel.patient for kernel in self.kernels if kernel.patient)
            raise UserError(f"lesson {self.number} has no patient '{patient}'; it has {known or 'none'}")
        return found[0]

    @property
    def launch(self) -> LaunchSpec:
        return self.kernel.launch

    @property
    def tile(self) -> int:
        return self.kernel.tile

    @property
    def cases(self) -> tuple[Case, ...]:
        return self.kernel.cases

    @property
    def starter(self) -> str:
        return self.kernel.starter

    @property
    def solution(self) -> str:
        return self.kernel.solution

    @property
    def kernel_path(self) -> Path:
        """The file that the student writes."""
        return self.kernel.path

    @property
    def blanks(self) -> tuple[Blank, ...]:
        """The blanks of all its kernels."""
        return tuple(blank for kernel in self.kernels for blank in kernel.blanks)


def is_name(text: str) -> bool:
    """Whether the text has the form of a lesson's name, such as '02_tiled_fma'."""
    return _NAME.fullmatch(text) is not None


def names(root: Path | None = None) -> list[str]:
    """The names of the lessons, such as '02_tiled_fma', in order. Raises UserError where two have one number."""
    lessons = (root or find_root()) / "lessons"
    sources = [*lessons.glob("*.md"), *lessons.glob(".specs/*.md")]
    found = sorted({path.stem for path in sources if is_name(path.stem)})
    for one, other in zip(found, found[1:], strict=False):
        if one[:2] == other[:2]:
            raise UserError(f"lessons {one} and {other} have the same number")
    return found


def load(which: str, root: Path | None = None) -> Lesson:
    """The lesson called '02_tiled_fma', '02', '2' or 'tiled_fma'; '14/float4_tile' is lesson 14 with that patient only.

    Raises UserError for an unknown name or bad front matter.
    """
    root = root or find_root()
    known = names(root)
    which, _, patient = which.partition("/")
    number = which.zfill(2) if which.isdecimal() else None
    matches = [name for name in known if which in (name, name[3:]) or name[:2] == number]
    if not matches:
        raise UserError(f"there is no lesson '{which}'; there are: {', '.join(known) or 'none'}")
    lesson = _load(root, matches[0])
    return replace(lesson, kernels=(lesson.kernel_named(patient),)) if patient else lesson


def load_all(root: Path | None = None) -> list[Lesson]:
    """All lessons, in order."""
    root = root or find_root()
    return [_load(root, name) for name in names(root)]


def _load(root: Path, name: str) -> Lesson:
    path = lesson_path(root, name)
    try:
        block = front_matter(read_source(path))
        lesson = _read(block, root, name)
        block.finish()
        return lesson
    except UserError as error:
        raise UserError(f"{path.parent.name}/{path.name}: {error}") from None


def _read(block: Block, root: Path, name: str) -> Lesson:
    has_patients = "patients" in block
    kernels = read_patients(block.block("patients"), root, name) if has_patients else (read_kernel(block, root, name),)
    questions = tuple(read_question(entry) for entry in block.blocks("questions"))
    return Lesson(
        root=root,
        number=name[:2],
        slug=name[3:],
        title=block.text("title"),
        kernels=kernels,
        predictions=tuple(read_prediction(entry) for entry in block.blocks("predictions")),
        questions=questions,
        marks=read_marks(block.block("marks"), questions),
        vetoes=block.texts("vetoes"),
        claims=tuple(read_claim(entry) for entry in block.blocks("claims")) if has_patients else (),
        recorded=read_other_sizes(block.block("recorded")) if "recorded" in block else None,
    )
