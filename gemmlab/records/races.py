"""How often a kernel without one of its barriers gave wrong numbers on a GPU, as recorded by tools/record_races.py."""

from __future__ import annotations

import json
from pathlib import Path

from gemmlab.markdown import escape

RECORDED = Path(__file__).parents[1] / "recorded" / "races"
COLUMNS = {"whole": "both barriers", "first_barrier": "without the first", "second_barrier": "without the second"}


def recorded_races(folder: Path = RECORDED) -> list[dict]:
    """The records, one a GPU: its "machine" ("gpu", "driver", "date") and its "races", each with "without" (a blank, or
    "whole"), "shape", "launches" and how many of them were "wrong"."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def race_table(record: dict) -> str:
    """A record as Markdown: one row a shape, one column a kernel, labelled with what it was measured on."""
    machine = record["machine"]
    table: dict[tuple, dict[str, str]] = {}
    for row in record["races"]:
        table.setdefault(tuple(row["shape"]), {})[row["without"]] = f"{row['wrong']:,} of {row['launches']:,}"
    where = f"{escape(machine['gpu'])}, driver {escape(machine['driver'])}, {escape(machine['date'])}"
    lines = [
        f"Recorded on {where}; not your machine.\n",
        f"| launches with wrong numbers at M, N, K | {' | '.join(COLUMNS.values())} |",
        "|:--|" + "--:|" * len(COLUMNS),
        *(
            f"| {', '.join(map(str, shape))} | {' | '.join(counts[name] for name in COLUMNS)} |"
            for shape, counts in table.items()
        ),
    ]
    return "\n".join(lines)
