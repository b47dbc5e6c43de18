"""Stands in for the steps before grading/run.py, as small as can be, so that its tests are about execution alone.

    python tests/grading_stand_ins.py SUBMISSIONS OUT SECRET [DASK]

grades a folder of STUDENT.cu files of lesson 02. A file's whole text is taken as the kernel.
"""

from __future__ import annotations

import faulthandler
import sys
import types
from pathlib import Path

from gemmlab.course.blanks import open_blanks
from grading.marking.secret import derive
from grading.model import HiddenCase, Spliced, Submission

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


STAND_INS = {
    "intake": types.SimpleNamespace(read=read),
    "splice": types.SimpleNamespace(splice=splice),
    "cases": types.SimpleNamespace(draw=draw),
}


def run_module(put=setattr):
    """grading.run with the stand-ins in place of its neighbours; `put` sets an attribute, for good or for a test."""
    from grading import run

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
