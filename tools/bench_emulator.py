"""How fast the emulator is: ratios to a plain loop of the same arithmetic, or to another tree, measured in turns in one
run.

    python tools/bench_emulator.py [--size 256] [--rounds 9] [--before TREE]

The kernel is lesson 02's, 16×16 tiles. The loop is compiled by Numba, runs in one thread and adds in the same order.
Each round runs every contestant once; a ratio is the median over the rounds. Two loops at once show what the second
core of this machine is worth, which no program can exceed.

With --before the emulator of another tree, such as a worktree of an older commit, takes turns with this one, on lesson
01's kernel too: processor time now / before, so that a busy machine does not matter.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
NAIVE, TILED = (ROOT / "solutions" / f"{name}.cu" for name in ("01_naive_mapping", "02_tiled_fma"))
LOOP, LOOPS, CHECKED, UNCHECKED = "plain loop", "two plain loops", "checks and counters", "without them"
CONTESTANTS = [(CHECKED, 1), (CHECKED, 2), (UNCHECKED, 1), (UNCHECKED, 2)]
GOALS = {(CHECKED, 1): 8.0, (UNCHECKED, 1): 4.0}
SECOND_CORE_GOAL = 1.7

Runs = dict[tuple[str, int], Callable[[], object]]


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


def emulated(kernel: Path, size: int) -> Runs:
    """The kernel in the emulator, with and without checks, in one thread and in two."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.emulator import EmulatorExecutor
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.tolerance import make_inputs

    shape = (size, size, size)
    A, B = make_inputs("random", shape, seed=1)
    program = compile_source(kernel.read_text(), kernel.name)
    launch = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)").at(*shape)

    def runner(what: str, threads: int) -> Callable[[], object]:
        executor = EmulatorExecutor(checks=what == CHECKED, threads=threads)
        return lambda: executor.run(program, launch, A, B, shape)

    return {(what, threads): runner(what, threads) for what, threads in CONTESTANTS}


def contestants(size: int) -> Runs:
    A, B, C = (np.random.default_rng(1).random((size, size), np.float32) for _ in range(3))
    loop = plain_loop()
    pool = ThreadPoolExecutor(2)
    return {
        (LOOP, 1): lambda: loop(A, B, C),
        (LOOPS, 2): lambda: list(pool.map(lambda out: loop(A, B, out), (C, C.copy()))),
        **emulated(TILED, size),
    }


def measure(runs: Runs, rounds: int) -> dict[tuple[str, int], list[float]]:
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


# ---- this tree and another one


def serve(size: int) -> None:
    """Run what the other process names, and print its processor seconds."""
    runs = {
        f"{kernel.stem} {what}": run
        for kernel in (NAIVE, TILED)
        for (what, threads), run in emulated(kernel, size).items()
        if threads == 1
    }
    print(*runs, sep="|", flush=True)
    for line in sys.stdin:
        started = time.process_time()
        runs[line.strip()]()
        print(time.process_time() - started, flush=True)


class Tree:
    """The emulator of a tree, in a process of its own."""

    def __init__(self, root: Path, size: int) -> None:
        environment = {**os.environ, "PYTHONPATH": str(root)}
        command = [sys.executable, __file__, "--serve", "--size", str(size)]
        self.process = subprocess.Popen(
            command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.names = self._answer().split("|")

    def _answer(self) -> str:
        assert self.process.stdout is not None
        if not (line := self.process.stdout.readline().strip()):
            raise SystemExit("the emulator of that tree does not run; its names may be others")
        return line

    def seconds(self, name: str) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        return float(self._answer())


def compare(before: Path, size: int, rounds: int) -> None:
    """Each round runs both trees, in changing order."""
    old, new = Tree(before.resolve(), size), Tree(ROOT, size)
    for name in new.names:
        ratios = []
        for turn in range(rounds + 1):
            pair = {tree: tree.seconds(name) for tree in ((old, new), (new, old))[turn % 2]}
            if turn:
                ratios.append(pair[new] / pair[old])
        print(f"{name:36} {statistics.median(ratios):.2f}× the processor time of before")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--before", type=Path, metavar="TREE")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.size)
    elif arguments.before:
        compare(arguments.before, arguments.size, arguments.rounds)
    else:
        against_the_loop(arguments.size, arguments.rounds)


def against_the_loop(size: int, rounds: int) -> None:
    seconds = measure(contestants(size), rounds)
    print(f"16×16 tiles at {size}³, median of {rounds} rounds")
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
