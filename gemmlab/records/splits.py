"""Lesson 10's kernel on a GPU, as tools/record_splits.py recorded it: times by slices, and orders of addition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gemmlab.kernel.tolerance import Shape
from gemmlab.markdown import escape
from gemmlab.records.results import label_of

RECORDED = Path(__file__).parents[1] / "recorded" / "splits"


@dataclass(frozen=True)
class SplitRecord:
    """One GPU's record at one shape: microseconds of both kernels by the number of slices, and how many of so many
    elements of C differed at later launches, by the way in which the slices were added."""

    label: str
    shape: Shape
    microseconds: dict[int, float]
    cublas_microseconds: float
    elements: int
    different: dict[str, list[int]]


def recorded_splits(folder: Path = RECORDED) -> list[SplitRecord]:
    """All records, in the order of their files' names."""
    return [_record(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))]


def _record(data: dict) -> SplitRecord:
    machine, cublas = data["machine"], sorted(row["cublas_microseconds"] for row in data["times"])
    return SplitRecord(
        label_of(machine),
        tuple(data["shape"]),
        {row["slices"]: row["microseconds"] for row in data["times"]},
        cublas[len(cublas) // 2],
        data["orders"][0]["elements"],
        {row["added"]: row["different"] for row in data["orders"]},
    )


def orders_text(record: SplitRecord) -> str:
    """How often launches on the same numbers differed, in Markdown."""
    rows = [
        f"| {added} | {', '.join(f'{count:,}' for count in counts)} |" for added, counts in record.different.items()
    ]
    shape = ", ".join(map(str, record.shape))
    return "\n".join(
        [
            f"{escape(record.label[:1].upper() + record.label[1:])}; not your machine. M, N, K = {shape}, and the "
            f"same matrices each time: how many of the {record.elements:,} elements of C are others than at first.\n",
            "| slices added with | at the later launches |",
            "|:--|--:|",
            *rows,
        ]
    )
