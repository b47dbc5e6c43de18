"""The GPU lane: its worker's protocol, what the guards tell, its limits; on a real GPU where there is one."""

import gc
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gemmlab import gpu
from gemmlab.compiler.compile import compile_source
from gemmlab.errors import UserError
from gemmlab.gpu import bench
from gemmlab.gpu.child import process as gpu_process
from gemmlab.gpu.executor import GpuExecutor
from gemmlab.kernel.elements import BFLOAT16, FLOAT16
from gemmlab.kernel.launch import Launch, LaunchSpec
from gemmlab.kernel.layout import COURSE
from gemmlab.kernel.program import Program, Resources
from gemmlab.kernel.tolerance import compare

M, N, K = SHAPE = (5, 7, 3)
READY = (
    "import json, os, sys, time\n"
    "def say(**event): print(json.dumps(event), flush=True)\n"
    "say(event='ready', name='a GPU', arch='sm_90', cuda_driver=13000, cuda_runtime=12090, cupy='14')\n"
    "sys.stdin.readline()\n"
)
GOOD = "at(C, M * N)[:] = (at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)"


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(1)
    return rng.random((M, K), np.float32), rng.random((K, N), np.float32)


@pytest.fixture
def fake_cupy(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))


def python_kernel(*lines, **kwargs):
    """A Program whose cubin is Python, for tests/fake_gpu."""
    cubin = "\n    ".join(("def gemm(at, A, B, C, M, N, K):", *lines)).encode()
    return Program("", "kernel.cu", "sm_90", "", cubin, **kwargs)


def launch(**changes):
    return Launch(**{"block": (16, 16, 1), "grid": (1, 1, 1), **changes})


def run_fake(matrices, *lines, executor=None):
    return (executor or GpuExecutor()).run(python_kernel(*lines), launch(), *matrices, SHAPE)


def run_script(matrices, script, time_limit=5.0):
    """With a worker that is only a script: what a broken one looks like from outside."""
    executor = GpuExecutor(time_limit, (sys.executable, "-c", READY + script))
    return executor.run(python_kernel("pass"), launch(), *matrices, SHAPE)


def only_finding(outcome):
    assert len(outcome.findings) == 1, outcome.findings
    return outcome.findings[0]


# What nvidia-smi says


def test_nvidia_smi_names_the_first_gpu():
    text = "NVIDIA H200, 580.159.04\nNVIDIA GeForce RTX 3060, 580.159.04\n"
    assert gpu.parse_nvidia_smi(text) == ("NVIDIA H200", "580.159.04")


@pytest.mark.parametrize("text", ["", "\n", "No devices were found\n"])
def test_nvidia_smi_without_a_gpu(text):
    assert gpu.parse_nvidia_smi(text) is None


@pytest.mark.parametrize(
    "script, expected",
    [("echo 'Tesla T4, 550.54'", ("Tesla T4", "550.54")), ("echo 'Tesla T4, 550.54'; exit 9", None), ("exit 6", None)],
)
def test_nvidia_smi_is_asked_as_a_program(tmp_path, monkeypatch, script, expected):
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert gpu._nvidia_smi() == expected
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert gpu._nvidia_smi() is None


def test_without_nvidia_smi_there_is_no_gpu(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpu._nvidia_smi() is None


# A worker that goes wrong


@pytest.mark.parametrize("script", ["", "print('what', flush=True); time.sleep(9)", "say(event='done')", "print([1])"])
def test_a_worker_that_fails_before_the_launch_is_the_machines_fault(matrices, script):
    with pytest.raises(UserError, match="GPU process failed"):
        run_script(matrices, script)


def test_the_reason_of_a_worker_that_cannot_start_is_told(matrices):
    executor = GpuExecutor(command=(sys.executable, "-c", "raise SystemExit('no such library')"))
    with pytest.raises(UserError, match="no such library.*--backend emulator"):
        executor.run(python_kernel("pass"), launch(), *matrices, SHAPE)


def test_without_a_driver_the_error_says_so(matrices):
    script = 'print(\'{"event": "error", "code": 35, "text": "cudaErrorInsufficientDriver"}\')'
    with pytest.raises(UserError, match="driver is missing"):
        GpuExecutor(command=(sys.executable, "-c", script)).run(python_kernel("pass"), launch(), *matrices, SHAPE)


@pytest.mark.parametrize("script", ["os.kill(os.getpid(), 9)", "os._exit(3)", "print('{')", "say(event='done')"])
def test_a_worker_that_dies_while_the_kernel_runs_is_a_finding(matrices, script):
    outcome = run_script(matrices, f"say(event='launching'); {script}")
    assert outcome.C is None
    assert only_finding(outcome).kind == "launch_error"


def test_a_second_launch_finds_the_variables_as_the_first_left_them(fake_cupy, matrices):
    count = ["count[0] += 1", f"{GOOD} * count[0]"]
    code = "\n    ".join(("count = [0]\ndef gemm(at, A, B, C, M, N, K):", *count)).encode()
    program = Program("", "kernel.cu", "sm_90", ".visible .global .align 4 .u32 count;\n", code)
    outcome = GpuExecutor().run(program, launch(), *matrices, SHAPE)
    product = matrices[0] @ matrices[1]
    assert np.allclose(outcome.C, product) and np.allclose(outcome.again.C, 2 * product)
    assert outcome.kept == ("count",) and outcome.findings == []


def test_what_has_no_variable_is_launched_once(fake_cupy, matrices):
    program = replace(python_kernel(GOOD), ptx=".visible .entry gemm()")
    assert GpuExecutor().run(program, launch(), *matrices, SHAPE).again is None


def test_an_endless_kernel_is_a_timeout_and_its_processes_are_gone(matrices, tmp_path):
    pids = tmp_path / "pids"
    script = (
        f"import subprocess; child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"say(event='launching'); time.sleep(600)"
    )
    outcome = run_script(matrices, script, time_limit=0.3)
    finding = only_finding(outcome)
    assert (outcome.C, finding.kind) == (None, "timeout")
    assert "0.3 s" in finding.message
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def gone(pid):
    """Whether a process has ended, or is only waiting to be reaped."""
    for _ in range(50):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rsplit(")")[-1].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    "code, kind",
    [
        (700, "out_of_bounds"),
        (714, "out_of_bounds"),
        (716, "misaligned"),
        (719, "launch_error"),
        (710, "launch_error"),
        (702, "timeout"),
        (1, "launch_error"),
        (9, "launch_error"),
        (701, "launch_error"),
    ],
)
def test_cuda_errors_become_findings(matrices, code, kind):
    outcome = run_script(matrices, f"say(event='launching'); say(event='error', code={code}, text='cudaErrorX: x')")
    finding = only_finding(outcome)
    assert (outcome.C, finding.kind) == (None, kind)
    assert "cudaError" not in finding.message


@pytest.mark.parametrize(
    "code, words",
    [(2, r"A \(5×3\), B \(3×7\) and C \(5×7\)"), (209, "sm_90"), (500, "'gemm'"), (999, "GPU process failed")],
)
def test_cuda_errors_that_are_not_the_kernels_fault(matrices, code, words):
    with pytest.raises(UserError, match=words):
        run_script(matrices, f"say(event='error', code={code}, text='cudaErrorX: x')")


def test_a_dropped_executor_leaves_no_process_and_no_files(matrices, fake_cupy):
    executor = GpuExecutor()
    run_fake(matrices, GOOD, executor=executor)
    pid, folder = executor._worker._child.process.pid, executor._worker._folder.name
    assert Path(folder).stat().st_mode & 0o077 == 0
    del executor
    gc.collect()
    assert gone(pid)
    assert not Path(folder).exists()


def test_the_worker_ends_with_its_parent_even_while_a_kernel_runs(fake_cupy):
    command = (sys.executable, "-m", "gemmlab.gpu.child.worker")
    child = gpu_process.Child(command, cwd="/", env=gpu_process._environment())
    assert child.receive(60)["event"] == "ready"
    child.process.stdin.close()
    assert child.process.wait(timeout=10) == 0


# The worker itself, on a stand-in for CuPy


def test_a_right_kernel(matrices, fake_cupy):
    A, B = matrices
    outcome = run_fake(matrices, GOOD)
    assert outcome.findings == []
    assert outcome.written.all()
    np.testing.assert_allclose(outcome.C, A @ B, rtol=1e-6)


def test_elements_that_were_not_written(matrices, fake_cupy):
    outcome = run_fake(matrices, "at(C, 4)[:] = 1")
    assert outcome.findings == []
    assert outcome.written.sum() == 4
    assert np.isnan(outcome.C).sum() == M * N - 4


@pytest.mark.parametrize(
    "name, offset, side, farthest",
    [("C", M * N + 2, "after", 3), ("A", -1, "before", 1), ("B", K * N + 4999, "after", 5000)],
)
def test_a_write_outside_is_found_in_its_guard(matrices, fake_cupy, name, offset, side, farthest):
    finding = only_finding(run_fake(matrices, GOOD, f"at({name} + 4 * {offset}, 1)[:] = 7"))
    assert (finding.kind, finding.count) == ("out_of_bounds", 1)
    assert finding.details == {"array": name, "side": side, "farthest": farthest}


def test_a_changed_input_is_found(matrices, fake_cupy):
    finding = only_finding(run_fake(matrices, GOOD, "at(B, N + 2)[N + 1] = 7"))
    assert finding.kind == "wrong_result"
    assert "B[1][1]" in finding.message


@pytest.mark.parametrize(
    "line, kind, name",
    [
        ("at(C, M * N)[3] += 0 * at(A + 4 * M * K, 1)[0]", "out_of_bounds", "A"),
        ("at(C, M * N)[3] += 0 * at(B - 4, 1)[0]", "out_of_bounds", "B"),
        ("at(C, M * N)[3] += 0 * at(C + 4 * M * N, 1)[0]", "out_of_bounds", "C"),
        ("at(C, M * N)[3] = at(A + 4 * M * K, 1)[0]", "out_of_bounds", "A"),
    ],
)
def test_a_read_outside_is_traced_to_its_matrix(matrices, fake_cupy, line, kind, name):
    finding = only_finding(run_fake(matrices, GOOD, line))
    assert (finding.kind, finding.details) == (kind, {"array": name, "index": [0, 3]})


def test_reading_c_before_writing_it_is_told_apart(matrices, fake_cupy):
    canonical = "total[np.isnan(total)] = np.nan"  # what a GPU's arithmetic makes of any NaN; a CPU keeps its bits
    finding = only_finding(run_fake(matrices, "total = at(C, M * N) + 1", canonical, "at(C, M * N)[:] = total"))
    assert (finding.kind, finding.count) == ("uninitialized", M * N)


def test_nan_of_another_origin_is_left_to_the_comparison(matrices, fake_cupy):
    outcome = run_fake(matrices, GOOD, "at(C, 1)[:] = np.nan")
    assert outcome.findings == []
    assert np.isnan(outcome.C[0, 0])


def test_after_a_fault_a_fresh_worker_is_used(matrices, fake_cupy):
    executor = GpuExecutor()
    assert run_fake(matrices, GOOD, executor=executor).findings == []
    first = executor._worker
    assert run_fake(matrices, GOOD, executor=executor).findings == []
    assert executor._worker is first
    assert only_finding(run_fake(matrices, "fail(700)", executor=executor)).kind == "out_of_bounds"
    assert run_fake(matrices, GOOD, executor=executor).findings == []
    assert executor._worker is not first


def test_printing_kernels_do_not_disturb_the_protocol(matrices, fake_cupy):
    assert run_fake(matrices, GOOD, 'print(\'{"event": "done"}\', flush=True)').findings == []


def test_cublas_is_a_second_reference(matrices, fake_cupy):
    A, B = matrices
    np.testing.assert_allclose(GpuExecutor().cublas(A, B), A @ B, rtol=1e-6)


def test_without_cublas_the_error_says_how_to_get_it(matrices, fake_cupy, monkeypatch):
    monkeypatch.setenv("FAKE_GPU_WITHOUT_CUBLAS", "1")
    with pytest.raises(UserError, match=r"gemmlab\[gpu\]"):
        GpuExecutor().cublas(*matrices)
    with pytest.raises(UserError, match=r"cannot be timed: cuBLAS is not installed"):
        bench.time_kernel(python_kernel(GOOD), launch(), SHAPE)


def test_timing_reports_medians_and_the_ratio(fake_cupy):
    timing = bench.time_kernel(python_kernel(GOOD, "time.sleep(0.002)"), launch(), SHAPE)
    assert timing.gpu == "Fake GPU"
    assert timing.repeats >= 5
    assert timing.kernel_ms >= 2
    assert timing.gflops == pytest.approx(2e-6 * M * N * K / timing.kernel_ms)
    assert 0 < timing.ratio < 1
    assert timing.difference < 1e-6


def test_a_failing_kernel_is_not_timed(fake_cupy):
    with pytest.raises(UserError, match="cannot be timed.*address"):
        bench.time_kernel(python_kernel("fail(716)"), launch(), SHAPE)


# Launches that no GPU takes


@pytest.mark.parametrize(
    "changes", [{"block": (0, 16, 1)}, {"grid": (1, 0, 1)}, {"block": (64, 64, 1)}, {"smem": 48 * 1024}, {"smem": -1}]
)
def test_an_impossible_launch_is_refused_before_the_gpu_is_asked(matrices, changes):
    program = python_kernel("pass", resources={"gemm": Resources(32, 256, 0, 0, 0, 1)})
    outcome = GpuExecutor(command=()).run(program, launch(**changes), *matrices, SHAPE)
    assert (outcome.C, only_finding(outcome).kind) == (None, "launch_error")


def test_code_that_ptxas_rejected_is_a_launch_error(matrices):
    program = Program("", "kernel.cu", "sm_90", "", None, ptxas_errors=("uses too much shared data (0x12000 bytes)",))
    finding = only_finding(GpuExecutor(command=()).run(program, launch(), *matrices, SHAPE))
    assert finding.kind == "launch_error"
    assert "too much shared data" in finding.message


def test_matrices_beyond_memory_are_refused_before_they_are_copied(matrices):
    with pytest.raises(UserError, match="70000,1,32768"):
        GpuExecutor().run(python_kernel("pass"), launch(), *matrices, (70000, 1, 32768))


# On a GPU

TILED = """
#define TILE 16
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
"""
TILED_LAUNCH = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")


STATIC = "__shared__ float As[TILE][TILE], Bs[TILE][TILE];"
DYNAMIC = "extern __shared__ float pool[]; auto As = (float (*)[TILE])(pool + 16 * 1024 - 512), Bs = As + TILE;"
MANY_REGISTERS = """
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    float acc[96];
    #pragma unroll
    for (int i = 0; i < 96; ++i) acc[i] = A[i];
    for (int k = 0; k < K; ++k)
        #pragma unroll
        for (int i = 0; i < 96; ++i) acc[i] += B[k] * acc[(i + 1) % 96];
    float sum = 0.f;
    #pragma unroll
    for (int i = 0; i < 96; ++i) sum += acc[i];
    C[threadIdx.x] = sum;
}
"""


def run_on_gpu(source, shape, executor=None, spec=TILED_LAUNCH):
    M, N, K = shape
    rng = np.random.default_rng(2)
    A, B = rng.random((M, K), np.float32), rng.random((K, N), np.float32)
    program = compile_source(source, arch=gpu.device().arch)
    return (executor or GpuExecutor(time_limit=3)).run(program, spec.at(*shape), A, B, shape), A, B


@pytest.mark.gpu
def test_a_tiled_kernel_agrees_with_cublas():
    outcome, A, B = run_on_gpu(TILED, (35, 45, 25))
    assert outcome.findings == []
    assert outcome.written.all()
    np.testing.assert_allclose(outcome.C, GpuExecutor().cublas(A, B), rtol=1e-5)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "right, wrong, kind",
    [
        ("row < M && col < N) C[", "true) C[", "out_of_bounds"),
        ("row < M && k0 + tx < K ?", "true ?", "out_of_bounds"),
        ("= acc;", "+= acc;", "uninitialized"),
        ("A[row * K", "A[(1LL << 40) + row * K", "out_of_bounds"),
        ("C[row * N + col] = acc;", "((float2*)(C + 1))[0] = make_float2(acc, acc);", "misaligned"),
        ("k < TILE; ++k", "k < TILE; k += M - 35", "timeout"),
    ],
)
def test_a_broken_kernel_is_found_on_the_gpu_and_the_next_one_runs(right, wrong, kind):
    executor = GpuExecutor(time_limit=3)
    outcome, _, _ = run_on_gpu(TILED.replace(right, wrong), (35, 45, 25), executor)
    assert kind in {finding.kind for finding in outcome.findings}
    assert run_on_gpu(TILED, (35, 45, 25), executor)[0].findings == []


@pytest.mark.gpu
def test_more_than_48_kib_of_shared_memory_needs_the_opt_in():
    source, shape = TILED.replace(STATIC, DYNAMIC), (35, 45, 25)
    specs = [replace(TILED_LAUNCH, smem="64*1024", smem_opt_in=opt_in) for opt_in in (False, True)]
    refused, right = (run_on_gpu(source, shape, spec=spec)[0] for spec in specs)
    assert only_finding(refused).kind == "launch_error"
    assert right.findings == []
    np.testing.assert_array_equal(right.C, run_on_gpu(TILED, shape)[0].C)


@pytest.mark.gpu
def test_a_block_with_too_many_registers_is_refused():
    outcome, _, _ = run_on_gpu(MANY_REGISTERS, (32, 32, 32), spec=LaunchSpec.parse("32,32", "1"))
    assert only_finding(outcome).kind == "launch_error"
    assert "registers" in only_finding(outcome).message


@pytest.mark.gpu
def test_what_a_kernel_prints_does_not_disturb_the_protocol():
    source = TILED.replace("float acc", 'printf("{\\"event\\": \\"done\\"}\\n"); float acc')
    assert run_on_gpu(source, (35, 45, 25))[0].findings == []


@pytest.mark.gpu
def test_timing_on_the_gpu():
    shape = (512, 512, 512)
    timing = bench.time_kernel(compile_source(TILED, arch=gpu.device().arch), TILED_LAUNCH.at(*shape), shape)
    assert timing.ratio > 0
    assert timing.difference < 1e-3


# ---- matrices of half and of bfloat16

HALVES = """
def numbers(pointer, count):
    import ctypes
    bits = np.frombuffer((ctypes.c_uint16 * count).from_address(pointer), np.uint16)
    return bits.view(np.float16).astype(np.float32) if KIND == 2 else (bits.astype(np.uint32) << 16).view(np.float32)
def gemm(at, A, B, C, M, N, K):
    at(C, M * N)[:] = (numbers(A, M * K).reshape(M, K) @ numbers(B, K * N).reshape(K, N)).reshape(-1)
"""


@pytest.mark.parametrize("element, kind", [(FLOAT16, 2), (BFLOAT16, 14)], ids=["float16", "bfloat16"])
def test_narrow_matrices_lie_between_guards_of_their_own_type(matrices, fake_cupy, element, kind):
    A, B = map(element.values, matrices)
    layout = replace(COURSE, element=element)

    def run(*lines):
        cubin = "\n    ".join((HALVES.strip().replace("KIND", str(kind)), *lines)).encode()
        return GpuExecutor().run(Program("", "kernel.cu", "sm_90", "", cubin), launch(layout=layout), A, B, SHAPE)

    outcome = run()
    assert outcome.findings == [] and compare(outcome.C, A, B, "random", outcome.written, element).ok
    behind = f"numbers(A + 2 * {M * K}, 1)"
    assert only_finding(run(f"at(C, 1)[0] += 0 * {behind}[0]")).details["array"] == "A"
    written = only_finding(run("import ctypes", f"ctypes.c_uint16.from_address(B + 2 * {K * N + 2}).value = 7"))
    assert written.details == {"array": "B", "side": "after", "farthest": 3}
    assert "1 number of 2 bytes" in written.message
