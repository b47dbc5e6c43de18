"""Compare the emulator's counters with those of a GPU, read by Nsight Compute, and write the table of both.

    python tools/validate_counters.py all FOLDER         the three steps, on a machine with a GPU and ncu
    python tools/validate_counters.py prepare FOLDER     compile the kernels (no GPU needed)
    python tools/validate_counters.py measure FOLDER     run them under ncu (needs CuPy and ncu, and no compiler)
    python tools/validate_counters.py table FOLDER       run them in the emulator, write gemmlab/recorded/

The kernels are the solutions of the lessons on one device without tensor cores, those of tests/counter_kernels/, and
tools/access_pattern.cu once for each pattern of lanes in `patterns`. Where a launcher launches several kernels, their
counts are added up. The steps may run on different machines with the same compiler.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.plan import Plan
    from gemmlab.kernel.program import Program
    from gemmlab.kernel.terms import Terms

ROOT = Path(__file__).resolve().parents[1]
SOLUTIONS = "solutions"
LESSON_SHAPES = ((128, 128, 128), (100, 72, 50))
PATTERN_SHAPE = (1, 32, 32)
ARCH = "sm_90"

# What is compared: a name here, and Nsight Compute's metric. Of a pattern, which is one access, only these two count.
PATTERN_METRICS = {
    f"shared {operation} {what}": f"l1tex__data_{metric}_mem_shared_op_{short}.sum"
    for operation, short in (("load", "ld"), ("store", "st"))
    for what, metric in (("wavefronts", "pipe_lsu_wavefronts"), ("conflicts", "bank_conflicts_pipe_lsu"))
}
METRICS = {
    **{
        f"{space} {operation} {what}": f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{short}.sum"
        for space, operation, short in (
            ("global", "load", "ld"),
            ("global", "store", "st"),
            ("global", "atomic", "red"),
            ("local", "load", "ld"),
            ("local", "store", "st"),
        )
        for what in ("requests", "sectors")
    },
    "shared load requests": "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
    "shared store requests": "smsp__inst_executed_op_shared_st_pred_on_any.sum",
    "shared atomic requests": "smsp__inst_executed_op_shared_atom_pred_on_any.sum",
    **PATTERN_METRICS,
    "async copy wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    "async copy conflicts": "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
    "fma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
}
GROUPS = {"kernels": METRICS, "patterns": PATTERN_METRICS}
RECORDED = ROOT / "gemmlab/recorded"


def copies(kernel: dict) -> bool:
    return kernel["gpu"]["async copy wavefronts"] > 0


def clears_an_array(kernel: dict) -> bool:
    return kernel["gpu"]["local store requests"] > 0


def divides(kernel: dict) -> bool:
    return "expf(" in (ROOT / kernel["source"]).read_text()  # SiLU: x / (1 + exp(-x))


# Why a count may differ: the start of its name, of which kernels, and the reason.
REASONS = (
    ("async copy", copies, "cp.async writes shared memory piece by piece, as its data arrive, which is not modelled"),
    ("shared load", copies, "likely the writes of cp.async, which share the way into shared memory with the reads"),
    ("local store", clears_an_array, "ptxas splits the 16-byte stores that clear the array"),
    ("fma", divides, "ptxas makes a reciprocal and five multiply-adds of each division"),
)


@dataclass
class Job:
    """One run of what a file launches: of a lesson's solution as the lesson says, else one launch. `A` is the whole of
    A where its values matter to the counts."""

    name: str
    source: str
    shape: tuple[int, int, int]
    block: tuple[int, int, int] | None = None
    grid: tuple[int, int, int] | None = None
    options: tuple[str, ...] = ()
    A: tuple[int, ...] | None = None


def kernel_jobs() -> Iterator[Job]:
    """The kernels of the ladder, and those with one property each."""
    from gemmlab.course.lesson import load_all
    from gemmlab.kernel.launch import LaunchSpec

    for kernel in (kernel for lesson in load_all() for kernel in lesson.kernels if not kernel.patient):
        if kernel.devices is None and kernel.element.name == "float32":
            for shape in LESSON_SHAPES:
                yield Job(f"{kernel.name} at {'×'.join(map(str, shape))}", f"{SOLUTIONS}/{kernel.name}.cu", shape)
    for path in sorted((ROOT / "tests/counter_kernels").glob("*.cu")):
        told = dict(re.findall(r"^// (block|grid|shape): (.*)$", path.read_text(), re.MULTILINE))
        M, N, K = map(int, told["shape"].split(","))
        shape = M, N, K
        launch = LaunchSpec.parse(told["block"], told["grid"]).at(*shape)
        yield Job(path.stem, str(path.relative_to(ROOT)), shape, launch.block, launch.grid)


def pattern_jobs() -> Iterator[Job]:
    for operation in ("load", "store"):
        for words in (1, 2, 4):
            options = (f"-DWORDS={words}", *(["-DSTORE"] if operation == "store" else []))
            for name, places in patterns().items():
                yield Job(
                    f"{operation} {4 * words} B, {name}",
                    "tools/access_pattern.cu",
                    PATTERN_SHAPE,
                    (32, 1, 1),
                    (1, 1, 1),
                    options,
                    tuple(places),
                )


def patterns() -> dict[str, list[int]]:
    """Where each of the 32 lanes accesses, counted in accesses; -1: it does not."""
    lanes = range(32)
    found = {"consecutive": list(lanes), "reversed": [31 - lane for lane in lanes], "broadcast": [0] * 32}
    found |= {f"stride {step}": [step * lane for lane in lanes] for step in (2, 3, 4, 5, 8, 16, 17, 32)}
    found |= {f"{32 // size} groups of {size}": [lane // size for lane in lanes] for size in (2, 4, 8, 16)}
    found |= {f"{size} places in turn": [lane % size for lane in lanes] for size in (2, 4, 8, 16)}
    found |= {f"lanes i, i xor {bit} together": [lane & ~bit for lane in lanes] for bit in (1, 2, 4, 8, 16)}
    found |= {f"together by {bit}, far": [33 * (lane & ~bit) % 256 for lane in lanes] for bit in (1, 2, 4, 8, 16)}
    found["pairs, then single"] = [lane // 2 if lane < 16 else lane for lane in lanes]
    found["two rows of 16, 64 apart"] = [lane // 16 * 64 + lane % 16 for lane in lanes]
    found["two places, 16 apart"] = [lane // 16 * 16 for lane in lanes]
    found["two places in one bank"] = [lane // 16 * 32 for lane in lanes]
    active = {"even lanes": 0x55555555, "every fourth lane": 0x11111111, "first half": 0xFFFF, "one lane": 1 << 9}
    active |= {"second quarter": 0xFF00, "halves of quarters": 0x0F0F0F0F}
    for name, mask in active.items():
        found[f"consecutive, {name}"] = [lane if mask >> lane & 1 else -1 for lane in lanes]
        found[f"stride 8, {name}"] = [8 * lane if mask >> lane & 1 else -1 for lane in lanes]
    draw = random.Random(7)
    for number in range(8):
        found[f"random {number} of 64"] = [draw.randrange(64) for _ in lanes]
        found[f"random {number} of 256"] = [draw.randrange(256) for _ in lanes]
        for bit in (1, 2):
            places = [draw.randrange(256) for _ in lanes]
            found[f"random {number}, together by {bit}"] = [places[lane & ~bit] for lane in lanes]
    return found


def prepare(folder: Path, arch: str) -> None:
    """Compile every job into `folder`, with jobs.json for `measure`."""
    from gemmlab.gpu.child.request import request_of
    from gemmlab.kernel.plan import bound

    told: dict[str, list[dict]] = {}
    for group, jobs in (("kernels", kernel_jobs()), ("patterns", pattern_jobs())):
        told[group] = []
        for job in map(asdict, jobs):
            program, (work, _, _, terms) = program_of(job, arch), work_of(job)
            (folder / cubin_of(job)).write_bytes(program.machine_code)
            request = request_of(program, bound(work, terms), job["shape"], job["shape"])
            told[group].append(job | {"cubin": cubin_of(job), "request": request})
    (folder / "jobs.json").write_text(json.dumps({"arch": arch, **told}))


def program_of(job: dict, arch: str) -> Program:
    from gemmlab.compiler.compile import compile_source

    text = (ROOT / job["source"]).read_text()
    return compile_source(text, job["source"], arch=arch, options=job["options"])


def work_of(job: dict) -> tuple[Launch | Plan, np.ndarray, np.ndarray, Terms]:
    """What a job launches, its A and B, which are 1 where nothing else is said, and what else its kernels are given."""
    import numpy as np

    from gemmlab.course.lesson import load
    from gemmlab.kernel.epilogue import draw
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.terms import PLAIN

    M, N, K = shape = tuple(job["shape"])
    solution = Path(job["source"])
    if str(solution.parent) == SOLUTIONS:
        (kernel,) = (one for one in load(solution.stem[:2]).kernels if one.name == solution.stem)
        launches = kernel.launches_of((ROOT / solution).read_text())
        return launches.at(*shape), *draw(launches, "ones", shape)
    A = np.array(job["A"], np.float32).reshape(M, K) if job["A"] else np.ones((M, K), np.float32)
    return Launch(tuple(job["block"]), tuple(job["grid"])), A, np.ones((K, N), np.float32), PLAIN


def cubin_of(job: dict) -> str:
    return f"{Path(job['source']).stem}{''.join(job['options'])}.cubin"


def launch(folder: Path, group: str) -> None:
    """Run each job of a group once. It runs under ncu, and nothing but the jobs' kernels is launched."""
    import numpy as np

    from gemmlab.gpu.child.context import Gpu

    gpu, jobs = Gpu(), json.loads((folder / "jobs.json").read_text())[group]
    with tempfile.TemporaryDirectory() as here:
        for job in jobs:
            M, N, K = job["shape"]
            arrays = {name: np.ones(size, np.float32) for name, size in zip(("A", "B", "C"), (M * K, K * N, M * N))}
            arrays |= {"bias": np.ones(N, np.float32)} | ({"A": np.float32(job["A"])} if job["A"] else {})
            pointers = {name: gpu.runtime.malloc(array.nbytes) for name, array in arrays.items()}
            for name, array in arrays.items():
                gpu.runtime.memcpy(pointers[name], array.ctypes.data, array.nbytes, gpu.runtime.memcpyHostToDevice)
            Path(here, "kernel.cubin").write_bytes((folder / job["cubin"]).read_bytes())
            os.chdir(here)
            gpu.binding(job["request"])(pointers)()
            gpu.runtime.deviceSynchronize()
            gpu.free_own()
            for pointer in pointers.values():
                gpu.runtime.free(pointer)
        os.chdir(folder)  # what is deleted now is not where we are


def measure(folder: Path) -> None:
    """Run `launch` under ncu: GROUP.csv holds its metrics, machine.json what it ran on."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0].split(", ")
    ncu = subprocess.run(["ncu", "--version"], capture_output=True, text=True, check=True).stdout
    machine = {"gpu": gpu, "driver": driver, "ncu": ncu.partition("Version ")[2].split()[0], "date": f"{date.today()}"}
    (folder / "machine.json").write_text(json.dumps(machine))
    for group, metrics in GROUPS.items():
        command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw"]
        command += ["--print-units", "base", "--metrics", ",".join(metrics.values())]
        command += [sys.executable, str(Path(__file__).resolve()), "launch", str(folder), "--group", group]
        result = subprocess.run(command, capture_output=True, text=True)
        (folder / f"{group}.csv").write_text(result.stdout)
        print(f"{group}: ncu ended with {result.returncode}, {len(result.stdout)} characters", flush=True)
        if result.returncode or "==ERROR==" in result.stdout:
            print(result.stdout[-2000:], result.stderr[-2000:])


def measured(folder: Path, group: str) -> list[dict[str, int]]:
    """The values of METRICS for each job of a group, in order, over all that it launches."""
    told = json.loads((folder / "jobs.json").read_text())[group]
    text = (folder / f"{group}.csv").read_text()
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))[1:]  # the first has units
    launches = [sum(step["do"] == "launch" for step in job["request"]["steps"]) for job in told]
    if sum(launches) != len(rows):
        sys.exit(f"{group}.csv has {len(rows)} launches, and jobs.json {sum(launches)}")
    found, of_job = [], iter(rows)
    for count in launches:
        mine = list(itertools.islice(of_job, count))
        found.append({name: sum(value(row[metric]) for row in mine) for name, metric in GROUPS[group].items()})
    return found


def value(text: str) -> int:
    return int(float(text.replace(",", "")))


def table(folder: Path) -> None:
    """Run every job in the emulator, and write both counts as JSON and as a page."""
    told, machine = (json.loads((folder / f"{name}.json").read_text()) for name in ("jobs", "machine"))
    kernels = [
        {"name": job["name"], "source": job["source"], "sha256": digest(job["source"])}
        | {key: job[key] for key in ("shape", "block", "grid") if job[key]}
        | {"emulator": emulated(job, told["arch"]), "gpu": found}
        for job, found in zip(told["kernels"], measured(folder, "kernels"), strict=True)
    ]
    patterns = {
        job["name"]: {"emulator": relevant(job, emulated(job, told["arch"])), "gpu": relevant(job, found)}
        for job, found in zip(told["patterns"], measured(folder, "patterns"), strict=True)
    }
    from gemmlab.files import write_whole

    data = {"machine": machine | {"arch": told["arch"]}, "kernels": kernels, "patterns": patterns}
    path = RECORDED / f"counters-{machine['gpu'].replace(' ', '-')}.json"
    write_whole(path, json.dumps(data, indent=1) + "\n")
    write_whole(path.with_suffix(".md"), page(data))
    print(f"wrote {path} and {path.with_suffix('.md').name}")


def digest(source: str) -> str:
    return hashlib.sha256((ROOT / source).read_bytes()).hexdigest()


def emulated(job: dict, arch: str) -> dict[str, int]:
    """What the emulator counts, under the names of METRICS, with the accesses that ptxas joins as it joins them."""
    from gemmlab.emulator import EmulatorExecutor

    work, A, B, terms = work_of(job)
    outcome = EmulatorExecutor(again=False).run(program_of(job, arch), work, A, B, tuple(job["shape"]), terms=terms)
    totals = outcome.counters.totals
    found = {}
    for name in METRICS:
        field = name.replace(" ", "_")
        for kind in ("load", "store"):
            field = field.replace(f"shared_{kind}", f"widened_{kind}")
        found[name] = getattr(totals, field)
        if name.startswith("shared store"):  # ncu counts those of cp.async apart
            found[name] -= getattr(totals, f"async_copy_{name.split()[-1]}")
    return found


def relevant(job: dict, counts: dict[str, int]) -> list[int]:
    """Wavefronts and conflicts of a pattern's one access."""
    operation = job["name"].split()[0]
    return [counts[f"shared {operation} {what}"] for what in ("wavefronts", "conflicts")]


def reason(name: str, kernel: dict) -> str:
    """Why this count differs; empty if nobody knows."""
    return next((why for start, has, why in REASONS if name.startswith(start) and has(kernel)), "")


def page(data: dict) -> str:
    """The table in Markdown: one number where both agree, else the emulator's, the GPU's and their ratio."""
    machine, kernels, patterns = data["machine"], data["kernels"], data["patterns"]
    pairs = [
        (kernel, name) for kernel in kernels for name in METRICS if kernel["gpu"][name] or kernel["emulator"][name]
    ]
    differing = [(kernel, name) for kernel, name in pairs if kernel["gpu"][name] != kernel["emulator"][name]]
    same = sum(pattern["gpu"] == pattern["emulator"] for pattern in patterns.values())
    names = [name for name in METRICS if any(name == of for _, of in pairs)]
    lines = [
        f"# The emulator's counters beside those of an {machine['gpu']}",
        "",
        f"Written by `tools/validate_counters.py`. Nsight Compute {machine['ncu']}, driver {machine['driver']}, "
        f"{machine['date']}; kernels compiled for {machine['arch']}. Accesses to shared memory are those that ptxas "
        "makes of the source's, by the model of `gemmlab/emulator/ptx/widening.py`.",
        "",
        f"- **{len(pairs) - len(differing)} of {len(pairs)}** counts of {len(kernels)} runs are the same on both.",
        f"- **{same} of {len(patterns)}** patterns of lanes take the same wavefronts and bank conflicts on both.",
        "",
        "## Where they differ",
        "",
        "| kernel | count | emulator | GPU | ratio | reason |",
        "|:--|:--|--:|--:|--:|:--|",
    ]
    for kernel, name in differing:
        ours, theirs = kernel["emulator"][name], kernel["gpu"][name]
        ratio = f"{ours / theirs:.3f}" if theirs else "–"
        why = reason(name, kernel) or "**not known**"
        lines.append(f"| {kernel['name']} | {name} | {ours:,} | {theirs:,} | {ratio} | {why} |")
    lines += [
        "",
        "## All counts",
        "",
        "One number stands for both where the ratio is 1; else it is emulator : GPU.",
        "",
    ]
    lines += [f"| kernel | {' | '.join(names)} |", f"|:--|{'--:|' * len(names)}"]
    for kernel in kernels:
        cells = (cell(kernel, name) for name in names)
        lines.append(f"| {kernel['name']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def cell(kernel: dict, name: str) -> str:
    ours, theirs = kernel["emulator"][name], kernel["gpu"][name]
    if ours == theirs:
        return f"{ours:,}" if ours else ""
    return f"{ours:,} : {theirs:,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("all", "prepare", "measure", "launch", "table"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default=ARCH, help="the architecture of the GPU that measures")
    parser.add_argument("--group", choices=GROUPS, default="kernels", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.step in ("all", "prepare"):
        prepare(arguments.folder, arguments.arch)
    if arguments.step in ("all", "measure"):
        measure(arguments.folder)
    if arguments.step in ("all", "table"):
        table(arguments.folder)
    if arguments.step == "launch":
        launch(arguments.folder, arguments.group)


if __name__ == "__main__":
    main()
