"""The model's times beside those of a GPU. In steps, because the machine of the GPU may have no compiler like ours:

    python tools/validate_model.py compile FOLDER --arch sm_90    # here: kernels.zip
    python tools/validate_model.py measure FOLDER                 # there: times.json
    python tools/validate_model.py keep FOLDER                    # here: gemmlab/recorded/model/GPU.json
    python tools/validate_model.py table                          # here: gemmlab/recorded/model-GPU.json and .md

Which kernels stands in model_kernels.py. Each time is the median of launches by themselves, with cold caches: see
Bench.cold. A kernel whose C is wrong has no time, and the file says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import statistics
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model_kernels import ModelKernel

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "gemmlab" / "recorded"
TIMES = RECORDED / "model"
Shape = tuple[int, int, int]
EARLIER_BLIND = (
    "Two halves were blind before: until 2026-11-30 the groups `unseen` and `resized` (median error 8.9 %, 89.4 % "
    "within 30 %, nine in ten within 31.0 %), then `fresh` (8.4 %, 94.4 %, 23.3 %). Each was predicted once. The model "
    "was then mended for what it had shown, so it is seen now."
)
SECONDS, FEWEST, MOST = 0.03, 3, 15  # what the launches of a kernel at a shape take, and how many they are


# ---- compile, here


def compile_all(folder: Path, arch: str, lacking: Path | None = None) -> None:
    """Each kernel's code and its requests into FOLDER/kernels.zip. `lacking`: a file of times; only those that it does
    not have are wanted."""
    from model_kernels import SHAPES, model_kernels

    from gemmlab.compiler.nvrtc import client
    from gemmlab.gpu.child.request import request_of
    from gemmlab.kernel.plan import refused
    from gemmlab.trials.numbers import compiled

    kept = {_key(row) for row in json.loads(lacking.read_text())["times"]} if lacking else set()
    kernels, jobs = model_kernels(), []
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "kernels.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        programs = compiled([one.candidate for one in kernels], arch, SHAPES)
        for number, (kernel, program) in enumerate(zip(kernels, programs, strict=True)):
            if isinstance(program, str):
                sys.exit(f"{kernel.name} does not compile: {program}")
            runs = []
            for shape in filter(kernel.takes, SHAPES):
                if (kernel.name, *shape) in kept:
                    continue
                work = kernel.candidate.launch.at(*shape)
                if faults := refused(work, program):
                    print(f"{kernel.name} at {shape} is not launched: {faults[0].message}")
                else:
                    runs.append({"shape": shape, "request": request_of(program, work, shape, shape)})
            if runs:
                packed.writestr(f"{number}.cubin", program.machine_code)
                jobs.append({"name": kernel.name, "group": kernel.group, "cubin": f"{number}.cubin", "runs": runs})
        compiler = {"nvrtc": ".".join(map(str, client.describe()["version"]))}
        packed.writestr("jobs.json", json.dumps(compiler | {"jobs": jobs}))
    print(f"{len(jobs)} kernels, {sum(len(job['runs']) for job in jobs)} times to take")


# ---- measure, there


def measure(folder: Path, commit: str, limit: float) -> None:
    """Time every job on the first GPU for `limit` seconds at most; FOLDER/times.json."""
    from gemmlab.gpu.bench import Bench
    from gemmlab.records.machines import machine_of

    end = time.monotonic() + limit
    with zipfile.ZipFile(folder / "kernels.zip") as packed, Bench() as bench:
        told = json.loads(packed.read("jobs.json"))
        jobs, compiler = told["jobs"], {"nvrtc": told["nvrtc"]}
        codes = {job["cubin"]: packed.read(job["cubin"]) for job in jobs}
        shapes = dict.fromkeys(tuple(run["shape"]) for job in jobs for run in job["runs"])
        machine, times = machine_of(bench, commit) | compiler, []
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
    """The times among the records of the course; those that are there stay unless they were taken again. Each row tells
    the commit of its kernel. A record of another driver or compiler makes room for this one."""
    from gemmlab.files import write_whole

    data = json.loads((folder / "times.json").read_text())
    path = TIMES / f"{data['machine']['gpu'].replace(' ', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(path.read_text()) if path.exists() else data
    same = all(before["machine"][name] == data["machine"][name] for name in ("arch", "driver", "nvrtc"))
    times: dict[tuple, dict] = {}
    for record in (before, data) if same else (data,):
        commit = record["machine"]["commit"]
        times |= {_key(row): {"commit": commit[:10]} | row for row in record["times"] if "ms" in row}
    rows = ",\n".join("  " + json.dumps(row) for row in times.values())
    write_whole(path, f'{{\n "machine": {json.dumps(data["machine"])},\n "times": [\n{rows}\n ]\n}}\n')
    print(f"wrote {path}")


def table(gpu: str, shapes: list[Shape], done: Path | None) -> None:
    """Predict the times that are kept of a GPU, of all shapes or of some, and write both beside each other, as JSON and
    as a page. `done` keeps what is predicted, so that another run of the same model goes on from there."""
    from gemmlab.files import write_whole

    file = gpu.replace(" ", "-")
    kept = json.loads((TIMES / f"{file}.json").read_text(encoding="utf-8"))
    times = [row for row in kept["times"] if not shapes or tuple(row["shape"]) in shapes]
    rows = predicted(times, gpu, done)
    found = summaries(rows)
    percent = math.ceil(100 * found["blind"]["nine_in_ten_within"])
    counts = {"times_kept": sum("ms" in row for row in kept["times"]), "times_here": len(rows)}
    data = {"machine": kept["machine"], "within_percent": percent, **counts, "summary": found}
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    text = json.dumps(data, indent=1).rstrip("}\n") + f'}},\n "rows": [\n{lines}\n ]\n}}\n'
    path = RECORDED / f"model-{file}.json"
    write_whole(path, text)
    write_whole(path.with_suffix(".md"), page(json.loads(text)))
    print(f"wrote {path} and {path.with_suffix('.md').name}")
    for half, found in data["summary"].items():
        print(half, json.dumps(found))


def predicted(times: list[dict], gpu: str, done: Path | None = None) -> list[dict]:
    """A row for each kernel and shape that has a time, the blind half first. Processes work side by side, one a
    processor, each on all shapes of a kernel, so that what does not depend on the shape is done once."""
    from multiprocessing import get_context

    from model_kernels import model_kernels

    known = {kernel.name: kernel for kernel in model_kernels()}
    model = _digest_of_model(gpu)
    lines = done.read_text(encoding="utf-8").splitlines() if done and done.exists() else []
    kept = {_key(row): row for row in map(json.loads, lines) if row.pop("model") == model}
    wanted = [row for row in times if "ms" in row and row["name"] in known]
    missing = [row for row in wanted if _key(row) not in kept]
    names = sorted({row["name"] for row in missing}, key=lambda name: (known[name].half, name))
    work = [(known[name], [row for row in missing if row["name"] == name], gpu) for name in names]
    with get_context("spawn").Pool(os.cpu_count()) as pool:
        for number, rows in enumerate(pool.imap_unordered(_predict, work), 1):
            kept |= {_key(row): row for row in rows}
            if done:
                with done.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(row | {"model": model}) + "\n" for row in rows)
            print(f"{number} of {len(work)}: {rows[0]['name']}", flush=True)
    return [kept[_key(row)] for row in wanted]


def _key(row: dict) -> tuple:
    return row["name"], *row["shape"]


def _digest_of_model(gpu: str) -> str:
    """What the predictions depend on beside the kernels: the model's code and the GPU's constants."""
    files = [*sorted((ROOT / "gemmlab" / "model").glob("*.py")), RECORDED / "machines" / f"{gpu}.json"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def _predict(job: tuple[ModelKernel, list[dict], str]) -> list[dict]:
    kernel, times, gpu = job
    return [_row_beside(kernel, time_of, gpu) for time_of in times]


def _row_beside(kernel: ModelKernel, time_of: dict, gpu: str) -> dict:
    from gemmlab.model import predict

    found = predict(kernel.candidate, tuple(time_of["shape"]), gpu)
    row = {"name": kernel.name, "group": kernel.group, "half": kernel.half, "shape": time_of["shape"]}
    row["measured_ms"] = time_of["ms"]
    if found.ms is None:
        return row | {"unknown": found.unknown}
    row |= {"predicted_ms": float(f"{found.ms:.5g}"), "error": round(found.ms / time_of["ms"] - 1, 4)}
    return row | {"summary": found.summary()}


# ---- how good it is


def summaries(rows: list[dict]) -> dict[str, dict]:
    """Of the kernels that nobody saw predicted before the model was done, and of the others; of all; of the groups.
    Kernels on tensor cores are in groups of their own, and in none of the halves."""
    found = {half: summary([row for row in rows if row["half"] == half]) for half in ("blind", "seen")}
    found["all"] = summary([row for row in rows if not row["half"].startswith("tensor")])
    for group in dict.fromkeys(row["group"] for row in rows):
        found[group] = summary([row for row in rows if row["group"] == group])
    return found


def summary(rows: list[dict]) -> dict:
    """Errors are |predicted − measured| / measured, over kernels and shapes; ranks are compared within each shape."""
    known = [row for row in rows if "error" in row]
    errors = sorted(abs(row["error"]) for row in known)
    if not errors:
        return {"kernels": 0, "times": 0, "unknown": len(rows)}
    shapes = dict.fromkeys(tuple(row["shape"]) for row in known)
    return {
        "kernels": len({row["name"] for row in known}),
        "times": len(known),
        "unknown": len(rows) - len(known),
        "median_error": round(statistics.median(errors), 4),
        "nine_in_ten_within": round(errors[math.ceil(0.9 * len(errors)) - 1], 4),
        "within_30_percent": round(sum(error <= 0.3 for error in errors) / len(errors), 4),
        "spearman": {
            "×".join(map(str, shape)): round(spearman([row for row in known if tuple(row["shape"]) == shape]), 4)
            for shape in shapes
        },
    }


def spearman(rows: list[dict]) -> float:
    """How well the order of the predicted times is that of the measured ones: 1 where it is the same."""
    if len(rows) < 2:
        return 1.0
    ranks = [_ranks([row[key] for row in rows]) for key in ("predicted_ms", "measured_ms")]
    return statistics.correlation(*ranks)


def _ranks(values: list[float]) -> list[float]:
    """The places of the values in their order; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [(ordered.index(value) + len(ordered) - 1 - ordered[::-1].index(value)) / 2 for value in values]


def page(data: dict) -> str:
    """The table in Markdown."""
    machine, rows = data["machine"], data["rows"]
    lines = [
        f"# Predicted times beside those of an {machine['gpu']}",
        "",
        "Written by `tools/validate_model.py table`. Measured: median of launches with cold caches, between events, "
        f"driver {machine['driver']}, {machine['date']}, commit {machine['commit'][:10]}. "
        "Predicted: `gemmlab.model`, which sees none of these times. An error is |predicted − measured| / measured.",
        "",
        "Whole kernels, not shapes, are in one half or the other. The kernels of the half `seen` were there while the "
        "model was made: its few numbers that no microbenchmark gives were set by hand with their errors in view. "
        "Those of the half `blind` (the groups `handed in` and `new sizes`) were written and measured apart, while the "
        "model was mended for the last time, and predicted once, when that was done: nothing of it was changed "
        "afterwards. So `blind` says what to expect of a kernel that nobody looked at, and the ± that the course shows "
        "is that within which nine in ten of its times lie.",
        "",
        EARLIER_BLIND,
        "",
        f"{data['times_here']} of {data['times_kept']} times that are kept stand here.",
        "",
        *_summary_table(data["summary"]),
        "",
        "## Order within a shape (Spearman)",
        "",
        *_spearman_table(data["summary"]),
        "",
        *_unknown(rows),
        "## Every time",
        "",
        "Measured and predicted in microseconds.",
        "",
        "| kernel | half | M×N×K | measured | predicted | error | reasons |",
        "|:--|:--|:--|--:|--:|--:|:--|",
    ]
    known = [row for row in rows if "error" in row]
    return "\n".join([*lines, *map(_row, known)]) + "\n"


def _summary_table(found: dict[str, dict]) -> list[str]:
    lines = [
        "| kernels | how many | times | median error | nine in ten within | within 30 % | no number |",
        "|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for name, one in found.items():
        if one["times"]:
            errors = (one["median_error"], one["nine_in_ten_within"], one["within_30_percent"])
            cells = (f"{one['kernels']}", f"{one['times']}", *(f"{100 * error:.1f} %" for error in errors))
            lines.append(f"| {name} | {' | '.join(cells)} | {one['unknown']} |")
    return lines


def _spearman_table(found: dict[str, dict]) -> list[str]:
    names = [name for name in ("blind", "seen", "all") if found[name]["times"]]
    lines = [f"| M×N×K | {' | '.join(names)} |", "|:--|" + "--:|" * len(names)]
    for shape in found["all"].get("spearman", {}):
        cells = (found[name]["spearman"].get(shape) for name in names)
        lines.append(f"| {shape} | {' | '.join('' if cell is None else f'{cell:.3f}' for cell in cells)} |")
    return lines


def _unknown(rows: list[dict]) -> list[str]:
    found: dict[tuple[str, str], int] = {}
    for row in rows:
        if "unknown" in row:
            found[row["name"], row["unknown"]] = found.get((row["name"], row["unknown"]), 0) + 1
    if not found:
        return []
    lines = [f"| {name} | {count} | {why} |" for (name, why), count in found.items()]
    return ["## Without a number", "", "| kernel | shapes | why |", "|:--|--:|:--|", *lines, ""]


def _row(row: dict) -> str:
    shape, times = "×".join(map(str, row["shape"])), (row["measured_ms"], row["predicted_ms"])
    measured, said = (f"{1e3 * ms:,.1f}" for ms in times)
    cells = row["name"], row["half"], shape, measured, said, f"{100 * row['error']:+.0f} %", row["summary"]
    return f"| {' | '.join(cells)} |"


def _shape(text: str) -> Shape:
    M, N, K = map(int, text.split(","))
    return M, N, K


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("compile", "measure", "keep", "table"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--arch", default="sm_90", help="the architecture of the GPU that measures")
    parser.add_argument("--lacking", type=Path, help="compile: only for times that this file does not have")
    parser.add_argument("--commit", default="unknown", help="the commit that is measured")
    parser.add_argument("--limit", type=float, default=math.inf, help="measure: seconds that it may take")
    parser.add_argument("--gpu", default="NVIDIA-H200", help="whose times are predicted")
    parser.add_argument("--shape", type=_shape, action="append", default=[], help="only these, as M,N,K")
    parser.add_argument("--done", type=Path, help="a file that keeps predictions: a second run goes on from there")
    options = parser.parse_args()
    if options.step == "compile":
        compile_all(options.folder, options.arch, options.lacking)
    elif options.step == "measure":
        measure(options.folder, options.commit, options.limit)
    elif options.step == "keep":
        keep(options.folder)
    else:
        table(options.gpu, options.shape, options.done)


if __name__ == "__main__":
    main()
