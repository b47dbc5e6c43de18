"""Mutants of right kernels, one thing removed or changed in each: none may pass.

tools/mutate.py tries all of them; here run a sample, and every barrier and guard of two kernels.
"""

from __future__ import annotations

import random
from functools import cache

import pytest
from equivalent_mutants import EQUIVALENT
from mutation import OPERATORS, Mutant, mutants
from mutation_subjects import Subject, subjects

SUBJECTS = subjects()
WHOLE = ("02_tiled_fma", "double_buffer_one_barrier")
SAMPLE = 60
SLOW_HEADERS = ("cooperative_groups.h", "mma.h", "cuda_fp16.h", "cuda_bf16.h")

SMALL = """\
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[tx] = tx < K && k0 > 0 ? A[tx] : 0.0f;
        __syncthreads();
        C[ty] += As[0];
    }
    if (ty >= M) return;
}
"""


@cache
def passes_itself(name: str) -> bool:
    return SUBJECTS[name].verdict(SUBJECTS[name].source).passed


def assert_found_out(subject: Subject, mutant: Mutant) -> None:
    assert passes_itself(subject.name)
    equivalent = mutant.name in EQUIVALENT.get(subject.name, {})
    assert subject.verdict(mutant.source).passed == equivalent, f"{subject.name}: {mutant.name}"


def sample() -> list[tuple[str, Mutant]]:
    """Mutants by chance, the same each time, as many of each operator."""
    chance = random.Random(SAMPLE)
    quick = [subject for subject in SUBJECTS.values() if not any(header in subject.source for header in SLOW_HEADERS)]
    everything = [(subject.name, mutant) for subject in quick for mutant in mutants(subject.source)]
    by_operator = [[pair for pair in everything if pair[1].operator == operator] for operator in OPERATORS]
    return [pair for pairs in by_operator for pair in chance.sample(pairs, SAMPLE // len(OPERATORS))]


def test_each_operator_makes_its_change():
    names = {mutant.name.replace("    ", "") for mutant in mutants(SMALL)}
    assert names >= {
        "extent: __shared__ float As[16]; => __shared__ float As[16 - 1];",
        "bound: for (int k0 = 0; k0 < K; k0 += 16) { => for (int k0 = 0; k0 <= K; k0 += 16) {",
        "index: for (int k0 = 0; k0 < K; k0 += 16) { => for (int k0 = 0; k0 < M; k0 += 16) {",
        "guard: As[tx] = tx < K && k0 > 0 ? A[tx] : 0.0f; => As[tx] = tx < K ? A[tx] : 0.0f;",
        "guard: As[tx] = tx < K && k0 > 0 ? A[tx] : 0.0f; => As[tx] = k0 > 0 ? A[tx] : 0.0f;",
        "fill: As[tx] = tx < K && k0 > 0 ? A[tx] : 0.0f; => if (tx < K && k0 > 0) As[tx] = A[tx];",
        "wait: __syncthreads(); => ;",
        "sum: C[ty] += As[0]; => C[ty] = As[0];",
        "index: C[ty] += As[0]; => C[tx] += As[0];",
        "bound: if (ty >= M) return; => if (ty > M) return;",
        "index: const int tx = threadIdx.x, ty = threadIdx.y; => const int tx = threadIdx.y, ty = threadIdx.y;",
    }
    assert len(names) == len(mutants(SMALL)) and all(mutant.source != SMALL for mutant in mutants(SMALL))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("operator", ("wait", "guard"))
def test_every_barrier_and_guard_is_needed(name: str, operator: str):
    subject = SUBJECTS[name]
    tried = [mutant for mutant in mutants(subject.source) if mutant.operator == operator]
    assert tried
    for mutant in tried:
        assert_found_out(subject, mutant)


@pytest.mark.parametrize(
    "name, mutant", sample(), ids=lambda value: value if isinstance(value, str) else value.operator
)
def test_a_mutant_is_found_out(name: str, mutant: Mutant):
    assert_found_out(SUBJECTS[name], mutant)


def test_equivalent_mutants_are_mutants():
    for name, known in EQUIVALENT.items():
        assert known.keys() <= {mutant.name for mutant in mutants(SUBJECTS[name].source)}, name
