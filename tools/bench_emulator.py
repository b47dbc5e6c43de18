"""How fast the emulator is: ratios to a plain loop of the same arithmetic, measured in turns in one run.

    python tools/bench_emulator.py [--size 256] [--rounds 9]

The kernel is lesson 02's, 16×16 tiles. The loop is compiled by Numba, runs in one thread and adds in the same order.
Each round runs every contestant once; a ratio is the median over the rounds. Two loops at once show what the second
core of this machine is worth, which no program can exceed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

KERNEL = Path(__file__).resolve().parents[1] / "solutions/02_tiled_fma.cu"
LOOP, LOOPS, CHECKED, UNCHECKED = "plain loop", "two plain loops", "checks and counters", "without them"
CONTESTANTS = [(CHECKED, 1), (CHECKED, 2), (UNCHECKED, 1), (UNCHECKED, 2)]
GOALS = {(CHECKED, 1): 8.0, (UNCHECKED, 1): 4.0}
SECOND_CORE_GOAL = 1.7


def plain_loop() -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
    """C = A·B, one element after the other, each summed from k = 0 on, as a thread of the kernel does."""
    from numba import njit

    @njit("void(float32[:, ::1], float32[:, ::1], float32[:, ::1])", nogil=True)
    def multiply(A, B, C):
        for i in range(A.shape[0]):
            for j in range(B.shape[1]):
                acc = np.float32(0)
                for k in range(A.shape[1]):
                    acc += A[i, k] * B[k, j]
                C[i, j] = acc

    return multiply


def contestants(size: int) -> dict[tuple[str, int], Callable[[], object]]:
    from gemmlab.compiler.compile import compile_source
    from gemmlab.emulator import EmulatorExecutor
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.tolerance import make_inputs

    shape = (size, size, size)
    A, B = make_inputs("random", shape, seed=1)
    C = np.empty((size, size), np.float32)
    program = compile_source(KERNEL.read_text(), KERNEL.name)
    launch = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)").at(*shape)
    loop = plain_loop()
    pool = ThreadPoolExecutor(2)
    found: dict[tuple[str, int], Callable[[], object]] = {
        (LOOP, 1): lambda: loop(A, B, C),
        (LOOPS, 2): lambda: list(pool.map(lambda out: loop(A, B, out), (C, C.copy()))),
    }
    for what, threads in CONTESTANTS:
        executor = EmulatorExecutor(checks=what == CHECKED, threads=threads)
        found[what, threads] = partial(executor.run, program, launch, A, B, shape)
    return found


def measure(runs: dict[tuple[str, int], Callable[[], object]], rounds: int) -> dict[tuple[str, int], list[float]]:
    """Seconds of each contestant in each round, after one round that does not count."""
    seconds: dict[tuple[str, int], list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return seconds


def ratio(over: list[float], under: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(over, under, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    seconds = measure(contestants(arguments.size), arguments.rounds)
    print(f"16×16 tiles at {arguments.size}³, median of {arguments.rounds} rounds")
    for (what, threads), values in seconds.items():
        goal = f"  goal: at most {GOALS[what, threads]:.0f}×" if (what, threads) in GOALS else ""
        times = f"{ratio(values, seconds[LOOP, 1]):5.1f}× the loop"
        print(
            f"{what:20} {threads} thread{'s'[: threads - 1]}  {statistics.median(values) * 1e3:7.1f} ms  {times}{goal}"
        )
    for what in (CHECKED, UNCHECKED):
        gain = ratio(seconds[what, 1], seconds[what, 2])
        print(f"second core, {what}: {gain:.2f}× as fast  goal: at least {SECOND_CORE_GOAL}×")
    print(f"second core, plain loops: {2 * ratio(seconds[LOOP, 1], seconds[LOOPS, 2]):.2f}× as fast")


if __name__ == "__main__":
    main()
