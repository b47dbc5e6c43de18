"""What the optimiser drops, told from the code without optimisation."""

from __future__ import annotations

import pytest

from gemmlab.check.dropped import dropped_by_optimiser
from gemmlab.compiler.compile import compile_source

DEEP = "__device__ int deep(int n) { return n ? deep(n - 1) + 1 : 0; }\n"
KERNEL = "__global__ void gemm(float* C, int M) {{ {} }}\n"


@pytest.mark.parametrize(
    "source, says",
    [
        (KERNEL.format("__shared__ float s[1 << 20]; s[M] = 1; C[0] = 1;"), "4,194,304 bytes of static shared memory"),
        (DEEP + KERNEL.format("deep(100000); C[0] = 1;"), "calls itself"),
        (KERNEL.format("float big[300000]; big[M] = 1; C[0] = 1;"), "1,200,000 bytes of local memory"),
    ],
)
def test_what_is_dropped_is_a_warning(source, says):
    (found,) = dropped_by_optimiser(compile_source(source), compile_source(source, debug=True))
    assert says in found.message and not found.is_error


@pytest.mark.parametrize(
    "body",
    [
        "__shared__ float s[64]; s[M] = 1; __syncthreads(); C[0] = s[1];",
        "float few[16]; for (int i = 0; i < 16; ++i) few[i] = M; C[0] = few[3];",
    ],
)
def test_what_is_kept_is_none(body):
    source = KERNEL.format(body)
    assert dropped_by_optimiser(compile_source(source), compile_source(source, debug=True)) == []
