"""The face of the course in a notebook: what a lesson's cells call. Every method shows its result in the cell.

from gemmlab import notebook
lesson = notebook.open("02")
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import astuple, replace
from functools import wraps
from math import prod
from typing import TYPE_CHECKING

from gemmlab.course import lesson as lessons
from gemmlab.course import predictions
from gemmlab.course.lesson import Blank, Kernel, Lesson, Prediction
from gemmlab.course.progress import FILE_NAME, Progress
from gemmlab.errors import UserError
from gemmlab.models import autotune
from gemmlab.notebook import experiments, tile_experiments, tuning
from gemmlab.notebook.clinic import Clinic, changed_lines
from gemmlab.pictures.output import Markdown, caption, escape, plain, show, show_picture
from gemmlab.records.results import first_results
from gemmlab.trials.variant import Body

if TYPE_CHECKING:
    from gemmlab.gpu.bench import Timing
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.verdict import Verdict
    from gemmlab.pictures.picture import Picture
    from gemmlab.pictures.speed.ladder import Rung
    from gemmlab.pictures.speed.occupancy import BlockUse
    from gemmlab.pictures.speed.roofline import Point

Shape = tuple[int, int, int]
TIMED_SHAPE = (1024, 1024, 1024)  # the ladder compares kernels at this one
COUNTED_SHAPE = (128, 128, 128)  # kernels are counted side by side at this one


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
        except KeyboardInterrupt:
            show(Markdown("Stopped: this cell did not end, and says nothing."))
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
        for kernel in lesson.kernels:
            kernel.path.parent.mkdir(parents=True, exist_ok=True)
        self._progress = Progress(None if self._solved else work / FILE_NAME)
        self.notices = self._progress.notices

    @property
    def _is_live(self) -> bool:
        """Whether to draw with widgets."""
        from gemmlab.panels.controls import there_are_widgets

        return not self._solved and there_are_widgets()

    @_told
    def tiles(self, shape: Shape, place: Shape, thread: tuple[int, int] | None = None) -> None:
        """Draw the tiles of one step. `shape` is (M, N, K), `place` which tile along each, `thread` (ty, tx)."""
        from gemmlab.pictures.tiles.tiles import tile_picture

        show_picture(tile_picture(_sizes(shape), self.lesson.tile, _sizes(place, least=0), thread))

    @_told
    def predict(self, id: str, value: float | None = None) -> None:
        """Note a prediction; None asks for it. The computed number is not shown before `reveal`."""
        prediction = self._prediction(id)
        if value is not None:
            show(self._kept(prediction, value))
        elif self._is_live and not self._last("reveal", id=id):
            from gemmlab.panels.prediction_field import show_prediction_field

            question = f"**{id}**: {prediction.text} Write a number, in {prediction.unit}."
            show_prediction_field(question, prediction.unit, self._predicted(id), self._keeper(prediction))
        else:
            text = f"**{id}**: {prediction.text} Write a number, in {prediction.unit}, in place of `None`."
            show(Markdown(text))

    def _kept(self, prediction: Prediction, value: object) -> Markdown:
        """Note the prediction, and say so."""
        number = predictions.as_number(value)
        if self._last("reveal", id=prediction.id):
            text = f"**{prediction.id}** is revealed already; the prediction that you made before stands."
            return Markdown(text)
        if self._predicted(prediction.id) != number:
            self._progress.record(self.lesson.number, "prediction", id=prediction.id, value=number)
        return Markdown(f"**{prediction.id}**: you predict {_with_unit(number, prediction)}.")

    def _keeper(self, prediction: Prediction) -> Callable[[str], Markdown]:
        def keep(text: str) -> Markdown:
            try:
                return self._kept(prediction, _number_in(text))
            except UserError as error:
                return Markdown(_sentence(str(error)))

        return keep

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
            tile = self.lesson.kernels[0].tile
            said = f"{_with_unit(value, prediction)}: {predictions.remark(prediction, value, tile)}"
            if not self._last("reveal", id=prediction.id):
                right = predictions.is_right(prediction, value)
                self._progress.record(self.lesson.number, "reveal", id=prediction.id, value=value, right=right)
        return f"| {prediction.text} | **{_with_unit(prediction.answer, prediction)}** | {said} |"

    @_told
    def check(self, patient: str | None = None) -> None:
        """Check the kernel over the public cases: what was found, at which line, and where C is wrong."""
        kernel = self.lesson.kernel_named(patient)
        if not self._is_live:
            show(*self._checked(kernel))
            return
        from gemmlab.panels.check_panel import CheckPanel

        blanks = [patient] if patient else [blank.name for blank in self.lesson.blanks]
        CheckPanel(lambda tick: self._told_check(kernel, tick), len(kernel.cases), self._told_hint, blanks).show()

    def _checked(self, kernel: Kernel, tick: Callable[[], None] | None = None) -> list[object]:
        """Check, keep the attempt, and give what there is to show."""
        from gemmlab.check.check import check_kernel
        from gemmlab.pictures.verdict import VerdictReport

        source = self._source(kernel)
        verdict = check_kernel(kernel, source, kernel.path.name, tick=tick)
        if verdict.status != "unattempted":
            self._record_attempt(verdict, source, kernel)
        picture = _wrong(verdict, kernel)
        return [VerdictReport(verdict, source), *([picture, caption(picture)] if picture else [])]

    def _told_check(self, kernel: Kernel, tick: Callable[[], None]) -> list[object]:
        try:
            return self._checked(kernel, tick)
        except UserError as error:
            return [Markdown(_sentence(str(error)))]

    def _record_attempt(self, verdict: Verdict, source: str, kernel: Kernel) -> None:
        """A progress file that cannot be written must not hide the verdict: it becomes a notice."""
        kinds = sorted({finding.kind for finding in verdict.findings if finding.is_error})
        more = {"patient": kernel.patient, "changed": changed_lines(kernel, source)} if kernel.patient else {}
        self._note(
            "attempt", status=verdict.status, backend=verdict.backend, findings=kinds, source=_digest(source), **more
        )

    @_told
    def hint(self, blank: str, level: int = 1) -> None:
        """The hints of a blank up to a level: 1 area, 2 direction, 3 key spot, 4 the answer, after a first try."""
        hints = self._blank(blank).hints
        if level not in range(len(hints) + 2):
            raise UserError(f"there are hints of level 1 to {len(hints) + 1}; {level!r} is none of them")
        words = f"Stuck at **{blank}**? Put 1 in place of 0 for a hint. 2 and 3 say more; 4 is the answer."
        if level > 0:
            show(self._hints(blank, level))
        elif self._is_live:
            from gemmlab.panels.check_panel import show_hint_bar

            show(Markdown(f"Stuck at **{blank}**?"))
            show_hint_bar(blank, self._told_hint, words)
        else:
            show(Markdown(words))

    def _hints(self, blank: str, level: int) -> Markdown:
        """The hints up to the level, the answer last."""
        entry = self._blank(blank)
        said = [f"{number}. {text}" for number, text in enumerate(entry.hints[:level], 1)]
        if level > len(entry.hints):
            patient = {"patient": blank} if self.lesson.claims else {}
            said += ["", self._answer(entry, **patient)]
        self._note("hint", blank=blank, level=level)
        return Markdown("\n".join(said))

    def _told_hint(self, blank: str, level: int) -> Markdown:
        try:
            return self._hints(blank, level)
        except UserError as error:
            return Markdown(_sentence(str(error)))

    def _blank(self, name: str) -> Blank:
        known = {entry.name: entry for entry in self.lesson.blanks}
        if name not in known:
            raise UserError(f"this lesson has no blank '{name}'; it has {', '.join(known) or 'none'}")
        return known[name]

    def _answer(self, blank: Blank, **patient: str) -> str:
        if not self._last("attempt", **patient):
            return "The answer comes after a first try: write your best guess, run the check, then ask again."
        if blank.answer is None:
            (name,) = [kernel.name for kernel in self.lesson.kernels if blank in kernel.blanks]
            return (
                "The answer is not in this copy of the course; ask your instructor. Once you are given "
                f"`solutions/{name}.cu`, put it there, beside lessons and kernels, and run this cell again."
            )
        return f"The answer:\n\n```{'diff' if patient else 'cpp'}\n{blank.answer}\n```"

    @_told
    def step(self, shape: Shape, number: int = 0) -> None:
        """One step of the tiled multiplication, played in NumPy on whole numbers; a slider leads to the others."""
        from gemmlab.notebook.steps import StepPictures
        from gemmlab.panels.slider import show_with_slider

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
        from gemmlab.cuda.sizes import register_sizes
        from gemmlab.pictures.speed.profile import intensities, traffic_table

        shape = _sizes(shape)
        if self._not_predicted(self.lesson.predictions):
            show(Markdown("Make your predictions first: the profile holds the same numbers."))
            return
        tile, sizes = self.lesson.tile, register_sizes(self.lesson.starter)
        show(Markdown(traffic_table(shape, tile, sizes)))
        show_picture(intensities(shape, tile, self._measured(shape), sizes))

    def _measured(self, shape: Shape) -> Timing | None:
        """Show what the kernel does to memory, what the compiler made of it and, on a GPU, how fast it is."""
        from gemmlab.check.profile import profile_source
        from gemmlab.pictures.speed.profile import counters_table

        lesson, source = self.lesson, self._source()
        attempt = self._last("attempt", source=_digest(source))
        if attempt is None or attempt["status"] != "passed":
            show(Markdown("Pass the check: then your kernel's counts, registers and, on a GPU, speed stand here too."))
            return None
        counters = profile_source(source, lesson.kernel_path.name, lesson.launch, COUNTED_SHAPE).counters
        show(Markdown(counters_table(source, counters, COUNTED_SHAPE)))
        timing = self._timed(source, shape)
        self._show_levels(counters, shape, timing)
        return timing

    def _show_levels(self, counters: Counters, shape: Shape, timing: Timing | None) -> None:
        """The kernel under the ceilings of each level of memory: those of this GPU, or recorded ones."""
        from gemmlab.gpu.roofline import intensities
        from gemmlab.pictures.speed.roofline import hierarchy
        from gemmlab.records.ceilings import ceilings_here

        if ceilings := ceilings_here():
            levels = intensities(counters.totals, COUNTED_SHAPE, shape)
            on_it = timing.gflops if timing and "recorded" not in ceilings.source else None
            show_picture(hierarchy("your kernel", levels, ceilings, on_it))

    def _timed(self, source: str, shape: Shape) -> Timing | None:
        """Show the compiler's report, and the kernel's speed where there is a GPU."""
        from gemmlab import gpu
        from gemmlab.compiler.compile import compile_source
        from gemmlab.gpu import bench
        from gemmlab.pictures.speed.profile import resources_text, speed_text

        lesson = self.lesson
        arch = gpu.device().arch if gpu.available() else None
        program = compile_source(source, lesson.kernel_path.name, arch=arch)
        show(Markdown(resources_text(program.resources[lesson.launch.kernel], program.arch)))
        if not gpu.available():
            show(Markdown("No time was measured: this machine has no NVIDIA GPU."))
            return None
        timing = bench.time_kernel(program, lesson.launch.at(*shape), shape)
        show(Markdown(speed_text(timing)))
        self._note(
            "timing",
            shape=list(shape),
            gflops=timing.gflops,
            cublas_gflops=timing.cublas_gflops,
            ratio=timing.ratio,
            gpu=timing.gpu,
        )
        return timing

    @_told
    def progress(self) -> None:
        """Where you stand: the ladder of lessons, and how many predictions came close."""
        from gemmlab.pictures.speed.ladder import ladder

        show_picture(ladder(*self._beside_record()))
        revealed = self._progress.entries(self.lesson.number, "reveal")
        close = sum(entry["right"] for entry in revealed)
        counts = f"{len(self.lesson.predictions)} asked for, {len(revealed)} revealed, {close} right"
        show(Markdown(f"Predictions in this lesson: {counts}."))

    def _beside_record(self) -> tuple[list[Rung], str]:
        """Every lesson's rung, with the recorded speed of its solved kernel, and what that was recorded on."""
        every = lessons.load_all(self.lesson.root)
        rungs = [self._rung(lesson) for lesson in every]
        results = first_results()
        at_shape = results.at(TIMED_SHAPE) if results else None
        if at_shape is None:
            return rungs, ""
        taught = [at_shape.as_taught(lesson.number) for lesson in every]
        beside = [replace(rung, recorded=one and one.gflops) for rung, one in zip(rungs, taught, strict=True)]
        return beside, f"{results.label}, at {'×'.join(map(str, TIMED_SHAPE))}; not your machine"

    def _rung(self, lesson: Lesson) -> Rung:
        from gemmlab.pictures.speed.ladder import Rung

        attempts = self._progress.entries(lesson.number, "attempt")
        passed = {entry.get("patient") for entry in attempts if entry["status"] == "passed"}
        is_passed = passed and passed >= {kernel.patient for kernel in lesson.kernels}
        state = "passed" if is_passed else "tried" if attempts else "open"
        timings = self._progress.entries(lesson.number, "timing", shape=list(TIMED_SHAPE))
        if not timings:
            return Rung(lesson.name, state)
        best = max(timings, key=lambda entry: entry["gflops"])
        where = f"{best['gpu']} at {'×'.join(map(str, TIMED_SHAPE))}"
        return Rung(lesson.name, state, best["gflops"], best["cublas_gflops"], best["ratio"], where)

    # ---- experiments

    @_told
    def machine(self) -> None:
        """What this machine offers to the course."""
        experiments.show_machine(self._solved)

    @_told
    def roofline(self, gflops: float | None = None, gbs: float | None = None) -> None:
        """The naive kernel under the roof of a machine of so many GFLOPS and GB/s, of this or a recorded one."""
        experiments.show_roofline((gflops, gbs) if gflops and gbs else None)

    @_told
    def design(self, TILE: int = 16, TM: int = 1, TN: int = 1, gflops: float = 0, gbs: float = 0) -> None:
        """Tile sizes under the roof of a machine of so many GFLOPS and GB/s, or of yours or the recorded one, by
        sliders; your kernels are points there once they were timed."""
        from gemmlab.models.design import Design
        from gemmlab.panels.design_controls import DesignControls, design_picture
        from gemmlab.pictures.speed.roofline import Ceilings
        from gemmlab.records.ceilings import ceilings_here

        example = Ceilings(gflops or 20_000, gbs or 900, "an example, not a measurement")
        ceilings = example if gflops or gbs else ceilings_here() or example
        design, measured = Design(TILE, TM, TN), self._timed_kernels()
        if self._is_live:
            DesignControls(design, TIMED_SHAPE, ceilings, measured).show()
        else:
            show_picture(design_picture(design, TIMED_SHAPE, ceilings, measured))
            show(Markdown(design.words(TIMED_SHAPE)))

    def _timed_kernels(self) -> list[Point]:
        """The best of each lesson that was timed on this student's GPU."""
        from gemmlab.models.design import intensity_of
        from gemmlab.pictures.speed.roofline import Point

        found = []
        for lesson in lessons.load_all(self.lesson.root):
            timings = self._progress.entries(lesson.number, "timing", shape=list(TIMED_SHAPE))
            if timings:
                best = max(timings, key=lambda entry: entry["gflops"])
                label = f"lesson {lesson.number} on {best['gpu']}"
                found.append(Point(label, intensity_of(lesson.starter, TIMED_SHAPE), best["gflops"]))
        return found

    @_told
    def occupancy(
        self,
        threads: int | None = None,
        registers: int | None = None,
        shared_bytes: int | None = None,
        arch: str = "sm_90",
    ) -> None:
        """Occupancy by registers and shared memory, by sliders. What is not given is that of your kernel."""
        from gemmlab.panels.occupancy_controls import OccupancyControls
        from gemmlab.pictures.speed.occupancy import BlockUse, occupancy_picture

        given = (threads, registers, shared_bytes)
        own = self._block_use(arch) if None in given else None
        use = BlockUse(*(mine if value is None else value for value, mine in zip(given, own and astuple(own) or given)))
        name = "your kernel" if own == use else "this block"
        if self._is_live:
            OccupancyControls(use, arch, name).show()
        else:
            show_picture(occupancy_picture(use, arch, name))

    def _block_use(self, arch: str) -> BlockUse:
        """What a block of the student's kernel takes, by the compiler's report."""
        from gemmlab.pictures.speed.occupancy import BlockUse
        from gemmlab.trials.variant import compiled

        kernel = self.lesson.kernel
        resources = compiled(kernel, self._source(), arch).resources[kernel.launch.kernel]
        launch = kernel.launch.at(*TIMED_SHAPE)
        return BlockUse(prod(launch.block), resources.registers, resources.shared_bytes + launch.smem)

    @_told
    def grid(self, shape: Shape, tx: int = 0) -> None:
        """Draw grid, block and threads over C, and the element that thread (tx, 0) of block (0, 0) stores."""
        experiments.show_grid(self.lesson.kernel, self._source(), _sizes(shape), tx)

    @_told
    def requests(self, shape: Shape = (64, 64, 64), of: str | None = None) -> None:
        """What one warp asks of memory at a time: of this lesson's kernel, or of that of another lesson."""
        other = lessons.load(of, self.lesson.root) if of else None
        kernel = other.kernel if other else self.lesson.kernel
        source = experiments.source_of(other) if other else self._source()
        experiments.show_requests(kernel, source, _sizes(shape))

    @_told
    def what_if(self, **bodies: Body) -> None:
        """Check the kernel with other code in some blanks, such as store="C[0] = acc;", or "" to leave one out. In it
        ______ stands for your own code; ("0.0f", "1.0f") is your own with the first text replaced by the second."""
        verdict = experiments.show_what_if(self.lesson.kernel, self._source_beside(bodies), bodies)
        if picture := _wrong(verdict, self.lesson.kernel):
            show_picture(picture)

    @_told
    def timeline(self, **bodies: str) -> None:
        """Draw when the warps fill and use the tiles, with other code in some blanks where it is given."""
        experiments.show_timeline(self.lesson.kernel, self._source_beside(bodies), bodies)

    @_told
    def explore(
        self,
        shape: Shape,
        block: tuple[int, int] = (0, 0),
        interval: int = 0,
        thread: tuple[int, int] = (0, 0),
        **bodies: str,
    ) -> None:
        """The tiles of one block, interval by interval, as your kernel fills and uses them; with other code in some
        blanks where it is given. `block` is (row, column) of the grid, `thread` is (ty, tx)."""
        from gemmlab.trials.explore import Spot, explorer_of

        explorer = explorer_of(self.lesson.kernel, self._source_beside(bodies), bodies, _sizes(shape))
        spot = Spot(block, interval, thread)
        if self._is_live:
            from gemmlab.panels.explorer_controls import ExplorerControls

            ExplorerControls(explorer, explorer.require(spot)).show()
        else:
            show_picture(explorer.picture(explorer.require(spot)))

    @_told
    def warp(
        self,
        shape: Shape = (64, 64, 64),
        line: int | str | None = None,
        warp: int = 0,
        request: int = 0,
        **bodies: str,
    ) -> None:
        """What one warp asks of memory in a line of your kernel, and beside it with other code in some blanks.

        `line` is the line's number, or a part of its text.
        """
        from gemmlab.trials.warp_view import warp_view_of

        view = warp_view_of(self.lesson.kernel, self._source(), bodies, _sizes(shape))
        place = view.find(line, warp)
        if self._is_live:
            from gemmlab.panels.warp_controls import WarpControls

            WarpControls(view, place, request, warp).show()
        else:
            show_picture(view.picture(place, request, warp))
            show(Markdown(view.table(warp)))

    @_told
    def recorded_races(self) -> None:
        """What happened without one of the barriers on a GPU where it was tried."""
        experiments.show_recorded_races()

    @_told
    def edges(self, shape: Shape) -> None:
        """Draw which tiles hang over the edges of A, B and C."""
        experiments.show_edges(self.lesson.kernel, _sizes(shape))

    def _source_beside(self, bodies: dict[str, str]) -> str:
        """The student's file; the starter where all blanks are given, so that it needs no file yet."""
        return self._source() if {blank.name for blank in self.lesson.blanks} - set(bodies) else self.lesson.starter

    # ---- register tiles, banks and buffers

    @_told
    def patch(self, thread: tuple[int, int], k: int = 0) -> None:
        """Draw what thread (ty, tx) computes of a block's tile of C, and what it reads of As and Bs for one k."""
        tile_experiments.show_patch(self.lesson.kernel, thread, k)

    @_told
    def reuse(self, *patches: tuple[int, int]) -> None:
        """Draw what a thread reads and multiplies for one k, for patches (TM, TN)."""
        tile_experiments.show_reuse(patches)

    @_told
    def banks(self, *expressions: str, width: int = 1, after: str | None = None) -> None:
        """Draw which banks the lanes of a warp touch: `expressions` say which float, in C, over tx, ty, r and c.

        `after` names a prediction that the picture would give away.
        """
        if not after or not self._owes(self._prediction(after)):
            tile_experiments.show_banks(self.lesson.kernel, expressions, width)

    @_told
    def overlap(self, k_tiles: int, copy: float = 2, multiply: float = 3, after: str | None = None) -> None:
        """Draw the loop over the K tiles with one buffer and with two; `copy` and `multiply` are times a tile.

        `after` names a prediction that the picture would give away.
        """
        if not after or not self._owes(self._prediction(after)):
            tile_experiments.show_overlap(k_tiles, copy, multiply)

    @_told
    def sizes(self, *choices: tuple[int, ...], shape: Shape = TIMED_SHAPE, arch: str = "sm_90") -> None:
        """The kernel with other sizes (BM, BN, BK, TM, TN): registers, spills and occupancy on a GPU of that arch."""
        if self._owes(*self.lesson.predictions):
            return
        source = self._source() if self._has_passed() else None
        tile_experiments.show_sizes(self.lesson.kernel, source, choices, _sizes(shape), arch)
        if source is None:
            show(Markdown("Pass the check: then registers, shared memory and occupancy of your kernel stand here too."))

    @_told
    def compare(self, *others: str, shape: Shape = COUNTED_SHAPE, arch: str = "sm_90", **bodies: str) -> None:
        """What the emulator counts for the kernels of earlier lessons, such as "04", and for this lesson's, as it is
        and with other code in some blanks, where such is given.
        """
        if self._owes(*self.lesson.predictions):
            return
        earlier = [lessons.load(other, self.lesson.root) for other in others]
        counted = tile_experiments.tallies_of(earlier, _sizes(shape), arch, self._solved)
        tile_experiments.show_comparison(self.lesson, self._source(), bodies, counted, _sizes(shape), arch)

    def _owes(self, *asked: Prediction) -> bool:
        """Whether one of these predictions is still owed; then a sentence says so."""
        owed = self._not_predicted(asked)
        if owed:
            names = ", ".join(f"`{prediction.id}`" for prediction in owed)
            show(Markdown(f"Predict first, for the answer is in here: {names}. Then run this cell again."))
        return bool(owed)

    def _has_passed(self) -> bool:
        """Whether the file as it is now has passed the check."""
        attempt = self._last("attempt", source=_digest(self._source()))
        return attempt is not None and attempt["status"] == "passed"

    # ---- warp tiles and the search

    @_told
    def lanes(self, costs: bool = False) -> None:
        """Draw how a warp's lanes lie over the block's tile; with `costs`, in your kernel too, with what they read."""
        if costs and self._owes(*map(self._prediction, tuning.LANE_PREDICTIONS)):
            return
        source = self._source() if costs and self._has_passed() else None
        tuning.show_lanes(self.lesson.kernel, source, costs)

    @_told
    def space(self, threads: str | None = None, shared: str | None = None, registers: str | None = None) -> None:
        """Compare the three rules of the search with the right ones over all configurations."""
        asked = {"threads": threads, "shared": shared, "registers": registers}
        if tuning.show_space(asked, self._solved):
            self._note("space", right=True)

    @_told
    def search(self, shape: Shape = TIMED_SHAPE, BK: int | Sequence[int] = 16) -> None:
        """Compile what the rules leave, rank it by time on a GPU or by the model without one, and draw it."""
        depths = autotune.require_depths(BK)
        if self._owes(*self.lesson.predictions):
            return
        if not self._has_passed() or not self._last("space"):
            show(Markdown("Not attempted: pass the check and get the three rules right, then run this cell again."))
            return
        with self._progress_bar(len(autotune.space(depths))) as tick:
            best = tuning.show_search(self.lesson.kernel, self._source(), _sizes(shape), depths, tick)
        if best:
            self._note("search", shape=list(shape), best=str(best.sizes), gflops=best.gflops)

    def _progress_bar(self, steps: int) -> AbstractContextManager[Callable[[], None]]:
        """Shows how far work of so many steps is, where there are widgets."""
        from gemmlab.panels.work import progress_bar

        return progress_bar(steps) if self._is_live else nullcontext(lambda: None)

    @_told
    def recorded_search(self, shape: Shape = TIMED_SHAPE, BK: int | Sequence[int] = 16) -> None:
        """The same landscape as GPUs measured it, where such a search was recorded."""
        depths = autotune.require_depths(BK)
        if not self._owes(*self.lesson.predictions):
            tuning.show_recorded(_sizes(shape), depths)

    @_told
    def recorded_lanes(self) -> None:
        """What the arrangements of a warp were worth on GPUs, as recorded."""
        if not self._owes(*map(self._prediction, tuning.LANE_PREDICTIONS)):
            tuning.show_recorded_lanes()

    # ---- the claims clinic

    @property
    def _clinic(self) -> Clinic:
        return Clinic(self.lesson, self._progress, self._solved)

    @_told
    def read(self, patient: str) -> None:
        """The kernel of a patient as it was published, with line numbers."""
        self._clinic.read(patient)

    @_told
    def diagnose(self, patient: str, kind: str | None = None, line: int | None = None) -> None:
        """Say what is wrong with a published kernel, and in which line, before the check shows what it finds."""
        self._clinic.diagnose(patient, kind, line)

    @_told
    def evidence(self, id: str) -> None:
        """The experiment on a claim, once its number is predicted."""
        prediction = self._prediction(id)
        if self._not_predicted([prediction]):
            show(Markdown(f"Predict first: there is no number yet for `{id}`. Then run this cell again."))
            return
        head = ["| question | computed | your prediction |", "|:--|:--|:--|"]
        show(Markdown("\n".join([*head, self._revealed(prediction)])))
        self._clinic.evidence(id)

    @_told
    def judge(self, id: str, holds: bool | None = None) -> None:
        """Say whether a claim holds, once its evidence is on the table."""
        if self._not_predicted([self._prediction(id)]):
            show(Markdown("Look at the evidence first: predict the number, then run the cell above."))
            return
        self._clinic.judge(id, holds)

    @_told
    def writers(
        self, tile: tuple[int, int], row: str, col: str, floats: int = 1, block: tuple[int, int] = (16, 16)
    ) -> None:
        """Draw how many threads write each slot of an array, if thread (tx, ty) writes `floats` from [row][col] on."""
        from gemmlab.pictures.tiles.writers import writers_picture

        show_picture(writers_picture(_pair(tile), _pair(block), row, col, floats))

    @_told
    def round(self) -> None:
        """All patients of the clinic: diagnosis, mend and claim."""
        self._clinic.round()

    def _source(self, kernel: Kernel | None = None) -> str:
        """The text of the student's file."""
        from gemmlab.check.check import read_kernel

        kernel = kernel or self.lesson.kernel
        path = kernel.path
        if not path.is_file():
            raise UserError(f"there is no kernels/{kernel.name}.cu yet: run the cell that writes it, then this one")
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


def _wrong(verdict: Verdict, kernel: Kernel) -> Picture | None:
    """The wrong elements of the case that the finding tells of; else of the wrong case in which they are fewest."""
    from gemmlab.check.diagnosis.wrong_result import output_tile
    from gemmlab.pictures.tiles.wrong import wrong_elements

    wrong = [case for case in verdict.cases if case.wrong is not None and case.wrong.any()]
    if not wrong:
        return None
    told = [finding.details["shape"] for finding in verdict.findings if "pattern" in finding.details]
    case = min(wrong, key=lambda case: (list(case.shape) not in told, case.wrong.mean()))
    return wrong_elements(case.wrong, case.shape, output_tile(kernel.launch))


def _number_in(text: str) -> object:
    """The number that was typed, or the text where it is none."""
    try:
        return float(text.replace(",", "").strip())
    except ValueError:
        return text


def _sizes(value: object, least: int = 1) -> Shape:
    """The value as three whole numbers of at least `least`. UserError where it is something else."""
    sizes = tuple(value) if isinstance(value, tuple | list) else ()
    if len(sizes) != 3 or not all(type(size) is int and size >= least for size in sizes):
        raise UserError(f"{value!r} does not fit: write three whole numbers for M, N and K, such as (35, 45, 25)")
    return sizes


def _pair(value: object) -> tuple[int, int]:
    """The value as two whole numbers above 0. UserError where it is something else."""
    sizes = tuple(value) if isinstance(value, tuple | list) else ()
    if len(sizes) != 2 or not all(type(size) is int and size >= 1 for size in sizes):
        raise UserError(f"{value!r} does not fit: write two whole numbers above 0, such as (16, 16)")
    return sizes


def _sentence(text: str) -> str:
    return escape(text[:1].upper() + text[1:].rstrip(".") + ".")


def _with_unit(value: float, prediction: Prediction) -> str:
    return f"{plain(value)}\N{NO-BREAK SPACE}{prediction.unit}"


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:16]
