"""Searches as GPUs measured them, recorded by tools/record_landscape.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from gemmlab.cuda.sizes import Sizes
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.limits import occupancy
from gemmlab.markdown import escape
from gemmlab.models.autotune import RULES

RECORDED = Path(__file__).parents[1] / "recorded" / "landscapes"


def recorded_landscapes(folder: Path = RECORDED) -> list[dict]:
    """One a GPU: "machine" ("gpu", "driver", "date", "commit"), "searches" and "lanes".

    A search has "shape" [M, N, K], "cublas_gflops" and "entries" with "sizes" [BM, BN, BK, TM, TN], "registers" and
    "gflops". An entry of "lanes" has "sizes", "shape" and "gflops" by the name of the arrangement.
    """
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def label(record: dict) -> str:
    """What it was recorded on."""
    machine = record["machine"]
    place = f"{machine['gpu']}, driver {machine['driver']}, {machine['date']}, commit {machine['commit'][:10]}"
    return f"recorded on {place}; not your machine"


def measured(record: dict, shape: tuple[int, int, int]) -> dict[Sizes, float] | None:
    """GFLOPS by configuration at that shape; None where it was not recorded."""
    found = [search for search in record["searches"] if tuple(search["shape"]) == shape]
    return {Sizes(*entry["sizes"]): entry["gflops"] for entry in found[0]["entries"]} if found else None


def cublas(record: dict, shape: tuple[int, int, int]) -> float:
    """GFLOPS of cuBLAS at a recorded shape."""
    return next(search["cublas_gflops"] for search in record["searches"] if tuple(search["shape"]) == shape)


def search_table(record: dict, shape: tuple[int, int, int], depths: Sequence[int]) -> str:
    """The configurations of these depths as Markdown, the fastest first, with registers and occupancy on that GPU."""
    entries = next(one["entries"] for one in record["searches"] if tuple(one["shape"]) == shape)
    ranked = sorted((one for one in entries if one["sizes"][2] in depths), key=lambda one: -one["gflops"])
    heads = ("sizes", "threads", "registers", "occupancy", "blocks", "TFLOPS", "of cuBLAS")
    lines = [heads, ("--:",) * len(heads), *(_search_row(record, shape, entry) for entry in ranked)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _search_row(record: dict, shape: tuple[int, int, int], entry: dict) -> tuple[str, ...]:
    sizes, registers, gflops = Sizes(*entry["sizes"]), entry["registers"], entry["gflops"]
    full = occupancy(sizes.threads, registers, RULES[1].value(sizes), record["machine"].get("arch", "sm_90"))
    blocks = cdiv(shape[0], sizes.BM) * cdiv(shape[1], sizes.BN)
    numbers = f"{sizes.threads:,}", f"{registers}", f"{100 * full.fraction:.1f} %", f"{blocks:,}"
    return str(sizes), *numbers, f"{gflops / 1000:.1f}", f"{100 * gflops / cublas(record, shape):.0f} %"


def lanes_table(record: dict) -> str:
    """The arrangements of a warp as Markdown: TFLOPS of the same kernel, by how its lanes lie."""
    names = list(record["lanes"][0]["gflops"])
    rows = []
    for entry in record["lanes"]:
        speeds = " | ".join(f"{entry['gflops'][name] / 1000:.1f}" for name in names)
        rows.append(f"| {Sizes(*entry['sizes'])} | {speeds} |")
    shape = ", ".join(map(str, record["lanes"][0]["shape"]))
    text = f"{label(record)[:1].upper()}{label(record)[1:]}. TFLOPS at M, N, K = {shape}."
    head = [f"| sizes | {' | '.join(names)} |", "|:--|" + "--:|" * len(names)]
    return "\n".join([escape(text), "", *head, *rows])
