"""Run compute-sanitizer's four tools over every kernel that `gemmlab record` measures, at ragged shapes.

    python tools/sanitize_solutions.py            on a machine with a GPU and compute-sanitizer

A, B and C lie in allocations of exactly their size, so that memcheck sees every step outside. The exit code is 0 only
if each tool ran over all launches and reported nothing, and every C is right; and if each tool reports the fault that
is planted for it, so that silence means something.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SHAPES = ((35, 45, 25), (1, 1, 1), (130, 132, 40), (135, 131, 50))
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
SUMMARY = re.compile(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")
DONE = "launches done"
HEAD = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)'
PLANTED = {
    "memcheck": "C[M * N + threadIdx.x] = 1.0f;",
    "racecheck": "__shared__ float s[64]; s[threadIdx.x] = A[0]; C[0] = s[63 - threadIdx.x];",
    "synccheck": "if (threadIdx.x % 2 == 0) { __syncwarp(2); C[0] = A[0]; }",
    "initcheck": "C[0] = C[1];",
}


def prepare(folder: Path) -> int:
    """Compile every kernel into `folder`, with jobs.json. How many launches there will be."""
    from gemmlab import gpu
    from gemmlab.course.lesson import find_root
    from gemmlab.records.record import entries
    from gemmlab.trials.numbers import compiled

    candidates = [entry.candidate for entry in entries(find_root())]
    jobs = []
    for number, (one, program) in enumerate(zip(candidates, compiled(candidates, gpu.device().arch), strict=True)):
        (folder / f"{number}.cubin").write_bytes(program.machine_code + b"\0")  # CuPy takes the last byte for an end
        launches = [(shape, launch) for shape in SHAPES for launch in one.launches(shape)]
        runs = [{"shape": shape, "grid": launch.grid, "block": launch.block} for shape, launch in launches]
        jobs.append({"name": one.filename, "cubin": f"{number}.cubin", "runs": runs})
    (folder / "jobs.json").write_text(json.dumps(jobs))
    return len(jobs) * len(SHAPES)


def plant(folder: Path) -> None:
    """The kernels with one fault each, every one in a folder of its own that `launch` takes."""
    from gemmlab import gpu
    from gemmlab.compiler.compile import compile_source

    for tool, body in PLANTED.items():
        (folder / tool).mkdir()
        (folder / tool / "0.cubin").write_bytes(
            compile_source(f"{HEAD} {{ {body} }}", arch=gpu.device().arch).machine_code + b"\0"
        )
        job = {"name": tool, "cubin": "0.cubin", "runs": [{"shape": (8, 8, 8), "grid": (1, 1, 1), "block": (64, 1, 1)}]}
        (folder / tool / "jobs.json").write_text(json.dumps([job]))


def launch(folder: Path) -> None:
    """Launch every job once and compare its C with NumPy's. This is what the tools watch; it needs CuPy only."""
    import cupy
    import numpy as np

    runtime, rng, done = cupy.cuda.runtime, np.random.default_rng(0), 0
    for job in json.loads((folder / "jobs.json").read_text()):
        module = cupy.cuda.function.Module()
        module.load((folder / job["cubin"]).read_bytes())
        kernel = module.get_function("gemm")
        for run in job["runs"]:
            M, N, K = run["shape"]
            A, B, C = rng.random((M, K), np.float32), rng.random((K, N), np.float32), np.empty((M, N), np.float32)
            buffers = [runtime.malloc(X.nbytes) for X in (A, B, C)]
            for buffer, X in zip(buffers[:2], (A, B)):
                runtime.memcpy(buffer, X.ctypes.data, X.nbytes, runtime.memcpyHostToDevice)
            kernel(tuple(run["grid"]), tuple(run["block"]), (*buffers, *map(np.int32, (M, N, K))))
            runtime.deviceSynchronize()
            runtime.memcpy(C.ctypes.data, buffers[2], C.nbytes, runtime.memcpyDeviceToHost)
            for buffer in buffers:
                runtime.free(buffer)
            if job["name"] not in PLANTED and not np.allclose(C, A @ B, rtol=1e-4):
                raise SystemExit(f"{job['name']} is wrong at {M},{N},{K}")
            done += 1
    print(f"{done} {DONE}")


def watch(tool: str, folder: Path, launches: int) -> bool:
    """Run `launch` under one tool, print a line and what it reported. Whether all is well."""
    started = time.perf_counter()
    command = ["compute-sanitizer", "--tool", tool, sys.executable, str(Path(__file__).resolve()), "--launch"]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True)
    said = done.stdout + done.stderr
    reports = [int(found[0] or found[1]) for found in SUMMARY.findall(said)]
    complete = f"{launches} {DONE}" in said and bool(reports) and done.returncode == 0
    verdict = f"{sum(reports)} reports" if complete else f"did not run to its end (exit code {done.returncode})"
    print(f"{tool:10} {launches} launches, {verdict}, {time.perf_counter() - started:.0f} s", flush=True)
    if not complete or any(reports):
        print(said[-6000:])
    return complete and not sum(reports)


def reports_planted(tool: str, folder: Path) -> bool:
    """Whether the tool reports its planted fault; prints a line."""
    command = ["compute-sanitizer", "--tool", tool, sys.executable, str(Path(__file__).resolve()), "--launch"]
    done = subprocess.run([*command, str(folder / tool)], capture_output=True, text=True)
    found = sum(int(found[0] or found[1]) for found in SUMMARY.findall(done.stdout + done.stderr))
    print(f"{tool:10} planted fault: {f'{found} reports' if found else 'NOT reported'}", flush=True)
    return found > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launch", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--tool", choices=TOOLS, action="append", help="one of the tools; all if left out")
    options = parser.parse_args()
    if options.launch:
        launch(options.launch)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        launches = prepare(folder)
        print(f"{launches // len(SHAPES)} kernels at {len(SHAPES)} shapes", flush=True)
        plant(folder)
        tools = options.tool or TOOLS
        with ThreadPoolExecutor(len(TOOLS)) as pool:
            planted = list(pool.map(lambda tool: reports_planted(tool, folder), tools))
            return int(not all([*pool.map(lambda tool: watch(tool, folder, launches), tools), *planted]))


if __name__ == "__main__":
    sys.exit(main())
