"""`gemmlab record`: what this machine's GPU does, in one results file, which results.py reads.

In it are the solutions of the ladder, the same with other tile sizes, and the kernels beyond the ladder, each beside
cuBLAS at each shape; and the ceilings of the GPU. Its constants go into a file of their own, which machines.py writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import median

from gemmlab import gpu
from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Lesson
from gemmlab.errors import UserError
from gemmlab.files import write_whole
from gemmlab.gpu.bench import Bench, Timing
from gemmlab.gpu.roofline import measure_ceilings
from gemmlab.kernel.elements import ELEMENTS
from gemmlab.kernel.epilogue import NOTHING, epilogue_of
from gemmlab.kernel.layout import COURSE
from gemmlab.kernel.plan import refused
from gemmlab.kernel.program import Program
from gemmlab.records import fused
from gemmlab.records.figures import digits, figures_of
from gemmlab.records.machines import commit_of, write_constants
from gemmlab.records.results import FOLDER, SPLIT_SHAPES
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.numbers import compiled, variant

Shape = tuple[int, int, int]
SHAPES: tuple[Shape, ...] = ((4096, 4096, 4096), (1024, 1024, 1024), (1024, 1024, 512), (1001, 777, 513))
SECONDS, WARM_UP = 0.6, 0.2  # of each kernel at each shape: timed launches, and those before them

SPLIT_LESSONS = ("09", "10", "13")  # those recorded at SPLIT_SHAPES: before the split, the split, all kernels by shape

GRID = "cdiv(N, BN),cdiv(M, BM)"
_WARP_TILES = "BM // WM * (BN // WN) * 32"


@dataclass(frozen=True)
class Fast:
    """How a kernel of solutions/fast/ is launched, in its own names, and what its A and B hold."""

    block: str
    grid: str = GRID
    smem: str = "0"
    element: str = "float32"

    def candidate(self, name: str, source: str, numbers: Mapping[str, int] | None = None) -> Candidate:
        """The kernel with other numbers in its #define lines, if any."""
        layout = replace(COURSE, element=ELEMENTS[self.element])
        return variant(name, source, self.block, self.grid, self.smem, numbers, layout)


FAST = {
    "register_prefetch": Fast("BN // TN,BM // TM"),
    "two_fragments": Fast("BN // TN,BM // TM"),
    "pipelined": Fast("(BM // TM) * (BN // TN)"),
    "sliced": Fast("SLICES * (BM // TM) * (BN // TN)"),
    "wmma_tf32": Fast(_WARP_TILES, element="tf32"),
    "half_mma": Fast(_WARP_TILES, smem="STAGES * (BM + BN) * BK * 2", element="float16"),
    "three_tf32": Fast(_WARP_TILES, smem="STAGES * (BM * BK + BK * (BN + PAD)) * 4", element="3xtf32"),
}
# The same with other numbers in their #define lines.
FAST_SIZES = {"two_fragments": ({"BM": 64, "BK": 16, "BLOCKS_A_SM": 1},)}


@dataclass(frozen=True)
class Entry:
    """A kernel of the record: its lesson's number, None beyond the ladder, and whether its sizes are the lesson's.
    `dtype` names its inputs: kernels of one name stand beside the same cuBLAS."""

    candidate: Candidate
    lesson: str | None
    as_taught: bool
    dtype: str = "float32"


def entries(root: Path) -> list[Entry]:
    """All that is recorded. Raises UserError where the solutions are not on disk."""
    found: list[Entry] = []
    for lesson in lessons.load_all(root):
        is_plain = len(lesson.kernels) == 1 and lesson.kernel.patient is None and lesson.kernel.devices is None
        if is_plain and not _is_fused(lesson):
            found += _of_lesson(lesson)
    for name, fast in FAST.items():
        source = (root / "solutions" / "fast" / f"{name}.cu").read_text(encoding="utf-8")
        for numbers in ({}, *FAST_SIZES.get(name, ())):
            candidate = fast.candidate(f"fast/{name}", source, numbers)
            found.append(Entry(candidate, None, False, fast.element))
    return found


def _is_fused(lesson: Lesson) -> bool:
    """Whether it makes more than a product, so that cuBLAS alone is no measure of it."""
    return epilogue_of(lesson.kernel.launched_by) != NOTHING


def fused_entries(root: Path) -> list[Entry]:
    """The kernels of lessons that are recorded beside cuBLAS and what comes after it."""
    plain = [one for one in lessons.load_all(root) if len(one.kernels) == 1 and one.kernel.devices is None]
    found = [lesson for lesson in plain if _is_fused(lesson)]
    return [Entry(Candidate(one.solution, one.name, one.launch), one.number, True) for one in found]


def _of_lesson(lesson: Lesson) -> Iterator[Entry]:
    source = lesson.solution
    dtype, launches = lesson.kernel.element.name, lesson.kernel.launches_of(source)
    yield Entry(Candidate(source, lesson.name, launches), lesson.number, True, dtype)
    if other := lesson.recorded:
        for numbers in other.choices:
            layout = replace(COURSE, element=lesson.kernel.element)
            other_sizes = variant(lesson.name, source, other.block, other.grid, numbers=numbers, layout=layout)
            yield Entry(other_sizes, lesson.number, False, dtype)


def record(
    root: Path,
    out: Path | None = None,
    commit: str | None = None,
    tell: Callable[[str], None] = print,
    shapes: Sequence[Shape] = SHAPES,
) -> Path:
    """Measure everything and write the results file, gemmlab/recorded/GPU-NAME.json unless `out` is given.

    `commit` is asked of git where it is not given. `tell` hears of the progress, a line a kernel. Raises UserError
    where there is no GPU or no commit, and where a kernel is wrong: then nothing is written.
    """
    if gpu.available() is None:
        raise UserError("a record is of an NVIDIA GPU, and nvidia-smi finds none on this machine")
    commit = commit or commit_of(root)
    wanted = entries(root)
    with Bench() as bench:
        tell(f"{bench.gpu}: {len(wanted)} kernels are compiled")
        programs = list(compiled([entry.candidate for entry in wanted], bench.arch, (*shapes, *SPLIT_SHAPES)))
        tell("ceilings are measured")
        ceilings = measure_ceilings(bench)
        tell(", ".join(f"{name} {value:,.0f}" for name, value in ceilings.items()))
        tell(f"wrote {write_constants(bench, out and out.parent / 'machines' / out.name, commit, tell)}")
        pairs = list(zip(wanted, programs, strict=True))
        found = [
            _at_shape(bench, shape, [pair for pair in pairs if pair[0].dtype == dtype], tell)
            for dtype in dict.fromkeys(entry.dtype for entry in wanted)
            for shape in shapes
        ]
        splits = [pair for pair in pairs if _splits(pair[0])]
        found += [_at_shape(bench, shape, splits, tell) for shape in SPLIT_SHAPES if splits]
        found += [
            fused.at_shape(bench, entry.candidate, tell, seconds=SECONDS, warm_up=WARM_UP, shape=shape)
            for entry in fused_entries(root)
            for shape in fused.SHAPES
        ]
        machine = _machine(commit, [timing for _, timings in found for timing in timings])
    data = {"machine": machine, "ceilings": ceilings, "shapes": [shape for shape, _ in found]}
    path = out or FOLDER / f"{machine['gpu'].replace(' ', '-')}.json"
    write_whole(path, _lines(data) + "\n")
    return path


def _splits(entry: Entry) -> bool:
    return entry.as_taught and entry.lesson in SPLIT_LESSONS


def _at_shape(
    bench: Bench, shape: Shape, programs: list[tuple[Entry, Program | str]], tell: Callable[[str], None]
) -> tuple[dict, list[Timing]]:
    """The results file's object of one shape and one dtype, and the timings in it."""
    kernels, timings = [], []
    for entry, program in programs:
        timing = _timed(bench, entry, program, shape)
        timings.append(timing)
        kernels.append(_kernel(entry, program, timing))
        where = "×".join(map(str, shape))
        speed = f"{timing.gflops:8,.0f} GFLOPS {100 * timing.ratio:6.1f} % of cuBLAS"
        tell(f"{where:>14}  {entry.candidate.filename:44} {speed}")
    M, N, K = shape
    cublas = digits(median(timing.cublas_gflops for timing in timings), 6)
    warm = digits(median(timing.warm.cublas_gflops for timing in timings), 6)
    head = {"M": M, "N": N, "K": K, "dtype": programs[0][0].dtype, "cublas_gflops": cublas, "cublas_warm_gflops": warm}
    return head | {"kernels": kernels}, timings


def _timed(bench: Bench, entry: Entry, program: Program | str, shape: Shape) -> Timing:
    name, work = entry.candidate.filename, entry.candidate.launch.at(*shape)
    if isinstance(program, str):
        raise UserError(f"{name} does not compile: {program}")
    if faults := refused(work, program):
        raise UserError(f"{name} cannot be launched: {faults[0].message}")
    try:
        return bench.time(program, work, shape, seconds=SECONDS, warm_up=WARM_UP)
    except UserError as error:
        raise UserError(f"{name} at {shape}: {error}") from None


def _kernel(entry: Entry, program: Program, timing: Timing) -> dict:
    return {
        "name": entry.candidate.filename,
        "lesson": entry.lesson,
        "as_taught": entry.as_taught,
        **figures_of(timing),
        "registers": program.resources[entry.candidate.kernels([SHAPES[0]])[0]].registers,
    }


def _machine(commit: str, timings: Sequence[Timing]) -> dict:
    from gemmlab.compiler.nvrtc import client

    device = gpu.device()
    return {
        "gpu": device.name,
        "driver": device.driver,
        "cuda": device.runtime,
        "nvrtc": ".".join(map(str, client.describe()["version"])),
        "cupy": device.cupy,
        "sm_clock_mhz": round(median(timing.sm_clock_mhz for timing in timings)),
        "cublas": timings[0].math_mode,
        "date": date.today().isoformat(),
        "commit": commit,
    }


def _lines(data: dict) -> str:
    """JSON with the innermost lists and objects on one line each."""
    text = json.dumps(data, indent=1)
    for innermost in (r"\[[^][{}]*\]", r"\{[^{}]*\}"):
        text = re.sub(innermost, lambda match: " ".join(match[0].split()), text)
    return text
