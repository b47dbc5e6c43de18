"""lesson.progress()"""

from __future__ import annotations

from dataclasses import replace

from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Lesson
from gemmlab.kernel.epilogue import NOTHING, epilogue_of
from gemmlab.models.ladder import Rung
from gemmlab.notebook.arguments import TIMED_SHAPE
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.forecasts import forecasts, is_kept, model_name
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.records.results import Results, first_results

_SHAPE = "×".join(map(str, TIMED_SHAPE))


@verb
def progress(desk: Desk) -> None:
    """Where you stand: the ladder of lessons, measured, recorded and predicted, and how many predictions came close."""
    from gemmlab.pictures.speed.ladder import ladder

    every = lessons.load_all(desk.lesson.root)
    rungs, record = _beside_record(every, _predicted(desk, every))
    show_picture(ladder(rungs, record, model_name()))
    revealed = desk.progress.entries(desk.lesson.number, "reveal")
    close = sum(entry["right"] for entry in revealed)
    counts = f"{len(desk.lesson.predictions)} asked for, {len(revealed)} revealed, {close} right"
    show(Markdown(f"Predictions in this lesson: {counts}."))


def _predicted(desk: Desk, every: list[Lesson]) -> list[Rung]:
    """Every lesson's rung, with the model's forecast of the kernels that have passed. New ones take a moment each."""
    rungs = [_rung(desk, lesson) for lesson in every]
    passed = [lesson for lesson, rung in zip(every, rungs, strict=True) if rung.state == "passed"]
    missing = sum(not is_kept(desk, lesson) for lesson in passed if len(lesson.kernels) == 1)
    if missing:
        with desk.progress_bar(len(passed)) as tick:
            found = forecasts(desk, passed, tick)
    else:
        found = forecasts(desk, passed)
    return [replace(rung, forecast=found.get(lesson.number)) for lesson, rung in zip(every, rungs, strict=True)]


def _beside_record(every: list[Lesson], rungs: list[Rung]) -> tuple[list[Rung], str]:
    """The rungs with the recorded speed of the solved kernels, and what that was recorded on."""
    results = first_results()
    if results is None or results.at(TIMED_SHAPE) is None:
        return rungs, ""
    beside = [_recorded(results, lesson, rung) for lesson, rung in zip(every, rungs, strict=True)]
    return beside, f"{results.label}, at {_SHAPE}; not your machine"


def _recorded(results: Results, lesson: Lesson, rung: Rung) -> Rung:
    """With its ring, for matrices of the lesson's own kind; a lesson that was recorded elsewhere says so."""
    if len(lesson.kernels) != 1:
        return rung
    at_shape = results.at(TIMED_SHAPE, lesson.kernel.element.name)
    if at_shape and lesson.number in at_shape.lessons:
        return replace(rung, recorded=at_shape.as_taught(lesson.number).gflops)
    if results.fused and epilogue_of(lesson.kernel.launched_by) != NOTHING:
        shapes = ", ".join("×".join(map(str, one.shape)) for one in results.fused)
        return replace(rung, remark=f"no ring, for it was recorded at other shapes: {shapes}.")
    return rung


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
