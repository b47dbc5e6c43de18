"""leaderboard.csv and leaderboard.html: the capstone's entries in the order of their speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gemmlab.errors import UserError
from gemmlab.files import forget_drafts, write_whole
from gemmlab.models.board import SHAPES, named
from grading.marking import csv_text
from grading.marking.standings import Standing
from grading.reports import sentences as say
from grading.reports.page import render


@dataclass(frozen=True)
class Board:
    """All entries in their order. `machine` names the GPU, '' where there is none: then nobody has a rank."""

    title: str
    machine: str
    standings: tuple[Standing, ...]


def write(out: Path, board: Board) -> None:
    """Both files, each of them whole. Raises UserError where the folder cannot be written to."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        forget_drafts(out)
        write_whole(out / "leaderboard.csv", table(board.standings))
        write_whole(out / "leaderboard.html", page(board))
    except OSError as error:
        raise UserError(say.CANNOT_WRITE(folder=out, reason=error.strerror or error)) from None


def table(standings: Sequence[Standing]) -> str:
    """The text of the CSV file: `score` and the shapes (M×N×K) are per cent of cuBLAS."""
    columns = ("rank", "student", "score", *map(named, SHAPES), "reason")
    return csv_text.written(columns, [_row(one) for one in standings])


def _row(one: Standing) -> dict[str, str | int]:
    ratios = {named(shape): percent(one.ratios.get(shape)) for shape in SHAPES}
    head: dict[str, str | int] = {"rank": one.rank or "", "student": one.student, "score": percent(one.score)}
    return head | ratios | {"reason": " ".join(one.reason.split())}


def page(board: Board) -> str:
    """The text of the page."""
    return render(
        "leaderboard.html",
        title=board.title,
        machine=board.machine,
        shapes=[(named(shape), what) for shape, what in SHAPES.items()],
        timed=[(one, [percent(one.ratios.get(shape)) for shape in SHAPES]) for one in board.standings if one.ratios],
        others=[one for one in board.standings if not one.ratios],
        percent=percent,
    )


def percent(ratio: float | None) -> str:
    """'101.5', and '' where there is no ratio."""
    return "" if ratio is None else f"{100 * ratio:.1f}"
