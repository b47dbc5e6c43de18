"""The face of the course in a notebook: what a lesson's cells call. Every method shows its result in the cell.

    from gemmlab import notebook
    lesson = notebook.open("02")
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING

from gemmlab import lesson as lessons
from gemmlab import predictions
from gemmlab.errors import UserError
from gemmlab.lesson import Lesson, Prediction
from gemmlab.progress import FILE_NAME, Progress
from gemmlab.views.output import Markdown, Report, escape, plain, show, show_picture

if TYPE_CHECKING:
    from gemmlab.gpu import Timing
    from gemmlab.verdict import Verdict
    from gemmlab.views.ladder import Rung

Shape = tuple[int, int, int]
TIMED_SHAPE = (1024, 1024, 1024)  # the ladder compares kernels at this one


class CannotOpen(UserError):
    """A UserError that a notebook shows as its sentence alone, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def open(which: str) -> OpenLesson:
    """The lesson called '02', 'tiled_fma' or '02_tiled_fma'."""
    try:
        return OpenLesson(lessons.load(which))
    except UserError as error:
        raise CannotOpen(str(error)) from None


def _told(method: Callable) -> Callable:
    """Show a UserError as its sentence instead of raising it, and then what there is to say of the progress file."""

    @wraps(method)
    def shown(self: OpenLesson, *args, **kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except UserError as error:
            show(Markdown(_sentence(str(error))))
        while self.notices:
            show(Markdown(_sentence(self.notices.pop(0))))

    return shown


class OpenLesson:
    """A lesson at work on the student's file.

    In a solved notebook it shows what a student has to earn, keeps no progress, and draws without widgets.
    """

    def __init__(self, lesson: Lesson) -> None:
        work = lessons.work_root(lesson.root)
        self.lesson = lesson
        self._solved = work.resolve() == (lesson.root / "solutions" / ".work").resolve()
        self._progress = Progress(None if self._solved else work / FILE_NAME)
        self.notices = self._progress.notices

    @_told
    def tiles(self, shape: Shape, place: Shape, thread: tuple[int, int] | None = None) -> None:
        """Draw the tiles of one step. `shape` is (M, N, K), `place` which tile along each, `thread` (ty, tx)."""
        from gemmlab.views.tiles import tile_picture

        show_picture(tile_picture(_sizes(shape), self.lesson.tile, _sizes(place, least=0), thread))

    @_told
    def predict(self, id: str, value: float | None = None) -> None:
        """Note a prediction; None asks for it. The computed number is not shown before `reveal`."""
        prediction = self._prediction(id)
        if value is None:
            show(Markdown(f"**{id}**: {prediction.text} Write a number, in {prediction.unit}, in place of `None`."))
            return
        number = predictions.as_number(value)
        if self._last("reveal", id=id):
            show(Markdown(f"**{id}** is revealed already; the prediction that you made before stands."))
            return
        if self._predicted(id) != number:
            self._progress.record(self.lesson.number, "prediction", id=id, value=number)
        show(Markdown(f"**{id}**: you predict {_with_unit(number, prediction)}."))

    @_told
    def reveal(self, *ids: str) -> None:
        """Show the computed numbers, of all predictions unless some are named, and how close the predictions came."""
        chosen = [self._prediction(id) for id in ids] or self.lesson.predictions
        missing = self._not_predicted(chosen)
        ready = [prediction for prediction in chosen if prediction not in missing]
        if missing:
            names = ", ".join(f"`{prediction.id}`" for prediction in missing)
            show(Markdown(f"Predict first: there is no number yet for {names}. Then run this cell again."))
        if ready:
            head = ["| question | computed | your prediction |", "|:--|:--|:--|"]
            show(Markdown("\n".join(head + [self._revealed(prediction) for prediction in ready])))

    def _revealed(self, prediction: Prediction) -> str:
        """One row of the table; the first time, it goes into the progress."""
        value, said = self._predicted(prediction.id), "none"
        if value is not None:
            said = f"{_with_unit(value, prediction)}: {predictions.remark(prediction, value, self.lesson.tile)}"
            if not self._last("reveal", id=prediction.id):
                right = predictions.is_right(prediction, value)
                self._progress.record(self.lesson.number, "reveal", id=prediction.id, value=value, right=right)
        return f"| {prediction.text} | **{_with_unit(prediction.answer, prediction)}** | {said} |"

    @_told
    def check(self) -> None:
        """Check the kernel over the public cases: what was found, at which line, and where C is wrong."""
        from gemmlab.check import check_source
        from gemmlab.report import render

        source = self._source()
        verdict = check_source(source, self.lesson.kernel_path.name, self.lesson.launch, self.lesson.cases)
        show(Report(render(verdict, source)))
        self._show_wrong(verdict)
        if verdict.status != "unattempted":
            self._record_attempt(verdict, source)

    def _show_wrong(self, verdict: Verdict) -> None:
        """Draw the wrong elements of that wrong case in which they are fewest, for it tells most."""
        from gemmlab.views.wrong import wrong_elements
        from gemmlab.wrong_result import output_tile

        wrong = [case for case in verdict.cases if case.wrong is not None and case.wrong.any()]
        if wrong:
            case = min(wrong, key=lambda case: case.wrong.mean())
            show_picture(wrong_elements(case.wrong, case.shape, output_tile(self.lesson.launch)))

    def _record_attempt(self, verdict: Verdict, source: str) -> None:
        """A progress file that cannot be written must not hide the verdict: it becomes a notice."""
        kinds = sorted({finding.kind for finding in verdict.findings if finding.is_error})
        self._note("attempt", status=verdict.status, backend=verdict.backend, findings=kinds, source=_digest(source))

    @_told
    def hint(self, blank: str, level: int = 1) -> None:
        """The hints of a blank up to a level: 1 area, 2 direction, 3 key spot, 4 the answer, after a first try."""
        known = {entry.name: entry for entry in self.lesson.blanks}
        if blank not in known:
            raise UserError(f"this lesson has no blank '{blank}'; it has {', '.join(known)}")
        hints = known[blank].hints
        if level not in range(len(hints) + 2):
            raise UserError(f"there are hints of level 1 to {len(hints) + 1}; {level!r} is none of them")
        if level == 0:
            show(Markdown(f"Stuck at **{blank}**? Put 1 in place of 0 for a hint. 2 and 3 say more; 4 is the answer."))
            return
        show(Markdown("\n".join(f"{number}. {text}" for number, text in enumerate(hints[:level], 1))))
        if level > len(hints):
            show(Markdown(self._answer(known[blank].answer)))
        self._note("hint", blank=blank, level=level)

    def _answer(self, answer: str | None) -> str:
        if not self._last("attempt"):
            return "The answer comes after a first try: write your best guess, run the check, then ask again."
        if answer is None:
            return "The answer is not in this copy of the course; ask your instructor."
        return f"The answer:\n\n```cpp\n{answer}\n```"

    @_told
    def step(self, shape: Shape, number: int = 0) -> None:
        """One step of the tiled multiplication, played in NumPy on whole numbers; a slider leads to the others."""
        from gemmlab.steps import StepPictures
        from gemmlab.views.slider import show_with_slider

        pictures = StepPictures(_sizes(shape), self.lesson.tile)
        if number not in range(len(pictures)):
            raise UserError(f"there are {len(pictures)} steps, 0 to {len(pictures) - 1}; {number!r} is none of them")
        if self._solved:
            show_picture(pictures[number])
        else:
            show_with_slider(pictures, number, "step")

    @_told
    def profile(self, shape: Shape = TIMED_SHAPE) -> None:
        """What the multiplication moves; once the kernel passes, also what the compiler made of it and its speed."""
        from gemmlab.views.profile import intensities, traffic_table

        shape = _sizes(shape)
        if self._not_predicted(self.lesson.predictions):
            show(Markdown("Make your predictions first: the profile holds the same numbers."))
            return
        show(Markdown(traffic_table(shape, self.lesson.tile)))
        show_picture(intensities(shape, self.lesson.tile, self._measured(shape)))

    def _measured(self, shape: Shape) -> Timing | None:
        """Show what the compiler made of the kernel; time it where there is a GPU."""
        from gemmlab import gpu
        from gemmlab.compile import compile_source
        from gemmlab.views.profile import resources_text, speed_text

        lesson, source = self.lesson, self._source()
        attempt = self._last("attempt", source=_digest(source))
        if attempt is None or attempt["status"] != "passed":
            show(Markdown("Pass the check: then your kernel's registers and, on a GPU, its speed stand here too."))
            return None
        arch = gpu.device().arch if gpu.available() else None
        program = compile_source(source, lesson.kernel_path.name, arch=arch)
        show(Markdown(resources_text(program.resources[lesson.launch.kernel], program.arch)))
        if not gpu.available():
            show(Markdown("No time was measured: this machine has no NVIDIA GPU."))
            return None
        timing = gpu.time_kernel(program, lesson.launch.at(*shape), shape)
        show(Markdown(speed_text(timing)))
        self._note(
            "timing", shape=list(shape), gflops=timing.gflops, cublas_gflops=timing.cublas_gflops, ratio=timing.ratio,
            gpu=timing.gpu,
        )
        return timing

    @_told
    def progress(self) -> None:
        """Where you stand: the ladder of lessons, and how many predictions came close."""
        from gemmlab.views.ladder import ladder

        show_picture(ladder([self._rung(lesson) for lesson in lessons.load_all(self.lesson.root)]))
        revealed = self._progress.entries(self.lesson.number, "reveal")
        close = sum(entry["right"] for entry in revealed)
        counts = f"{len(self.lesson.predictions)} asked for, {len(revealed)} revealed, {close} right"
        show(Markdown(f"Predictions in this lesson: {counts}."))

    def _rung(self, lesson: Lesson) -> Rung:
        from gemmlab.views.ladder import Rung

        statuses = [entry["status"] for entry in self._progress.entries(lesson.number, "attempt")]
        state = "passed" if "passed" in statuses else "tried" if statuses else "open"
        timings = self._progress.entries(lesson.number, "timing", shape=list(TIMED_SHAPE))
        if not timings:
            return Rung(lesson.name, state)
        best = max(timings, key=lambda entry: entry["gflops"])
        where = f"{best['gpu']} at {'×'.join(map(str, TIMED_SHAPE))}"
        return Rung(lesson.name, state, best["gflops"], best["cublas_gflops"], best["ratio"], where)

    def _source(self) -> str:
        """The text of the student's file."""
        from gemmlab.check import read_kernel

        path = self.lesson.kernel_path
        if not path.is_file():
            raise UserError(f"there is no kernels/{path.name} yet: run the cell that writes it, then this one")
        return read_kernel(path)

    def _prediction(self, id: str) -> Prediction:
        known = {prediction.id: prediction for prediction in self.lesson.predictions}
        if id not in known:
            raise UserError(f"this lesson asks for no prediction '{id}'; it asks for {', '.join(known)}")
        return known[id]

    def _not_predicted(self, asked: Sequence[Prediction]) -> list[Prediction]:
        """Those that the student still owes. A solved notebook owes none."""
        return [prediction for prediction in asked if not self._solved and self._predicted(prediction.id) is None]

    def _predicted(self, id: str) -> float | None:
        entry = self._last("prediction", id=id)
        return entry["value"] if entry else None

    def _last(self, kind: str, **fields: object) -> dict | None:
        return self._progress.last(self.lesson.number, kind, **fields)

    def _note(self, kind: str, **fields: object) -> None:
        """Record what is worth no error: where it cannot be saved, a notice says so."""
        try:
            self._progress.record(self.lesson.number, kind, **fields)
        except UserError as error:
            self.notices.append(str(error))


def _sizes(value: object, least: int = 1) -> Shape:
    """The value as three whole numbers of at least `least`. UserError where it is something else."""
    sizes = tuple(value) if isinstance(value, tuple | list) else ()
    if len(sizes) != 3 or not all(type(size) is int and size >= least for size in sizes):
        raise UserError(f"{value!r} does not fit: write three whole numbers for M, N and K, such as (35, 45, 25)")
    return sizes


def _sentence(text: str) -> str:
    return escape(text[:1].upper() + text[1:].rstrip(".") + ".")


def _with_unit(value: float, prediction: Prediction) -> str:
    return f"{plain(value)}\N{NO-BREAK SPACE}{prediction.unit}"


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:16]
