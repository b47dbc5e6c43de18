"""Run compute-sanitizer's four tools over every kernel that `gemmlab record` measures, at ragged shapes.

    python tools/sanitize_solutions.py            on a machine with a GPU and compute-sanitizer

A, B and C lie in allocations of exactly their size, so that memcheck sees every step outside. The exit code is 0 only
if each tool ran over all launches and reported nothing, and every C is right; and if each tool reports the fault that
is planted for it, so that silence means something.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.elements import element_named

if TYPE_CHECKING:
    from gemmlab.gpu.child.context import Gpu

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
    from gemmlab.gpu.child.request import request_of
    from gemmlab.records.record import entries
    from gemmlab.trials.numbers import compiled

    candidates = [entry.candidate for entry in entries(find_root())]
    programs = compiled(candidates, gpu.device().arch, SHAPES)
    jobs = []
    for number, (one, program) in enumerate(zip(candidates, programs, strict=True)):
        if isinstance(program, str):
            raise SystemExit(f"{one.filename}: {program}")
        requests = [request_of(program, one.launch.at(*shape), shape, shape) for shape in SHAPES]
        jobs.append(_job(folder, one.filename, str(number), program.machine_code, requests))
    (folder / "jobs.json").write_text(json.dumps(jobs))
    return len(jobs) * len(SHAPES)


def _job(folder: Path, name: str, place: str, machine_code: bytes, requests: list[dict]) -> dict:
    """A kernel's code in a folder of its own, and what is asked of it there."""
    (folder / place).mkdir(parents=True)
    (folder / place / "kernel.cubin").write_bytes(machine_code + b"\0")  # CuPy takes the last byte for an end
    return {"name": name, "folder": place, "requests": requests}


def plant(folder: Path) -> None:
    """The kernels with one fault each, every one in a folder of its own that `launch` takes."""
    from gemmlab import gpu
    from gemmlab.compiler.compile import compile_source
    from gemmlab.gpu.child.request import request_of
    from gemmlab.kernel.launch import Launch

    shape = 8, 8, 8
    for tool, body in PLANTED.items():
        program = compile_source(f"{HEAD} {{ {body} }}", arch=gpu.device().arch)
        request = request_of(program, Launch((64, 1, 1), (1, 1, 1)), shape, shape)
        job = _job(folder / tool, tool, "planted", program.machine_code, [request])
        (folder / tool / "jobs.json").write_text(json.dumps([job]))


def launch(folder: Path) -> None:
    """Launch every job once and compare its C with NumPy's. This is what the tools watch; it needs CuPy only."""
    from gemmlab.gpu.child.context import Gpu

    gpu, rng, done = Gpu(), np.random.default_rng(0), 0
    for job in json.loads((folder / "jobs.json").read_text()):
        os.chdir(folder / job["folder"])
        for request in job["requests"]:
            M, N, K = request["shape"]
            element = element_named(request["dtype"])
            A, B = (element.values(rng.random(size, np.float32)) for size in ((M, K), (K, N)))
            C = product(gpu, request, element.encoded(A), element.encoded(B))
            tolerance = 1e-4 if element.exact else 4 * element.roundoff
            if job["name"] not in PLANTED and not np.allclose(C, A @ B, rtol=tolerance):
                raise SystemExit(f"{job['name']} is wrong at {M},{N},{K}")
            done += 1
    print(f"{done} {DONE}")


def product(gpu: Gpu, request: dict, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """C after one launch. Each matrix lies in memory of exactly its size, and nothing is in C before."""
    C = np.empty((A.shape[0], B.shape[1]), np.float32)
    matrices = {"A": A, "B": B, "C": C}
    places = {name: gpu.runtime.malloc(matrix.nbytes) for name, matrix in matrices.items()}
    for name in "AB":
        matrix = matrices[name]
        gpu.runtime.memcpy(places[name], matrix.ctypes.data, matrix.nbytes, gpu.runtime.memcpyHostToDevice)
    gpu.binding(request)(places)()
    gpu.runtime.deviceSynchronize()
    gpu.runtime.memcpy(C.ctypes.data, places["C"], C.nbytes, gpu.runtime.memcpyDeviceToHost)
    for place in places.values():
        gpu.runtime.free(place)
    gpu.free_own()
    return C


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
