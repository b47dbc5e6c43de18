"""Try the GPU lane on a machine that has a GPU, and print what it says.

    python tools/h200_smoke.py FOLDER [--time KERNEL.cu]

FOLDER holds kernels whose first comment lines give expect, block, grid, smem, shape_fail and shape_pass. Four parts:
the machine; each kernel at those shapes, with the verdict beside the one that is due; kernels broken on purpose, with
the words a student reads; and a kernel with 16×16 tiles timed against cuBLAS.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

import numpy as np

from gemmlab import gpu
from gemmlab.compiler.compile import CompileError, compile_source
from gemmlab.errors import UserError
from gemmlab.gpu import bench
from gemmlab.gpu.executor import GpuExecutor
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.program import Program
from gemmlab.kernel.tolerance import compare, make_inputs

TIMED_SHAPES = ((1024, 1024, 1024), (4096, 4096, 4096))
TILED = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")
DUE_KINDS = {
    "ok": {"ok"},
    "race": {"race"},
    "divergence": {"barrier_divergence"},
    "oob": {"out_of_bounds"},
    "misaligned": {"misaligned"},
    "launch-error": {"launch_error"},
    "wrong-result": {"wrong_result", "uninitialized"},
}
BROKEN = {
    "far outside": "C[1LL << 40] = 1.f;",
    "just outside": "C[M * N + threadIdx.x] = 1.f;",
    "before the start": "C[-1 - int(threadIdx.x)] = 1.f;",
    "read outside A": "C[threadIdx.x] = 0.f * A[M * K + threadIdx.x];",
    "read outside B": "C[threadIdx.x] = B[-1];",
    "C read first": "C[threadIdx.x] += 1.f;",
    "input changed": "((float*)A)[5] = 7.f;",
    "misaligned": "*(float4*)(C + 1) = make_float4(1.f, 1.f, 1.f, 1.f);",
    "trap": "__trap();",
    "endless": "for (volatile float* c = C; c[0] != 2.f;) c[1] = 1.f;",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time", type=Path, default=Path("solutions/02_tiled_fma.cu"))
    arguments = parser.parse_args()
    print("==== machine")
    started = time.perf_counter()
    print(gpu.available(), "|", gpu.device(), f"| asked in {time.perf_counter() - started:.1f} s", flush=True)
    print("==== kernels")
    executor = GpuExecutor()
    for path in sorted(arguments.folder.glob("*.cu")):
        try_kernel(executor, path)
    executor.close()
    print("==== broken on purpose")
    for name, body in BROKEN.items():
        try_broken(name, body)
    print("==== timing", arguments.time)
    program = compile_source(arguments.time.read_text(), arch=gpu.device().arch)
    for shape in TIMED_SHAPES:
        print_timing(program, shape)


def header(source: str) -> dict[str, str]:
    """The `// key: value` lines at the top of a kernel."""
    return dict(re.findall(r"^// (\w+): (.*)$", source, re.MULTILINE))


def shapes(text: str) -> list[tuple[int, int, int]]:
    """'33,47,29; 64,64,64' -> two shapes; 'none' -> none."""
    return [tuple(map(int, part.split(","))) for part in text.split(";") if "," in part]


def try_kernel(executor: GpuExecutor, path: Path) -> None:
    """A line for each shape: what was due, what the GPU lane says, and how many seconds it took."""
    source = path.read_text()
    told = header(source)
    spec = LaunchSpec.parse(told["block"], told["grid"], told.get("smem", "0"))
    cases = [(shape, told["expect"]) for shape in shapes(told["shape_fail"])]
    cases += [(shape, "ok" if told["at_pass"] == "ok" else "any") for shape in shapes(told["shape_pass"])]
    if told["expect"] == "ok":
        cases = [(shape, "ok") for shape, _ in cases]
    program = compile_source(source, path.name, arch=gpu.device().arch)
    for shape, due in cases:
        started = time.perf_counter()
        said = verdict(executor, program, spec, shape, told.get("inputs", "random"))
        seconds = time.perf_counter() - started
        sign = "" if due == "any" or said & DUE_KINDS[due] else " FALSE ALARM" if due == "ok" else " not seen"
        words = ",".join(sorted(said))
        print(f"{path.stem:38} {str(shape):18} due {due:13} said {words:28} {seconds:5.2f} s{sign}", flush=True)


def verdict(
    executor: GpuExecutor, program: Program, spec: LaunchSpec, shape: tuple[int, int, int], inputs: str
) -> set[str]:
    """The kinds of finding, wrong_result included; {'ok'} where there is none; {'not run'} where it cannot be run."""
    try:
        A, B = make_inputs(inputs, shape, seed=1)
        outcome = executor.run(program, spec.at(*shape), A, B, shape)
    except UserError:
        return {"not run"}
    kinds = {finding.kind for finding in outcome.findings}
    if outcome.C is not None and not compare(outcome.C, A, B, inputs, outcome.written).ok:
        kinds.add("wrong_result")
    return kinds or {"ok"}


def try_broken(name: str, body: str) -> None:
    parameters = "const float* A, const float* B, float* C, int M, int N, int K"
    source = f'extern "C" __global__ void gemm({parameters}) {{ {body} }}'
    shape = (32, 32, 32)
    A, B = make_inputs("random", shape, seed=1)
    started = time.perf_counter()
    try:
        program = compile_source(source, arch=gpu.device().arch)
        found = GpuExecutor(time_limit=5).run(program, TILED.at(*shape), A, B, shape).findings
        said = [f"{finding.kind}: {finding.message} {finding.details}" for finding in found]
    except (UserError, CompileError) as error:
        said = [f"{type(error).__name__}: {error}"]
    print(f"{name} ({time.perf_counter() - started:.1f} s)", *said, sep="\n    ", flush=True)


def print_timing(program: Program, shape: tuple[int, int, int]) -> None:
    started = time.perf_counter()
    timing = bench.time_kernel(program, TILED.at(*shape), shape)
    print(timing)
    print(
        f"{shape}: kernel {timing.kernel_ms:.4f} ms {timing.gflops:.0f} GFLOP/s, cuBLAS {timing.cublas_ms:.4f} ms "
        f"{timing.cublas_gflops:.0f} GFLOP/s, ratio {timing.ratio:.4f}, {time.perf_counter() - started:.1f} s",
        flush=True,
    )
    A, B = make_inputs("random", shape, seed=2)
    executor = GpuExecutor()
    outcome, cublas = executor.run(program, TILED.at(*shape), A, B, shape), executor.cublas(A, B)
    far = np.abs(outcome.C - cublas).max()
    print(f"    findings {outcome.findings}, one launch {outcome.seconds * 1e3:.3f} ms, max |C - cuBLAS| {far:.3g}")


if __name__ == "__main__":
    main()
