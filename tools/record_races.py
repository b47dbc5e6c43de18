"""Record how often a kernel without one of its barriers gives wrong numbers on a GPU. In two steps, because the GPU's
machine may have no compiler:

    python tools/record_races.py compile FOLDER --arch sm_90   # here: lesson 03, whole and without each barrier
    python tools/record_races.py run FOLDER RESULT.json        # there: takes nothing but Python and the driver

A launch is wrong if C differs in one bit from that of the whole kernel, which sums in the same order.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import subprocess
from array import array
from datetime import date
from pathlib import Path

SHAPES = ((64, 64, 64), (35, 45, 25), (512, 512, 512), (1024, 1024, 1024), (256, 256, 8192))
LAUNCHES = 1000
TILE = 16
VARIANTS = {"whole": {}, "first_barrier": {"first_barrier": ""}, "second_barrier": {"second_barrier": ""}}


def compile_variants(folder: Path, arch: str) -> None:
    """Write one cubin a variant."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.course.lesson import load
    from gemmlab.trials.variant import variant

    lesson = load("03")
    folder.mkdir(parents=True, exist_ok=True)
    for name, bodies in VARIANTS.items():
        program = compile_source(variant(lesson.starter, lesson.solution, bodies), arch=arch)
        (folder / f"{name}.cubin").write_bytes(program.machine_code)


class Driver:
    """As much of the CUDA driver as this takes."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name: str, *arguments) -> None:
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise SystemExit(f"{name} failed with code {code}")

    def kernel(self, path: Path) -> ctypes.c_void_p:
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), path.read_bytes())
        self("cuModuleGetFunction", ctypes.byref(function), module, b"gemm")
        return function

    def upload(self, data: array) -> ctypes.c_uint64:
        pointer = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(4 * len(data)))
        self("cuMemcpyHtoD_v2", pointer, data.tobytes(), ctypes.c_size_t(4 * len(data)))
        return pointer

    def launch(self, function, pointers, shape, size: int) -> bytes:
        """C as bytes."""
        M, N, _ = shape
        values = [*pointers, *map(ctypes.c_int, shape)]
        addresses = (ctypes.c_void_p * 6)(*(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
        grid = (-(-N // TILE), -(-M // TILE), 1)
        self("cuLaunchKernel", function, *grid, TILE, TILE, 1, 0, None, addresses, None)
        result = ctypes.create_string_buffer(size)
        self("cuMemcpyDtoH_v2", result, pointers[2], ctypes.c_size_t(size))
        return result.raw


def run_variants(folder: Path, result: Path) -> None:
    driver = Driver()
    kernels = {name: driver.kernel(folder / f"{name}.cubin") for name in VARIANTS}
    generator = random.Random(3)
    rows = []
    for shape in SHAPES:
        M, N, K = shape
        A, B = (array("f", (generator.uniform(-1, 1) for _ in range(size))) for size in (M * K, K * N))
        pointers = [driver.upload(data) for data in (A, B, array("f", bytes(4 * M * N)))]
        right = driver.launch(kernels["whole"], pointers, shape, 4 * M * N)
        for name in VARIANTS:
            results = (driver.launch(kernels[name], pointers, shape, 4 * M * N) for _ in range(LAUNCHES))
            wrong = sum(C != right for C in results)
            rows.append({"without": name, "shape": shape, "launches": LAUNCHES, "wrong": wrong})
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    text = f'{{\n "machine": {json.dumps(machine())},\n "races": [\n{lines}\n ]\n}}\n'
    result.write_text(text, encoding="utf-8")


def machine() -> dict[str, str]:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.split("\n")[0].split(", ")
    return {"gpu": gpu, "driver": driver, "date": date.today().isoformat()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    compiling = steps.add_parser("compile")
    compiling.add_argument("folder", type=Path)
    compiling.add_argument("--arch", default="sm_90")
    running = steps.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("result", type=Path)
    options = parser.parse_args()
    if options.step == "compile":
        compile_variants(options.folder, options.arch)
    else:
        run_variants(options.folder, options.result)


if __name__ == "__main__":
    main()
