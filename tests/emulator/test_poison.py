"""Memory that nobody wrote holds NaN, so that a kernel that reads it is not right by luck even where no check is on."""

from __future__ import annotations

import numpy as np
import pytest

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import EmulatorExecutor
from gemmlab.kernel.launch import Launch

SHAPE = (4, 4, 4)
HEAD = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)'
BODIES = {
    "shared memory": "__shared__ float s[8]; s[M] = A[0]; C[0] = s[N + 1];",
    "dynamic shared memory": "extern __shared__ float s[]; s[M] = A[0]; C[0] = s[N + 1];",
    "a local array": "volatile float s[8]; s[M] = A[0]; C[0] = s[N + 1];",
    "a register": 'float x; asm volatile("{ .reg .f32 t; mov.f32 %0, t; }" : "=f"(x)); C[0] = x;',
    "C": "C[0] = C[1];",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_nobody_wrote_is_nan(body: str):
    ones, launch = np.ones(SHAPE[:2], np.float32), Launch((1, 1, 1), (2, 1, 1), smem=64)
    program = compile_source(f"{HEAD} {{ {body} }}")
    unchecked = EmulatorExecutor(checks=False).run(program, launch, ones, ones, SHAPE)
    assert unchecked.C is not None and np.isnan(unchecked.C[0, 0])
    checked = EmulatorExecutor().run(program, launch, ones, ones, SHAPE)
    assert any(finding.is_error for finding in checked.findings)
