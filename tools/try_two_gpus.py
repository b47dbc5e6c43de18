"""Try kernels of lesson 15 that have a mistake on this host's GPUs, and note which give the right numbers all the same:

    python tools/try_two_gpus.py RESULT.json [--devices 2] [--gpus 2] [--launches 5] [--shape 1024,1024,1024]

The kernels are those of tests/kernels/15_two_gpus that race, with the solution and the right variants, which must pass.
RESULT.json is a file of gemmlab/recorded/links/; in its `tried`, what was noted of so many GPUs is written anew. What a
GPU finds is a C that is wrong, or that the next kernel in the stream would have read before it was complete.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/support")]

from student_kernels import student_kernels  # noqa: E402

from gemmlab import gpu  # noqa: E402
from gemmlab.compiler.compile import compile_source  # noqa: E402
from gemmlab.course.lesson import Kernel, load  # noqa: E402
from gemmlab.gpu.child.faults import KernelFault  # noqa: E402
from gemmlab.gpu.executor import GpuExecutor  # noqa: E402
from gemmlab.kernel.tolerance import make_inputs  # noqa: E402

Shape = tuple[int, int, int]
_WORDS = {2: "two"}


def sources(kernel: Kernel) -> Iterator[tuple[str, str, bool]]:
    """Name, source, and whether it is right."""
    yield "solution", kernel.solution, True
    for one in student_kernels(kernel.path.stem):
        if one.expect in ("passed", "race"):
            yield one.path.stem, one.text, one.expect == "passed"


def faults(executor: GpuExecutor, kernel: Kernel, source: str, shape: Shape, devices: int, launches: int) -> set[str]:
    """What so many launches show, of two products each: wrong numbers, or the kinds of findings."""
    program = compile_source(source, "kernel.cu", arch=gpu.device().arch)
    work = kernel.on(devices).launches_of(source).at(*shape)
    found: set[str] = set()
    for seed in range(launches):
        A, B = make_inputs("integer", shape, seed)
        try:
            outcome = executor.run(program, work, A, B, shape)
        except KernelFault as fault:
            return found | {fault.finding.kind}
        for one in filter(None, (outcome, outcome.again)):
            found |= {finding.kind for finding in one.findings}
            if any(not np.array_equal(C, A @ B) for C in one.of_ranks):
                found.add("wrong numbers")
    return found


def tried(devices: int, gpus: int, launches: int, shape: Shape) -> dict[str, Any]:
    kernel, executor = load("15").kernel, GpuExecutor(devices=gpus)
    seen: list[str] = []
    missed: list[str] = []
    mistaken: list[str] = []
    for name, source, right in sources(kernel):
        found = faults(executor, kernel, source, shape, devices, launches)
        print(f"{name}: {', '.join(sorted(found)) or 'right numbers'}", flush=True)
        if right:
            mistaken += [name] if found else []
        else:
            (seen if found else missed).append(name)
    executor.close()
    if mistaken:
        raise SystemExit(f"right kernels that did not pass: {', '.join(mistaken)}; nothing is written")
    device = gpu.device()
    used = min(gpus, devices, devices_there())
    where = f"one {device.name} that both ranks share" if used == 1 else f"{_WORDS.get(used, used)} {device.name}"
    return {
        "on": where,
        "driver": device.driver,
        "date": date.today().isoformat(),
        "shape": list(shape),
        "products": 2 * launches,
        "right_numbers": missed,
        "found": seen,
    }


def devices_there() -> int:
    import cupy

    return int(cupy.cuda.runtime.getDeviceCount())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--gpus", type=int, default=2, help="with 1, all ranks share one")
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--shape", type=lambda text: tuple(map(int, text.split(","))), default=(1024, 1024, 1024))
    asked = parser.parse_args()
    noted = tried(asked.devices, asked.gpus, asked.launches, asked.shape)
    data = json.loads(asked.result.read_text(encoding="utf-8"))
    data["tried"] = [one for one in data.get("tried", []) if one["on"] != noted["on"]] + [noted]
    asked.result.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
