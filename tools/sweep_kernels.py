"""Time a kernel with other numbers in its #define lines, each beside cuBLAS, and print a table, the fastest first.

    python tools/sweep_kernels.py solutions/fast/pipelined.cu --set BM=64,128 --set BK=8,16 --shape 4096,4096,4096 \\
        --block "(BM // TM) * (BN // TN)" --grid "cdiv(N, BN),cdiv(M, BM)"

Every combination of the numbers is tried. The expressions of the launch may name whatever the file defines as a number.
A combination that does not compile, does not fit or is wrong gets a line that says so.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gemmlab.commands.options import parse_shape
from gemmlab.errors import UserError
from gemmlab.gpu.bench import Bench, Timing
from gemmlab.kernel.limits import check_launch
from gemmlab.kernel.program import Program
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.numbers import compiled, variant

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Result:
    candidate: Candidate
    shape: Shape
    registers: int
    timing: Timing | None
    fault: str = ""


def timed(candidates: list[Candidate], shapes: Sequence[Shape], seconds: float) -> Iterator[Result]:
    """Shape by shape, so that the matrices are made once each."""
    with Bench() as bench:
        programs = list(compiled(candidates, bench.arch))
        for shape in shapes:
            for one, program in zip(candidates, programs, strict=True):
                yield _timed(bench, one, program, shape, seconds)


def _timed(bench: Bench, one: Candidate, program: Program | str, shape: Shape, seconds: float) -> Result:
    if isinstance(program, str):
        return Result(one, shape, 0, None, program)
    (launch,) = one.launches(shape)
    used = program.resources[launch.kernel]
    if faults := check_launch(launch, used, program.arch, program.ptxas_errors):
        return Result(one, shape, used.registers, None, faults[0].message)
    try:
        return Result(one, shape, used.registers, bench.time(program, launch, shape, seconds=seconds, warm_up=0.1))
    except UserError as error:
        return Result(one, shape, used.registers, None, str(error))


def line(result: Result) -> str:
    head = f"{'×'.join(map(str, result.shape)):>15} {result.candidate.filename:56} {result.registers:4}"
    if result.timing is None:
        return f"{head}  {result.fault[:110]}"
    t = result.timing
    return (
        f"{head} {t.kernel_ms * 1e3:9.1f} µs {t.gflops:8.0f} {100 * t.ratio:6.1f} % ({100 * t.spread[0]:.1f} to "
        f"{100 * t.spread[1]:.1f}), warm {100 * t.warm.ratio:6.1f} %, {t.sm_clock_mhz:5.0f} MHz"
    )


def by_speed(results: Iterable[Result]) -> list[Result]:
    return sorted(results, key=lambda one: (one.shape, -one.timing.ratio if one.timing else 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER,...")
    parser.add_argument("--shape", action="append", required=True, metavar="M,N,K")
    parser.add_argument("--block", required=True)
    parser.add_argument("--grid", required=True)
    parser.add_argument("--smem", default="0")
    parser.add_argument("--seconds", type=float, default=0.3, help="of timed launches for each line")
    options = parser.parse_args()
    names, values = zip(*(text.split("=") for text in options.set), strict=True) if options.set else ((), ())
    shapes = [parse_shape(text) for text in options.shape]
    source = options.file.read_text(encoding="utf-8")
    candidates = [
        variant(
            options.file.stem, source, options.block, options.grid, options.smem, dict(zip(names, map(int, chosen)))
        )
        for chosen in itertools.product(*(text.split(",") for text in values))
    ]
    for result in by_speed(timed(candidates, shapes, options.seconds)):
        print(line(result))


if __name__ == "__main__":
    main()
