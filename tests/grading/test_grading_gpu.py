"""The graders' GPU lane: with a stand-in for the GPU, and on a real one where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from gemmlab.gpu.child.process import COMMAND
from gemmlab.kernel.tolerance import make_inputs
from grading.marking.judge import judge
from grading.model import HiddenCase, Job, Judged, RawResult
from grading.sandbox import landlock
from grading.sandbox.gpu_lane import MachineCode, run_on_gpu
from grading.sandbox.worker import Worker

ROOT = Path(__file__).resolve().parents[2]
KERNEL = replace(load("02").kernel, rules=())  # a naive kernel may pass here
CASES = tuple(HiddenCase("x", "boundary", shape, "integer", 3) for shape in ((17, 5, 9), (4, 33, 16), (16, 16, 48)))
GOOD = "at(C, M * N)[:] = (at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)"


@pytest.fixture
def fake_cupy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))


def emulated(case: HiddenCase, *findings: dict) -> RawResult:
    A, B = make_inputs(case.inputs, case.shape, case.seed)
    return RawResult((A @ B).tobytes(), np.ones(A.shape[0] * B.shape[1], np.uint8).tobytes(), findings)


def run_fake(body: str, results: list[RawResult] | None = None) -> tuple[RawResult, ...]:
    code = MachineCode(f"def gemm(at, A, B, C, M, N, K):\n    {body}".encode(), {"gemm": "gemm"}, "sm_90")
    return run_on_gpu(KERNEL.launch, CASES, code, results or [emulated(case) for case in CASES], COMMAND)


def kinds(result: RawResult) -> list[str]:
    return [finding["kind"] for finding in result.findings]


def test_right_code_gives_right_bytes(fake_cupy):
    assert [result.C for result in run_fake(GOOD)] == [emulated(case).C for case in CASES]


def test_what_the_emulator_found_at_fault_never_reaches_the_gpu(fake_cupy):
    race = emulated(CASES[1], {"kind": "race", "severity": "error"})
    results = run_fake("at(C, M * N)[:] = 1.0", [emulated(CASES[0]), race, RawResult(problem="timeout")])
    assert np.frombuffer(results[0].C, np.float32).max() == 1.0
    assert results[1:] == (race, RawResult(problem="timeout"))


def test_a_fault_in_one_case_leaves_the_next_alone(fake_cupy):
    results = run_fake(f"fail(700) if N == 33 else None\n    {GOOD}")
    assert [result.C is None for result in results] == [False, True, False]
    assert results[1].findings and results[2].C == emulated(CASES[2]).C


def test_after_a_kernel_that_never_ends_no_other_is_started(fake_cupy, monkeypatch):
    from gemmlab.gpu.executor import GpuExecutor

    monkeypatch.setattr(GpuExecutor, "__init__", limited(GpuExecutor.__init__))
    results = run_fake("while True: time.sleep(0.1)")
    assert kinds(results[0]) == ["timeout"]
    assert [result.problem for result in results[1:]] == ["not run"] * 2, "what the GPU never ran is not right there"


def limited(init):
    return lambda self, **more: init(self, 0.5, **more)


def test_code_that_the_driver_does_not_take_is_one_students_matter(fake_cupy):
    code = MachineCode(b"raise RuntimeError('no such format')", {}, "sm_90")
    results = run_on_gpu(KERNEL.launch, CASES, code, [emulated(case) for case in CASES], COMMAND)
    assert all(result.problem == "crash" or result.findings for result in results)


def test_a_gpu_that_cannot_be_used_is_the_machines_fault(fake_cupy):
    broken = (sys.executable, "-c", "raise SystemExit('no driver')")
    with pytest.raises(UserError, match="no driver"):
        run_on_gpu(KERNEL.launch, CASES, MachineCode(b"", {}, "sm_90"), [emulated(case) for case in CASES], broken)


# ---- on a GPU

BODY = """const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    if (row < M && col < N) {{
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        {}
        C[row * N + col] = acc;
    }}"""
HEAD = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)'
ON_A_GPU = 'unsigned sms; asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms)); if (sms > 1) '  # the emulator has one


@pytest.mark.gpu
def test_on_a_gpu_a_crash_and_an_endless_loop_harm_no_neighbour():
    from gemmlab import gpu

    place = Worker().greet()
    try:

        def grade(before_store: str) -> Judged:
            source = f"{HEAD}\n{{\n    {BODY.format(before_store)}\n}}\n"
            job = Job(KERNEL, source, CASES, gpu.device().arch)
            execution = place.run(job)
            assert execution.gpu_cases and not any(result.findings for result in execution.cases), execution
            return judge(job, execution)

        assert grade("").status == "passed"
        assert grade(ON_A_GPU + "*(volatile float*)0 = 1.0f;").status == "failed"
        assert grade("").status == "passed"
        assert grade(ON_A_GPU + "for (;;) __nanosleep(1000);").cases[0].finding == "timeout"
        assert grade("").status == "passed"
        assert grade(ON_A_GPU + "acc = 0.0f;").cases[0].finding == "wrong_result"
    finally:
        place.close()


def test_the_process_that_uses_the_gpu_is_shut_off_from_other_files(tmp_path: Path):
    """Here with other code in the place of gemmlab.gpu.child.worker."""
    if not landlock.abi():
        pytest.skip("not run: this machine has no Landlock")
    (tmp_path / "bait").write_text("bait")
    attack = f"import numpy; open('kernel.cubin', 'w').close(); open({str(tmp_path / 'bait')!r})"
    start = (
        "import runpy\nfrom grading.sandbox import gpu_lane\n"
        f"runpy.run_module = lambda *names, **more: exec({attack!r})\ngpu_lane.main()"
    )
    (tmp_path / "own").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", start], cwd=tmp_path / "own", env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert (tmp_path / "own/kernel.cubin").exists() and "PermissionError" in done.stderr.splitlines()[-1]
