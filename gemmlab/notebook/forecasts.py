"""What the model says of the student's own kernels, kept in the progress file with what it was said of.

An entry of the kind "forecast" is of one source, by its digest, at one shape, on one named GPU, by one edition of the
model. A file that has changed, or a model that has, is predicted anew.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import gemmlab
from gemmlab.course.lesson import Lesson
from gemmlab.errors import UserError
from gemmlab.model.machines import DEFAULT
from gemmlab.models.ladder import Forecast
from gemmlab.notebook.arguments import TIMED_SHAPE
from gemmlab.notebook.desk import Desk, digest
from gemmlab.text.prediction import as_sentence
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.model import Prediction

_KIND = "forecast"
_CHANGED = "The file has changed since it passed: check it again."
_SEVERAL = "The lesson has several kernels, and each mends another one."
_ROOM = Path(gemmlab.__file__).parent
_MODEL = ("model/**/*.py", "recorded/machines/*.json", "recorded/model-*.json")  # what a prediction depends on


def forecasts(desk: Desk, passed: list[Lesson], tick: Callable[[], None] = lambda: None) -> dict[str, Forecast]:
    """By the lesson's number, for each of the lessons that have passed. What is not known yet is computed and kept."""
    found = {}
    for lesson in passed:
        if (one := _forecast(desk, lesson)) is not None:
            found[lesson.number] = one
        tick()
    return found


def model_name() -> str:
    """'predicted for an NVIDIA H200 at 1024×1024×1024'"""
    return f"predicted for an {DEFAULT.replace('-', ' ')} at {'×'.join(map(str, TIMED_SHAPE))}"


def is_kept(desk: Desk, lesson: Lesson) -> bool:
    """Whether the forecast of the lesson's file as it is now needs no computing."""
    source = _source(desk, lesson)
    return source is None or _kept(desk, lesson, source) is not None


def _forecast(desk: Desk, lesson: Lesson) -> Forecast | None:
    """Of the lesson's file as it is now; None where there is none."""
    if len(lesson.kernels) != 1:
        return Forecast(unknown=_SEVERAL)
    source = _source(desk, lesson)
    if source is None:
        return None
    attempt = desk.progress.last(lesson.number, "attempt", source=digest(source))
    if attempt is None or attempt["status"] != "passed":
        return Forecast(unknown=_CHANGED)
    if (kept := _kept(desk, lesson, source)) is not None:
        return kept
    forecast = _computed(lesson, source)
    fields = {**_key(source), **vars(forecast)}
    desk.note_of(lesson, _KIND, **fields)
    return forecast


def _source(desk: Desk, lesson: Lesson) -> str | None:
    try:
        return desk.source(lesson.kernel)
    except UserError:
        return None


def _kept(desk: Desk, lesson: Lesson, source: str) -> Forecast | None:
    entry = desk.progress.last(lesson.number, _KIND, **_key(source))
    return Forecast(**{name: entry[name] for name in vars(Forecast())}) if entry else None


def _key(source: str) -> dict[str, object]:
    return {"source": digest(source), "shape": list(TIMED_SHAPE), "gpu": DEFAULT, "model": _edition()}


def _computed(lesson: Lesson, source: str) -> Forecast:
    from gemmlab.model import predict

    try:
        candidate = Candidate(source, lesson.kernel_path.name, lesson.kernel.launches_of(source))
        return as_forecast(predict(candidate, TIMED_SHAPE, DEFAULT))
    except UserError as reason:
        return Forecast(unknown=as_sentence(str(reason)))


def as_forecast(prediction: Prediction) -> Forecast:
    """A prediction in GFLOPS; the slowest time gives the least."""
    if prediction.ms is None or not (prediction.low_ms and prediction.high_ms and prediction.gflops):
        return Forecast(unknown=as_sentence(prediction.unknown or "the model does not know it"))
    work = prediction.gflops * prediction.ms
    least, most = (round(work / ms, 1) for ms in (prediction.high_ms, prediction.low_ms))
    reason = prediction.bottleneck or ""
    return Forecast(round(prediction.gflops, 1), least, most, round(prediction.percent or 0, 1), reason)


@cache
def _edition() -> str:
    """The model and its constants in 16 characters: a changed one predicts anew."""
    files = sorted(path for pattern in _MODEL for path in _ROOM.glob(pattern))
    return digest("\n".join(path.read_text(encoding="utf-8") for path in files))
