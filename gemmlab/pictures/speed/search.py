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
    ("registers", lambda one: f"{one.use.resources.registers}"),
    ("spilled", lambda one: f"{one.use.resources.spill_store_bytes + one.use.resources.spill_load_bytes}"),
    ("occupancy", lambda one: f"{100 * one.use.occupancy.fraction:.1f} %"),
    ("blocks", lambda one: f"{one.use.blocks:,}"),
    ("waves", lambda one: plain(one.use.waves)),
    ("shared reads a multiply-add", lambda one: plain(one.use.traffic.shared_loads_per_fma)),
    ("FLOP/B", lambda one: plain(one.use.traffic.intensity)),
    ("decides, by the model", lambda one: one.reason or "–"),
    ("predicted GFLOPS", lambda one: f"{one.predicted:,.0f}" if one.predicted else "–"),
)


def search_table(ranked: Sequence[Found]) -> str:
    """A Markdown table. The last column is what was measured, else the predicted speed beside the best one."""
    measured = any(one.gflops for one in ranked)
    names = [name for name, _ in _COLUMNS] + ["measured GFLOPS" if measured else "of the best predicted"]
    lines = [names, ["--:"] * len(names)]
    for one in ranked:
        last = f"{one.gflops:,.0f}" if measured else f"{100 * one.speed / ranked[0].speed:.0f} %"
        lines.append([*(value(one) for _, value in _COLUMNS), last])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
