"""Record on a GPU what the course's own entry of lesson 13 reaches on the board, and at some shapes beside it:

    python tools/record_board.py RESULT.json --commit COMMIT

Timed by the rules of gemmlab/gpu/contest.py, as every entry is. gemmlab/records/boards.py reads the file.
"""

from __future__ import annotations

import argparse
import json
from datetime import date
from pathlib import Path

from gemmlab import gpu
from gemmlab.course.lesson import load
from gemmlab.gpu.bench import Bench
from gemmlab.gpu.contest import contest
from gemmlab.kernel.timing import Ratio
from gemmlab.models.board import SHAPES, named
from gemmlab.trials.candidate import Candidate

BESIDE = ((8192, 8192, 8192), (8, 11008, 4096), (16, 11008, 4096))
SECONDS, WARM_UP = 1.0, 0.5


def row(found: Ratio) -> dict:
    M, N, K = found.shape
    times = {"microseconds": found.kernel_ms, "cublas_microseconds": found.cublas_ms}
    return {
        "M": M, "N": N, "K": K, "dtype": "float32", "on_board": found.shape in SHAPES,
        **{name: float(f"{1000 * ms:.5g}") for name, ms in times.items()},
        "ratio_to_cublas": round(found.ratio, 4), "spread": [round(value, 4) for value in found.spread],
        "pairs": found.pairs, "sm_clock_mhz": round(found.sm_clock_mhz),
    }  # fmt: skip


def main(result: Path, commit: str) -> None:
    kernel = load("13").kernel
    candidate = Candidate(kernel.solution, kernel.path.name, kernel.launches_of(kernel.solution))
    rows = []
    with Bench() as bench:
        program = candidate.compiled(bench.arch, shapes=[*SHAPES, *BESIDE])
        for shape in (*SHAPES, *BESIDE):
            work = candidate.launch.at(*shape)
            rows.append(row(contest(bench, program, work, shape, seconds=SECONDS, warm_up=WARM_UP)))
            print(f"{named(shape)}: {100 * rows[-1]['ratio_to_cublas']:.1f} % of cuBLAS", flush=True)
    device = gpu.device()
    machine = {"gpu": device.name, "driver": device.driver, "date": date.today().isoformat(), "commit": commit}
    lines = ",\n".join(f"  {json.dumps(one)}" for one in rows)
    result.write_text(f'{{\n "machine": {json.dumps(machine)},\n "shapes": [\n{lines}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    main(options.result, options.commit)
