"""The leaderboard of the capstone: everything that was handed in passes the gate or does not; what passes is timed.

The gate is grading itself, in the sandbox and the emulator, with hidden shapes. On a GPU every entry that passed is
then checked and timed at the board's shapes (sandbox/board_lane.py), one after the other, and the order is that of
their scores. Times are kept in the folder, one file an entry, by a digest of all they depend on: an interrupted run
goes on where it stopped, and equal entries are timed once. Without a GPU nothing is ranked, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.course.lesson import Lesson, load
from gemmlab.errors import UserError
from gemmlab.files import write_whole
from gemmlab.models.board import SHAPES, named
from grading import run, sentences
from grading.marking import secret
from grading.marking.standings import Standing, ranked
from grading.model import Graded, Job
from grading.progress import Progress
from grading.reports import leaderboard as report
from grading.reports.leaderboard import Board
from grading.sandbox.board_lane import BoardLane, Timed

if TYPE_CHECKING:
    from collections.abc import Iterator

LESSON = "13"
GATE, TIMES = "gate", "times"  # folders beside the leaderboard
_COURSE = "(the course's own entry)"


def leaderboard(submissions: Path, out: Path, options: run.Options, progress: Progress) -> Board:
    """Pass all submissions through the gate, time those that pass, and write the leaderboard into `out`.

    `options.backend` 'emulator' ranks nothing. Raises UserError, but never for what a student handed in.
    """
    lesson = load(options.lesson or LESSON)
    if not (len(lesson.kernels) == 1 and lesson.kernel.whole):
        raise UserError(sentences.NO_BOARD(lesson=lesson.number))
    gate = replace(options, lesson=lesson.number, backend="emulator")
    graded = run.grade(submissions, out / GATE, gate, progress)
    with _lane(options.backend) as lane:
        timed = _Timed(lesson, out / TIMES, lane, secret.load(options.secret_file), progress)
        standings = [timed.standing(one) for one in graded]
        standings += timed.own()
        machine = lane.gpu if lane else ""
    board = Board(f"{lesson.number} {lesson.title}", machine, tuple(ranked(standings)))
    report.write(out, board)
    return board


def _lane(backend: str) -> AbstractContextManager[BoardLane | None]:
    return BoardLane() if backend == "cuda" else nullcontext()


class _Timed:
    """What the entries reached, timed now or before. Without a lane nothing is timed."""

    def __init__(
        self, lesson: Lesson, folder: Path, lane: BoardLane | None, secret_: bytes, progress: Progress
    ) -> None:
        self._lesson, self._folder, self._lane, self._secret, self._progress = lesson, folder, lane, secret_, progress
        self._code = run.code_digest()

    def standing(self, graded: Graded) -> Standing:
        """Of a submission that went through the gate."""
        if reason := why_not(graded):
            return Standing(graded.student, reason=reason)
        if self._lane is None:
            return Standing(graded.student)
        found = self._of(self._lane, graded.kernels[0].source)
        said = found.reason or ", ".join(f"{named(shape)} {100 * ratio:.1f} %" for shape, ratio in found.ratios.items())
        self._progress.say(sentences.ENTRY_DONE(student=graded.student, outcome=said))
        return Standing(graded.student, found.ratios, found.reason)

    def own(self) -> Iterator[Standing]:
        """The course's own entry, for comparison, where its solution is on disk. UserError where it has no time: then
        the machine is to blame."""
        source = self._lesson.kernel.solved
        if self._lane is None or source is None:
            return
        found = self._of(self._lane, source)
        if found.reason:
            raise UserError(sentences.OWN_ENTRY_FAILED(reason=found.reason))
        yield Standing(_COURSE, found.ratios, reference=True)

    def _of(self, lane: BoardLane, source: str) -> Timed:
        key = secret.derive(self._secret, "time", self._code, lane.gpu, list(map(list, SHAPES)), source)
        path = self._folder / f"{key.hex()}.json"
        kept = _read(path)
        if kept is None:
            seed = int.from_bytes(key[:4], "big")
            kept = lane.time(Job(self._lesson.kernel, source, ()), seed)
            _write(path, kept)
        return kept


def why_not(graded: Graded) -> str:
    """Why a submission did not pass the gate, in a sentence; '' where it did."""
    if graded.veto:
        return graded.veto
    if not graded.kernels:
        return graded.note or sentences.NOTHING_READ()
    kernel = graded.kernels[0]
    if kernel.status == "passed":
        return ""
    failed = next((f"{case.kind}: {case.message}" for case in kernel.cases if not case.ok), "")
    return failed or " ".join(kernel.note.split()) or sentences.NOTHING_READ()


def _read(path: Path) -> Timed | None:
    """What was kept in that file; None where there is none, or none that can be read."""
    try:
        data = json.loads(path.read_text("utf-8"))
        ratios = {(int(M), int(N), int(K)): float(ratio) for M, N, K, ratio in data["ratios"]}
        return Timed(ratios, str(data["reason"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, timed: Timed) -> None:
    data = {"ratios": [[*shape, ratio] for shape, ratio in timed.ratios.items()], "reason": timed.reason}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(data) + "\n")
    except OSError as error:
        raise UserError(sentences.CANNOT_WRITE(folder=path.parent, reason=error.strerror or error)) from None


def summary(board: Board, out: Path) -> str:
    """What the command prints: the order, and where the page is."""
    lines: Sequence[str] = [
        sentences.PLACE(rank=one.rank or "–", student=one.student, score=report.percent(one.score))
        for one in board.standings
        if one.score is not None and not one.reason
    ]
    unranked = sum(bool(one.reason) for one in board.standings)
    head = [sentences.BOARD_OF(machine=board.machine)] if board.machine else [sentences.NOTHING_RANKED()]
    return "\n".join(
        [*head, *lines, sentences.UNRANKED(count=unranked), sentences.BOARD_AT(page=out / "leaderboard.html")]
    )
