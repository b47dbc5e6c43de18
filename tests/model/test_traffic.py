"""What blocks find in the L1 cache, and what a request to it takes, beside what Nsight Compute counted on an H200."""

from __future__ import annotations

import sys
from math import ceil, prod

import pytest

from gemmlab.course.lesson import find_root
from gemmlab.errors import UserError
from gemmlab.kernel.launch import LaunchSpec, cdiv
from gemmlab.kernel.limits import occupancy
from gemmlab.model import flow, predict, sass
from gemmlab.model.cubin import machine_code
from gemmlab.model.machines import load
from gemmlab.model.sample import Sampled, Tile, sampled
from gemmlab.model.traffic import Resident, reuse_of
from gemmlab.trials.candidate import Candidate

sys.path.append(str(find_root() / "tools"))
from model_kernels import published  # noqa: E402  a tool is no module of a package

KERNELS = {kernel.name: kernel.candidate for kernel in published()}
SHAPE = (1024, 1024, 1024)


def block_of(name: str, shape=SHAPE):
    one = KERNELS[name]
    program, (launch,) = one.compiled("sm_90"), one.launches(shape)
    return program, launch, sampled(program, launch, launch, shape)


@pytest.mark.parametrize(
    ("name", "measured"),
    [
        ("one_warp_blocks", 0.824),  # of 32 blocks, each four read the same columns of B
        ("decode_columns", 0.846),
        ("grid_stride", 0.790),  # rows of 256 elements, by blocks that start together
        ("persistent_blocks", 0.885),  # four tiles a block, one after another: no tile of 32 rows
        ("patch_2x2", 0.908),
    ],
)
def test_the_l1_cache_has_what_nsight_compute_counted(name: str, measured: float):
    program, launch, block = block_of(name)
    sms, used = load().sms, program.resources[launch.kernel]
    fits = occupancy(prod(launch.block), used.registers, used.shared_bytes, program.arch).blocks_per_sm
    most = ceil(block.blocks / sms)
    reuse = reuse_of(block, SHAPE, launch.layout, Resident(sms, min(fits, most), most / fits, 2**18))
    missed = sum(reuse.misses.get(name, 0.0) * loaded for name, loaded in block.loaded.items() if name)
    assert 1 - missed / block.loaded[""] == pytest.approx(measured, abs=0.04)


def test_blocks_without_a_tile_are_not_among_those_that_work():
    """16 tiles for 264 blocks: the one in the middle has none."""
    _, _, block = block_of("persistent_tiles", (256, 256, 64))
    assert (block.number, block.blocks) == (0, 16) and block.depth == 64


def test_a_block_with_more_tiles_than_the_middle_stands_for_the_grid():
    """272 tiles for 264 blocks: the first eight have two."""
    _, _, block = block_of("persistent_tiles", (64, 17408, 16))
    assert (block.number, block.blocks, block.tile.pieces) == (0, 264, 2)


def test_a_part_of_c_in_an_array_of_the_launcher_is_a_tile():
    one = KERNELS["parts_then_sum"]
    plan = one.launch.at(64, 64, 64)
    block = sampled(one.compiled("sm_90"), plan.steps[0], plan, (64, 64, 64))
    assert (block.tile.rows, block.tile.columns, block.depth) == (8, 32, 8)


def test_a_last_layer_with_little_to_do_counts_as_few_blocks():
    """K = 65 in eight parts of nine: the last has two."""
    one = KERNELS["parts_then_sum"]
    plan = one.launch.at(64, 64, 65)
    block = sampled(one.compiled("sm_90"), plan.steps[0], plan, (64, 64, 65))
    assert 7 * 16 < block.blocks < 7.7 * 16


def test_waves_read_anew_what_the_l2_cache_cannot_hold():
    """Eight waves, a row of eight tiles each: A once in all, B in each wave, and all wait for memory."""
    _, launch, block = block_of("tile_32", (256, 256, 64))
    matrix = 4 * 256 * 64
    found = [reuse_of(block, (256, 256, 64), launch.layout, Resident(8, 1, 8, 0, l2)) for l2 in (matrix, 2 * matrix)]
    assert found[0].fresh == pytest.approx(9 / 2 * found[1].fresh) and found[0].late == 1 > found[1].late


def test_an_odd_stride_meets_no_bank_twice():
    """32 rows of A, an element each: one bank where a row is 64 elements long, all banks where it is 63."""
    in_a_bank = []
    for K in (64, 63):
        _, _, block = block_of("row_from_x", (64, 64, K))
        in_a_bank.append(max(touched.in_a_bank for touched in block.touched.values() if touched.array == "A"))
    assert in_a_bank == [32, 1]


def test_loads_under_a_condition_are_counted_where_they_stand():
    program, launch, block = block_of("patch_32x32_2x2", (64, 64, 64))
    found = machine_code(program.machine_code, program.symbol(launch.kernel))
    assert found
    code, warps = sass.instructions(found), cdiv(prod(launch.block), 32)
    flows = flow.solved(code, {line: counted.instructions / warps for line, counted in block.lines.items()})
    loads = [sum(one.base == sass.LDG for one in code[b.start : b.end]) for b in flows.blocks]
    ran = sum(count * many for count, many in zip(flows.counts, loads))
    assert ran == pytest.approx(block.totals.global_load_requests / warps, rel=0.02)


def test_a_loop_over_k_that_is_unrolled_takes_its_steps_in_turn():
    _, _, block = block_of("one_warp_blocks", (64, 64, 64))
    lines = [line for line, touched in block.touched.items() if touched.array == "A"]
    steps = [block.steps(line, block.depth, 4) for line in lines]
    assert len(lines) == 8 * steps[0][0] and sorted({first for _, first in steps}) == list(range(steps[0][0]))


def test_a_tile_ends_where_a_gap_is():
    import numpy as np

    written = np.zeros((8, 8), bool)
    written[2:4, 1:5] = written[6:8, 1:5] = True
    assert Tile.of(written) == Tile(top=2, left=1, rows=2, columns=4, elements=16)
    assert Tile.of(written).pieces == 2 and Tile.of(None) == Tile()
    assert Sampled(1, 0, {}, {}, {}, Tile(), 1).depth == 0


NAIVE = """extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) { %s sum += A[row * K + k] * B[k * N + col]; }
    C[row * N + col] = sum;
}"""
SPEC = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")


@pytest.mark.parametrize("extra", ["__nanosleep(1000);", "sum += 0 * (float)clock64();"])
def test_what_takes_a_time_of_its_own_gets_no_number(extra: str):
    found = predict(Candidate(NAIVE % extra, "kernel.cu", SPEC), (32, 32, 32))
    assert found.ms is None and "sleeps" in (found.unknown or "")


def test_volatile_accesses_are_strong_and_get_no_number():
    assert "volatile" in (predict(KERNELS["block_64x1"], (64, 64, 64)).unknown or "")
    assert predict(KERNELS["one_warp_blocks"], (64, 64, 64)).ms


def test_shapes_that_are_none_or_do_not_fit():
    one = Candidate(NAIVE % "", "kernel.cu", SPEC)
    with pytest.raises(UserError, match="from 1 on"):
        predict(one, (0, 4, 4))
    assert "too large" in (predict(one, (100_000, 100_000, 100_000)).unknown or "")
