"""What a launch may ask for, and occupancy as NVIDIA's own calculator has it."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemmlab.compiler.compile import compile_source
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.limits import check_launch, limits_for, occupancy
from gemmlab.kernel.program import Resources

KIB = 1024


def launch(block=(16, 16, 1), grid=(4, 4, 1), **more) -> Launch:
    return Launch(block, grid, **more)


def resources(registers=32, shared=2048, max_threads=None) -> Resources:
    return Resources(registers, shared, 0, 0, 0, 1, max_threads)


@pytest.mark.parametrize(
    "given_launch, given_resources",
    [
        (launch(), resources()),
        (launch(), None),
        (launch(block=(1024, 1, 1)), resources(registers=64)),
        (launch(block=(1, 1, 64)), resources(registers=255)),
        (launch(grid=(2**31 - 1, 65535, 65535)), resources()),
        (launch(smem=46 * KIB), resources(shared=2 * KIB)),
        (launch(smem=48 * KIB), resources(shared=0)),
        (launch(smem=163 * KIB, smem_opt_in=True), resources(shared=0)),
        (launch(block=(128, 1, 1)), resources(max_threads=128)),
    ],
)
def test_a_launch_within_the_limits(given_launch, given_resources):
    assert check_launch(given_launch, given_resources, "sm_80") == []


@pytest.mark.parametrize(
    "given_launch, given_resources, words",
    [
        (launch(block=(0, 16, 1)), None, "The block is 0×16×1"),
        (launch(block=(16, -1, 1)), None, "The block is 16×-1×1"),
        (launch(grid=(4, 0, 1)), None, "The grid is 4×0×1"),
        (launch(smem=-4), None, "-4 bytes of dynamic shared memory"),
        (launch(block=(64, 64, 1)), None, "4,096 threads, but a block may have 1,024"),
        (launch(block=(1, 1, 65)), None, "65 threads along z, but at most 64"),
        (launch(grid=(1, 65536, 1)), None, "65,536 blocks along y, but at most 65,535"),
        (launch(grid=(1, 1, 70000)), None, "70,000 blocks along z"),
        (launch(grid=(2**31, 1, 1)), None, "2,147,483,648 blocks along x"),
        (launch(), resources(shared=49153), "49,153 bytes of static shared memory"),
        (launch(smem=47 * KIB), resources(shared=2 * KIB), "2,048 bytes static and 48,128 dynamic"),
        (
            launch(smem=48 * KIB + 1),
            resources(shared=0),
            "49,153 bytes of shared memory; more than 49,152 must be asked",
        ),
        (launch(smem=164 * KIB, smem_opt_in=True), resources(shared=0), "on sm_80 a block may have 166,912"),
        (launch(block=(1024, 1, 1)), resources(registers=65), "1,024 threads of 65 registers each need 73,728"),
        (launch(block=(256, 1, 1)), resources(max_threads=128), "__launch_bounds__ promises the compiler at most 128"),
    ],
)
def test_a_launch_beyond_one_limit(given_launch, given_resources, words):
    (finding,) = check_launch(given_launch, given_resources, "sm_80")
    assert (finding.kind, finding.severity) == ("launch_error", "error")
    assert words in finding.message and finding.message.endswith(".")


def test_the_block_of_a_whole_matrix():
    (finding,) = check_launch(launch(block=(2000, 1, 1)), resources(registers=255), "sm_80")
    assert "2,000 threads" in finding.message


def test_several_limits_are_all_named():
    findings = check_launch(launch(block=(2, 2, 300), grid=(1, 65536, 1), smem=50 * KIB), resources(), "sm_80")
    assert len(findings) == 4


def test_the_opt_in_limit_is_that_of_the_gpu():
    asked = launch(smem=100 * KIB, smem_opt_in=True)
    assert check_launch(asked, resources(shared=0), "sm_90") == []
    assert len(check_launch(asked, resources(shared=0), "sm_86")) == 1


def test_what_the_compiler_found_is_said_once():
    source = 'extern "C" __global__ void gemm(float* C) { __shared__ float s[20000]; s[C[0] > 0] = 1; C[1] = s[7]; }'
    program = compile_source(source)
    (finding,) = check_launch(launch(), program.resources["gemm"], program.arch, program.ptxas_errors)
    assert finding.message.startswith("The kernel 'gemm' declares 80,000 bytes of static shared memory")


# threads, registers, shared bytes, architecture, and blocks on an SM by NVIDIA's cuda_occupancy.h of CUDA 13.
NVIDIA = [
    (256, 32, 2048, "sm_80", 8),
    (256, 64, 0, "sm_80", 4),
    (256, 40, 8448, "sm_90", 6),
    (128, 255, 0, "sm_80", 2),
    (1024, 64, 0, "sm_80", 1),
    (1024, 65, 0, "sm_80", 0),
    (256, 32, 49152, "sm_80", 3),
    (256, 32, 101376, "sm_86", 1),
    (256, 32, 101377, "sm_86", 0),
    (32, 16, 0, "sm_89", 24),
    (96, 40, 0, "sm_75", 10),
    (1024, 32, 65536, "sm_75", 1),
    (200, 48, 10000, "sm_120", 5),
    (256, 168, 33000, "sm_100", 1),
    (64, 24, 100, "sm_70", 32),
]


@pytest.mark.parametrize("threads, registers, shared, arch, blocks", NVIDIA)
def test_occupancy_is_that_of_nvidias_calculator(threads, registers, shared, arch, blocks):
    found = occupancy(threads, registers, shared, arch)
    assert found.blocks_per_sm == blocks
    assert found.warps_per_sm == blocks * -(-threads // 32)
    assert found.fraction == found.warps_per_sm / limits_for(arch).warps_per_sm


@pytest.mark.parametrize(
    "threads, registers, shared, limited_by",
    [
        (256, 64, 0, ("registers",)),
        (256, 16, 0, ("warps",)),
        (32, 16, 0, ("blocks",)),
        (256, 16, 48 * KIB, ("shared memory",)),
        (256, 32, 2048, ("warps", "registers")),
        (1025, 16, 0, ("warps",)),
    ],
)
def test_what_limits_occupancy(threads, registers, shared, limited_by):
    assert occupancy(threads, registers, shared, "sm_80").limited_by == limited_by


@given(
    st.integers(1, 1024), st.integers(1, 255), st.integers(0, 48 * KIB), st.sampled_from(["sm_75", "sm_80", "sm_90"])
)
def test_occupancy_never_rises_with_what_a_block_takes(threads, registers, shared, arch):
    found = occupancy(threads, registers, shared, arch)
    assert 0 <= found.fraction <= 1 and found.limited_by
    assert occupancy(threads, min(registers + 8, 255), shared, arch).blocks_per_sm <= found.blocks_per_sm
    assert occupancy(threads, registers, shared + 256, arch).blocks_per_sm <= found.blocks_per_sm


@given(st.integers(1, 1024), st.integers(1, 255), st.integers(0, 60 * KIB))
def test_a_block_without_room_is_a_launch_error(threads, registers, shared):
    asked = launch(block=(threads, 1, 1), smem=shared, smem_opt_in=True)
    findings = check_launch(asked, resources(registers, shared=0), "sm_86")
    assert bool(findings) == (occupancy(threads, registers, shared, "sm_86").blocks_per_sm == 0)


def test_limits_of_an_architecture():
    limits = limits_for("sm_80")
    assert (limits.warps_per_sm, limits.blocks_per_sm, limits.shared_opt_in) == (64, 32, 163 * KIB)
    assert limits_for("sm_90a").shared_opt_in == limits_for("compute_90").shared_opt_in == 227 * KIB
    newer, known = limits_for("sm_88"), limits_for("sm_87")
    assert dataclasses.replace(newer, arch="sm_87") == known


@pytest.mark.parametrize("arch", ["", "80", "sm_61", "sm_200", "sm_8", "ampere", "sm_80; rm"])
def test_unknown_architectures_are_user_errors(arch):
    with pytest.raises(UserError, match="choose one of sm_70"):
        limits_for(arch)


@pytest.mark.parametrize("arguments", [(0, 32, 0), (256, -1, 0), (256, 32, -1)])
def test_occupancy_of_nonsense_is_a_user_error(arguments):
    with pytest.raises(UserError):
        occupancy(*arguments, "sm_80")
