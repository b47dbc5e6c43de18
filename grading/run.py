"""A whole batch: what was handed in becomes reports, whatever is in it, and however often the run is interrupted.

The steps that others do, one module each:

    intake.read(folder: Path, lesson: str | None) -> Iterable[Submission]
        one for each student and lesson, in an order that is always the same, `lesson` always one of the course's;
        where nothing could be read, `source` is None and `note` says why
    splice.splice(submission: Submission, kernel: Kernel) -> Spliced
        that kernel (most lessons have one) as the student wrote it, in the pristine template; `source` is '' where the
        student handed in nothing for it
    cases.draw(kernel: Kernel, secret: bytes) -> tuple[HiddenCase, ...]
        the same for the same secret
    score.read_hand_marks(out: Path) -> HandMarks
        what was marked by hand so far, in the files of an earlier run
    score.grade(submission: Submission, lesson: Lesson, attempts: Sequence[Attempt], hand: HandMarks) -> Graded
        the marks, from all that is known; done again on every run
    reports.write(out: Path, graded: Sequence[Graded], audit: Sequence[dict]) -> None
        all the files; `audit` has an object for each kernel that was executed, for the audit log: not for students

Only what execution gave is kept (state.py), by a key that is a digest of all it depends on. So equal kernels are
executed once, an interrupted run goes on where it stopped, and hand marks are merged without executing anything again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import asdict, dataclass, replace
from importlib.metadata import distributions
from itertools import islice
from pathlib import Path
from typing import Any

import gemmlab
import grading
from gemmlab.course.lesson import Kernel, Lesson, load
from gemmlab.errors import UserError
from grading import reports, sentences
from grading.intake import intake, splice
from grading.marking import cases, score, secret
from grading.marking.hand_marks import HandMarks
from grading.marking.judge import judge
from grading.model import Attempt, Execution, Graded, HiddenCase, Job, Judged, Submission
from grading.progress import Progress
from grading.sandbox import engine
from grading.sandbox.level import Level
from grading.sandbox.worker import WorkerLost
from grading.state import State, open_state

STATE_FOLDER = "state"
_AHEAD = 2  # jobs handed to the executor for each one that it does at once


@dataclass(frozen=True)
class Options:
    """What to grade with. `jobs` is how many kernels are executed at once, None for one a core; `dask` the address of a
    scheduler; `backend` 'emulator' or 'cuda', which is the GPU and the emulator."""

    lesson: str | None = None
    jobs: int | None = None
    secret_file: Path | None = None
    dask: str | None = None
    insecure: bool = False
    backend: str = "emulator"


@dataclass(frozen=True)
class _Entry:
    """A submission with its kernels, none where it could not be read."""

    submission: Submission
    lesson: Lesson
    attempts: tuple[Attempt, ...]

    def with_results(self, results: dict[str, Judged]) -> _Entry:
        return replace(self, attempts=tuple(replace(one, judged=results.get(one.key)) for one in self.attempts))

    @property
    def is_complete(self) -> bool:
        return all(attempt.judged or not attempt.key for attempt in self.attempts)


def grade(submissions: Path, out: Path, options: Options, progress: Progress) -> list[Graded]:
    """Grade all that is in a folder or zip, and write the reports into `out`. Raises UserError, but never for what a
    student handed in."""
    batch = _Batch(options)
    entries = [batch.entry(submission) for submission in intake.read(submissions, options.lesson)]
    if not entries:
        raise UserError(sentences.NO_SUBMISSIONS(place=submissions))
    with open_state(out / STATE_FOLDER) as state:
        results = _results(batch, entries, state, progress)
        hand = score.read_hand_marks(out)
        entries = [entry.with_results(results) for entry in entries]
        graded = [_graded(entry, hand) for entry in entries]
        reports.write(out, graded, list(_audit(entries)))
    return graded


class _Batch:
    """The lessons of a run with their hidden cases, and the jobs, by key, that its submissions ask for."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.jobs: dict[str, Job] = {}
        self._arch = _arch(options.backend)
        self._secret = secret.load(options.secret_file)
        self._code = code_digest()
        self._lessons: dict[str, Lesson] = {}
        self._cases: dict[str, tuple[HiddenCase, ...]] = {}

    def entry(self, submission: Submission) -> _Entry:
        lesson = self._lesson(submission.lesson)
        kernels = lesson.kernels if submission.source is not None else ()
        return _Entry(submission, lesson, tuple(self._attempt(submission, kernel) for kernel in kernels))

    def _lesson(self, name: str) -> Lesson:
        if name not in self._lessons:
            self._lessons[name] = load(name)
        return self._lessons[name]

    def _attempt(self, submission: Submission, kernel: Kernel) -> Attempt:
        spliced = splice.splice(submission, kernel)
        if not spliced.source or spliced.open_blanks:
            return Attempt(kernel, spliced)
        if kernel.name not in self._cases:
            self._cases[kernel.name] = cases.draw(kernel, self._secret)
        arch = None if kernel.devices else self._arch  # several devices are graded in the emulator alone
        job = Job(kernel, spliced.source, self._cases[kernel.name], arch)
        key = self._key(job)
        self.jobs[key] = job
        return Attempt(kernel, spliced, key)

    def _key(self, job: Job) -> str:
        """A digest of all that the result depends on. To others than the secret's owner it tells nothing."""
        drawn = [asdict(case) for case in job.cases]
        spec = (job.kernel.name, repr(job.kernel.launched_by), repr(job.kernel.rules))
        return secret.derive(self._secret, "result", self._code, *spec, drawn, job.arch, job.source).hex()


def _arch(backend: str) -> str | None:
    """The architecture of the GPU that takes part; None for the emulator alone. UserError where there is no GPU."""
    if backend == "emulator":
        return None
    if backend != "cuda":
        raise UserError(sentences.UNKNOWN_BACKEND(backend=backend))
    from gemmlab import gpu

    return gpu.device().arch


def code_digest() -> str:
    """Of all our sources, and of the compiler's version."""
    digest = hashlib.sha256()
    for package in (gemmlab, grading):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(path.read_bytes())
    packages = {found.name: found.version for found in distributions() if found.name}
    compilers = sorted(item for item in packages.items() if item[0].startswith("nvidia-cuda-nvrtc"))
    digest.update(json.dumps(compilers).encode())
    return digest.hexdigest()


def _results(batch: _Batch, entries: Sequence[_Entry], state: State, progress: Progress) -> dict[str, Judged]:
    """The results of all jobs, by key: those of earlier runs, then the others, each on disk before it is announced."""
    kept = ((key, state.get(key)) for key in batch.jobs)
    results = {key: judged for key, judged in kept if judged}
    waiting = {key: job for key, job in batch.jobs.items() if key not in results}
    with progress.over(len(entries)):
        entries = _announced(entries, results, progress)
        for key, execution in _executed(waiting, batch.options, progress):
            results[key] = judge(batch.jobs[key], execution)
            state.put(key, results[key])
            entries = _announced(entries, results, progress)
    return results


def _announced(entries: Sequence[_Entry], results: dict[str, Judged], progress: Progress) -> list[_Entry]:
    """Say which of these entries are complete; returns the others."""
    known = [entry.with_results(results) for entry in entries]
    for entry in known:
        if entry.is_complete:
            progress.done(entry.submission, [one.judged.status for one in entry.attempts if one.judged])
    return [entry for entry in known if not entry.is_complete]


def _executed(jobs: dict[str, Job], options: Options, progress: Progress) -> Iterator[tuple[str, Execution]]:
    """What each job gave, in the order in which they end. Only a few at a time are handed to the executor."""
    if not jobs:
        return
    todo = iter(jobs.items())
    with engine.open_executor(options.jobs or len(os.sched_getaffinity(0)), options.dask) as (executor, at_once):
        progress.say(str(_level(executor, options.insecure, progress)))
        running: dict[Future, str] = {}
        while True:
            for key, job in islice(todo, _AHEAD * at_once - len(running)):
                running[executor.submit(engine.execute, job, options.insecure)] = key
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), _outcome(future)


def level(progress: Progress) -> Level:
    """What the sandbox of this machine holds. Raises UserError where it cannot be started."""
    with engine.open_executor(1, None) as (executor, _):
        return _level(executor, True, progress)


def _level(executor: Executor, insecure: bool, progress: Progress) -> Level:
    first = executor.submit(engine.sandbox_level, insecure)
    progress.start(first)
    return _outcome(first)


def _outcome(future: Future) -> Any:
    """What the future gives. Raises UserError where it was the machine that failed: that must not cost marks."""
    try:
        return future.result()
    except UserError:
        raise
    except (WorkerLost, CancelledError) as error:
        lost = str(error)
    except Exception as error:  # what Dask says when its own workers die
        lost = f"{type(error).__name__}: {error}"
    raise UserError(sentences.PROCESS_LOST(reason=lost))


def _graded(entry: _Entry, hand: HandMarks) -> Graded:
    digest = hashlib.sha256("".join(attempt.key for attempt in entry.attempts).encode()).hexdigest()
    return replace(score.grade(entry.submission, entry.lesson, entry.attempts, hand), key=digest)


def _audit(entries: Sequence[_Entry]) -> Iterator[dict]:
    """What an instructor may want to know of each execution."""
    for entry in entries:
        for attempt in entry.attempts:
            if judged := attempt.judged:
                yield {
                    "student": entry.submission.student, "origin": entry.submission.origin,
                    "kernel": attempt.kernel.name, "key": attempt.key, "status": judged.status,
                    "seconds": judged.seconds, "log": list(judged.log),
                }  # fmt: skip
