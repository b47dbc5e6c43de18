"""Kernels whose A and B are half or bfloat16, or that round floats to TF32: check, launcher, words."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from gemmlab.check.check import check_launcher, check_source
from gemmlab.cli import app
from gemmlab.course.lesson import Case
from gemmlab.errors import UserError
from gemmlab.kernel.elements import ELEMENTS
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.layout import COURSE

SHAPES = ((35, 45, 25), (16, 17, 300))
CASES = [Case(shape, kind, 3, "given") for kind in ("random", "integer", "structured") for shape in SHAPES]
KERNEL = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void gemm(const T* A, const T* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y;
    const int col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    SUM acc = 0.0f;
    for (int k = 0; k < K; ++k) acc = SUM(float(acc) + float(A[row * K + k]) * float(B[k * N + col]));
    C[row * N + col] = float(acc);
}
"""
NAMES = {"float16": "__half", "bfloat16": "__nv_bfloat16"}


def kernel(element, total="float", change=lambda text: text):
    return change(KERNEL.replace("T*", f"{NAMES.get(element, 'float')}*").replace("SUM", total))


def spec(element):
    return LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)", layout=replace(COURSE, element=ELEMENTS[element]))


def checked(source, element, cases=CASES):
    return check_source(source, "k.cu", spec(element), cases, backend="emulator")


@pytest.mark.parametrize("element", NAMES)
def test_sums_in_float_pass_and_sums_in_the_inputs_type_fail(element):
    right = checked(kernel(element), element)
    assert (right.status, right.findings) == ("passed", ())
    early = checked(kernel(element, NAMES[element]), element)
    assert not early.passed and {one.kind for one in early.findings} == {"wrong_result"}
    assert not any(case.ok for case in early.cases if case.inputs != "structured")


def test_another_type_than_asked_for_does_not_compile():
    found = checked(kernel("float16"), "bfloat16").findings[0]
    assert "Parameter 1 of the kernel 'gemm' (A) has type 'const __half*', not 'const __nv_bfloat16*'" in found.message


def test_elements_outside_are_counted_in_halves():
    source = kernel("float16", change=lambda text: text.replace("row >= M", "row > M"))
    found = checked(source, "float16", CASES[:1]).findings[0]
    assert found.kind == "out_of_bounds"
    assert "reads element 875 of A (line 10), beyond its end: A is 35×25 (M×K)" in found.message


def test_a_wide_access_is_counted_in_halves():
    source = kernel("float16", change=lambda text: text.replace("acc = 0.0f;", "acc = 0.0f; acc += WIDE;", 1))
    source = source.replace("WIDE", "__low2float(reinterpret_cast<const __half2*>(A + row * K)[0])")
    found = next(one for one in checked(source, "float16", CASES[:1]).findings if one.kind == "misaligned")
    assert "each row must hold a multiple of 2 numbers of 2 bytes" in found.message


LAUNCHED = """
void solve(const T* A, const T* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A + 0 * K, B, C, M, N, K);
}
"""


@pytest.mark.parametrize("element", NAMES)
def test_a_launcher_says_by_its_parameters_what_the_matrices_hold(element):
    source = kernel(element) + LAUNCHED.replace("T*", f"{NAMES[element]}*")
    assert check_launcher(source, "k.cu", "solve", CASES[:2], "emulator").passed


@pytest.mark.parametrize(
    "types, words",
    [
        (("const half*", "const float*", "float*"), "both must have one type"),
        (("const half*", "const half*", "half*"), "C must be float"),
        (("const double*", "const double*", "float*"), "A and B may hold float, half or __nv_bfloat16"),
    ],
)
def test_other_matrices_are_refused_with_a_sentence(types, words, tmp_path):
    A, B, C = types
    file = tmp_path / "k.cu"
    file.write_text(
        f"#include <cuda_fp16.h>\n__global__ void gemm({A} A, {B} B, {C} C, int M, int N, int K) {{ C[0] = A[0]; }}\n"
    )
    options = ["--block", "1", "--grid", "1", "--shape", "1,1,1", "--args", "A,B,C,M,N,K", "--backend", "emulator"]
    result = CliRunner().invoke(app, ["run", str(file), *options])
    assert isinstance(result.exception, UserError) and words in str(result.exception) or words in result.output


def test_run_reads_the_type_from_the_kernel_and_takes_tf32_by_name(tmp_path):
    file = tmp_path / "k.cu"
    file.write_text(kernel("float16"))
    options = ["--block", "16,16", "--grid", "cdiv(N,16),cdiv(M,16)", "--shape", "20,20,20", "--backend", "emulator"]
    result = CliRunner().invoke(app, ["run", str(file), *options, "--json"])
    assert json.loads(result.output)["status"] == "passed"
    tf32 = kernel("float32", change=lambda text: text.replace("float(A[row * K + k])", "CUT(A[row * K + k])"))
    file.write_text(tf32.replace("CUT(", "cut(").replace(
        'extern "C"', "__device__ float cut(float x) { return __int_as_float(__float_as_int(x) & 0xffffe000); }\n"
        'extern "C"'))  # fmt: skip
    for dtype, status in (("tf32", "passed"), ("auto", "failed")):
        result = CliRunner().invoke(app, ["run", str(file), *options, "--json", "--dtype", dtype])
        assert json.loads(result.output)["status"] == status
