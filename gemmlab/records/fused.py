"""The record of the fused epilogue: one kernel beside cuBLAS and two of CuPy's, at shapes of feed-forward layers.

Its ratio is to those three together, never to cuBLAS alone. `cublas_gflops` is the rate of the three as well.
"""

from __future__ import annotations

from collections.abc import Callable

from gemmlab.gpu.bench import Bench
from gemmlab.kernel.timing import Timing
from gemmlab.models.networks import fusion
from gemmlab.records.figures import digits, figures_of
from gemmlab.records.results import Fused, Results, all_results
from gemmlab.trials.candidate import Candidate

Shape = tuple[int, int, int]
AGAINST = "cuBLAS, then CuPy kernels for bias and SiLU"
SHAPES: tuple[Shape, ...] = ((512, 11008, 4096), (4096, 11008, 4096), (4096, 11008, 128))


def at_shape(
    bench: Bench, candidate: Candidate, tell: Callable[[str], None], *, shape: Shape, seconds: float, warm_up: float
) -> tuple[dict, list[Timing]]:
    """The results file's object of one shape, and the timing in it. Raises UserError where the kernel is wrong."""
    work, program = candidate.launch.at(*shape), candidate.compiled(bench.arch)
    timing = bench.time(program, work, shape, seconds=seconds, warm_up=warm_up)
    (launch,), (M, N, K) = candidate.launches(shape), shape
    kernel = {
        "name": candidate.filename,
        "lesson": candidate.filename[:2],
        "as_taught": True,
        **figures_of(timing),
        "bytes": fusion.total(fusion.fused(shape)),
        "registers": program.resources[launch.kernel].registers,
    }
    head = {
        "M": M,
        "N": N,
        "K": K,
        "dtype": "float32",
        "against": AGAINST,
        "cublas_gflops": digits(timing.cublas_gflops, 6),
        "cublas_warm_gflops": digits(timing.warm.cublas_gflops, 6),
        "microseconds": digits(1e3 * timing.cublas_ms, 4),
        "bytes": fusion.total(fusion.separate(shape)),
    }
    tell(f"{'×'.join(map(str, shape)):>14}  {candidate.filename:44} {100 * timing.ratio:6.1f} % of {AGAINST}")
    return head | {"kernels": [kernel]}, [timing]


def recorded_table() -> str:
    """What was recorded on every GPU, in Markdown."""
    return "\n\n".join(map(table, filter(lambda results: results.fused, all_results()))) or _NOTHING


def table(results: Results) -> str:
    """What was recorded on one GPU."""
    label = results.label_of(results.fused[0].commit)
    return "\n".join([_HEAD, *map(_row, results.fused), "", f"{_LEGEND} {label[0].upper()}{label[1:]}."])


_NOTHING = "Nothing is recorded yet: `gemmlab record` measures it on a GPU."
_HEAD = (
    "| M×N×K | three kernels, µs | fused, µs | three / fused | three kernels, MB | fused, MB |\n"
    "|:--|--:|--:|--:|--:|--:|"
)
_LEGEND = f"Three kernels: {AGAINST}. Bytes are counted, each array once a kernel. Times are medians, with cold caches."


def _row(one: Fused) -> str:
    shape, megabytes = "×".join(map(str, one.shape)), f"{one.separate_bytes / 1e6:.1f} | {one.fused_bytes / 1e6:.1f}"
    return f"| {shape} | {one.separate_us:,.0f} | {one.fused_us:,.0f} | {one.ratio:.2f} | {megabytes} |"
