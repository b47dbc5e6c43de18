"""Shapes too large to emulate whole: the corner blocks are run, and their share of C is judged."""

import pytest

from gemmlab.check.check import Case, check_source
from gemmlab.check.corners import corner_blocks, is_too_large
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Launch, LaunchSpec

NAIVE = """
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[(INDEX)row * K + k] * B[(INDEX)k * N + col];
        C[(INDEX)row * N + col] = acc;
    }
}
"""
ROUNDED_UP = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")


def check(source, shape, spec=ROUNDED_UP):
    return check_source(source, "kernel.cu", spec, [Case(shape, "random", 1, "ordinary")], "emulator")


def test_an_index_that_overflows_at_the_far_end_is_found():
    verdict = check(NAIVE.replace("INDEX", "int"), (70000, 1, 32768))
    found = [finding for finding in verdict.findings if finding.kind == "out_of_bounds"]
    assert verdict.status == "failed" and found
    assert "overflows" in found[0].message and "of A" in found[0].message


def test_the_same_kernel_with_64_bit_indices_passes_with_a_warning_that_not_all_was_run():
    verdict = check(NAIVE.replace("INDEX", "long long"), (70000, 1, 32768))
    assert verdict.status == "passed"
    assert ["2 of 4,375 blocks" in finding.message for finding in verdict.findings] == [True]
    assert verdict.cases[0].max_error < 1e-2


def test_a_grid_rounded_down_is_found_though_most_blocks_are_not_run():
    verdict = check(NAIVE.replace("INDEX", "int"), (2049, 2049, 600), LaunchSpec.parse("16,16", "N//16,M//16"))
    assert verdict.status == "failed"
    assert any("C[0][2048] was never written" in finding.message for finding in verdict.findings)


def test_wrong_numbers_in_a_corner_are_found():
    source = NAIVE.replace("INDEX", "int").replace("k < K", "k < K - (row == M - 1)")
    verdict = check(source, (2049, 2049, 600))
    assert verdict.status == "failed"
    assert any("are wrong" in finding.message for finding in verdict.findings)


def test_only_large_shapes_are_sampled():
    assert not is_too_large((1024, 1024, 1024))
    assert is_too_large((4096, 4096, 4096)) and is_too_large((70000, 1, 32768))


def test_the_corners_of_a_grid():
    assert corner_blocks(Launch((16, 16, 1), (4, 3, 1))).tolist() == [0, 3, 8, 11]
    assert corner_blocks(Launch((16, 16, 1), (1, 1, 1))).tolist() == [0]


def test_a_shape_beyond_any_memory_is_refused():
    with pytest.raises(UserError, match="needs .* GiB"):
        check(NAIVE.replace("INDEX", "int"), (100000, 100000, 100000))
