"""Several ranks in the worker's process: Python for kernels where there is no GPU, and lesson 15 where there is one."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gemmlab.course.lesson import load
from gemmlab.gpu.child.guards import make_images
from gemmlab.gpu.child.process import GpuProcess
from gemmlab.gpu.executor import GpuExecutor
from gemmlab.gpu.ranks import _read_too_early
from gemmlab.kernel.program import Program
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.trials.candidate import Candidate

SHAPE = (5, 3, 4)
KERNELS = """
def gemm(at, A, B, C_of, flags_of, M, N, K, first, tile0, rank, world):
    tables = [[int(one) for one in at(table, 2 * world).view(np.uint64)] for table in (C_of, flags_of)]
    band = at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)
    for peer in range(world):
        at(tables[0][peer] + 4 * first * N, M * N)[:] = band.reshape(-1)
        if peer != rank:
            at(tables[1][peer] + 4 * tile0, 1).view(np.uint32)[:] = 1

def await_tiles(at, flags, tiles, tile0, own):
    up = at(flags, tiles).view(np.uint32)
    assert up.sum() == tiles - own
    up[:] = 0
"""


@pytest.fixture(scope="module")
def kernel():
    return load("15").kernel


def work_of(kernel, devices=2, shape=SHAPE):
    return kernel.on(devices).launches_of(kernel.solution).at(*shape)


def run_fake(kernel, monkeypatch, source, devices=2):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))
    A, B = make_inputs("integer", SHAPE, 1)
    program = Program("", "kernel.cu", "sm_90", "", source.encode(), kernels=("gemm", "await_tiles"))
    with closing(GpuExecutor()) as executor:
        return executor.run(program, work_of(kernel, devices), A, B, SHAPE), A, B


@pytest.mark.parametrize("devices", [1, 2, 3])
def test_every_rank_has_all_of_C_two_times_on_the_same_flags(kernel, monkeypatch, devices):
    outcome, A, B = run_fake(kernel, monkeypatch, KERNELS, devices)
    for one in (outcome, outcome.again):
        assert one.findings == [] and len(one.of_ranks) == devices
        assert all(np.array_equal(C, A @ B) for C in one.of_ranks)


def test_what_a_peer_did_not_store_is_not_written(kernel, monkeypatch):
    outcome, *_ = run_fake(kernel, monkeypatch, KERNELS.replace("tables[0][peer]", "tables[0][rank]"))
    assert np.isnan(outcome.of_ranks[0][3:]).all() and not np.isnan(outcome.of_ranks[0][:3]).any()
    assert np.isnan(outcome.of_ranks[1][:3]).all()


def test_a_store_outside_names_the_device(kernel, monkeypatch):
    outcome, *_ = run_fake(kernel, monkeypatch, KERNELS.replace("4 * first * N", "4 * (first + 1) * N"))
    assert outcome.findings[0].kind == "out_of_bounds"
    assert outcome.findings[0].message.startswith("device 0: The kernel wrote outside C (5×3)")


def test_what_the_next_kernel_would_have_read_too_early_is_a_race():
    images = make_images(np.ones((2, 3), np.float32), np.ones((3, 2), np.float32))
    early = images.words["C"].copy()
    done = replace(images, words={**images.words, "C": early.copy()})
    done.inside("C")[1, 0] = 5
    (finding,) = _read_too_early(early, done, 1)
    assert finding.kind == "race" and finding.details["device"] == 1
    assert "reads C[1][0] before it is what it becomes" in finding.message
    assert _read_too_early(early, images, 1) == []


def arch_of(gpus: int) -> str:
    """The architecture of this machine's GPUs, of which the test needs so many."""
    with closing(GpuProcess()) as worker:
        if worker.hello["gpus"] < gpus:
            pytest.skip("not run: fewer than two GPUs")
        return worker.hello["arch"]


@pytest.mark.gpu
@pytest.mark.parametrize("gpus", [1, 2])
def test_lesson_15_on_gpus(kernel, gpus):
    arch = arch_of(gpus)
    with closing(GpuExecutor(devices=gpus)) as executor:
        for case in kernel.cases:
            A, B = make_inputs("integer", case.shape, 1)
            work = work_of(kernel, shape=case.shape)
            outcome = executor.run(Candidate(kernel.solution, "k.cu", work).compiled(arch), work, A, B, case.shape)
            for one in (outcome, outcome.again):
                assert one.findings == [] and all(np.array_equal(C, A @ B) for C in one.of_ranks)


@pytest.mark.gpu
@pytest.mark.parametrize("gpus", [1, 2])
def test_who_does_not_wait_is_found_out_on_gpus(kernel, gpus):
    arch = arch_of(gpus)
    shape = (256, 128, 64)
    A, B = make_inputs("integer", shape, 1)
    work = work_of(kernel, shape=shape)
    for line, product in (
        ("while (atomicAdd_system(&flags[tile], 0u) == 0u) {", 0),
        ("atomicExch_system(&flags[tile], 0u);", 1),
    ):
        source = kernel.solution.replace(line, "{" if line.endswith("{") else "")
        assert source != kernel.solution
        with closing(GpuExecutor(devices=gpus)) as executor:
            outcome = executor.run(Candidate(source, "k.cu", work).compiled(arch), work, A, B, shape)
        assert "race" in {one.kind for one in (outcome, outcome.again)[product].findings}, line


@pytest.mark.gpu
def test_a_wait_for_a_flag_that_nobody_raises_ends_by_the_clock(kernel):
    arch = arch_of(1)
    source = kernel.solution.replace("&flags_of[tid][tile]", "&flags_of[rank][tile]")
    A, B = make_inputs("integer", SHAPE, 1)
    with closing(GpuExecutor(time_limit=3.0)) as executor:
        program = Candidate(source, "k.cu", work_of(kernel)).compiled(arch)
        assert executor.run(program, work_of(kernel), A, B, SHAPE).findings[0].kind == "timeout"
