"""A kernel with several tile sizes, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.markdown import plain
from gemmlab.models.sizing import Sizing

_COLUMNS = (
    ("tile BM×BN×BK", lambda entry: f"{entry.sizes.BM}×{entry.sizes.BN}×{entry.sizes.BK}"),
    ("patch TM×TN", lambda entry: f"{entry.sizes.TM}×{entry.sizes.TN}"),
    ("threads", lambda entry: f"{entry.sizes.threads:,}"),
    ("FLOP/B", lambda entry: plain(entry.traffic.intensity)),
    ("shared reads a multiply-add", lambda entry: plain(entry.traffic.shared_loads_per_fma)),
)
_COMPILED = (
    ("registers", lambda entry: f"{entry.resources.registers}"),
    ("spilled bytes", lambda entry: f"{entry.resources.spill_store_bytes + entry.resources.spill_load_bytes:,}"),
    ("shared bytes", lambda entry: f"{entry.resources.shared_bytes:,}"),
    ("blocks an SM", lambda entry: f"{entry.occupancy.blocks_per_sm}"),
    ("occupancy", lambda entry: f"{100 * entry.occupancy.fraction:.0f} %"),
    ("limited by", lambda entry: ", ".join(entry.occupancy.limited_by)),
)


def sizing_table(entries: Sequence[Sizing], arch: str) -> str:
    """A Markdown table with one row for each choice of sizes; what the compiler said of it is for `arch`."""
    compiled = _COMPILED if any(entry.resources for entry in entries) else ()
    names = [name for name, _ in (*_COLUMNS, *compiled)]
    rows = [[value(entry) for _, value in _COLUMNS] + _after_compiling(entry, compiled) for entry in entries]
    lines = [names, ["--:"] * len(names), *rows]
    note = f"\n\nRegisters, shared memory and occupancy are for {arch}, from the compiler's report." if compiled else ""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + note


def _after_compiling(entry: Sizing, columns: Sequence) -> list[str]:
    return [value(entry) if entry.resources else "–" for _, value in columns]
