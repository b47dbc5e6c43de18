"""Record how fast lesson 09's kernel is with each configuration of the search. In three steps, because the machine of
the GPU may have no compiler:

    python tools/record_landscape.py compile FOLDER --arch sm_90    # here
    python tools/record_landscape.py measure FOLDER                 # there: needs CuPy only
    python tools/record_landscape.py write FOLDER                   # here: gemmlab/recorded/landscapes/GPU.json

Each time is the median of launches, with A and B driven out of the L2 cache before each. A configuration counts only if
its C agrees with cuBLAS's.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path

Shape = tuple[int, int, int]
ROOT = Path(__file__).resolve().parents[1]
SHAPES = ((1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (512, 512, 4096), (128, 4096, 4096))
LANE_SHAPE = (4096, 4096, 4096)
LANE_SIZES = ((64, 64, 16, 4, 4), (128, 128, 16, 8, 8), (128, 128, 16, 16, 8))
LANES = {
    "in order": None,  # lesson 08's kernel
    "4 rows of 8, row by row": {
        "lane": "const int lane_x = lane % LANES_X;\nconst int lane_y = lane / LANES_X;",
    },
    "4 rows of 8, in pairs": {},
}
LAUNCHES = 20
FLUSH_BYTES = 2**28


def compile_all(folder: Path, arch: str) -> None:
    """One cubin a configuration, and jobs.json."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.course.lesson import load
    from gemmlab.cuda.sizes import Sizes, with_sizes
    from gemmlab.kernel.limits import check_launch
    from gemmlab.models import autotune
    from gemmlab.trials.variant import variant

    lesson = load("09")
    folder.mkdir(parents=True, exist_ok=True)
    left = [sizes for sizes in autotune.space() if not autotune.pruned_by(sizes)]
    wanted: list[tuple[str, str, Sizes, Sequence[Shape]]] = [("search", lesson.solution, one, SHAPES) for one in left]
    for name, bodies in LANES.items():
        before = load("08").solution or ""
        text = before if bodies is None else variant(lesson.starter, lesson.solution, bodies)
        wanted += [(name, text, Sizes(*sizes), (LANE_SHAPE,)) for sizes in LANE_SIZES]
    jobs = []
    for number, (name, text, sizes, shapes) in enumerate(wanted):
        program = compile_source(with_sizes(text, sizes), arch=arch)
        used = program.resources["gemm"]
        launches = [autotune.launch_spec(sizes).at(*shape) for shape in shapes]
        if any(check_launch(launch, used, arch, program.ptxas_errors) for launch in launches):
            continue
        (folder / f"{number}.cubin").write_bytes(program.machine_code + b"\0")  # CuPy takes the last byte for an end
        runs = [{"shape": s, "grid": one.grid, "block": one.block} for s, one in zip(shapes, launches, strict=True)]
        numbers = [sizes.BM, sizes.BN, sizes.BK, sizes.TM, sizes.TN]
        cubin = {"cubin": f"{number}.cubin", "registers": used.registers}
        jobs.append({"name": name, "sizes": numbers, **cubin, "runs": runs})
    (folder / "jobs.json").write_text(json.dumps(jobs))


def measure(folder: Path) -> None:
    """Time every job on the first GPU; measured.json."""
    import cupy

    cupy.cuda.runtime.setDevice(0)
    flush, operands = cupy.zeros(FLUSH_BYTES // 4, cupy.float32), {}
    for shape in SHAPES:
        M, N, K = shape
        draw = cupy.random.default_rng(1)
        A, B = (draw.random(size, dtype=cupy.float32) * 2 - 1 for size in ((M, K), (K, N)))
        operands[shape] = A, B, cupy.empty((M, N), cupy.float32), cupy.matmul(A, B)
    jobs = json.loads((folder / "jobs.json").read_text())
    for job in jobs:
        kernel = cupy.RawModule(path=str(folder / job["cubin"])).get_function("gemm")
        for run in job["runs"]:
            A, B, C, right = operands[tuple(run["shape"])]
            sizes = tuple(map(cupy.int32, run["shape"]))
            C.fill(cupy.nan)
            ms = _median_ms(lambda: kernel(tuple(run["grid"]), tuple(run["block"]), (A, B, C, *sizes)), flush)
            run["gflops"] = _gflops(run["shape"], ms) if bool(cupy.abs(C - right).max() < 1e-2) else None
    cublas = []
    for shape, (A, B, C, _) in operands.items():
        ms = _median_ms(lambda: cupy.matmul(A, B, out=C), flush)
        cublas.append({"shape": shape, "gflops": _gflops(shape, ms)})
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0].split(", ")
    machine = {"gpu": gpu, "driver": driver, "cupy": cupy.__version__, "date": f"{date.today()}"}
    (folder / "measured.json").write_text(json.dumps({"machine": machine, "jobs": jobs, "cublas": cublas}))


def _median_ms(launch, flush) -> float:
    import cupy

    for _ in range(3):
        launch()
    events = [(cupy.cuda.Event(), cupy.cuda.Event()) for _ in range(LAUNCHES)]
    for start, end in events:
        flush.fill(0)
        start.record()
        launch()
        end.record()
    cupy.cuda.runtime.deviceSynchronize()
    return statistics.median(cupy.cuda.get_elapsed_time(start, end) for start, end in events)


def _gflops(shape: tuple[int, int, int], ms: float) -> float:
    M, N, K = shape
    return round(2e-6 * M * N * K / ms, 1)


def write(folder: Path) -> None:
    """The record that the course shows."""
    data = json.loads((folder / "measured.json").read_text())
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    cublas = {tuple(entry["shape"]): entry["gflops"] for entry in data["cublas"]}
    searches = []
    for shape in SHAPES:
        entries = [
            {"sizes": job["sizes"], "registers": job["registers"], "gflops": run["gflops"]}
            for job in data["jobs"]
            if job["name"] == "search"
            for run in job["runs"]
            if tuple(run["shape"]) == shape and run["gflops"]
        ]
        searches.append({"shape": shape, "cublas_gflops": cublas[shape], "entries": entries})
    speeds = {(job["name"], tuple(job["sizes"])): job["runs"][0]["gflops"] for job in data["jobs"]}
    lanes = [
        {"sizes": sizes, "shape": LANE_SHAPE, "gflops": {name: speeds[name, sizes] for name in LANES}}
        for sizes in LANE_SIZES
    ]
    record = {"machine": data["machine"] | {"commit": commit.stdout.strip()}, "searches": searches, "lanes": lanes}
    target = ROOT / "gemmlab/recorded/landscapes" / f"{data['machine']['gpu'].replace(' ', '-')}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(_lines(record) + "\n")


def _lines(record: dict) -> str:
    """JSON with the innermost lists and objects on one line each."""
    text = json.dumps(record, indent=1)
    for innermost in (r"\[[^][{}]*\]", r"\{[^{}]*\}"):
        text = re.sub(innermost, lambda match: " ".join(match[0].split()), text)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("compile", "measure", "write"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    if options.step == "compile":
        compile_all(options.folder, options.arch)
    else:
        (measure if options.step == "measure" else write)(options.folder)


if __name__ == "__main__":
    main()
