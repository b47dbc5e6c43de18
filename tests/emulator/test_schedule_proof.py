"""What one run proves of all schedules: the shadow against every pair of accesses, and what must not be claimed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from ptx_lab import kernel, kinds, launch

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator.proof.proof import Proof, proof_of
from gemmlab.kernel.launch import BETA, Address, Scalar
from gemmlab.kernel.program import Program

WARPS, LANES = 4, 3  # of each warp the first few lanes are enough
SHARED = ".shared .align 4 .b8 S[64];"
RACES = {"RACE_RAW", "RACE_WAR", "RACE_WAW", "RACE_SAME_VALUE"}


@dataclass(frozen=True)
class Step:
    """What some lanes of one warp do to the word, a sync of a whole warp, or a barrier of some warps or of the block."""

    what: str  # read, write, sync, meet, barrier
    warps: tuple[int, ...]
    lanes: tuple[int, ...] = ()
    block: int = 0

    @property
    def number(self) -> int:
        """Of a barrier of some warps: each group has one of its own, so that it is known who meets."""
        return sum(1 << warp for warp in self.warps)


def programs(space: str, blocks: int) -> st.SearchStrategy[list[Step]]:
    """Rounds: some warps read a word, then some wait for each other, then one writes it. Where barriers let some warps
    meet, no proof lets a kernel read what it writes in global memory."""
    warp, lane, block = st.integers(0, WARPS - 1), st.integers(0, LANES - 1), st.integers(0, blocks - 1)
    lanes = st.sampled_from([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
    groups = st.sampled_from([group for size in (2, 3) for group in itertools.combinations(range(WARPS), size)])

    def steps(what: str, of: st.SearchStrategy, which=st.just(())) -> st.SearchStrategy[Step]:
        return st.builds(Step, st.just(what), of, which, block)

    alone, everyone = warp.map(lambda one: (one,)), st.just(tuple(range(WARPS)))
    waits = [steps("sync", alone), steps("barrier", everyone)] + [steps("meet", groups)] * 4 * (space == "shared")
    parts = (
        st.lists(steps("read", alone, lanes), min_size=3, max_size=5),
        st.lists(st.one_of(*waits), min_size=1, max_size=3),
        st.lists(steps("write", alone, lane.map(lambda one: (one,))), max_size=1),
    )
    rounds = st.lists(st.tuples(*parts), min_size=1, max_size=3)
    return rounds.map(lambda some: [step for one in some for part in one for step in part])


def as_ptx(program: list[Step], space: str) -> str:
    """The program as a kernel. Thread (warp, lane) has number 32·warp + lane; each step is guarded by it."""
    lines = ["shr.u32 %r1, %r51, 5; and.b32 %r2, %r51, 31; mov.f32 %f1, 0f3F800000; mov.u64 %rd1, S;"]
    address = "%rd1" if space == "shared" else "%rd52"
    for number, step in enumerate(program):
        lines.append("setp.ne.s32 %p1, %r1, %r1;")
        lines += [f"setp.eq.or.s32 %p1, %r1, {warp}, %p1;" for warp in step.warps]
        lines.append(f"setp.eq.and.s32 %p1, %r52, {step.block}, %p1;")
        if step.what in ("read", "write"):
            lines.append("setp.ne.s32 %p2, %r2, %r2;")
            lines += [f"setp.eq.or.s32 %p2, %r2, {lane}, %p2;" for lane in step.lanes]
            lines.append("and.pred %p1, %p1, %p2;")
        lines.append(f"@!%p1 bra SKIP{number};")
        lines.append(
            {
                "read": f"ld.{space}.f32 %f2, [{address}];",
                "write": f"st.{space}.f32 [{address}], %f1;",
                "sync": "bar.warp.sync -1;",
                "meet": f"bar.sync {step.number}, {32 * len(step.warps)};",
                "barrier": "bar.sync 0;",
            }[step.what]
        )
        lines.append(f"SKIP{number}:")
    return kernel("\n".join(lines), SHARED)


def first_race(program: list[Step]) -> int | None:
    """The number of the first step that is unordered with one before it, one of the two a write: by
    vector clocks, over every pair. None where there is no such step."""
    threads = list(itertools.product(range(WARPS), range(LANES), range(2)))
    clock = {thread: {other: int(other == thread) for other in threads} for thread in threads}
    accesses: list[tuple] = []
    for number, step in enumerate(program):
        members = [thread for thread in threads if thread[0] in step.warps and thread[2] == step.block]
        if step.what in ("sync", "meet", "barrier"):
            joined = {other: max(clock[member][other] for member in members) for other in threads}
            for member in members:
                clock[member] = dict(joined)
                clock[member][member] += 1
            continue
        for member in members:
            if member[1] not in step.lanes:
                continue
            for other, writes, time in accesses:
                if other != member and (writes or step.what == "write") and clock[member][other] < time:
                    return number
            accesses.append((member, step.what == "write", clock[member][member]))
    return None


def is_found(program: list[Step], space: str, blocks: int, schedule: str) -> bool:
    A, size = np.zeros(4 * 32 * WARPS, np.float32), {"threads": 32 * WARPS, "blocks": blocks}
    found = set(kinds(launch(as_ptx(program, space), A, A.copy(), A.copy(), **size, schedule=schedule)))
    assert found <= RACES
    return bool(found)


@pytest.mark.parametrize(("space", "blocks"), [("shared", 1), ("global", 1), ("global", 2)])
def test_one_run_finds_a_race_if_and_only_if_two_accesses_are_unordered(space: str, blocks: int):
    """A program is cut behind the first step that races, so that nothing else gives the race away."""
    seen = set()

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(programs(space, blocks), st.sampled_from(("forward", "reversed")))
    def compare(program: list[Step], schedule: str):
        race = first_race(program)
        seen.add(race is None)
        assert not is_found(program[:race], space, blocks, schedule)
        assert race is None or is_found(program[: race + 1], space, blocks, schedule)

    compare()
    assert seen == {True, False}


MEETINGS = {
    "setp.lt.u32 %p1, %r1, 2; @%p1 bar.sync 1, 64; @!%p1 bar.sync 2, 64;": set(),
    "setp.lt.u32 %p1, %r1, 2; @%p1 bar.sync 1, 64; bar.sync 0; @!%p1 bar.sync 1, 64;": set(),
    "bar.sync 1, 64;": {"BARRIER_WITHOUT_GROUP"},
    "setp.ge.u32 %p1, %r1, 2; @%p1 bar.sync 2, 64; setp.lt.u32 %p2, %r1, 3; @%p2 bar.sync 1, 96; setp.gt.u32 %p2, %r1, 0;"
    "@%p2 bar.sync 1, 96;": {"BARRIER_WITHOUT_GROUP"},
    "setp.lt.u32 %p1, %r1, 2; @%p1 bar.sync 1, 64; bar.sync 1;": {"BARRIER_WITHOUT_GROUP"},
    "setp.lt.u32 %p1, %r1, 2; @%p1 bar.sync 1, 128; @!%p1 bar.sync 1, 64;": {"BARRIER_WITHOUT_GROUP"},
    "setp.eq.u32 %p1, %r51, 5; @%p1 exit; shr.u32 %r2, %r1, 1; bar.sync %r2, 64;": {"BARRIER_EXITED"},
}


@pytest.mark.parametrize("body", MEETINGS)
def test_it_is_told_where_warps_meet_by_chance(body: str):
    A = np.zeros(4 * 32 * WARPS, np.float32)
    found = set(kinds(launch(kernel(f"shr.u32 %r1, %r51, 5; {body}"), A, A.copy(), A.copy())))
    assert MEETINGS[body] <= found and bool(found) == bool(MEETINGS[body])


# ---- what may be claimed, and what must not: bodies of kernels, and the words that say what stands in the way
# ruff: noqa: E501

HOLDS = {
    "tiles": "S[t] = A[n]; __syncthreads(); C[n] = S[255 - t];",
    "index_kept_in_shared_memory": "I[t] = t * 7 % 256; __syncthreads(); C[n] = A[I[t]];",
    "index_kept_in_a_local_array": "int v[8]; for (int i = 0; i < 8; i++) v[i] = i * t; C[v[N & 7]] = 1;",
    "branch_that_decides_a_value": "float a = A[n], s = 0; if (a > 3) for (int i = 0; i < a; i++) s += a * s; C[n] = s;",
    "local_array_at_any_index": "float v[8]; for (int i = 0; i < 8; i++) v[i] = B[i]; C[n] = v[(int)A[n] & 7];",
    "shuffle_from_a_lane_known_before": "C[__shfl_sync(~0u, t * 3, t + 1 & 31)] = A[n];",
    "ballot_on_indices": "C[n + __popc(__ballot_sync(~0u, t % 3))] = A[n];",
    "shuffle_of_data": "C[n] = __shfl_sync(~0u, A[n], (int)B[n] & 31);",
    "one_zero_for_a_sum_and_a_counter": "int s = 0; for (int i = 0; i < N; i++) s += (int)A[n + i]; C[n] = s;",
    "helper_function": "C[helper(n)] = A[n];",
    "fence_without_an_atomic": "C[n] = A[n]; __threadfence();",
    "synced_lanes_and_global_memory": "C[n] = 1; __syncwarp(); C[n + 1] = C[n];",
    "some_warps": 'asm volatile("bar.sync %0, 64;" :: "r"(1 + (t >> 6)) : "memory"); C[n] = S[t];',
    "group_from_memory_it_wrote": 'I[t] = t >> 6; __syncthreads(); asm volatile("bar.sync %0, 64;" :: "r"(1 + I[t]));',
    "mask_in_a_register": "unsigned m = ~0u; S[t] = A[n]; __syncwarp(m); C[n] = S[t ^ 1];",
    "copy_waited_for_by_index": "COPY; if (N > 1) __pipeline_wait_prior(0); __syncthreads(); C[n] = S[t ^ 1];",
}
ONLY_THIS_DATA = {
    "index_from_memory": ("C[(int)A[n]] = 1;", "address depends on a value read from A"),
    "index_by_way_of_shared_memory": (
        "I[t] = A[n]; __syncthreads(); C[I[t]] = 1;",
        "address depends on a value read from A",
    ),
    "index_by_way_of_a_local_array": (
        "int v[8]; for (int i = 0; i < 8; i++) v[i] = A[i]; C[v[N & 7]] = 1;",
        "address depends on a value read from A",
    ),
    "index_by_way_of_a_branch": (
        "int i = n; if (B[n] > 0) i = 2 * n; C[i] = 1;",
        "address depends on a value read from B",
    ),
    "index_from_a_helper": ("C[helper((int)A[n])] = 1;", "address depends on a value read from A"),
    "data_in_a_branch": ("if (A[n] > 0) C[n] = 1;", "on a value read from A"),
    "data_in_a_loop": ("for (int i = 0; i < A[0]; i++) C[n + i] = 1;", "branch depends on a value read from A"),
    "data_before_a_barrier": ("if (A[0] > 0) __syncthreads(); C[n] = 1;", "branch depends on a value read from A"),
    "data_in_a_return": (
        "if (A[n] > 0) return; __syncthreads(); C[n] = 1;",
        "branch depends on a value read from A",
    ),
    "data_in_a_ballot": (
        "C[n + __popc(__ballot_sync(~0u, A[n] > 0))] = 1;",
        "address depends on a value read from A",
    ),
    "data_in_a_lane": ("C[__shfl_sync(~0u, t, (int)A[n] & 31)] = 1;", "address depends on a value read from A"),
    "data_in_a_barrier": (
        'asm volatile("bar.sync %0, 64;" :: "r"((int)A[n]) : "memory"); C[n] = 1;',
        "who waits for whom depends on a value read from A",
    ),
    "data_decide_who_waits_in_a_call": ("if (A[n] > 0) meet();", "branch depends on a value read from A"),
    "data_decide_who_prints": ('if (A[n] > 0) printf("x"); C[n] = 1;', "branch depends on a value read from A"),
    "data_before_a_wait": (
        "COPY; if (A[n] > 0) __pipeline_wait_prior(0); __syncthreads(); C[n] = S[t ^ 1];",
        "branch depends on a value read from A",
    ),
    "data_in_a_guard_of_a_wait": (
        'COPY; asm volatile("{.reg .pred p; setp.gt.f32 p, %0, 0f00000000; @p cp.async.wait_group 0;}" :: "f"(A[n])); C[n] = S[t];',
        "which copies are waited for depends on a value read from A",
    ),
    "data_in_a_local_register": (
        'int i; asm("{.reg .s32 x; cvt.rni.s32.f32 x, %1; mov.s32 %0, x;}" : "=r"(i) : "f"(A[n])); C[i] = 1;',
        "address depends on a value read from A",
    ),
    "data_before_a_matrix_product": ("if (A[n] > 0) MMA; C[n] = c;", "branch depends on a value read from A"),
    "data_in_a_match": ("C[__match_any_sync(~0u, A[n]) & 255] = 1;", "address depends on a value read from A"),
}
NOT_ANY_ORDER = {
    "atomic": ("atomicAdd(C + t, A[n]);", "which atomic comes first"),
    "ticket": ("C[atomicAdd(&next, 1)] = A[n];", "which atomic comes first"),
    "lock": ("while (atomicCAS(&next, 0, 1)); C[0] += A[n]; __threadfence(); atomicExch(&next, 0);", "which atomic"),
    "flag": (
        "volatile int* f = I; if (t == 0) { S[0] = A[n]; f[0] = 1; } else while (!f[0]); C[n] = S[0];",
        "volatile",
    ),
    "released_flag": (
        'asm volatile("st.release.gpu.global.f32 [%0], %1;" :: "l"(C + n), "f"(1.f) : "memory");',
        "volatile",
    ),
    "clock": ("C[clock() & 255] = A[n];", "the address depends on clock64()"),
    "clock_stored": ("C[n] = clock();", "what is stored depends on clock64()"),
    "place_on_the_gpu": ('int s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); C[s] = 1;', "on the SM that the block"),
    "activemask": ("C[__activemask() & 255] = A[n];", "the address depends on __activemask()"),
    "some_lanes": ("if (t < 16) { S[t] = A[n]; __syncwarp(0xffff); C[n] = S[15 - t]; }", "only some lanes"),
    "arrival": ('asm volatile("bar.arrive 1, 64;" ::: "memory"); C[n] = 1;', "a warp that only arrives"),
    "some_warps_and_global_memory": (
        'asm volatile("bar.sync %0, 64;" :: "r"(1 + (t >> 6)) : "memory"); C[n] += 1;',
        "array in global memory that it writes",
    ),
    "mask_set_in_pairs": (
        'unsigned m, h; asm("mov.b64 {%0, %1}, %2;" : "=r"(m), "=r"(h) : "l"(1ull * N)); __syncwarp(m | h); C[n] = 1;',
        "only some lanes",
    ),
    "discarded": (
        'asm volatile("discard.global.L2 [%0], 128;" :: "l"(C) : "memory");',
        "does not know the instruction discard",
    ),
    "unknown": ('asm volatile("pmevent 1;" ::: "memory"); C[n] = 1;', "does not know the instruction pmevent"),
}
_BODIES = {
    **HOLDS,
    **{name: body for name, (body, _) in (ONLY_THIS_DATA | NOT_ANY_ORDER).items()},
    "beta": "if (beta != 0) C[n] *= beta; C[n] += A[n];",
}
_KERNEL = """
extern "C" __global__ void k_{name}(float* A, float* B, float* C, int M, int N, int K, float beta)
{{
    __shared__ float S[256]; __shared__ int I[256];
    const int t = threadIdx.x, n = blockIdx.x * blockDim.x + t;
    float c = 0;
    {body}
}}
"""


_HELPERS = """
__device__ int next;
__device__ __noinline__ int helper(int n) { return n % 5 * n; }
__device__ __noinline__ void meet() { __syncthreads(); }
#include <cuda_pipeline.h>
#define COPY __pipeline_memcpy_async(S + t, A + n, 4); __pipeline_commit()
#define MMA asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %0, %0, %0}, {%1, %1}, {%1}, {%0, %0, %0, %0};" : "+f"(c) : "r"(n))
"""


@pytest.fixture(scope="module")
def program() -> Program:
    """All of them in one."""
    kernels = (_KERNEL.format(name=name, body=body) for name, body in _BODIES.items())
    return compile_source(_HELPERS + "".join(kernels), "kernel.cu")


def proof(program: Program, name: str) -> Proof:
    return proof_of(program, f"k_{name}", (*map(Address, "ABC"), *[Scalar("int32", 64)] * 3, BETA))


@pytest.mark.parametrize("name", HOLDS)
def test_one_run_decides_every_order_and_all_data(program: Program, name: str):
    assert proof(program, name) == Proof(None, None)


@pytest.mark.parametrize("name", ONLY_THIS_DATA)
def test_where_data_decide_one_run_decides_every_order_for_these_data(program: Program, name: str):
    found = proof(program, name)
    assert found.schedules is None and found.data and ONLY_THIS_DATA[name][1] in found.data.message
    line = 1 + program.source[: program.source.index(ONLY_THIS_DATA[name][0])].count("\n")
    assert found.data.line == line and found.data.message.startswith(f"line {line}: ")


@pytest.mark.parametrize("name", NOT_ANY_ORDER)
def test_where_the_order_decides_nothing_is_claimed(program: Program, name: str):
    found = proof(program, name).schedules
    assert found and NOT_ANY_ORDER[name][1] in found.message


def test_numbers_that_decide_are_named(program: Program):
    assert proof(program, "beta") == Proof(None, None, ("beta",))
