"""The kernels of tests/kernels_ops on a GPU and in the emulator: the same source, the same inputs, C compared.

    python tools/h200_instructions.py [NAME ...]

One line a kernel and build: how many elements of C have other bits, and whether that is allowed. Where a kernel's
header says `compare: bits` none may differ, but for the bits of a NaN; elsewhere the difference is at most the
tolerance given there. Exit code 1 if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/support")]

from ops_corpus import OpsKernel, differing, kernels, make_inputs  # noqa: E402

from gemmlab import gpu  # noqa: E402
from gemmlab.compiler.compile import CompileError, compile_source  # noqa: E402
from gemmlab.emulator import EmulatorExecutor  # noqa: E402
from gemmlab.errors import UserError  # noqa: E402
from gemmlab.gpu.executor import GpuExecutor  # noqa: E402
from gemmlab.kernel.program import Program  # noqa: E402

BUILDS = {"optimised": {}, "-G": {"debug": True}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels to run; all if left out")
    names = parser.parse_args().names
    try:
        device = gpu.device()
    except UserError as error:
        parser.error(str(error))
    print(f"{device.name} ({device.arch}), driver {device.driver}, CUDA {device.runtime}, CuPy {device.cupy}\n")
    print(f"{'kernel':28} {'build':10} {'elements':>8} {'other bits':>10} {'largest difference':>18}  result")
    failures = 0
    with closing(GpuExecutor()) as executor:
        for kernel in kernels():
            if not names or kernel.name in names:
                failures += sum(not compare(kernel, build, executor, device.arch) for build in BUILDS)
    print(f"\n{failures} failed" if failures else "\nall agree")
    return int(failures > 0)


def compare(kernel: OpsKernel, build: str, executor: GpuExecutor, arch: str) -> bool:
    """Run one build on both and print its line. Whether it is as it should be."""
    head = f"{kernel.name:28} {build:10}"
    try:
        program = compile_source(kernel.source, f"{kernel.name}.cu", arch=arch, options=kernel.options, **BUILDS[build])
    except CompileError as error:
        print(f"{head} does not compile: {str(error).splitlines()[0][:100]}")
        return False
    on_gpu, emulated = (run(kernel, program, where) for where in (executor, EmulatorExecutor()))
    faults = [f"{where}: {text}" for where, (_, found) in (("GPU", on_gpu), ("emulator", emulated)) for text in found]
    if kernel.compare == "fails":
        print(f"{head} {'':38}  {'both fail' if len(faults) == 2 else 'NOT BOTH FAIL'}")
        return len(faults) == 2
    if faults:
        print(f"{head} {faults[0][:160]}")
        return False
    return print_difference(head, kernel, on_gpu[0], emulated[0])


def run(kernel: OpsKernel, program: Program, executor) -> tuple[np.ndarray | None, list[str]]:
    A, B = make_inputs(kernel.inputs, kernel.shape)
    outcome = executor.run(program, kernel.spec.at(*kernel.shape), A, B, kernel.shape)
    return outcome.C, [f"{finding.kind}, {finding.message}" for finding in outcome.findings if finding.is_error]


def print_difference(head: str, kernel: OpsKernel, on_gpu: np.ndarray, emulated: np.ndarray) -> bool:
    wrong = differing(kernel, emulated, on_gpu)
    both_nan = np.isnan(on_gpu) & np.isnan(emulated)
    other_bits = (on_gpu.view(np.uint32) != emulated.view(np.uint32)) & ~both_nan
    with np.errstate(all="ignore"):
        error = np.abs(on_gpu.astype(np.float64) - emulated)
    largest = error[np.isfinite(error)].max(initial=0)
    allowed = "bits" if kernel.compare == "bits" else f"within {kernel.compare}"
    verdict = f"{allowed}: right" if not wrong.any() else f"{allowed}: {wrong.sum()} WRONG"
    print(f"{head} {on_gpu.size:8} {other_bits.sum():10} {largest:18.3g}  {verdict}")
    for row in np.flatnonzero(wrong.any(axis=1))[:8]:
        col = int(np.flatnonzero(wrong[row])[0])
        values = f"{on_gpu[row, col]!r} on the GPU, {emulated[row, col]!r} in the emulator"
        print(f"    row {row} {kernel.row_name(row)}: C[{row}][{col}] is {values}")
    return not wrong.any()


if __name__ == "__main__":
    sys.exit(main())
