"""From the interpreter's table of counts, one row an instruction, to the counters of source lines."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import requests as r
from gemmlab.kernel.counters import Counters, LineCounters
from gemmlab.kernel.warp import WARP

_FMA = [number for name, number in o.NUMBER.items() if name.startswith("fma.")]
_PACKED_FMA = [number for name, number in o.NUMBER.items() if name.startswith("fma.") and name.endswith("x2")]


def counters_of(table: np.ndarray, code: Code, by_ptx: bool = False) -> Counters:
    """The interpreter's table, one row an instruction (columns: requests.py), by source line or by line of the PTX."""
    columns = _columns(table, code.rows) | {"tensor_fma": table[:, r.EXECUTED] * _products(code)}
    lines = np.array([location.ptx if by_ptx else location.line for location in code.locations])
    used, place = np.unique(lines, return_inverse=True)
    ran = np.bincount(place, table[:, r.EXECUTED]) > 0
    sums = {name: np.bincount(place, values).astype(np.int64) for name, values in columns.items()}
    return Counters(
        {int(used[n]): LineCounters(**{name: int(sums[name][n]) for name in sums}) for n in np.flatnonzero(ran)}
    )


def _columns(table: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Each field of LineCounters for each instruction."""
    op, is_wide = rows[:, o.ROW_OP], rows[:, o.ROW_WIDEN] != 0
    load, store, atomic, copy = (op == kind for kind in (o.LOAD, o.STORE, o.ATOMIC, o.ASYNC_COPY))
    reads, writes = load | copy, store | copy
    executed = table[:, r.EXECUTED]
    threads = WARP * executed - table[:, r.IDLE]
    found = {
        "instructions": executed,
        "barriers": executed * (op == o.BARRIER),
        "fma": threads * np.isin(op, _FMA) * (1 + np.isin(op, _PACKED_FMA)),
        "shared_atomic_requests": table[:, r.SHARED_REQUESTS] * atomic,
        **{f"async_copy_{what}": table[:, column] * copy for what, column, _ in _SHARED},
    }
    for kind, mine in (("load", reads), ("store", store), ("atomic", atomic)):
        for what, column in (("requests", r.REQUESTS), ("sectors", r.SECTOR_COUNT), ("bytes", r.BYTES)):
            found[f"global_{kind}_{what}"] = table[:, column] * mine
    for kind, mine in (("load", load), ("store", writes)):
        for what, column, wide_column in _SHARED:
            found[f"shared_{kind}_{what}"] = table[:, column] * mine
            found[f"widened_{kind}_{what}"] = np.where(is_wide, table[:, wide_column], table[:, column]) * mine
        found[f"shared_{kind}_bytes"] = table[:, r.SHARED_BYTES] * mine
    for kind, mine in (("load", load), ("store", store)):
        found[f"local_{kind}_requests"] = table[:, r.LOCAL_REQUESTS] * mine
        found[f"local_{kind}_sectors"] = table[:, r.LOCAL_SECTORS] * mine
    return found


def _products(code: Code) -> np.ndarray:
    """How many multiply-adds one execution of each instruction makes on tensor cores."""
    found = np.zeros(len(code.rows), np.int64)
    for pc in np.flatnonzero(code.rows[:, o.ROW_OP] == o.MMA):
        start = code.rows[pc, o.ROW_IMM]
        found[pc] = np.prod(code.tensor_table[start + np.array([o.TILE_M, o.TILE_N, o.TILE_K])], dtype=np.int64)
    return found


_SHARED = (
    ("requests", r.SHARED_REQUESTS, r.WIDE_REQUESTS),
    ("wavefronts", r.WAVEFRONT_COUNT, r.WIDE_WAVEFRONT_COUNT),
    ("conflicts", r.CONFLICTS, r.WIDE_CONFLICTS),
)
