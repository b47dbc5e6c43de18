"""lesson.compare("04", pad="#define PAD 0")"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Lesson
from gemmlab.cuda.sizes import with_sizes
from gemmlab.errors import UserError
from gemmlab.markdown import escape
from gemmlab.models.autotune import launch_spec
from gemmlab.notebook import arguments
from gemmlab.notebook.arguments import COUNTED_SHAPE, Shape, target
from gemmlab.notebook.bodies import in_code
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show
from gemmlab.trials.variant import variant

if TYPE_CHECKING:
    from gemmlab.models.tally import Tally


@verb
def compare(
    desk: Desk,
    *others: str,
    shape: Shape = COUNTED_SHAPE,
    arch: str | None = None,
    sizes: Sequence[int] | None = None,
    **bodies: str,
) -> None:
    """What the emulator counts for the kernels of earlier lessons, such as "04", and for this lesson's, as it is,
    with other code in some blanks, and with other `sizes` (BM, BN, BK, TM, TN), where such are given.
    """
    from gemmlab.pictures.speed.tally import tally_table
    from gemmlab.trials.counts import tally

    if desk.owes(*desk.lesson.predictions):
        return
    arch = target(arch)
    earlier = [lessons.load(other, desk.lesson.root) for other in others]
    lesson, shape = desk.lesson, arguments.sizes(shape)
    counted = _tallies(desk, earlier, shape, arch)
    source = desk.source()
    own = variant(lesson.starter, source, {})
    counted[f"lesson {lesson.number}"] = tally(lesson.kernel, own, shape, arch)
    if bodies:
        changed = variant(lesson.starter, source, bodies)
        counted[f"with {in_code(bodies)}"] = tally(lesson.kernel, changed, shape, arch)
    if sizes:
        chosen = arguments.tile_sizes(sizes)
        resized = replace(lesson.kernel, launched_by=launch_spec(chosen))
        counted[f"with {chosen}"] = tally(resized, with_sizes(own, chosen), shape, arch)
    show(Markdown(tally_table(counted)))


def _tallies(desk: Desk, earlier: Sequence[Lesson], shape: Shape, arch: str) -> dict[str, Tally]:
    """What the emulator counts for the student's kernels of these lessons; those that cannot be counted are named.

    In a solved notebook the solutions stand for the student's kernels.
    """
    from gemmlab.trials.counts import tally

    counted = {}
    for lesson in earlier:
        try:
            text = lesson.solution if desk.solved and lesson.kernel.solved else desk.source_of(lesson)
            counted[f"lesson {lesson.number}"] = tally(lesson.kernel, text, shape, arch)
        except UserError as reason:
            show(Markdown(escape(f"One column is missing: {reason}.")))
    return counted
