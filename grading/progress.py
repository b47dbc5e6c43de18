"""How far a run is: one line for each submission, and on a terminal a bar with the time that is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from grading.marking.judge import plain
from grading.model import Submission


class Progress:
    """Writes to a console, standard error unless another is given: standard output is for results."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self._bar = Bar(
            TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=self.console,
            disable=not self.console.is_terminal,
        )  # fmt: skip
        self._task = self._bar.add_task("grading", total=None)
        self._total = self._count = 0

    @contextmanager
    def over(self, total: int) -> Iterator[None]:
        """Show the bar, for that many submissions."""
        self._total = total
        self._bar.update(self._task, total=total)
        with self._bar:
            yield

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    def done(self, submission: Submission, statuses: Sequence[str]) -> None:
        """A submission has all its results: `statuses` are those of its kernels, none where nothing was executed."""
        self._count += 1
        outcome = ", ".join(statuses) or submission.note or "nothing to execute"
        line = f"{self._count}/{self._total} {submission.student}, lesson {submission.lesson}: {outcome}"
        self.say(plain(line))
        self._bar.advance(self._task)
