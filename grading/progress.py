"""How far a run is: one line for each submission, and on a terminal a bar with the time that is left."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from gemmlab.emulator import store
from grading import sentences
from grading.model import Submission
from grading.visible import plain

PATIENCE = 15.0  # seconds between the lines that show that something happens


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

    def start(self, future: Future) -> None:
        """Wait for the first future of a run, with a line now and then: a machine that never ran the emulator compiles
        it first."""
        if not store.is_ready():
            self.say(sentences.COMPILING())
        started = time.monotonic()
        while not wait([future], PATIENCE).done:
            words = sentences.STILL_STARTING if store.is_ready() else sentences.STILL_COMPILING
            self.say(words(seconds=round(time.monotonic() - started)))

    def done(self, submission: Submission, statuses: Sequence[str]) -> None:
        """A submission has all its results: `statuses` are those of its kernels, none where nothing was executed."""
        self._count += 1
        line = sentences.ONE_DONE(
            count=self._count, total=self._total, student=submission.student, lesson=submission.lesson,
            outcome=", ".join(statuses) or submission.note or sentences.NOTHING_TO_EXECUTE(),
        )  # fmt: skip
        self.say(plain(line))
        self._bar.advance(self._task)
