"""Barrier objects and pipelines that are used wrongly, each beside the right one; and instructions of sm_90."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from ptx_lab import kernel, kinds, launch

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import EmulatorExecutor, executor
from gemmlab.emulator.code.decode import decode
from gemmlab.emulator.machine import opcodes
from gemmlab.emulator.ptx.parser import parse
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.program import Program

_HEAD = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)\n{\n'
_BARRIER = (
    _HEAD
    + """
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[64];
    const int tid = threadIdx.x;
    if (STARTS) init(&bar, COUNT);
    AFTER_INIT;
    float sum = 0;
    for (int turn = 0; turn < 2; ++turn) {
        s[tid] = A[tid] + turn;
        if (COMES) WAIT;
        sum += s[63 - tid];
        AGAIN;
    }
    C[tid] = sum;
}
"""
)
_RIGHT = {
    "STARTS": "tid == 0",
    "COUNT": "64",
    "AFTER_INIT": "__syncthreads()",
    "COMES": "true",
    "WAIT": "bar.arrive_and_wait()",
    "AGAIN": "bar.arrive_and_wait()",
}


@pytest.fixture(autouse=True)
def _little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch that waits for ever is ended sooner; the others take a few thousand instructions."""
    monkeypatch.setattr(executor, "_WORK_SHARE", 500_000)


def filled_in(source: str, words: dict[str, str], name: str) -> str:
    """A kernel of that name, with the words put in."""
    return re.sub(r"\b[A-Z_]{2,}\b", lambda word: words.get(word[0], word[0]), source).replace("gemm(", f"{name}(", 1)


@cache
def program_of(arch: str, headers: str) -> Program:
    """All kernels of these headers, which take longer to read than the kernels to compile."""
    made = (filled_in(source, words, f"gemm{number}") for number, (source, words) in enumerate(_KERNELS[arch, headers]))
    return compile_source("\n".join([*(f"#include <{name}>" for name in headers.split()), *made]), arch=arch)


def run(source: str, words: dict[str, str], arch: str = "sm_80", headers: str = "cuda/barrier") -> Outcome:
    number = _KERNELS[arch, headers].index((source, words))
    A = np.arange(256, dtype=np.float32).reshape(16, 16)
    launch = LaunchSpec.parse("64", "1", kernel=f"gemm{number}").at(16, 16, 16)
    return EmulatorExecutor(seconds=300).run(program_of(arch, headers), launch, A, A, (16, 16, 16))


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_a_barrier_object_orders_what_is_read_after_it(arch: str):
    outcome = run(_BARRIER, _RIGHT, arch)
    assert outcome.findings == [] and outcome.C is not None
    assert (outcome.C.reshape(-1)[:64] == 2 * np.arange(64)[::-1] + 1).all()


_WRONG = [
    ({"WAIT": "(void)bar.arrive()"}, "race", ""),
    ({"AGAIN": "(void)0"}, "race", ""),
    ({"COUNT": "32"}, "race", ""),
    ({"AFTER_INIT": "(void)0"}, "race", ""),
    ({"COUNT": "65"}, "timeout", "1 of the arrivals"),
    ({"COUNT": "128"}, "timeout", "although every thread of the block has arrived"),
    ({"COMES": "tid < 32"}, "timeout", "thread 32 has not arrived"),
    ({"STARTS": "tid > 64"}, "uninitialized", "init(&bar, count)"),
]


@pytest.mark.parametrize("changes, kind, said", _WRONG, ids=lambda value: str(value) if isinstance(value, dict) else "")
def test_a_barrier_object_used_wrongly(changes: dict[str, str], kind: str, said: str):
    findings = [finding for finding in run(_BARRIER, {**_RIGHT, **changes}).findings if finding.is_error]
    assert kind in {finding.kind for finding in findings}
    assert any(said in finding.message for finding in findings if finding.kind == kind)


_PIPELINE = (
    _HEAD
    + """
    __shared__ float s[STAGES][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    const int tid = threadIdx.x;
    float sum = 0;
    for (int turn = 0; turn < 5; ++turn) {
        ACQUIRE;
        cuda::memcpy_async(&s[turn % STAGES][tid], &A[tid + turn], sizeof(float), pipe);
        pipe.producer_commit();
        WAIT;
        sum += s[turn % STAGES][63 - tid];
        RELEASE;
    }
    C[tid] = sum;
}
"""
)
_FLOW = {
    "STAGES": "1",
    "ACQUIRE": "pipe.producer_acquire()",
    "WAIT": "pipe.consumer_wait()",
    "RELEASE": "pipe.consumer_release()",
}


_STAGES = ["1", "2", "3"]
_PIPELINE_HEADERS = "cooperative_groups.h cuda/pipeline"


@pytest.mark.parametrize("stages", _STAGES)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_a_pipeline_over_the_block(arch: str, stages: str):
    outcome = run(_PIPELINE, {**_FLOW, "STAGES": stages}, arch, _PIPELINE_HEADERS)
    assert outcome.findings == [] and outcome.C is not None
    assert (outcome.C.reshape(-1)[:64] == 5 * np.arange(64)[::-1] + 10).all()


_MISSING = {"WAIT": "race", "ACQUIRE": "race", "RELEASE": "timeout"}


@pytest.mark.parametrize("missing, kind", _MISSING.items())
def test_a_pipeline_with_a_step_left_out(missing: str, kind: str):
    outcome = run(_PIPELINE, {**_FLOW, missing: "(void)0"}, headers=_PIPELINE_HEADERS)
    assert kind in {finding.kind for finding in outcome.findings if finding.is_error}


_BULK = (
    _HEAD
    + """
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ __align__(128) float s[64];
    const int tid = threadIdx.x;
    if (tid == 0) init(&bar, 64);
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (tid == 0) {
        cuda::device::memcpy_async_tx(s, A, cuda::aligned_size_t<16>(256), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, BYTES);
    } else {
        token = bar.arrive();
    }
    WAIT;
    C[tid] = s[63 - tid];
}
"""
)
_BYTES = {"BYTES": "256", "WAIT": "bar.wait(static_cast<decltype(token)&&>(token))"}


_BULKS = [({}, None), ({"WAIT": "(void)0"}, "race"), ({"BYTES": "512"}, "timeout")]


@pytest.mark.parametrize("changes, kind", _BULKS, ids=str)
def test_a_bulk_copy_that_a_barrier_object_counts(changes: dict[str, str], kind: str | None):
    outcome = run(_BULK, {**_BYTES, **changes}, "sm_90")
    assert {finding.kind for finding in outcome.findings if finding.is_error} == ({kind} if kind else set())
    if kind is None:
        assert outcome.C is not None and (outcome.C.reshape(-1)[:64] == np.arange(64)[::-1]).all()


_READ_ONLY = _HEAD + "C[threadIdx.x] = A[threadIdx.x]; BETWEEN; C[64 + threadIdx.x] = LOAD(&C[INDEX]);}"
_READS = [
    ("__ldg", "threadIdx.x", "__syncthreads()", "race"),
    ("__ldg", "63 - threadIdx.x", "__syncthreads()", "race"),
    ("*", "63 - threadIdx.x", "__syncthreads()", None),
    ("*", "63 - threadIdx.x", "(void)0", "race"),
]


@pytest.mark.parametrize("load, index, between, kind", _READS)
def test_what_a_kernel_writes_is_not_read_through_the_read_only_cache(load, index, between, kind):
    outcome = run(_READ_ONLY, {"LOAD": load, "INDEX": index, "BETWEEN": between}, headers="")
    assert {finding.kind for finding in outcome.findings if finding.is_error} == ({kind} if kind else set())


# What is compiled together, for each architecture and set of headers: kernels with the words that are put in.
_KERNELS = {
    ("sm_80", "cuda/barrier"): [(_BARRIER, _RIGHT), *((_BARRIER, {**_RIGHT, **changes}) for changes, *_ in _WRONG)],
    ("sm_90", "cuda/barrier"): [(_BARRIER, _RIGHT), *((_BULK, {**_BYTES, **changes}) for changes, _ in _BULKS)],
    ("sm_80", _PIPELINE_HEADERS): [
        *((_PIPELINE, {**_FLOW, "STAGES": stages}) for stages in _STAGES),
        *((_PIPELINE, {**_FLOW, missing: "(void)0"}) for missing in _MISSING),
    ],
    ("sm_90", _PIPELINE_HEADERS): [(_PIPELINE, {**_FLOW, "STAGES": stages}) for stages in _STAGES],
    ("sm_80", ""): [
        (_READ_ONLY, {"LOAD": load, "INDEX": index, "BETWEEN": between}) for load, index, between, _ in _READS
    ],
}


# ---- matrices in shared memory, and words in another order

_LOAD = "ldmatrix.sync.aligned.{} {{%r1, %r2}}, [%r4];"
_AROUND = """
    shl.b32 %r3, %r51, 2; mov.u32 %r4, tile; add.u32 %r5, %r4, %r3; st.shared.u32 [%r5], %r51;
    st.shared.u32 [%r5+128], %r51; bar.warp.sync 0xffffffff; shl.b32 %r6, %r51, 4; add.u32 %r4, %r4, %r6;
    setp.gt.u32 %p1, %r51, 15; @%p1 mov.u32 %r4, {spare};
    {body}
    mov.b64 %rd1, {{%r1, %r2}}; st.global.u64 [%rd56], %rd1;"""


def _matrix(body: str, spare: str) -> tuple[np.ndarray, list[str]]:
    C = np.zeros(32, np.uint64)
    text = kernel(_AROUND.format(body=body, spare=spare), ".shared .align 128 .b8 tile[256];")
    result = launch(text, np.zeros(32, np.uint64), np.zeros(32, np.uint64), C, 32)
    return C, kinds(result)


@pytest.mark.parametrize("words", ["m8n8.x2.shared.b16", "x2.m8n8.shared.b16", "shared.m8n8.x2.b16"])
@pytest.mark.parametrize("spare", ["0", "0x7ffffff3", "3"])
def test_spare_addresses_and_the_order_of_words_do_not_matter_to_ldmatrix(words: str, spare: str):
    C, found = _matrix(_LOAD.format(words), spare)
    assert found == [] and C.tolist() == [lane + (lane << 32) for lane in range(32)]


@pytest.mark.parametrize("spare", ["0x7ffffff3", "3"])
def test_stmatrix_is_the_other_way_round(spare: str):
    body = """mov.u32 %r1, %r51; add.u32 %r2, %r51, 32; stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4], {%r1, %r2};
              bar.warp.sync 0xffffffff; ld.shared.u32 %r1, [%r5]; ld.shared.u32 %r2, [%r5+128];"""
    C, found = _matrix(body, spare)
    assert found == [] and C.tolist() == [lane + (lane + 32 << 32) for lane in range(32)]


@pytest.mark.parametrize(
    "body",
    [
        "@%p1 ld.shared.u32 %r1, [%r9];",
        "@%p1 prefetch.global.L2 [%rd9];",
        "mov.u32 %r8, 0; cp.async.ca.shared.global [%r5], [%rd9], 4, %r8; cp.async.wait_all;",
        "cp.async.ca.shared.global [%r5], [%rd9], 4, 0; cp.async.wait_all;",
        "prefetch.global.L1 [%rd9]; prefetchu.L1 [%rd9];",
    ],
)
def test_addresses_that_no_access_uses_may_be_anything(body: str):
    body = f"""mov.u32 %r9, 0x7ffffff3; mov.u64 %rd9, 0x7ffffff3; setp.gt.u32 %p1, %r51, 99; mov.u32 %r5, tile;
        mad.lo.u32 %r5, %r51, 4, %r5; {body} st.global.u64 [%rd56], %rd9;"""
    A, B, C = (np.zeros(32, np.uint64) for _ in range(3))
    result = launch(kernel(body, ".shared .align 128 .b8 tile[256];"), A, B, C, 32)
    assert kinds(result) == []


@pytest.mark.parametrize(
    "instruction",
    [
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r5];",
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r1, %r2};",
        "st.release.gpu.global.u32 [%rd56], %r1;",
        "atom.release.gpu.global.add.u32 %r1, [%rd56], 1;",
        "cp.async.ca.shared.global [%r5], [%rd56], 4;",
    ],
)
def test_the_requests_of_an_instruction_are_those_of_its_own_row(instruction: str):
    """What it touched is noted by that number: another row's would be told, and have other room."""
    code = decode(parse(kernel(instruction, ".shared .align 128 .b8 tile[256];")), "gemm")
    sites = code.rows[:, opcodes.ROW_SITE]
    assert [code.site_pc[site] for site in sites[sites >= 0]] == np.flatnonzero(sites >= 0).tolist()
