"""What the course's own entry reached on the capstone's board, as recorded by tools/record_board.py on a named GPU."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gemmlab.kernel.timing import Ratio
from gemmlab.records.results import label_of

RECORDED = Path(__file__).parents[1] / "recorded" / "board"


@dataclass(frozen=True)
class RecordedBoard:
    """`ratios` by shape, also of shapes beside the board; `label` says where and when."""

    label: str
    ratios: dict[tuple[int, int, int], Ratio]


def recorded_board(folder: Path = RECORDED) -> RecordedBoard | None:
    """That of the first recorded GPU; None where there is none."""
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        machine, found = data["machine"], [_ratio(row) for row in data["shapes"]]
        return RecordedBoard(label_of(machine, machine["commit"]), {one.shape: one for one in found})
    return None


def _ratio(row: dict) -> Ratio:
    low, high = row["spread"]
    return Ratio(
        (row["M"], row["N"], row["K"]),
        row["microseconds"] / 1000,
        row["cublas_microseconds"] / 1000,
        row["ratio_to_cublas"],
        (low, high),
        row.get("largest_error", 0.0),
        row["pairs"],
        row["sm_clock_mhz"],
    )
