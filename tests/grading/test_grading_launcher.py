"""A lesson whose file brings its own launcher: several kernels, memory of its own, templates chosen by the shape."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from test_grading_agrees import graded
from test_grading_gpu import COMMAND, emulated, fake_cupy

from gemmlab.check.check import check_kernel
from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.plan_json import from_json, to_json
from gemmlab.launcher.spec import LauncherSpec
from grading.marking.cases import draw
from grading.model import HiddenCase
from grading.sandbox.child import _Work
from grading.sandbox.gpu_lane import MachineCode, run_on_gpu

__all__ = ["fake_cupy"]
WHOLE = Path(__file__).parents[1] / "kernels_whole"
SPLIT = (WHOLE / "ok_split_k_workspace.cu").read_text(encoding="utf-8")
PRODUCTS = """
template <int SIDE> __global__ void product(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * SIDE + threadIdx.y, col = blockIdx.x * SIDE + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    if (M < 20) product<8><<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8)>>>(A, B, C, M, N, K);
    else product<16><<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
"""
UNREADABLE = PRODUCTS.replace("if (M < 20)", "if (getenv(name) || M < 20)")
PUBLIC = [case for case in load("02").cases if max(case.shape) < 20][:1]
KERNEL = replace(
    load("02").kernel, launched_by=LauncherSpec("solve"), blanks=(), rules=(), starter=PRODUCTS, solved=PRODUCTS,
    cases=tuple(replace(load("02").cases[0], shape=shape) for shape in ((16, 16, 16), (9, 17, 5))),
)  # fmt: skip
LARGER = [HiddenCase(f"kind {M}", "ordinary", (M, 33, 17), "random", 7) for M in (8, 40)]


@pytest.mark.parametrize("source", [SPLIT, PRODUCTS], ids=["split", "templates"])
def test_it_passes_the_check_and_grading(source):
    """The template for the larger case is not one that a public case launches."""
    assert check_kernel(KERNEL, source, "k.cu", "emulator").passed
    assert graded(KERNEL, source, LARGER).status == "passed"


WRONG = {
    "the launcher cannot be read": (UNREADABLE, "failed", "launch_error", "cannot be read: in line 12"),
    "there is no launcher": (PRODUCTS.replace("solve", "start"), "failed", "launch_error", "no function 'solve'"),
    "it does not compile either": (f"{UNREADABLE}__device__ int i = zero;", "compile_error", "compile_error", '"zero"'),
    "a blank is open": (UNREADABLE.replace("0.0f;", "______;"), "unattempted", "compile_error", "still open"),
    "the launcher faults": (PRODUCTS.replace("(M < 20)", "(M / (K - K))"), "failed", "launch_error", "divi"),
    "a size is given twice": (PRODUCTS.replace("M, N, K);\n    else", "M, N, N);\n    else"), "failed", "", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_fails_in_both_and_is_told(name):
    source, status, kind, says = WRONG[name]
    verdict = check_kernel(KERNEL, source, "k.cu", "emulator")
    assert verdict.status == status, verdict
    assert not says or any(one.kind == kind and says in one.message for one in verdict.findings), verdict.findings
    if status != "unattempted":
        found = graded(KERNEL, source, LARGER)
        assert found.status in ("failed", "compile_error"), found
        assert "--" not in found.note, "flags of the command line are no help in a lesson"


def test_a_launcher_that_cannot_be_read_only_at_a_hidden_shape_fails_there():
    source = PRODUCTS.replace("else product", "else getenv(name), product")
    marks = graded(KERNEL, source, LARGER).cases
    assert [mark.ok for mark in marks] == [True, False] and marks[1].finding == "launch_error"


def test_hidden_cases_are_drawn_around_the_tile_of_the_first_launch():
    sizes = {case.kind: case.shape for case in draw(KERNEL, bytes(32))}
    assert sizes["whole tiles, a square C"][:2] == (8, 8)


# ---- the GPU's part, which believes nothing of what it is told to launch


def plan_at(source: str, case: HiddenCase) -> object:
    return json.loads(json.dumps(_Work(KERNEL, source, "sm_90").plan(case.shape)))


def test_the_gpu_does_the_steps_that_the_child_read(fake_cupy):
    code = MachineCode(
        b"""
def partial(at, A, B, P, M, N, K, splits):
    for s in range(splits):
        at(P, splits * M * N).reshape(splits, M, N)[s] = at(A, M * K).reshape(M, K)[:, s::splits] @ at(
            B, K * N).reshape(K, N)[s::splits]
def reduce(at, P, C, elements, splits):
    at(C, elements)[:] = at(P, splits * elements).reshape(splits, elements).sum(0)
""",
        {"partial_sums": "partial", "reduce": "reduce"},
        "sm_90",
    )
    results = [replace(emulated(case), plan=plan_at(SPLIT, case)) for case in LARGER]
    found = run_on_gpu(KERNEL.launched_by, LARGER, code, results, COMMAND)
    for one, due in zip(found, results, strict=True):
        assert np.allclose(np.frombuffer(one.C, np.float32), np.frombuffer(due.C, np.float32), atol=1e-4)


@pytest.mark.parametrize("plan", [None, 7, {"steps": [], "buffers": 3}, {"steps": [{"do": "Launch"}], "buffers": {}}])
def test_what_is_no_plan_is_not_run(fake_cupy, plan):
    results = [replace(emulated(case), plan=plan) for case in LARGER]
    found = run_on_gpu(KERNEL.launched_by, LARGER, MachineCode(b"", {}, "sm_90"), results, COMMAND)
    assert [one.problem for one in found] == ["output"] * 2


def test_a_plan_travels_whole():
    plan = KERNEL.launches_of(SPLIT).at(8, 33, 17)
    assert isinstance(plan, Plan) and from_json(json.loads(json.dumps(to_json(plan)))) == replace(
        plan, steps=tuple(replace(step, line=None) for step in plan.steps)
    )


def test_what_looks_at_a_single_kernel_says_so():
    with pytest.raises(UserError, match="a launcher of its own"):
        _ = KERNEL.launch
