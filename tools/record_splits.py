"""Record on a GPU how long lesson 10's kernel takes with other numbers of slices, and how many elements of C differ
between launches where the slices are added by atomicAdd:

    python tools/record_splits.py RESULT.json

Compiled, launched and timed as `gemmlab record` does it; 0.2 seconds for each number of slices.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import closing
from datetime import date
from pathlib import Path

import numpy as np

from gemmlab import gpu
from gemmlab.course import blanks
from gemmlab.gpu.bench import Bench
from gemmlab.gpu.executor import GpuExecutor
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.launcher.launcher import Launcher
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.numbers import compiled

SHAPE = (256, 256, 8192)
SLICES = (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 35, 40, 47, 52, 57, 64, 74)
LAUNCHES = 6
SECONDS, WARM_UP = 0.2, 0.05
SOLUTION = Path(__file__).parents[1] / "solutions" / "10_split_k.cu"
ATOMIC = {
    "blockIdx.z * M * N": "0",
    "*reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);": "for (int j = 0; j < 4; ++j) "
    "atomicAdd(to + j, v[j]);",
    "to[j] = v[j]": "atomicAdd(to + j, v[j])",
    "float* workspace;\n": "cudaMemset(C, 0, sizeof(float) * M * N);\n",
    "    cudaMalloc(&workspace, sizeof(float) * slices * M * N);\n": "",
    "(A, B, workspace, M": "(A, B, C, M",
    "    cudaFree(workspace);\n": "",
}


def candidate(name: str, source: str) -> Candidate:
    return Candidate(source, name, Launcher(source, "solve"))


def with_slices(source: str, slices: int) -> str:
    """The kernel with so many slices, or with the next number that makes them equally long."""
    changed, count = re.subn(r"int slices = SMS[^;]*;", f"int slices = {slices};", source)
    assert count == 1, "the launcher's choice of slices is not found"
    return changed


def with_atomics(source: str) -> str:
    """All slices added to C by atomicAdd, without a reduction."""
    for old, new in ATOMIC.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return re.sub(r"    reduce<<<.*\n", "", source)


def times(bench: Bench, source: str) -> list[dict]:
    wanted = [candidate(f"{slices} slices", with_slices(source, slices)) for slices in SLICES]
    rows = []
    for one, program in zip(wanted, compiled(wanted, bench.arch), strict=True):
        if isinstance(program, str):
            raise SystemExit(f"{one.filename} does not compile: {program}")
        work = one.launch.at(*SHAPE)
        timing = bench.time(program, work, SHAPE, seconds=SECONDS, warm_up=WARM_UP)
        grid = one.launches(SHAPE)[0].grid
        rows.append(
            {
                "slices": grid[2],
                "blocks": grid[0] * grid[1] * grid[2],
                "microseconds": round(1e3 * timing.kernel_ms, 2),
                "cublas_microseconds": round(1e3 * timing.cublas_ms, 2),
            }
        )
        print(rows[-1], flush=True)
    return rows


def whole(outcome: Outcome) -> np.ndarray:
    if outcome.C is None:
        raise SystemExit(f"the launch has failed: {outcome.findings}")
    return outcome.C


def orders(arch: str, source: str) -> list[dict]:
    """How C differs between launches on the same numbers, with the workspace and with atomic additions."""
    A, B = make_inputs("random", SHAPE, 1)
    rows = []
    with closing(GpuExecutor()) as executor:
        for name, text in (("workspace", source), ("atomicAdd", with_atomics(source))):
            one = candidate(name, text)
            program, work = one.compiled(arch), one.launch.at(*SHAPE)
            first, *others = (whole(executor.run(program, work, A, B, SHAPE)) for _ in range(LAUNCHES))
            different = [int(np.count_nonzero(C != first)) for C in others]
            largest = max(float(np.abs(C.astype(np.float64) - first).max()) for C in others)
            rows.append({"added": name, "elements": first.size, "different": different, "largest": largest})
            print(rows[-1], flush=True)
    return rows


def main(result: Path) -> None:
    source = blanks.without_markers(SOLUTION.read_text(encoding="utf-8"))
    with Bench() as bench:
        found = {"times": times(bench, source), "orders": orders(bench.arch, source)}
    device = gpu.device()
    machine = {"gpu": device.name, "driver": device.driver, "date": date.today().isoformat()}
    lines = ",\n".join(
        f' "{name}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]" for name, rows in found.items()
    )
    text = f'{{\n "machine": {json.dumps(machine)},\n "shape": {json.dumps(SHAPE)},\n{lines}\n}}\n'
    result.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
