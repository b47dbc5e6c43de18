"""Kernels from the field, wrong and right: each gets its verdict, whatever the order in which warps get their turns."""

from __future__ import annotations

from collections import Counter

import pytest
from field_kernels import KINDS, NO_SHARED, OWN, SCHEDULES, SHARED, FieldKernel, check, problem, read_kernels

from gemmlab.check.check import Case, check_with
from gemmlab.emulator import EmulatorExecutor

KERNELS = read_kernels(OWN)
SHARED_KERNELS = [kernel for folder in SHARED if folder.is_dir() for kernel in read_kernels(folder)]


def ids(kernel: FieldKernel | str) -> str:
    return kernel if isinstance(kernel, str) else kernel.path.stem


def assert_verdicts(kernel: FieldKernel, schedule: str) -> None:
    for shape, due in kernel.trials():
        says = kernel.says if schedule == "forward" and shape in kernel.failing else ()
        found = problem(check(kernel, shape, schedule), due, says)
        assert found is None, f"{kernel.path.name} at {shape}, {schedule}: {found}"


def test_the_folder_holds_what_it_should():
    sides = Counter(kernel.path.parent.name for kernel in KERNELS)
    assert sides["wrong"] >= 55 and sides["right"] >= 28
    assert {kernel.expect for kernel in KERNELS} == set(KINDS)
    for kernel in KERNELS:
        assert kernel.is_right == (kernel.path.parent.name == "right"), kernel.path.name
        assert kernel.passing if kernel.is_right else kernel.failing, kernel.path.name
        assert kernel.is_right or kernel.says, kernel.path.name
    assert max(Counter(kernel.bug for kernel in KERNELS).values()) == 1


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kernel", KERNELS, ids=ids)
def test_verdict(kernel: FieldKernel, schedule: str):
    assert_verdicts(kernel, schedule)


@pytest.mark.skipif(not SHARED_KERNELS, reason=NO_SHARED)
@pytest.mark.parametrize("kernel", SHARED_KERNELS or [None], ids=lambda kernel: kernel.path.stem if kernel else "none")
def test_verdict_on_the_shared_kernels(kernel: FieldKernel):
    for schedule in SCHEDULES:
        assert_verdicts(kernel, schedule)


@pytest.mark.parametrize("kernel", KERNELS[::4], ids=ids)  # a sample: what could differ is the executor
def test_a_check_says_the_same_again_on_one_core_and_on_two(kernel: FieldKernel):
    shape = (kernel.failing or kernel.passing)[0]
    case = Case(shape, kernel.inputs[0], 1, "ordinary")

    def run(threads: int) -> dict:
        return check_with(
            (EmulatorExecutor(threads=threads),), kernel.source, "kernel.cu", kernel.spec, [case]
        ).to_json()

    assert run(1) == run(2) == run(2)
