"""Which way conditions on M, N and K go: the walk over arrays against what threads of the emulator say of themselves,
and what is said of kernels where nobody can tell."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import runner
from gemmlab.emulator.code import decode
from gemmlab.emulator.ptx import parser
from gemmlab.emulator.sizes.outcomes import Outcomes, outcomes_at
from gemmlab.emulator.sizes.reading import read_code
from gemmlab.emulator.sizes.search import shapes_for_the_missing
from gemmlab.emulator.sizes.walk import Launched, Lost, Walk, values_at
from gemmlab.kernel.launch import Launch, LaunchSpec
from gemmlab.launcher.spec import launched

BLOCK, GRID = (4, 3, 2), (3, 2, 1)
THREADS = 24 * 6
SHAPES = ((1, 1, 1), (5, 17, 2), (64, 63, 4), (7, 128, 33))
HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry gemm(.param .u64 pA, .param .u64 pB, .param .u64 pC, .param .u32 M, .param .u32 N, .param .u32 K)
{
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [pC]; ld.param.u32 %r1, [M]; ld.param.u32 %r2, [N]; ld.param.u32 %r3, [K];
    mov.u32 %r4, %tid.x; mov.u32 %r5, %tid.y; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.b64 %rd2, 0;
    mov.u32 %r8, 0;
"""
TAIL = """
    mov.u32 %r10, %tid.z; mad.lo.s32 %r10, %r10, 3, %r5; mad.lo.s32 %r10, %r10, 4, %r4; mad.lo.s32 %r11, %r7, 3, %r6;
    mad.lo.s32 %r10, %r11, 24, %r10; mul.wide.u32 %rd3, %r10, 8; add.s64 %rd1, %rd1, %rd3; st.global.u64 [%rd1], %rd2;
    ret;
}
"""


def random_program(rng: random.Random) -> tuple[str, int]:
    """Conditions in a row, in a loop of K % 4 + 1 turns; a thread sets a bit for each way that it finds. Some
    conditions leap over those that follow. How many there are as well."""
    lines, count = ["and.b32 %r9, %r3, 3;", "TURN:"], rng.randint(4, 12)
    leaps: dict[int, int] = {}
    for number in range(count):
        lines += [f"TO{leap}:" for leap, end in leaps.items() if end == number]
        for target in ("%r12", "%r13"):
            op = rng.choice(
                "add.s32 sub.s32 mul.lo.s32 div.s32 rem.s32 rem.u32 shr.s32 shr.u32 and.b32 xor.b32".split()
            )
            given = rng.choice(("%r1", "%r2", "%r3", "%r6", "%r7", "%r8"))
            lines.append(f"{op} {target}, {given}, {rng.choice((1, 2, 3, 4, 5, 16))};")
            lines.append(f"add.s32 {target}, {target}, {rng.choice(('%r4', '%r5', '%r6', '-3', '1'))};")
        other = rng.choice(("%r13", "%r13", "2", "16"))
        compare = rng.choice("lt.s32 ge.s32 eq.s32 ne.s32 lt.u32 gt.u32".split())
        lines.append(f"setp.{compare} %p1, %r12, {other};")
        lines.append(f"mov.b64 %rd4, {1 << 2 * number}; @%p1 or.b64 %rd2, %rd2, %rd4;")
        lines.append(f"mov.b64 %rd4, {2 << 2 * number}; @!%p1 or.b64 %rd2, %rd2, %rd4;")
        if rng.random() < 0.4:
            leaps[number] = min(count, number + rng.randint(2, 4))
            lines.append(f"@{rng.choice(('', '!'))}%p1 bra TO{number};")
    lines += [f"TO{leap}:" for leap, end in leaps.items() if end == count]
    lines.append("add.s32 %r8, %r8, 1; setp.le.s32 %p2, %r8, %r9; @%p2 bra TURN;")
    return HEAD + "\n".join(lines) + TAIL, count


def said_by_threads(text: str, shape: tuple[int, int, int]) -> int:
    """The bits of all threads."""
    code = decode.decode(parser.parse(text), "gemm")
    C = np.zeros(2 * THREADS, np.float32)
    memory = runner.global_memory(code, np.zeros(2, np.float32), np.zeros(2, np.float32), C)
    addresses = [region.address for region in memory.regions[:3]]
    run = runner.run(code, memory, Launch(BLOCK, GRID), [*addresses, *shape], runner.Options(threads=1))
    assert not len(run.events)
    return int(np.bitwise_or.reduce(C.view(np.uint64)))


@pytest.mark.parametrize("seed", range(30))
def test_the_walk_goes_as_the_threads_do(seed: int):
    text, count = random_program(random.Random(seed))
    code = read_code(text, "gemm", (3, 4, 5))
    values = values_at([[1 << 40, 2 << 40, 3 << 40, *shape] for shape in SHAPES])
    walk = Walk(code, Launched(BLOCK, (GRID,) * len(SHAPES), values)).run()
    ends = Walk(code, Launched(BLOCK, (GRID,) * len(SHAPES), values, thorough=False)).run()
    setps = [n for n, one in enumerate(code.function.instructions) if one.opcode.startswith("setp")]
    for row, shape in enumerate(SHAPES):
        bits = said_by_threads(text, shape)
        for number, at in enumerate(setps[:count]):
            if at in walk.went:
                seen = [bool(bits >> 2 * number + way & 1) for way in (0, 1)]
                assert [bool(way[row]) for way in walk.went[at]] == seen, (shape, number)
                assert all(found <= there for found, there in zip((bool(way[row]) for way in ends.went[at]), seen))


# ---- whole kernels


SPEC = LaunchSpec.parse("8,8", "cdiv(N,8),cdiv(M,8)")
KERNEL = """\
__device__ __noinline__ float far(const float* A, int k) { return k > 7 ? A[k] : A[0]; }
#define GEMM(NAME, PATHS) \\
extern "C" __global__ void NAME(const float* A, const float* B, float* C, int M, int N, int K) \\
{ \\
    const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x; \\
    float acc = 0.0f; \\
    if (row >= M || col >= N) return; \\
    PATHS \\
    C[row * N + col] = acc; \\
}
GEMM(plain, for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];)
GEMM(fast, if (N % 24 == 0 && K > 150) acc = A[row]; else acc = B[col];)
GEMM(by_data, if (A[row * K] > 0.0f) { if (K > 70) acc = B[col]; else B = B + 1; __syncthreads(); acc += B[0]; })
GEMM(chosen, switch (K / 40) { case 0: acc = 1; break; case 1: acc = A[0]; break; case 2: acc = A[1]; break;
    case 3: acc = B[1]; break; case 4: acc = B[2]; break; default: acc = 2; })
GEMM(calling, acc = far(A, K);)
"""


@pytest.fixture(scope="module")
def program():
    return compile_source(KERNEL, "kernel.cu")


def known_of(program, kernel: str, *shapes) -> tuple[Outcomes, LaunchSpec]:
    spec = LaunchSpec(SPEC.block, SPEC.grid, kernel=kernel)
    return outcomes_at(program, spec, shapes), spec


def test_ragged_and_whole_shapes_leave_nothing_of_a_plain_kernel(program):
    known, _ = known_of(program, "plain", (16, 16, 16), (9, 7, 3))
    assert known.conditions and not known.missing()
    whole, _ = known_of(program, "plain", (16, 16, 16))
    assert {one.line for one in whole.missing()} == {one[2] for one in known.conditions}


def test_a_path_of_its_own_is_found_with_the_numbers_of_the_kernel(program):
    known, spec = known_of(program, "fast", (16, 16, 16), (9, 7, 3))
    found = shapes_for_the_missing(program, spec, known, 2)
    assert found.shapes and not found.left
    assert any(shape[1] % 24 == 0 for shape in found.shapes) and any(shape[2] > 150 for shape in found.shapes)
    assert not known_of(program, "fast", (16, 16, 16), (9, 7, 3), *found.shapes)[0].missing()


def test_each_place_that_a_switch_leads_to_is_reached(program):
    known, spec = known_of(program, "chosen", (16, 16, 16), (9, 7, 3), (8, 8, 250))
    assert known.reached and not shapes_for_the_missing(program, spec, known, 4).left


def test_a_kernel_that_only_some_shapes_launch_is_found(program):
    """What the file's own launcher decides shows in what it launches."""
    text = f"""{KERNEL}
void solve(const float* A, const float* B, float* C, int M, int N, int K)
{{
    dim3 grid((N + 7) / 8, (M + 7) / 8), block(8, 8);
    if (M > 2 && M < 7) chosen<<<grid, block>>>(A, B, C, M, N, K);
    else plain<<<grid, block>>>(A, B, C, M, N, K);
}}"""
    spec, shapes = launched(text, "solve"), [(16, 16, 16), (9, 7, 3)]
    known = outcomes_at(program, spec, shapes)
    found = shapes_for_the_missing(program, spec, known, 1)
    assert not known.missing() and all(2 < M < 7 for M, _, _ in found.shapes)
    assert {one.kernel for outcomes in found.shapes.values() for one in outcomes} == {"chosen"}


@pytest.mark.parametrize(("kernel", "says"), [("by_data", "depends on more than sizes"), ("calling", "is called")])
def test_where_nobody_can_tell_it_says_so(program, kernel: str, says: str):
    with pytest.raises(Lost, match=f"line .*{says}"):
        known_of(program, kernel, (16, 16, 16))
