"""Kernels of one topic each, through NVRTC, as students would have them compiled: nothing is unsupported, and C is right."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from ops_corpus import OpsKernel, kernels, make_inputs
from ops_expected import EXPECTED

from gemmlab.compile import compile_source
from gemmlab.emulator import EmulatorExecutor
from gemmlab.executor import Outcome

KERNELS = {kernel.name: kernel for kernel in kernels()}


def run(kernel: OpsKernel, **options) -> tuple[Outcome, np.ndarray, np.ndarray]:
    program = compile_source(kernel.source, f"{kernel.name}.cu", **{"options": kernel.options, **options})
    A, B = make_inputs(kernel.inputs, kernel.shape)
    return EmulatorExecutor(seconds=20).run(program, kernel.spec.at(*kernel.shape), A, B, kernel.shape), A, B


@lru_cache
def expected_of(name: str) -> np.ndarray:
    kernel = KERNELS[name]
    return EXPECTED[name](*make_inputs(kernel.inputs, kernel.shape), kernel.shape)


def differing(kernel: OpsKernel, C: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Which elements are not what they should be. Any NaN is as good as another."""
    if expected.dtype == np.uint32 or kernel.compare == "bits":
        wanted = expected if expected.dtype == np.uint32 else expected.astype(np.float32).view(np.uint32)
        both_nan = np.isnan(C) & np.isnan(wanted.view(np.float32))
        return (C.view(np.uint32) != wanted) & ~both_nan
    error = np.abs(C - expected)
    near = error <= kernel.tolerance * np.maximum(1, np.abs(expected))
    return ~(near | (C == expected) | (np.isnan(C) & np.isnan(expected)))


def check(kernel: OpsKernel, **options) -> None:
    outcome, A, B = run(kernel, **options)
    assert [(finding.kind, finding.line, finding.message) for finding in outcome.findings] == []
    expected = expected_of(kernel.name)
    wrong = differing(kernel, outcome.C, expected)
    if wrong.any():
        row, col = np.argwhere(wrong)[0]
        inputs = A.reshape(-1)[col], B.reshape(-1)[col]
        pytest.fail(f"{wrong.sum()} wrong, C[{row}][{col}] is {outcome.C[row, col]!r} not {expected[row, col]!r}; {inputs}")


def test_every_kernel_has_an_expectation():
    assert {name for name, kernel in KERNELS.items() if kernel.compare != "fails"} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_optimised(name: str):
    check(KERNELS[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_without_optimisation(name: str):
    check(KERNELS[name], debug=True)
