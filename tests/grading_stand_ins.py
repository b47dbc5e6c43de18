"""Stands in for the steps around grading/run.py, as small as can be, so that its tests are about execution alone.

    python tests/grading_stand_ins.py SUBMISSIONS OUT SECRET [DASK]

grades a folder of STUDENT.cu files of lesson 02. A file's whole text is taken as the kernel.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import sys
import types
from pathlib import Path

from gemmlab.files import write_whole
from gemmlab.source import open_blanks
from grading.model import Graded, HiddenCase, Spliced, Submission
from grading.secret import derive

LESSON = "02"
SHAPES = {"whole tiles": (32, 48, 32), "K smaller than the tile": (17, 31, 5), "one column": (19, 1, 37)}


def read(folder: Path, lesson: str | None) -> list[Submission]:
    paths = sorted(folder.glob("*.cu"))
    return [Submission(path.stem, LESSON, path.read_text(), origin=path.name) for path in paths]


def splice(submission: Submission, kernel) -> Spliced:
    blanks = tuple(name for name, _ in open_blanks(submission.source))
    return Spliced(submission.source, open_blanks=blanks)


def draw(kernel, secret: bytes) -> tuple[HiddenCase, ...]:
    cases = []
    for number, (kind, shape) in enumerate(SHAPES.items()):
        seed = int.from_bytes(derive(secret, kernel.name, number)[:4], "big")
        inputs = ("random", "integer", "structured")[number % 3]
        cases.append(HiddenCase(kind, "boundary" if number else "ordinary", shape, inputs, seed))
    return tuple(cases)


def grade(submission: Submission, lesson, attempts, hand: dict) -> Graded:
    (attempt,) = attempts
    if attempt.judged is None:
        return Graded(submission.student, lesson.name, "unattempted")
    right = [case.group for case in attempt.judged.cases if case.ok]
    return Graded(
        submission.student, lesson.name, attempt.judged.status, right.count("ordinary"), right.count("boundary"),
        hand=hand.get(submission.student), note=attempt.judged.note, cases=attempt.judged.cases,
    )  # fmt: skip


def read_hand_marks(out: Path) -> dict[str, float]:
    path = out / "hand.json"
    return json.loads(path.read_text()) if path.exists() else {}


def write(out: Path, graded: list[Graded], audit: list[dict]) -> None:
    lines = [
        f"{one.student},{one.status},{one.total:g}," + "|".join(case.message for case in one.cases) for one in graded
    ]
    write_whole(out / "grades.csv", "\n".join(lines) + "\n")
    for one in graded:
        write_whole(out / f"{one.student}.json", json.dumps([vars(case) for case in one.cases]))


STAND_INS = {
    "intake": types.SimpleNamespace(read=read),
    "splice": types.SimpleNamespace(splice=splice),
    "cases": types.SimpleNamespace(draw=draw),
    "score": types.SimpleNamespace(grade=grade, read_hand_marks=read_hand_marks),
    "reports": types.SimpleNamespace(write=write),
}


def run_module(put=setattr):
    """grading.run with the stand-ins in place of its neighbours; `put` sets an attribute, for good or for a test."""
    for name, stand_in in STAND_INS.items():  # TEMPORARY
        try:
            importlib.import_module(f"grading.{name}")
        except ModuleNotFoundError:
            sys.modules[f"grading.{name}"] = stand_in
    run = importlib.import_module("grading.run")
    for name, stand_in in STAND_INS.items():
        put(run, name, stand_in)
    return run


def main(submissions: str, out: str, secret: str, dask: str | None = None) -> None:
    from grading.progress import Progress

    run = run_module()
    options = run.Options(jobs=2, secret_file=Path(secret), dask=dask)
    run.grade(Path(submissions), Path(out), options, Progress())


if __name__ == "__main__":
    faulthandler.dump_traceback_later(200)  # so that a run that is stuck tells where
    main(*sys.argv[1:])
