"""The configurations of a search as a table, the fastest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gemmlab.markdown import plain

if TYPE_CHECKING:
    from gemmlab.models.landscape import Found

_COLUMNS = (
    ("BM×BN×BK", lambda one: f"{one.sizes.BM}×{one.sizes.BN}×{one.sizes.BK}"),
    ("TM×TN", lambda one: f"{one.sizes.TM}×{one.sizes.TN}"),
    ("threads", lambda one: f"{one.sizes.threads:,}"),
    ("registers", lambda one: f"{one.estimate.resources.registers}"),
    ("spilled", lambda one: f"{one.estimate.resources.spill_store_bytes + one.estimate.resources.spill_load_bytes}"),
    ("occupancy", lambda one: f"{100 * one.estimate.occupancy.fraction:.1f} %"),
    ("blocks", lambda one: f"{one.estimate.blocks:,}"),
    ("waves", lambda one: plain(one.estimate.waves)),
    ("shared reads a multiply-add", lambda one: plain(one.estimate.traffic.shared_loads_per_fma)),
    ("FLOP/B", lambda one: plain(one.estimate.traffic.intensity)),
    ("limit of a step", lambda one: one.estimate.step.limit),
)


def search_table(ranked: Sequence[Found]) -> str:
    """A Markdown table; the last column is GFLOPS where they were measured, else the model's speed beside the best."""
    measured = any(one.gflops for one in ranked)
    names = [name for name, _ in _COLUMNS] + ["GFLOPS" if measured else "speed, by the model"]
    lines = [names, ["--:"] * len(names)]
    for one in ranked:
        last = f"{one.gflops:,.0f}" if measured else f"{100 * one.speed / ranked[0].speed:.0f} %"
        lines.append([*(value(one) for _, value in _COLUMNS), last])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
