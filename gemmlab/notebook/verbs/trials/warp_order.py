"""lesson.warp_order(second_barrier="")"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.bodies import in_words
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.trials.variant import variant

if TYPE_CHECKING:
    from gemmlab.pictures.picture import Picture
    from gemmlab.trials.order.story import Story

_INPUTS, _SEED = "integer", 1


@verb
def warp_order(desk: Desk, shape: Shape | None = None, **bodies: str) -> None:
    """The shortest order of warps in which a race makes C wrong, found and replayed in the emulator, step by step; with
    other code in some blanks where it is given. Without a shape the lesson's own are tried, small ones first."""
    from gemmlab.check.check import small
    from gemmlab.trials.candidate import Candidate
    from gemmlab.trials.order.find import find_order
    from gemmlab.trials.order.report import report

    kernel = desk.lesson.kernel
    text = variant(kernel.starter, desk.source_beside(bodies), bodies) if bodies else desk.source(kernel)
    candidate = Candidate(text, kernel.path.name, kernel.launches_of(text))
    cases = [(case.shape, case.inputs, case.seed) for case in map(small, kernel.cases)]
    found = find_order(candidate, [(sizes(shape), _INPUTS, _SEED)] if shape else cases)
    if found is None:
        raise UserError("the kernel has no race there, so no order of its warps changes C")
    told, story = report(*found)
    show(Markdown(f"Your kernel, {in_words(bodies)}. {told['words'][0]}"))
    if story is None:
        return
    pictures = _pictures(story)
    if desk.is_live and pictures:
        from gemmlab.panels.slider import show_with_slider

        show_with_slider(pictures, 0, "step")
        return
    show(Markdown("\n".join(f"{number}. {words}" for number, words in enumerate(told["words"][1:], 1))))
    if pictures:
        show_picture(pictures[-1])


def _pictures(story: Story) -> list[Picture]:
    """A picture a step: the time line up to there, with the step in words. None where there are no tiles."""
    from gemmlab.pictures.warps.timeline import timeline_until
    from gemmlab.trials.order.playback import playbacks

    played, times = playbacks(story)
    if not all(playback.spans for playback in played):
        return []
    return [timeline_until(played, time, step.words) for step, time in zip(story.steps, times, strict=True)]
