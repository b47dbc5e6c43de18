"""The ceilings of a machine as they were measured: of this machine's GPU, or those of the record of a named one."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from gemmlab.files import write_whole
from gemmlab.models.ceilings import Ceilings, ceilings_of
from gemmlab.records.results import FOLDER, all_results


def recorded_ceilings(folder: Path = FOLDER) -> Ceilings | None:
    """Those of the first recorded GPU, labelled with where and when; None where nothing was recorded."""
    for results in all_results(folder):
        if "fma_tflops" in results.ceilings and "copy_gbs" in results.ceilings:
            return ceilings_of(results.ceilings, f"{results.label}; not your machine")
    return None


def ceilings_here() -> Ceilings | None:
    """Those of this machine's GPU, measured once for each driver and kept; recorded ones where there is no GPU."""
    from gemmlab import gpu
    from gemmlab.compiler.cache import folder as compile_folder

    if not gpu.available():
        return recorded_ceilings()
    device = gpu.device()
    path = compile_folder().parent / f"ceilings-{device.name}-{device.driver}.json".replace(" ", "-").replace("/", "-")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps({"date": date.today().isoformat(), "ceilings": _measured()}))
    kept = json.loads(path.read_text(encoding="utf-8"))
    return ceilings_of(kept["ceilings"], f"measured on {device.name}, driver {device.driver}, {kept['date']}")


def _measured() -> dict[str, float]:
    from gemmlab.gpu.bench import Bench
    from gemmlab.gpu.roofline import measure_ceilings

    with Bench() as bench:
        return measure_ceilings(bench)
