"""Experiments of the lessons on register tiles, banks and buffers. The student's file stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gemmlab.course.lesson import Kernel, Lesson
from gemmlab.cuda.sizes import Sizes, sizes_of
from gemmlab.errors import UserError
from gemmlab.notebook.experiments import source_of
from gemmlab.pictures.output import Markdown, escape, show, show_picture
from gemmlab.trials.variant import variant

if TYPE_CHECKING:
    from gemmlab.trials.counts import Tally

Shape = tuple[int, int, int]


def show_patch(kernel: Kernel, thread: tuple[int, int], k: int) -> None:
    """One thread's patch of C, and what it reads for one k."""
    from gemmlab.pictures.tiles.patch import patch_picture

    show_picture(patch_picture(sizes_of(kernel.starter), thread, k))


def show_reuse(patches: Sequence[tuple[int, int]]) -> None:
    """What a thread reads and multiplies for one k, patch by patch."""
    from gemmlab.pictures.tiles.patch import reuse_picture

    if not patches:
        raise UserError("give one patch or more, each as TM and TN, such as (4, 4)")
    for patch in patches:
        if not (isinstance(patch, tuple) and len(patch) == 2 and all(type(n) is int and 1 <= n <= 16 for n in patch)):
            raise UserError(f"{patch!r} is no patch; write TM and TN, 1 to 16 each, such as (4, 4)")
    show_picture(reuse_picture(patches))


def show_banks(kernel: Kernel, expressions: Sequence[str], width: int) -> None:
    """The words that the lanes of warp 0 touch over the banks, one request an expression."""
    from gemmlab.models.banks import request
    from gemmlab.pictures.warps.banks import bank_picture

    if not expressions:
        raise UserError('say which float each lane touches, in C, such as lesson.banks("c * 64 + r")')
    sizes = sizes_of(kernel.starter)
    show_picture(bank_picture({expression: request(expression, sizes, width) for expression in expressions}))


def show_overlap(k_tiles: int, copy: float, multiply: float) -> None:
    """The loop over the K tiles with one buffer and with two, as a model."""
    from gemmlab.models.overlap import schedule
    from gemmlab.pictures.warps.overlap import overlap_picture

    show_picture(overlap_picture([schedule(buffers, k_tiles, copy, multiply) for buffers in (1, 2)]))


def show_sizes(kernel: Kernel, source: str | None, choices: Sequence[tuple[int, ...]], shape: Shape, arch: str) -> None:
    """The kernel with other sizes, side by side; without a source only what needs no compiler."""
    from gemmlab.pictures.speed.sizes import sizing_table
    from gemmlab.trials.sizing import sizing

    misfit = next((choice for choice in choices if not isinstance(choice, tuple) or len(choice) != 5), None)
    if not choices or misfit is not None:
        raise UserError(f"{misfit or choices!r} does not fit: write BM, BN, BK, TM and TN, such as (64, 64, 16, 4, 4)")
    entries = [sizing(Sizes(*choice), shape, source, kernel.launch.kernel, arch) for choice in choices]
    show(Markdown(sizing_table(entries, escape(arch))))


def tallies_of(lessons: Sequence[Lesson], shape: Shape, arch: str, solved: bool) -> dict[str, Tally]:
    """What the emulator counts for the student's kernels of these lessons; those that cannot be counted are named.

    In a solved notebook the solutions stand for the student's kernels.
    """
    from gemmlab.trials.counts import tally

    counted = {}
    for lesson in lessons:
        try:
            text = lesson.solution if solved and lesson.solution else source_of(lesson)
            counted[f"lesson {lesson.number}"] = tally(lesson.kernel, text, shape, arch)
        except UserError as reason:
            show(Markdown(escape(f"One column is missing: {reason}.")))
    return counted


def show_comparison(
    lesson: Lesson, source: str, bodies: Mapping[str, str], earlier: Mapping[str, Tally], shape: Shape, arch: str
) -> None:
    """The counts of earlier kernels, of this lesson's, and of this one with other bodies in some of its blanks."""
    from gemmlab.pictures.speed.tally import tally_table
    from gemmlab.trials.counts import tally

    name = f"lesson {lesson.number}"
    counted = {**earlier, name: tally(lesson.kernel, variant(lesson.starter, source, {}), shape, arch)}
    if bodies:
        changed = variant(lesson.starter, source, bodies)
        counted[f"with {_in_code(bodies)}"] = tally(lesson.kernel, changed, shape, arch)
    show(Markdown(tally_table(counted)))


def _in_code(bodies: Mapping[str, str]) -> str:
    """'`#define PAD 0`' for {"pad": "#define PAD 0"}."""
    return ", ".join(f"`{' '.join(body.split())}`" for body in bodies.values())
