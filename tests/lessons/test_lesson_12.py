"""Lesson 12: its numbers come from the model, its rules are tight, and its kernel runs by hand as well."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gemmlab.check.rules import measured
from gemmlab.cli import app
from gemmlab.course.lesson import load
from gemmlab.models.networks import fusion, layers
from gemmlab.records import fused
from gemmlab.records.record import entries, fused_entries
from gemmlab.records.results import Fused, Results

SHAPE = (4096, 11008, 4096)


@pytest.fixture(scope="module")
def lesson():
    return load("12")


def answer(lesson, name):
    return next(one.answer for one in lesson.predictions if one.id == name)


def test_the_bytes_are_those_of_the_model(lesson):
    without_bias = 4 * SHAPE[1] / 1e6  # which is too small to matter
    for name, kernels in (("separate_bytes", fusion.separate(SHAPE)), ("fused_bytes", fusion.fused(SHAPE))):
        assert answer(lesson, name) == pytest.approx(fusion.total(kernels) / 1e6 - without_bias, abs=0.05)
    assert fusion.saved_share(int(answer(lesson, "even_K")), 50e12, 4e12) == pytest.approx(1)


def test_fusion_saves_four_passes_over_C():
    M, N, _ = SHAPE
    assert fusion.total(fusion.separate(SHAPE)) - fusion.total(fusion.fused(SHAPE)) == 16 * M * N


def test_the_solution_meets_each_rule_exactly(lesson):
    kernel = lesson.kernel
    counts = [measured(rule, kernel, kernel.solution, kernel.path.name)[0] for rule in kernel.rules]
    assert counts == [rule.limit for rule in kernel.rules]


def test_public_cases_have_a_beta_and_none_in_either_group(lesson):
    epilogue = lesson.launch.epilogue
    for label in ("ordinary", "ragged"):
        betas = [epilogue.terms(c.inputs, c.shape[:2], c.seed).beta for c in lesson.cases if c.label == label]
        assert {beta == 0 for beta in betas} == {True, False}


def test_the_layers_of_a_block_have_the_work_that_is_known():
    found = {one.name: one for one in layers.products(512, 4096, 11008, 32)}
    assert found["scores Q·Kᵀ"].K == 128 and found["scores Q·Kᵀ"].batch == 32
    assert found["feed-forward up"].gflop == pytest.approx(2 * 512 * 11008 * 4096 / 1e9)


@pytest.mark.parametrize(
    "args, activation, status",
    [
        ("A,B,bias,C,M,N,K,alpha,beta", "silu", "passed"),
        ("A,B,bias,C,M,N,K,alpha=0.5,beta=2.0", "silu", "passed"),
        ("A,B,bias,C,M,N,K,alpha,beta", "none", "failed"),
    ],
)
def test_the_command_line_runs_it(lesson, tmp_path, args, activation, status):
    (tmp_path / "k.cu").write_text(lesson.solution, encoding="utf-8")
    launch = ["--block", "16,16", "--grid", "cdiv(N,128),cdiv(M,128)", "--shape", "35,45,25", "--backend", "emulator"]
    done = CliRunner().invoke(
        app, ["run", str(tmp_path / "k.cu"), *launch, "--args", args, "--activation", activation, "--json"]
    )
    assert json.loads(done.output)["status"] == status


def test_another_signature_is_named(lesson):
    from gemmlab.check.check import check_kernel

    source = lesson.solution.replace("float beta)", "double* beta)").replace("beta != 0.0f", "beta")
    verdict = check_kernel(lesson.kernel, source.replace("beta * old", "float(*beta) * old"), "k.cu", "emulator")
    assert "Parameter 9 of the kernel 'gemm' (beta) has type 'double*', not 'float'" in verdict.findings[0].message


def test_it_is_recorded_beside_all_three_kernels_and_not_on_the_ladder(lesson):
    assert "12" not in {entry.lesson for entry in entries(lesson.root)}
    assert [entry.candidate.filename for entry in fused_entries(lesson.root)] == [lesson.name]


def test_a_record_of_it_says_what_it_is_beside(monkeypatch):
    one = Fused(SHAPE, 8000.0, 7800.0, 0.975, fusion.total(fusion.fused(SHAPE)), fusion.total(fusion.separate(SHAPE)))
    monkeypatch.setattr(fused, "all_results", lambda: [Results({"gpu": "a GPU", "commit": "c"}, {}, (), fused=(one,))])
    table = fused.recorded_table()
    assert "| 4096×11008×4096 | 7,800 | 8,000 | 0.97" in table and "1149.3 | 427.9" in table
    assert "cuBLAS, then CuPy kernels for bias and SiLU" in table and "a GPU" in table
    monkeypatch.setattr(fused, "all_results", list)
    assert "Nothing is recorded yet" in fused.recorded_table()


@pytest.mark.gpu
def test_on_a_gpu_the_fused_kernel_is_right_and_timed(lesson):
    from gemmlab.gpu.bench import Bench
    from gemmlab.trials.candidate import Candidate

    with Bench() as bench:
        candidate = Candidate(lesson.solution, lesson.name, lesson.launch)
        found, _ = fused.at_shape(bench, candidate, print, shape=(512, 512, 64), seconds=0.1, warm_up=0.05)
    assert found["against"] == fused.AGAINST and found["kernels"][0]["ratio_to_cublas"] > 0
