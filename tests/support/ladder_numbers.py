"""What the tables of lessons 05 to 10 may name: the tiles of their kernels, the record's shares, counts, the search."""

from __future__ import annotations

import json
import re
from dataclasses import astuple
from functools import cache, partial
from types import SimpleNamespace

import numpy as np

from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import Lesson, find_root, load
from gemmlab.cuda.sizes import Sizes, numbers_of, register_sizes, sizes_of, with_sizes
from gemmlab.errors import UserError
from gemmlab.kernel.elements import BFLOAT16, FLOAT16, FLOAT32, TF32
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.limits import REGISTER_UNIT, SM_PARTITIONS, STATIC_SHARED, WARP, occupancy
from gemmlab.model.machines import DEFAULT, RECORDED
from gemmlab.model.machines import load as load_machine
from gemmlab.models import autotune
from gemmlab.models.banks import request
from gemmlab.models.simulator import FLOAT_BYTES, Traffic, traffic_register_tiled
from gemmlab.models.splits import Cutting
from gemmlab.models.tally import Tally
from gemmlab.models.warp_tile import BY_ROWS, IN_ORDER, WarpTile, arrangements, wavefronts
from gemmlab.notebook.arguments import COUNTED_SHAPE
from gemmlab.records.landscapes import measured, recorded_landscapes
from gemmlab.records.results import Fused, Results, all_results, published
from gemmlab.records.splits import recorded_splits
from gemmlab.trials.counts import tally
from gemmlab.trials.warp_tile import warp_tile

Shape = tuple[int, int, int]
ARCH = "sm_90"  # of the record
SMS = load_machine().sms
ACCURACY = RECORDED / f"model-{DEFAULT}.json"
UNIT = REGISTER_UNIT // WARP  # registers of a thread are given out in this many


def ladder_names(lesson: Lesson) -> dict[str, object]:
    """BM, BN, BK, TM, TN of a kernel with register tiles, `limit` of its rules, and what is the same for all."""
    sizes = register_sizes(lesson.kernels[0].starter) if lesson.kernels else None
    of_kernel: dict[str, object] = dict(_defined(lesson.kernels[0].starter)) if lesson.kernels else {}
    if sizes is not None:
        of_kernel = {**vars(sizes), "bank": partial(_wavefronts, sizes), "PAD": autotune.PAD}
    limits = {(rule.what, rule.of): rule.limit for rule in lesson.kernels[0].rules}
    return {
        **of_kernel,
        **_FOR_ALL,
        "lesson": lesson,
        "cases": lesson.kernels[0].cases,
        "limit": lambda what, of: limits[what, of],
    }


def _defined(source: str) -> dict[str, int]:
    """The numbers in the #define lines of a kernel."""
    return {name: int(number) for name, number in re.findall(r"^#define (\w+) (\d+)\b", source, re.MULTILINE)}


def _fast_numbers(name: str) -> dict[str, int]:
    return _defined((find_root() / "solutions/fast" / f"{name}.cu").read_text(encoding="utf-8"))


def split_names(lesson: Lesson) -> dict[str, object]:
    """`split` of a shape, `at_once`, `sms`, `shortest`, and the `intensity` of a product whose matrices move once."""
    source = lesson.kernels[0].starter
    try:
        shortest, sms, blocks = numbers_of(source, "SHORTEST", "SMS", "BLOCKS_A_SM")
    except UserError:
        return {}
    sizes = sizes_of(source)
    cutting = Cutting(sizes.BM, sizes.BN, sizes.BK, shortest, sms * blocks)
    return {
        "split": lambda M, N, K, slices=None: cutting.split((M, N, K), slices),
        "at_once": sms * blocks,
        "sms": sms,
        "shortest": shortest,
        "microseconds": recorded_splits()[0].microseconds,
        "intensity": lambda M, N, K: 2 * M * N * K / (FLOAT_BYTES * (M * K + K * N + M * N)),
    }


def _wavefronts(sizes: Sizes, expression: str, width: int = 1) -> int:
    """Of one request of warp 0, with the words that the lesson's `banks` draws."""
    return request(expression, sizes, width).wavefronts


def _register_traffic(side: int, *sizes: int) -> Traffic:
    return traffic_register_tiled(side, side, side, *sizes)


@cache
def _counted(number: str) -> Tally:
    """One launch of a solved kernel, at the shape of `lesson.compare`."""
    lesson = load(number)
    return tally(lesson.kernel, lesson.solution or "", COUNTED_SHAPE, ARCH)


@cache
def _compiled(number: str, *sizes: int, without: str = "") -> SimpleNamespace:
    """What the compiler says of a solved kernel, with other sizes, or without some of its words."""
    source = load(number).solution or ""
    assert without in source
    text = with_sizes(source, Sizes(*sizes)) if sizes else source
    return SimpleNamespace(**vars(compile_source(text.replace(without, ""), arch=ARCH).resources["gemm"]))


def _about(number: int, measured: int) -> int:
    """What a text says of registers, with "about": compilers differ. LookupError where it is another number."""
    if abs(number - measured) > UNIT:
        raise LookupError(f"the compiler says {measured}, and not about {number}")
    return number


@cache
def h200() -> Results:
    """The record that the lessons tell of."""
    (results,) = [one for one in all_results() if one.machine["gpu"] == "NVIDIA H200"]
    return results


@cache
def _recorded(side: int) -> dict[str, float]:
    (shape,) = [one for one in h200().shapes if one.shape == (side, side, side)]
    return {kernel.name: 100 * kernel.ratio for kernel in shape.kernels}


@cache
def _tensor(name: str, dtype: str, side: int = 4096) -> float:
    """The recorded share of cuBLAS of a kernel on tensor cores, in per cent."""
    at = h200().at((side, side, side), dtype)
    assert at is not None, f"nothing was recorded of {dtype}"
    return 100 * at.named(name).ratio


def _ceiling(name: str) -> float:
    return h200().ceilings[name]


def _near(number: float, measured: float, within: float = 0.1) -> float:
    """What a text says with "about": speeds differ from day to day. LookupError where it is another number."""
    if abs(number - measured) > within * measured:
        raise LookupError(f"it is {measured:.4g}, and not about {number}")
    return number


@cache
def _public(source: str) -> dict[str, float]:
    """What a ladder of others, or one beside it, reached at 4096×4096×4096, by step, in per cent of cuBLAS."""
    (ladder,) = [one for one in published() if one.source == source and one.shape == (4096, 4096, 4096)]
    assert ladder.unit == "percent of cuBLAS"
    return dict(zip(ladder.steps, ladder.values, strict=True))


@cache
def _search(M: int, N: int, K: int) -> list[SimpleNamespace]:
    """The recorded search at that shape, the fastest first: sizes, TFLOPS, registers, blocks, occupancy."""
    (record,) = [one for one in recorded_landscapes() if one["machine"]["gpu"] == "NVIDIA H200"]
    (search,) = [one for one in record["searches"] if (*one["shape"],) == (M, N, K)]
    registers = {Sizes(*entry["sizes"]): entry["registers"] for entry in search["entries"]}
    speeds = measured(record, (M, N, K)) or {}
    return [
        SimpleNamespace(
            sizes=sizes,
            tflops=speeds[sizes] / 1000,
            of_best=100 * speeds[sizes] / max(speeds.values()),
            registers=registers[sizes],
            blocks=cdiv(M, sizes.BM) * cdiv(N, sizes.BN),
            full=occupancy(sizes.threads, registers[sizes], autotune.RULES[1].value(sizes), ARCH),
        )
        for sizes in sorted(speeds, key=lambda one: -speeds[one])
    ]


def _found(shape: Shape, *sizes: int) -> SimpleNamespace:
    """One configuration of that search."""
    return next(one for one in _search(*shape) if one.sizes == Sizes(*sizes))


def _slowest_predicted(M: int, N: int, K: int) -> int:
    """The speed of the slowest configuration in per cent of the best, as lesson 09's search of BK = 16 shows it."""
    notebook = (find_root() / "solutions/09_warp_tile_autotune.ipynb").read_text(encoding="utf-8")
    told = rf"M, N, K = {M}, {N}, {K}, predicted .*?Slowest: 64×64×16, 4×4 a thread, at (\d+) % of it"
    return int(re.search(told, notebook)[1])  # type: ignore[index]


@cache
def _lanes() -> dict[str, WarpTile]:
    """How warps lie with the tiles of lesson 09: in order, by rows, and as its solved kernel has them."""
    lesson = load("09")
    tiles = arrangements(sizes_of(lesson.starter))
    return {"in_order": tiles[IN_ORDER], "by_rows": tiles[BY_ROWS], "own": warp_tile(lesson.kernel, lesson.solution)}


def _row(name: str, shape: Shape) -> dict:
    """What the model says of a kernel at a shape, in its recorded accuracy; that it says so today is tested there."""
    return _accuracy()[name, shape]


@cache
def _accuracy() -> dict[tuple[str, Shape], dict]:
    rows = json.loads(ACCURACY.read_text(encoding="utf-8"))["rows"]
    return {(row["name"], (*row["shape"],)): row for row in rows}


def _decides(row: dict) -> str:
    """'shared' of 'shared 78 %, issue 45 %: shared decides'"""
    return row["summary"].rsplit(": ", 1)[1].removesuffix(" decides")


def predicted_search(M: int, N: int, K: int) -> dict[Sizes, dict]:
    """What the model predicted for each configuration of the recorded search at that shape, where it gives a number."""
    rows = {one.sizes: _row(_name_of(one.sizes), (M, N, K)) for one in _search(M, N, K)}
    return {sizes: row for sizes, row in rows.items() if "predicted_ms" in row}


def _name_of(sizes: Sizes) -> str:
    return "09 " + " ".join(f"{name}={value}" for name, value in vars(sizes).items())


def rank_correlation(*shape: int) -> float:
    """Spearman's, of the predicted and the recorded order of the search at that shape."""
    predictions = predicted_search(*shape)
    known = [one for one in _search(*shape) if one.sizes in predictions]
    speeds = [(one.tflops, 1 / predictions[one.sizes]["predicted_ms"]) for one in known]
    recorded, predicted = np.array(speeds).T
    return float(np.corrcoef(recorded.argsort().argsort(), predicted.argsort().argsort())[0, 1])


def decides_in(number: str, side: int) -> str:
    """What decides, by the model, the time of a lesson's solved kernel at a cube."""
    return _decides(_row(load(number).name, (side, side, side)))


@cache
def shares_now(number: str, shape: Shape) -> dict[str, int]:
    """What keeps a lesson's solved kernel busy, by the model, at a shape that its recorded accuracy lacks: in per cent
    of the time, the most first."""
    from gemmlab.model.predict import predict
    from gemmlab.trials.candidate import Candidate

    lesson = load(number)
    assert lesson.solution
    solved = Candidate(lesson.solution, lesson.name, lesson.kernel.launches_of(lesson.solution))
    return {reason.name: round(100 * reason.share) for reason in predict(solved, shape).reasons}


def decides_now(number: str, shape: Shape) -> str:
    return next(iter(shares_now(number, shape)))


def recorded_gflops(number: str, *shape: int) -> float:
    """Of a lesson's kernel as it is taught, with its own elements, recorded at M, N and K, or at a cube: of one side,
    or of 1024."""
    M, N, K = shape if len(shape) == 3 else 3 * (shape or (1024,))
    at = h200().at((M, N, K), load(number).kernel.pristine_launches.layout.element.name)
    assert at, f"nothing is recorded of lesson {number} at {shape}"
    return at.as_taught(number).gflops


def recorded_fusion(*shape: int) -> Fused:
    """Lesson 12's kernel beside the three that it replaces."""
    return next(one for one in h200().fused if one.shape == shape)


def speedup(number: str, side: int) -> float:
    """How many times as fast as the lesson before it a lesson's kernel was recorded, at a cube."""
    return recorded_gflops(number, side) / recorded_gflops(f"{int(number) - 1:02}", side)


_FOR_ALL: dict[str, object] = {
    "tensor": _tensor,
    "HALF": _fast_numbers("half_mma"),
    "THREE": _fast_numbers("three_tf32"),
    **{one.name.upper(): one for one in (FLOAT32, TF32, FLOAT16, BFLOAT16)},
    "ceiling": _ceiling,
    "near": _near,
    "UNIT": UNIT,
    "portion": lambda registers: UNIT * cdiv(registers, UNIT),
    "fits": lambda threads, registers, shared=0: occupancy(threads, registers, shared, ARCH),
    "moved": _register_traffic,
    "counted": _counted,
    "compiled": _compiled,
    "about": _about,
    "share": lambda name, side: f"{_recorded(side)[name]:.1f}",
    "public": _public,
    "beside_siboehm": _public("lesson 02's kernel beside that tiled one, in one run"),
    "found": _found,
    "slowest_predicted": _slowest_predicted,
    "winner": lambda *shape: _search(*shape)[0],
    "second": lambda *shape: _search(*shape)[1],
    "SMS": SMS,
    "SCHEDULERS": SM_PARTITIONS,
    "STATIC_SHARED": STATIC_SHARED,
    "speedup": speedup,
    "gflops": recorded_gflops,
    "shares_now": shares_now,
    "recorded_fusion": recorded_fusion,
    "autotune": autotune,
    "Sizes": Sizes,
    "astuple": astuple,
    "tried": [sizes for sizes in autotune.space() if not autotune.pruned_by(sizes)],
    "load": lambda words: wavefronts(list(words)),
    "fast": lambda name: sizes_of((find_root() / f"solutions/fast/{name}.cu").read_text(encoding="utf-8")),
    "sizes": lambda number: sizes_of(load(number).solution or ""),
    "lanes": lambda name: _lanes()[name],
}
