"""What `grade` prints when it is done: a line for each lesson, and where the reports are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grading import sentences
from grading.marking import hand_marks
from grading.model import Graded
from grading.reports import statistics
from grading.visible import plain

_MOST_PROBLEMS = 10


def print_summary(graded: Sequence[Graded], out: Path, console: Console | None = None) -> None:
    """To standard output, unless another console is given."""
    console = console or Console(highlight=False)
    console.print(_table(graded))
    problems = hand_marks.problems(graded, hand_marks.read(out))
    for problem in problems[:_MOST_PROBLEMS]:
        console.print(Text(sentences.MARKS_PROBLEM(problem=plain(problem))), soft_wrap=True)
    if len(problems) > _MOST_PROBLEMS:
        console.print(sentences.MORE_PROBLEMS(count=len(problems) - _MOST_PROBLEMS))
    warned = sum(any(kernel.warnings for kernel in one.kernels) for one in graded)
    if warned:
        console.print(sentences.HAVE_WARNINGS(count=warned), soft_wrap=True)
    unmarked = sum(len(one.unmarked) for one in graded)
    if unmarked:
        console.print(Text(sentences.TO_BE_MARKED(count=unmarked, folder=out)), soft_wrap=True)
    console.print(Text(sentences.REPORTS_AT(page=out / "overview.html")), soft_wrap=True)


def _table(graded: Sequence[Graded]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("lesson", no_wrap=True)
    for name in ("all", "right", "wrong", "other", "vetoes", "passed", "failed", "open", "median"):
        table.add_column(name, justify="right")
    for one in statistics.by_lesson(graded):
        right, wrong = (one.statuses.get(status, 0) for status in ("passed", "failed"))
        vetoes = sum(bool(other.veto) for other in graded if other.lesson == one.name)
        results = (one.results.get(result, 0) for result in ("passed", "failed", "open"))
        numbers = (one.students, right, wrong, one.students - right - wrong, vetoes, *results)
        table.add_row(one.name, *map(str, numbers), f"{round(one.middle, 2):g}")
    return table
