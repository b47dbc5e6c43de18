"""What the verbs work with: the lesson, the student's file and the student's progress."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Blank, Kernel, Lesson, Prediction
from gemmlab.course.progress import FILE_NAME, Progress
from gemmlab.errors import UserError
from gemmlab.pictures.output import Markdown, show


class Desk:
    """A lesson, the files of the student who works on it, and what they did so far.

    `solved` says that it is a solved notebook's: nothing is owed before something is shown, and nothing is kept.
    `notices` are sentences that the cell has to tell after its verb.
    """

    def __init__(self, lesson: Lesson) -> None:
        work = lessons.work_root(lesson.root)
        self.lesson = lesson
        self.solved = work.resolve() == (lesson.root / "solutions" / ".work").resolve()
        for kernel in lesson.kernels:
            kernel.path.parent.mkdir(parents=True, exist_ok=True)
        self.progress = Progress(None if self.solved else work / FILE_NAME)
        self.notices = self.progress.notices

    @property
    def is_live(self) -> bool:
        """Whether to draw with widgets."""
        from gemmlab.panels.controls import there_are_widgets

        return not self.solved and there_are_widgets()

    def progress_bar(self, steps: int) -> AbstractContextManager[Callable[[], None]]:
        """Shows how far work of so many steps is, where there are widgets."""
        from gemmlab.panels.work import progress_bar

        return progress_bar(steps) if self.is_live else nullcontext(lambda: None)

    # ---- the student's files

    def source(self, kernel: Kernel | None = None) -> str:
        """The text of the student's file. UserError where there is none yet."""
        from gemmlab.check.check import read_kernel

        kernel = kernel or self.lesson.kernel
        path = kernel.path
        if not path.is_file():
            raise UserError(f"there is no kernels/{kernel.name}.cu yet: run the cell that writes it, then this one")
        return read_kernel(path)

    def source_beside(self, bodies: Mapping[str, object]) -> str:
        """The student's file; the starter where all blanks are given, so that it needs no file yet."""
        return self.source() if {blank.name for blank in self.lesson.blanks} - set(bodies) else self.lesson.starter

    def source_of(self, other: Lesson) -> str:
        """The kernel of another lesson as the student wrote it, or as it was handed out where it has no blank.

        UserError where it is not solved yet.
        """
        from gemmlab.check.check import read_kernel
        from gemmlab.course.blanks import open_blanks

        text = read_kernel(other.kernel_path) if other.kernel_path.is_file() else other.starter
        if open_blanks(text):
            raise UserError(f"lesson {other.number} is not solved yet: fill in its blanks first")
        return text

    def has_passed(self) -> bool:
        """Whether the file as it is now has passed the check."""
        attempt = self.last("attempt", source=digest(self.source()))
        return attempt is not None and attempt["status"] == "passed"

    # ---- blanks and predictions

    def blank(self, name: str) -> Blank:
        """The blank of that name. UserError where the lesson has none."""
        known = {entry.name: entry for entry in self.lesson.blanks}
        if name not in known:
            raise UserError(f"this lesson has no blank '{name}'; it has {', '.join(known) or 'none'}")
        return known[name]

    def prediction(self, id: str) -> Prediction:
        """The prediction of that id. UserError where the lesson asks for none."""
        known = {prediction.id: prediction for prediction in self.lesson.predictions}
        if id not in known:
            raise UserError(f"this lesson asks for no prediction '{id}'; it asks for {', '.join(known)}")
        return known[id]

    def predicted(self, id: str) -> float | None:
        """What the student predicted last."""
        entry = self.last("prediction", id=id)
        return entry["value"] if entry else None

    def not_predicted(self, asked: Sequence[Prediction]) -> list[Prediction]:
        """Those that the student still owes."""
        return [prediction for prediction in asked if not self.solved and self.predicted(prediction.id) is None]

    def owes(self, *asked: Prediction) -> bool:
        """Whether one of these predictions is still owed; then a sentence says so."""
        owed = self.not_predicted(asked)
        if owed:
            names = ", ".join(f"`{prediction.id}`" for prediction in owed)
            show(Markdown(f"Predict first, for the answer is in here: {names}. Then run this cell again."))
        return bool(owed)

    # ---- progress

    def last(self, kind: str, **fields: object) -> dict | None:
        """The newest entry of this lesson of that kind, with these fields."""
        return self.progress.last(self.lesson.number, kind, **fields)

    def record(self, kind: str, **fields: object) -> None:
        """Add an entry. UserError where it cannot be saved."""
        self.progress.record(self.lesson.number, kind, **fields)

    def note(self, kind: str, **fields: object) -> None:
        """Record what is worth no error: where it cannot be saved, a notice says so."""
        self.note_of(self.lesson, kind, **fields)

    def note_of(self, lesson: Lesson, kind: str, **fields: object) -> None:
        """The same of another lesson."""
        try:
            self.progress.record(lesson.number, kind, **fields)
        except UserError as error:
            self.notices.append(str(error))


def digest(source: str) -> str:
    """A source in 16 characters, to tell whether it has changed."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]
