"""The model's times beside those of a GPU. In steps, because the machine of the GPU may have no compiler like ours:

    python tools/validate_model.py compile FOLDER --arch sm_90    # here: kernels.zip
    python tools/validate_model.py measure FOLDER                 # there: times.json
    python tools/validate_model.py keep FOLDER                    # here: gemmlab/recorded/model/GPU.json
    python tools/validate_model.py table                          # here: gemmlab/recorded/model-GPU.md and .json

Which kernels stands in model_kernels.py. Each time is the median of launches by themselves, with cold caches: see Bench.cold.
A kernel whose C is wrong has no time, and the file says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "gemmlab" / "recorded"
TIMES = RECORDED / "model"
Shape = tuple[int, int, int]
SECONDS, FEWEST, MOST = 0.03, 3, 15  # what the launches of a kernel at a shape take, and how many they are


# ---- compile, here


def compile_all(folder: Path, arch: str) -> None:
    """Each kernel's code and its requests into FOLDER/kernels.zip."""
    from model_kernels import SHAPES, model_kernels

    from gemmlab.gpu.child.request import request_of
    from gemmlab.kernel.plan import refused
    from gemmlab.trials.numbers import compiled

    kernels, jobs = model_kernels(), []
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "kernels.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        programs = compiled([one.candidate for one in kernels], arch, SHAPES)
        for number, (kernel, program) in enumerate(zip(kernels, programs, strict=True)):
            if isinstance(program, str):
                sys.exit(f"{kernel.name} does not compile: {program}")
            runs = []
            for shape in filter(kernel.takes, SHAPES):
                work = kernel.candidate.launch.at(*shape)
                if faults := refused(work, program):
                    print(f"{kernel.name} at {shape} is not launched: {faults[0].message}")
                else:
                    runs.append({"shape": shape, "request": request_of(program, work, shape, shape)})
            packed.writestr(f"{number}.cubin", program.machine_code)
            jobs.append({"name": kernel.name, "group": kernel.group, "cubin": f"{number}.cubin", "runs": runs})
        packed.writestr("jobs.json", json.dumps(jobs))
    print(f"{len(jobs)} kernels, {sum(len(job['runs']) for job in jobs)} times to take")


# ---- measure, there


def measure(folder: Path, commit: str, limit: float) -> None:
    """Time every job on the first GPU for `limit` seconds at most; FOLDER/times.json."""
    from gemmlab.gpu.bench import Bench
    from gemmlab.records.machines import machine_of

    end = time.monotonic() + limit
    with zipfile.ZipFile(folder / "kernels.zip") as packed, Bench() as bench:
        jobs = json.loads(packed.read("jobs.json"))
        codes = {job["cubin"]: packed.read(job["cubin"]) for job in jobs}
        shapes = dict.fromkeys(tuple(run["shape"]) for job in jobs for run in job["runs"])
        machine, times = machine_of(bench, commit), []
        for shape in shapes:
            began = time.monotonic()
            times += [_time(bench, job, run, codes) for job, run in _of_shape(jobs, shape) if time.monotonic() < end]
            (folder / "times.json").write_text(json.dumps({"machine": machine, "times": times}))
            print(f"{shape}: {len(times)} times so far, {time.monotonic() - began:.1f} s", flush=True)


def _of_shape(jobs: list[dict], shape: Shape) -> Iterator[tuple[dict, dict]]:
    for job in jobs:
        for run in job["runs"]:
            if tuple(run["shape"]) == shape:
                yield job, run


def _time(bench, job: dict, run: dict, codes: dict[str, bytes]) -> dict:
    from gemmlab.errors import UserError

    head = {"name": job["name"], "group": job["group"], "shape": run["shape"]}
    try:
        ms, clock = bench.cold(run["request"], codes[job["cubin"]], seconds=SECONDS, fewest=FEWEST, most=MOST)
    except UserError as error:
        print(f"{job['name']} at {run['shape']}: {error}", flush=True)
        return head | {"failed": str(error)}
    spread = [float(f"{bound:.5g}") for bound in (min(ms), max(ms))]
    median = float(f"{statistics.median(ms):.5g}")
    return head | {"ms": median, "spread": spread, "launches": len(ms), "sm_clock_mhz": round(clock)}


# ---- keep and table, here


def keep(folder: Path) -> None:
    """The times among the records of the course."""
    from gemmlab.files import write_whole

    data = json.loads((folder / "times.json").read_text())
    path = TIMES / f"{data['machine']['gpu'].replace(' ', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join("  " + json.dumps(row) for row in data["times"])
    write_whole(path, f'{{\n "machine": {json.dumps(data["machine"])},\n "times": [\n{rows}\n ]\n}}\n')
    print(f"wrote {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("compile", "measure", "keep", "table"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--arch", default="sm_90", help="the architecture of the GPU that measures")
    parser.add_argument("--commit", default="unknown", help="the commit that is measured")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that measuring may take")
    options = parser.parse_args()
    if options.step == "compile":
        compile_all(options.folder, options.arch)
    elif options.step == "measure":
        measure(options.folder, options.commit, options.limit)
    elif options.step == "keep":
        keep(options.folder)


if __name__ == "__main__":
    main()
