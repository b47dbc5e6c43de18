"""From the interpreter's table of counts, one row an instruction, to the counters of source lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import requests as r
from gemmlab.kernel.counters import Counters, LineCounters, Touched
from gemmlab.kernel.warp import WARP

_FMA = [number for name, number in o.NUMBER.items() if name.startswith("fma.")]
_PACKED_FMA = [number for name, number in o.NUMBER.items() if name.startswith("fma.") and name.endswith("x2")]


def counters_of(table: np.ndarray, code: Code, by_ptx: bool = False) -> Counters:
    """The interpreter's table, one row an instruction (columns: requests.py), by source line or by line of the PTX."""
    ran = np.flatnonzero(table[:, r.EXECUTED] > 0)
    if not len(ran):
        return Counters({})
    locations = [code.locations[pc] for pc in ran]
    lines = np.array([location.ptx if by_ptx else location.line for location in locations])
    by_line = np.argsort(lines, kind="stable")
    ran, lines = ran[by_line], lines[by_line]
    columns = _columns(table[ran], code.rows[ran]) | {"tensor_fma": table[ran, r.EXECUTED] * _products(code, ran)}
    starts = np.flatnonzero(np.diff(lines, prepend=lines[0] - 1))
    sums = np.add.reduceat(np.stack(list(columns.values())), starts, axis=1, dtype=np.int64).T.tolist()
    return Counters(
        {int(line): LineCounters(**dict(zip(columns, counts))) for line, counts in zip(lines[starts], sums)}
    )


def cache_lines_of(lines: np.ndarray, code: Code) -> dict[int, int]:
    """The lines of the cache that the last request of each line of the PTX touched, where it made one."""
    pcs = zip(code.site_pc, lines.tolist())
    return {code.locations[pc].ptx: touched for pc, touched in pcs if pc >= 0 and touched}


def touched_of(rows: np.ndarray, names: Sequence[str], code: Code) -> dict[int, Touched]:
    """What the last request of each line of the PTX touched in global memory; `names` are those of the arrays."""
    found = {}
    for pc, (number, words, in_a_bank, lanes) in zip(code.site_pc, rows.tolist()):
        if pc >= 0 and 0 <= number < len(names):
            size = int(code.rows[pc, o.ROW_SIZE]) * max(int(code.rows[pc, o.ROW_COUNT]), 1)
            found[code.locations[pc].ptx] = Touched(names[number], words, in_a_bank, lanes * size)
    return found


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
            found[f"peer_{kind}_{what}"] = table[:, _PEER[what]] * mine
    for kind, mine in (("load", load), ("store", writes)):
        for what, column, wide_column in _SHARED:
            found[f"shared_{kind}_{what}"] = table[:, column] * mine
            found[f"widened_{kind}_{what}"] = np.where(is_wide, table[:, wide_column], table[:, column]) * mine
        found[f"shared_{kind}_bytes"] = table[:, r.SHARED_BYTES] * mine
    for kind, mine in (("load", load), ("store", store)):
        found[f"local_{kind}_requests"] = table[:, r.LOCAL_REQUESTS] * mine
        found[f"local_{kind}_sectors"] = table[:, r.LOCAL_SECTORS] * mine
    return found


def _products(code: Code, pcs: np.ndarray) -> np.ndarray:
    """How many multiply-adds one execution of each of these instructions makes on tensor cores."""
    found = np.zeros(len(pcs), np.int64)
    for number in np.flatnonzero(code.rows[pcs, o.ROW_OP] == o.MMA):
        start = code.rows[pcs[number], o.ROW_IMM]
        found[number] = np.prod(code.tensor_table[start + np.array([o.TILE_M, o.TILE_N, o.TILE_K])], dtype=np.int64)
    return found


_PEER = {"requests": r.PEER_REQUESTS, "sectors": r.PEER_SECTORS, "bytes": r.PEER_BYTES}
_SHARED = (
    ("requests", r.SHARED_REQUESTS, r.WIDE_REQUESTS),
    ("wavefronts", r.WAVEFRONT_COUNT, r.WIDE_WAVEFRONT_COUNT),
    ("conflicts", r.CONFLICTS, r.WIDE_CONFLICTS),
)
