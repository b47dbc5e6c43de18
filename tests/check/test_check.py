"""The checker: which state a kernel gets, and with which findings. A stand-in executor says what the launch gave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gemmlab import gpu
from gemmlab.check.check import (
    Case,
    KernelFileError,
    check_source,
    check_with,
    merge,
    open_executors,
    read_kernel,
    small,
)
from gemmlab.check.diagnosis.wrong_result import output_tile
from gemmlab.course.blanks import without_markers
from gemmlab.errors import UserError
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.verdict import Finding
from gemmlab.text.verdict import title

SPEC = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")
CASES = (
    Case((32, 32, 32), "random", 0, "ordinary"),
    Case((32, 48, 16), "integer", 1, "ordinary"),
    Case((35, 45, 25), "structured", 2, "ragged"),
)
KERNEL = """\
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    if (row >= M || col >= N) return;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
"""


class Executor:
    """Gives C = compute(A, B) and the same findings at every launch; remembers the shapes."""

    def __init__(self, compute=lambda A, B: A.astype(np.float64) @ B, findings=(), name="fake"):
        self.compute, self.findings, self.name = compute, list(findings), name
        self.shapes = []

    def run(self, program, launch, A, B, shape, **_):
        self.shapes.append(shape)
        C = self.compute(A, B)
        return Outcome(None if C is None else C.astype(np.float32), list(self.findings))


def verdict(*executors, cases=CASES, source=KERNEL, spec=SPEC):
    return check_with(executors or (Executor(),), source, "kernel.cu", spec, cases)


def only(findings):
    (finding,) = findings
    return finding


def test_the_right_result_passes():
    found = verdict()
    assert found.passed and found.findings == () and found.backend == "fake"
    assert [(case.shape, case.ok, case.inputs) for case in found.cases] == [(c.shape, True, c.inputs) for c in CASES]
    assert all(case.max_error < 1e-5 for case in found.cases)
    assert found.resources["registers"] > 0


def test_a_wrong_multiply_add_is_named_once_for_all_cases():
    found = verdict(Executor(lambda A, B: A.sum(1)[:, None] + B.sum(0)))
    assert found.status == "failed" and not any(case.ok for case in found.cases)
    finding = only(found.findings)
    assert finding.kind == "wrong_result" and "a + b instead of a * b" in finding.message
    assert "At M, N, K = 32, 48, 16, C[0][0] is " in finding.message and " and should be " in finding.message
    assert finding.details["pattern"] == "sum_for_product"


def test_an_edge_is_named_from_the_places():
    def compute(A, B):
        C = A.astype(np.float64) @ B
        C[len(C) // 16 * 16 :] += 1
        return C

    found = verdict(Executor(compute))
    assert [case.ok for case in found.cases] == [True, True, False]
    assert found.cases[2].wrong.sum() == 3 * 45
    assert "last row of tiles" in only(found.findings).message


def test_nan_fails_and_its_error_is_no_number():
    found = verdict(Executor(lambda A, B: np.full((len(A), B.shape[1]), np.nan)))
    assert found.status == "failed" and all(case.max_error is None for case in found.cases)
    assert "No element of C was written" in only(found.findings).message


@pytest.mark.parametrize("kind", ["race", "barrier_divergence", "out_of_bounds", "uninitialized", "unsupported"])
def test_right_numbers_do_not_excuse_a_fault(kind):
    found = verdict(Executor(findings=[Finding(kind, "A fault.", line=6)]))
    assert found.status == "failed" and not any(case.ok for case in found.cases)
    finding = only(found.findings)
    assert (finding.kind, finding.line, finding.count) == (kind, 6, 3)
    assert finding.details["shape"] == [32, 32, 32]
    assert not any(case.wrong.any() for case in found.cases)


def test_a_warning_alone_does_not_fail():
    found = verdict(Executor(findings=[Finding("uninitialized", "Perhaps.", severity="warning")]))
    assert found.passed and only(found.findings).severity == "warning"


def test_wrong_numbers_of_a_faulty_launch_are_left_to_the_fault():
    found = verdict(Executor(lambda A, B: 2 * (A @ B), [Finding("race", "A race.", line=3)]))
    assert [finding.kind for finding in found.findings] == ["race", "wrong_result"]
    assert "any other order" in found.findings[1].message and "Mend the race first" in found.findings[1].message
    found = verdict(Executor(lambda A, B: 2 * (A @ B), [Finding("out_of_bounds", "Outside A.", line=3)]))
    assert "mend the fault found there first" in found.findings[1].message


def test_an_outcome_without_result_or_reason_fails():
    found = verdict(Executor(lambda A, B: None))
    assert found.status == "failed" and only(found.findings).kind == "launch_error"
    assert all(not case.ok and case.max_error is None for case in found.cases)


def test_a_launch_that_faulted_needs_no_second_finding():
    found = verdict(Executor(lambda A, B: None, [Finding("out_of_bounds", "Outside A.", line=6)]))
    assert found.status == "failed" and only(found.findings).kind == "out_of_bounds"


def test_a_timeout_ends_the_check():
    executor = Executor(lambda A, B: None, [Finding("timeout", "Endless.")])
    found = verdict(executor)
    assert found.status == "timeout" and len(executor.shapes) == len(found.cases) == 1


def test_a_timeout_beside_another_fault_is_a_failure():
    found = verdict(Executor(lambda A, B: None, [Finding("timeout", "Endless."), Finding("race", "A race.")]))
    assert found.status == "failed"


def test_a_launch_no_gpu_takes_is_not_run():
    executor = Executor()
    found = verdict(executor, spec=LaunchSpec.parse("64,64", "1"))
    assert found.status == "failed" and not executor.shapes
    assert only(found.findings).kind == "launch_error" and only(found.findings).count == 3
    assert "1,024" in only(found.findings).message


@pytest.mark.parametrize(
    ("index", "schedules", "data", "says"),
    [
        ("k", "all", "all", None),
        ("k + (int)(0 * A[0])", "all", "those that ran", "the address depends on a value read from A"),
        ("k + 0 * atomicAdd(&count, 1)", "those that ran", "those that ran", "which atomic comes first"),
    ],
)
def test_the_verdict_says_for_what_it_holds(index, schedules, data, says):
    source = "__device__ int count;\n" + KERNEL.replace("A[row * K + k]", f"A[row * K + {index}]")
    found = check_source(source, "kernel.cu", SPEC, [Case((17, 20, 8), "random", 1, "ragged")] * 2, "emulator")
    holds = found.to_json()["holds_for"]
    assert (holds["schedules"], holds["data"], holds["shapes"]) == (schedules, data, [[17, 20, 8]])
    assert says is None if holds["because"] is None else says in holds["because"]["message"]
    line = 1 + source[: source.index(index)].count("\n")
    assert holds["because"] is None or holds["because"]["line"] == line


def test_where_warps_meet_by_chance_the_verdict_warns_and_holds_for_the_orders_that_ran():
    source = KERNEL.replace("    if (row", '    asm volatile("bar.sync 1, 64;");\n    if (row')
    found = check_source(source, "kernel.cu", SPEC, CASES[:1], "emulator")
    assert found.passed and "other warps have used the barrier of the same number" in only(found.findings).message
    assert found.holds_for.because.message.startswith("line 5: which warps meet at the barrier depends on the order")


def test_a_verdict_of_a_race_or_of_no_run_holds_for_nothing():
    racy = KERNEL.replace("C[row * N + col] = acc;", "C[row * N + col] = acc; C[0] = acc;")
    assert check_source(racy, "kernel.cu", SPEC, CASES[:1], "emulator").to_json()["holds_for"] is None
    assert verdict().holds_for is None


def test_the_second_executor_fails_what_the_first_lets_pass():
    gpu, emulator = Executor(), Executor(findings=[Finding("race", "A race.", line=4)], name="emulator")
    found = verdict(gpu, emulator)
    assert found.status == "failed" and only(found.findings).kind == "race"
    assert all(case.ok for case in found.cases)
    assert gpu.shapes == emulator.shapes
    assert title(only(found.findings)) == "error: race, line 4, 3 times, seen by the emulator"


def test_what_the_backend_itself_saw_needs_no_name():
    found = verdict(Executor(findings=[Finding("out_of_bounds", "Outside A.", line=4)]), Executor())
    assert title(found.findings[0]) == "error: out of bounds, line 4, 3 times"


def test_the_second_executor_gets_small_cases():
    gpu, emulator = Executor(), Executor()
    assert verdict(gpu, emulator, cases=[Case((1000, 1024, 35), "integer", 0, "given")]).passed
    assert gpu.shapes == [(1000, 1024, 35)] and emulator.shapes == [(232, 128, 35)]


@pytest.mark.parametrize("size", [64, 128, 129, 200, 4096, 4097, 5000])
def test_a_small_case_keeps_what_is_ragged(size):
    cut = small(Case((size, 5000, 5000), "random", 0, "given")).shape[0]
    assert cut % 128 == size % 128 and cut < 256


def test_open_blanks_are_not_attempted():
    source = KERNEL.replace("acc += A[row * K + k] * B[k * N + col];", "\n// TODO fma: add\n______;\n")
    found = verdict(source=source)
    assert found.status == "unattempted" and found.cases == ()
    assert only(found.findings).line == 8 and "'fma' in line 8" in only(found.findings).message


def test_a_syntax_error_is_cited_with_its_line():
    found = verdict(source=KERNEL.replace("acc = 0.0f;", "acc = 0.0f"))
    assert found.status == "compile_error" and found.cases == ()
    error = found.findings[0]
    assert error.kind == "compile_error" and error.line in (4, 5) and "expected" in error.message


def test_the_compilers_warnings_are_findings_that_do_not_fail():
    found = verdict(source=KERNEL.replace("float acc = 0.0f;", "float acc = 0.0f; int unused_number;"))
    assert found.passed
    assert only(found.findings).severity == "warning" and "unused_number" in only(found.findings).message


@pytest.mark.parametrize(
    "source, sentence",
    [
        ("int x;\n", "gemm"),
        (KERNEL.replace("gemm(", "matmul("), "gemm"),
        (KERNEL.replace("const float* A", "const double* A"), "A"),
        (KERNEL.replace(", int K)", ")").replace("k < K", "k < 4").replace("row * K", "row * 4"), "int K"),
        ("// only a comment\n", "gemm"),
    ],
)
def test_a_file_without_the_kernel_is_a_compile_error(source, sentence):
    found = verdict(source=source)
    assert found.status == "compile_error" and sentence in found.findings[0].message


@pytest.mark.parametrize(
    "shape, sentence",
    [
        ((0, 16, 16), "must be positive"),
        ((16, -1, 16), "must be positive"),
        ((100_000, 100_000, 16), "GiB"),
    ],
)
def test_impossible_shapes_are_refused(shape, sentence):
    with pytest.raises(UserError, match=sentence):
        verdict(cases=[Case(shape, "random", 0, "given")])


def test_a_bad_launch_expression_is_refused():
    with pytest.raises(UserError, match="divides by zero"):
        verdict(spec=LaunchSpec.parse("16,16", "N//(M-32)"))


def test_no_case_is_no_pass():
    assert verdict(cases=[]).status == "failed"


def test_findings_merge_by_kind_line_and_message():
    one, other = Finding("race", "A race.", line=3, details={"thread": 1}), Finding("race", "A race.", line=3, count=2)
    warning = Finding("race", "A race.", severity="warning", line=3)
    assert merge([one, other, warning]) == [Finding("race", "A race.", line=3, count=3, details={"thread": 1}), warning]


@pytest.mark.parametrize(
    "block, grid, tile",
    [
        ("16,16", "cdiv(N,16),cdiv(M,16)", (16, 16)),
        ("16,16", "N//16,M//16", (16, 16)),
        ("256", "cdiv(N,64),cdiv(M,32)", (32, 64)),
        ("32,4", "N,cdiv(M,4)", (4, 1)),
        ("16,8", "1,1", (8, 16)),
        ("256", "cdiv(M,64)*cdiv(N,64)", (1, 256)),
        ("16,16", "N//((M-16384)*(M-2048))", (1, 1)),
    ],
)
def test_the_tile_of_a_block_comes_from_the_grid(block, grid, tile):
    assert output_tile(LaunchSpec.parse(block, grid)) == tile


def test_unknown_and_absent_backends_are_refused(monkeypatch):
    with pytest.raises(UserError, match="choose one of auto, emulator, cuda"):
        check_source(KERNEL, "kernel.cu", SPEC, CASES, "rocm")
    monkeypatch.setattr(gpu, "available", lambda: None)
    with pytest.raises(UserError, match="no NVIDIA GPU"):
        check_source(KERNEL, "kernel.cu", SPEC, CASES, "cuda")


def test_a_gpu_that_cannot_be_used_leaves_the_emulator(monkeypatch):
    def broken():
        raise UserError("the driver is too old")

    monkeypatch.setattr(gpu, "available", lambda: "NVIDIA H200")
    monkeypatch.setattr(gpu, "device", broken)
    with open_executors("auto") as executors:
        assert [executor.name for executor in executors] == ["emulator"]
    with pytest.raises(UserError, match="too old"), open_executors("cuda"):
        pass


def test_beside_a_gpu_the_emulator_runs_too(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: "NVIDIA H200")
    monkeypatch.setattr(gpu, "device", lambda: None)
    with open_executors("auto") as executors:
        assert [executor.name for executor in executors] == ["cuda", "emulator"]


def test_kernel_files_that_cannot_be_read(tmp_path):
    (tmp_path / "empty.cu").write_text("  \n\n")
    (tmp_path / "zero.cu").write_bytes(b"int x;\0")
    (tmp_path / "binary.cu").write_bytes(b"\x7fELF\xff\xfe")
    (tmp_path / "large.cu").write_text(" " * (1 << 21))
    (tmp_path / "folder.cu").mkdir()
    sentences = {
        "empty": "is empty",
        "zero": "binary",
        "binary": "not UTF-8",
        "large": "larger than",
        "folder": "there is no file",
        "missing": "there is no file",
    }
    for name, sentence in sentences.items():
        with pytest.raises(KernelFileError, match=sentence):
            read_kernel(tmp_path / f"{name}.cu")


SOLUTION = without_markers((Path(__file__).parents[2] / "solutions/02_tiled_fma.cu").read_text(encoding="utf-8"))
SLIPS = {
    ("As[ty][k] * Bs", "As[ty][k] + Bs"): "sum_for_product",
    ("acc += As", "acc = As"): "last_k_of_padded_tile",
    ("acc += As", "acc -= As"): "minus",
    ("As[ty][k] *", "As[k][ty] *"): "tile_indices_ky_kx",
    ("Bs[k][tx];", "Bs[tx][k];"): "tile_indices_yk_xk",
    ("As[ty][k] * Bs[k][tx]", "As[ty][tx] * Bs[ty][tx]"): "tile_indices_yx_yx",
    ("k < TILE", "k < TILE - 1"): "without_last_k_of_each_tile",
    ("k0 < K;", "k0 + TILE <= K;"): "tail_dropped",
    ("acc = 0.0f", "acc = 1.0f"): "same_offset",
    ("row < M && col < N) {", "row < M && col < N - 1) {"): "one_short",
    ("C[row * N + col] = acc", "C[row * N + col] = row / TILE < M / TILE ? acc : acc + 1"): "last_rows",
}


@pytest.mark.parametrize("change, pattern", SLIPS.items(), ids=SLIPS.values())
def test_slips_in_the_lessons_kernel_are_named(change, pattern):
    """The real compiler and the real emulator."""
    assert change[0] in SOLUTION
    found = check_source(SOLUTION.replace(*change), "kernel.cu", SPEC, CASES, "emulator")
    assert found.status == "failed"
    assert [f.details["pattern"] for f in found.findings if f.kind == "wrong_result"] == [pattern]


def test_the_lessons_solution_passes():
    assert check_source(SOLUTION, "kernel.cu", SPEC, CASES, "emulator").passed
