"""What the optimiser drops, told from the code without optimisation."""

from __future__ import annotations

import pytest

from gemmlab.check.dropped import dropped_by_optimiser
from gemmlab.check.second_look import unoptimised
from gemmlab.compiler.compile import compile_source
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.verdict import Finding
from gemmlab.trials.candidate import Candidate

MUTUAL = (
    "__device__ int odd(int n);\n__device__ int even(int n) { return n ? odd(n - 1) : 1; }\n"
    "__device__ int odd(int n) { return n ? even(n - 1) : 0; }\n"
)
DEEP = "__device__ int deep(int n) { return n ? deep(n - 1) + 1 : 0; }\n"
KERNEL = "__global__ void gemm(float* C, int M) {{ {} }}\n"


def dropped(source: str) -> list[Finding]:
    plain = unoptimised(Candidate(source, "kernel.cu", LaunchSpec.parse("16", "1")), None)
    assert plain is not None
    return dropped_by_optimiser(compile_source(source), plain)


@pytest.mark.parametrize(
    "source, says",
    [
        (KERNEL.format("__shared__ float s[1 << 20]; s[M] = 1; C[0] = 1;"), "4,194,304 bytes of static shared memory"),
        (DEEP + KERNEL.format("deep(100000); C[0] = 1;"), "calls itself"),
        (MUTUAL + KERNEL.format("even(M); C[0] = 1;"), "calls itself"),
        (KERNEL.format("float big[300000]; big[M] = 1; C[0] = 1;"), "1,200,000 bytes of local memory"),
    ],
)
def test_what_is_dropped_is_a_warning(source, says):
    (found,) = dropped(source)
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
    assert dropped(source) == []
