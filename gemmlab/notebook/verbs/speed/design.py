"""lesson.design(TILE=16)"""

from __future__ import annotations

from gemmlab.course import lesson as lessons
from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.models.design import Design, intensity_of
from gemmlab.notebook.arguments import TIMED_SHAPE
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.records.ceilings import ceilings_here


@verb
def design(desk: Desk, TILE: int = 16, TM: int = 1, TN: int = 1, gflops: float = 0, gbs: float = 0) -> None:
    """Tile sizes under the roof of a machine of so many GFLOPS and GB/s, or of yours or the recorded one, by
    sliders; your kernels are points there once they were timed."""
    from gemmlab.panels.design_controls import DesignControls, design_picture

    example = Ceilings(gflops or 20_000, gbs or 900, "an example, not a measurement")
    ceilings = example if gflops or gbs else ceilings_here() or example
    chosen, measured = Design(TILE, TM, TN), _timed_kernels(desk)
    if desk.is_live:
        DesignControls(chosen, TIMED_SHAPE, ceilings, measured).show()
    else:
        show_picture(design_picture(chosen, TIMED_SHAPE, ceilings, measured))
        show(Markdown(chosen.words(TIMED_SHAPE)))


def _timed_kernels(desk: Desk) -> list[Point]:
    """The best of each lesson that was timed on this student's GPU."""
    found = []
    for lesson in lessons.load_all(desk.lesson.root):
        timings = desk.progress.entries(lesson.number, "timing", shape=list(TIMED_SHAPE))
        if timings:
            best = max(timings, key=lambda entry: entry["gflops"])
            label = f"lesson {lesson.number} on {best['gpu']}"
            found.append(Point(label, intensity_of(lesson.starter, TIMED_SHAPE), best["gflops"]))
    return found
