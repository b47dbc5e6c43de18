"""lesson.progress()"""

from __future__ import annotations

from dataclasses import replace

from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Lesson
from gemmlab.models.ladder import Rung
from gemmlab.notebook.arguments import TIMED_SHAPE
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.records.results import first_results

_SHAPE = "×".join(map(str, TIMED_SHAPE))


@verb
def progress(desk: Desk) -> None:
    """Where you stand: the ladder of lessons, and how many predictions came close."""
    from gemmlab.pictures.speed.ladder import ladder

    show_picture(ladder(*_beside_record(desk)))
    revealed = desk.progress.entries(desk.lesson.number, "reveal")
    close = sum(entry["right"] for entry in revealed)
    counts = f"{len(desk.lesson.predictions)} asked for, {len(revealed)} revealed, {close} right"
    show(Markdown(f"Predictions in this lesson: {counts}."))


def _beside_record(desk: Desk) -> tuple[list[Rung], str]:
    """Every lesson's rung, with the recorded speed of its solved kernel, and what that was recorded on."""
    every = lessons.load_all(desk.lesson.root)
    rungs = [_rung(desk, lesson) for lesson in every]
    results = first_results()
    at_shape = results.at(TIMED_SHAPE) if results else None
    if results is None or at_shape is None:
        return rungs, ""
    recorded = {lesson: at_shape.as_taught(lesson).gflops for lesson in at_shape.lessons}
    beside = [replace(rung, recorded=recorded.get(one.number)) for rung, one in zip(rungs, every, strict=True)]
    return beside, f"{results.label}, at {_SHAPE}; not your machine"


def _rung(desk: Desk, lesson: Lesson) -> Rung:
    attempts = desk.progress.entries(lesson.number, "attempt")
    passed = {entry.get("patient") for entry in attempts if entry["status"] == "passed"}
    is_passed = passed and passed >= {kernel.patient for kernel in lesson.kernels}
    state = "passed" if is_passed else "tried" if attempts else "open"
    timings = desk.progress.entries(lesson.number, "timing", shape=list(TIMED_SHAPE))
    if not timings:
        return Rung(lesson.name, state)
    best = max(timings, key=lambda entry: entry["gflops"])
    where = f"{best['gpu']} at {_SHAPE}"
    return Rung(lesson.name, state, best["gflops"], best["cublas_gflops"], best["ratio"], where)
