"""`gemmlab profile` and the call behind it: every line with its counts, the sums, the occupancy, and what is wrong."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from gemmlab import cli
from gemmlab.check.profile import profile_source
from gemmlab.errors import UserError
from gemmlab.kernel.counters import Counters, LineCounters
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.pictures.speed.profile import counters_table

ROOT = Path(__file__).resolve().parents[2]
TILED = ROOT / "solutions/02_tiled_fma.cu"
FMA_LINE = next(n for n, text in enumerate(TILED.read_text().splitlines(), 1) if "acc += As" in text)
SPEC = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")
LAUNCH = ["--block", "16,16", "--grid", "cdiv(N,16),cdiv(M,16)", "--shape", "48,64,32"]
WHOLE = """
__global__ void zero(float* C, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) C[i] = 0.0f; }
__global__ void add(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * 64 + threadIdx.x;
    if (col >= N) return;
    float acc = C[row * N + col];
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    zero<<<(M * N + 63) / 64, 64>>>(C, M * N);
    add<<<dim3((N + 63) / 64, M), 64>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
"""


@pytest.fixture
def ask(capsys):
    """Run the command; its exit code and what it printed."""

    def run(*arguments: object) -> tuple[str | int | None, str]:
        code: str | int | None = 0
        with contextlib.suppress(SystemExit):
            try:
                cli.main([str(argument) for argument in arguments])
            except SystemExit as end:
                code = end.code
                raise
        return code, capsys.readouterr().out

    return run


def test_call():
    found = profile_source(TILED.read_text(), TILED.name, SPEC, (128, 128, 128))
    assert found.verdict.passed
    assert found.counters.lines[FMA_LINE].shared_load_requests == 131072
    (kernel,) = found.kernels
    assert kernel.resources.registers > 0
    assert kernel.occupancy.blocks_per_sm >= 1


def test_json(ask):
    code, text = ask("profile", TILED, *LAUNCH, "--json")
    told = json.loads(text)
    assert (code, told["status"], told["findings"]) == (0, "passed", [])
    lines = {entry["line"]: entry for entry in told["lines"]}
    assert "acc += As[ty][k]" in lines[FMA_LINE]["source"]
    assert lines[FMA_LINE]["fma"] == told["totals"]["fma"] == 48 * 64 * 32
    assert lines[FMA_LINE]["shared_loads_per_fma"] == 2
    assert told["totals"]["global_load_requests"] == sum(entry["global_load_requests"] for entry in told["lines"])
    assert told["resources"]["registers"] > 0
    assert 0 < told["occupancy"]["fraction"] <= 1
    predicted = told["prediction"]
    assert predicted["low_ms"] < predicted["ms"] < predicted["high_ms"] and predicted["gpu"] == "NVIDIA-H200"
    assert predicted["bottleneck"] == predicted["reasons"][0]["name"] and str(FMA_LINE) in predicted["lines"]


def test_text_has_every_line_and_the_counts_beside_it(ask):
    code, text = ask("profile", TILED, *LAUNCH)
    assert code == 0
    for source in TILED.read_text().splitlines():
        assert source in text
    (beside,) = (shown for shown in text.splitlines() if "acc += As[ty][k]" in shown)
    assert f"{48 * 64 * 32:,}" in beside
    assert f"{5 * 48 * 64 * 32 // 32 // 4:,}" in beside  # as executed: four reads of a row of As are one
    assert "as ptxas joins them" in text
    assert "registers a thread" in text and "occupancy" in text
    assert "failed" not in text
    assert "Predicted for an NVIDIA H200 at M, N, K = 48, 64, 32:" in text and "Nothing was timed. Why" not in text
    assert " decides." in text and "predicted" in text.splitlines()[3]
    larger = ask("profile", TILED, *LAUNCH, "--predict", "96,64,32")[1]
    assert "Predicted for an NVIDIA H200 at M, N, K = 96, 64, 32:" in larger and f"{48 * 64 * 32:,}" in larger


def test_broken_kernel_says_so(ask, tmp_path):
    path = tmp_path / "race.cu"
    path.write_text(TILED.read_text().replace("__syncthreads();", "", 1))
    code, text = ask("profile", path, *LAUNCH)
    assert code == 1
    assert "race" in text and "The kernel is not right" in text
    assert "acc += As[ty][k]" in text
    told = json.loads(ask("profile", path, *LAUNCH, "--json")[1])
    assert told["status"] == "failed" and told["totals"]["fma"] > 0 and told["prediction"] is None


def test_what_does_not_compile_has_no_counts(ask, tmp_path):
    path = tmp_path / "broken.cu"
    path.write_text(TILED.read_text().replace("float acc = 0.0f;", ""))
    code, text = ask("profile", path, *LAUNCH, "--json")
    told = json.loads(text)
    assert (code, told["status"], told["lines"], told["totals"]) == (1, "compile_error", [], None)
    assert "does not compile" in ask("profile", path, *LAUNCH)[1]


def test_a_launcher_and_all_its_kernels(ask, tmp_path):
    path = tmp_path / "whole.cu"
    path.write_text(WHOLE)
    code, text = ask("profile", path, "--launcher", "solve", "--shape", "8,64,16", "--json")
    told = json.loads(text)
    assert (code, told["status"]) == (0, "passed")
    assert [kernel["kernel"] for kernel in told["kernels"]] == ["zero", "add"]
    assert told["totals"]["global_store_requests"] == 2 * 8 * 64 // 32
    assert told["totals"]["fma"] == 8 * 64 * 16


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--shape", "16,16,16"], "one shape"),
        (["--backend", "cuda"], "emulator that counts"),
        (["--launcher", "solve"], "leave these out"),
    ],
)
def test_refusals(ask, more, says):
    code, text = ask("profile", TILED, *LAUNCH, *more, "--json")
    assert code == 2
    assert says in json.loads(text)["findings"][0]["message"]


def test_table_of_the_notebook():
    found = profile_source(TILED.read_text(), TILED.name, SPEC, (128, 128, 128))
    rows = counters_table(found.source, found.counters, found.shape).splitlines()
    assert len({row.count(" | ") for row in rows}) == 1
    (row,) = (row for row in rows if row.startswith(f"| {FMA_LINE} |"))
    assert row == f"| {FMA_LINE} | `acc += As[ty][k] * Bs[k][tx];` | 2,097,152 |  |  | 81,920 | 98,304 |"
    escaped = counters_table("a || b", Counters({1: LineCounters(fma=1)}), (1, 1, 1))
    assert r"`a \|\| b`" in escaped


def test_too_large_a_shape():
    with pytest.raises(UserError, match="too large"):
        profile_source(TILED.read_text(), TILED.name, SPEC, (8192, 8192, 8192))
