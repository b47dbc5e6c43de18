"""A launch whose blocks do not fit the file says so; one that fits says nothing, whatever else is wrong."""

from __future__ import annotations

import pytest

from gemmlab.check.check import check_source
from gemmlab.check.diagnosis.launch_fit import misfit
from gemmlab.course.lesson import Case, load, load_all
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.plan import launches_of

EVERY = [kernel for lesson in load_all() for kernel in lesson.kernels]
KERNELS = [kernel for kernel in EVERY if isinstance(kernel.launched_by, LaunchSpec)]


def launch(spec: LaunchSpec, block: str | None = None):
    found = LaunchSpec.parse(block, "cdiv(N,16),cdiv(M,16)") if block else spec
    return launches_of(found.at(64, 48, 32))[0]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_every_lesson_is_launched_with_blocks_that_fit(kernel):
    assert misfit(kernel.solution, launch(kernel.launch)) is None


@pytest.mark.parametrize("block", ["8,8", "32,8", "32,32", "16,8"])
def test_other_blocks_than_those_of_the_tile(block: str):
    kernel = load("02").kernel
    finding = misfit(kernel.solution, launch(kernel.launch, block))
    columns, rows = block.split(",")
    assert finding is not None and finding.kind == "launch_error" and finding.is_error
    assert f"a block of {columns}×{rows} threads computes {rows}×{columns} elements of C" in finding.message
    assert "next block begins after 16×16" in finding.message


def test_blocks_of_a_register_tile():
    kernel = load("06").kernel
    finding = misfit(kernel.solution, launch(kernel.launch, "16,4"))
    assert finding is not None and "has 64 threads" in finding.message and "ask for 128" in finding.message


def test_a_kernel_that_promises_such_blocks_is_meant_for_them():
    kernel = load("06").kernel
    assert misfit(kernel.solution, launch(kernel.launch, "16,4"), promised=64) is None
    assert misfit(kernel.solution, launch(kernel.launch, "16,4"), promised=128) is not None


@pytest.mark.parametrize("source", ["", "__global__ void gemm(float* C) { C[threadIdx.x] = 1.0f; }", "#define BM 4\n"])
def test_a_source_that_does_not_tell(source: str):
    assert misfit(source, launch(load("02").kernel.launch)) is None


def test_the_check_says_it_first():
    kernel = load("02").kernel
    spec = LaunchSpec.parse("8,8", "cdiv(N,16),cdiv(M,16)")
    verdict = check_source(kernel.solution, "mine.cu", spec, [Case((32, 32, 32), "random", 1, "given")], "emulator")
    assert not verdict.passed and "does not fit the file" in verdict.findings[0].message
    assert {finding.kind for finding in verdict.findings} == {"launch_error", "wrong_result"}


def test_a_fault_of_a_launch_that_fits_is_not_blamed_on_it():
    kernel = load("02").kernel
    source = kernel.solution.replace("acc += As", "acc -= As")
    verdict = check_source(source, "mine.cu", kernel.launch, [Case((32, 32, 32), "random", 1, "given")], "emulator")
    assert [finding.kind for finding in verdict.findings] == ["wrong_result"]
