"""Kernels of one topic each, compiled as students would have them: nothing is unsupported, and C is right."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from functools import lru_cache

import numpy as np
import ptx_reference as ref
import pytest
from ops_corpus import OpsKernel, differing, kernels, make_inputs
from ops_expected import EXPECTED
from ptx_lab import bits_of, kinds, launch, register
from ptx_lab import kernel as kernel_text

from gemmlab.compiler.compile import compile_source
from gemmlab.emulator import EmulatorExecutor
from gemmlab.emulator.report import print_format
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.launch import LaunchSpec

KERNELS = {kernel.name: kernel for kernel in kernels()}


def run(kernel: OpsKernel, **options) -> tuple[Outcome, np.ndarray, np.ndarray]:
    program = compile_source(kernel.source, f"{kernel.name}.cu", **{"options": kernel.options, **options})
    A, B = make_inputs(kernel.inputs, kernel.shape)
    return EmulatorExecutor(seconds=20).run(program, kernel.spec.at(*kernel.shape), A, B, kernel.shape), A, B


@lru_cache
def expected_of(name: str) -> np.ndarray:
    kernel = KERNELS[name]
    return EXPECTED[name](*make_inputs(kernel.inputs, kernel.shape), kernel.shape)


def check(kernel: OpsKernel, **options) -> None:
    outcome, A, B = run(kernel, **options)
    assert [(finding.kind, finding.line, finding.message) for finding in outcome.findings] == []
    expected = expected_of(kernel.name)
    wrong = differing(kernel, outcome.C, expected)
    if wrong.any():
        row, col = np.argwhere(wrong)[0]
        inputs = A.reshape(-1)[col], B.reshape(-1)[col]
        pytest.fail(
            f"{wrong.sum()} wrong, C[{row}][{col}] is {outcome.C[row, col]!r} not {expected[row, col]!r}; {inputs}"
        )


def test_every_kernel_has_an_expectation():
    assert {name for name, kernel in KERNELS.items() if kernel.compare != "fails"} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_optimised(name: str):
    check(KERNELS[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_without_optimisation(name: str):
    check(KERNELS[name], debug=True)


@pytest.mark.parametrize("arch", ["sm_90", "sm_120"])
@pytest.mark.parametrize("name", ["half_arithmetic", "bfloat16_arithmetic", "wmma_half", "warp_votes"])
def test_other_architectures(name: str, arch: str):
    """Newer ones have instructions of their own for float16 and bfloat16, and their PTX is written a little differently."""
    check(KERNELS[name], arch=arch)


@pytest.mark.parametrize("name", ["float_arithmetic", "fast_functions", "math_functions"])
def test_fast_math(name: str):
    """Other instructions, less exact: what counts here is that each is known, and that ordinary numbers come out near."""
    kernel = replace(KERNELS[name], inputs="small", compare="1e-3")
    outcome, _, _ = run(kernel, options=["--use_fast_math"])
    exact, _, _ = run(kernel)
    assert outcome.findings == []
    usual = np.abs(exact.C) < 1e3
    if name == "math_functions":
        usual[35] = False  # powf of a negative base is NaN there, on a GPU too
    assert not (differing(kernel, outcome.C, exact.C.astype(np.float64)) & usual).any()


# ---- what fails, and how


def test_an_assertion_that_fails_stops_the_kernel():
    outcome, _, _ = run(KERNELS["failing_assertion"])
    assert outcome.C is None
    assert [(finding.kind, finding.line) for finding in outcome.findings] == [("launch_error", 11)]


_HEAD = 'extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)\n{\n'


@pytest.mark.parametrize(
    "before, body, line, said",
    [
        ("__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) * f(n - 2) + 1; }", "C[0] = f(K);",
         1, "recursion"),
        ("__device__ __noinline__ float f(float x) { return x; }",
         "float (*g[2])(float) = {f, f}; C[0] = g[K % 2](A[0]);", 4, "pointer"),
        ("", "int* p = (int*)malloc(4 * K); *p = 5; C[0] = *p; free(p);", 4, "malloc"),
        ("", 'unsigned x; asm("vadd4.u32.u32.u32 %0, %1, %1, %1;" : "=r"(x) : "r"(K)); C[0] = x;', 4, "vadd4."),
        ("", "C[0] = tex1Dfetch<float>((cudaTextureObject_t)K, 0);", 4, "tex."),
        ("", 'unsigned x; asm("mov.u32 %0, %%envreg2;" : "=r"(x)); C[0] = x;', 4, "only a cooperative launch"),
    ],
    ids=["recursion", "function pointer", "malloc", "video instruction", "texture", "barrier of the grid"],
)  # fmt: skip
@pytest.mark.parametrize("debug", [False, True])
def test_what_cannot_be_emulated_says_so(before: str, body: str, line: int, said: str, debug: bool):
    program = compile_source(f"{before}\n{_HEAD}{body}\n}}\n", debug=debug)
    ones = np.ones((4, 4), np.float32)
    outcome = EmulatorExecutor(seconds=10).run(program, LaunchSpec.parse("1", "1").at(4, 4, 4), ones, ones, (4, 4, 4))
    (finding,) = outcome.findings
    assert finding.kind == "unsupported" and finding.line == line and said in finding.message


@pytest.mark.parametrize("declared, reads_nothing", [("int go", True), ("volatile int go", False)])
def test_a_wait_that_reads_its_variable_once_is_told_so(declared: str, reads_nothing: bool):
    body = (
        f"__shared__ {declared};\nif (threadIdx.x == 0) go = 0;\n__syncthreads();\nwhile (go == 0) {{}}\nC[0] = A[0];"
    )
    ones = np.ones((4, 4), np.float32)
    launch = LaunchSpec.parse("1", "1").at(4, 4, 4)
    program = compile_source(f"{_HEAD}{body}\n}}\n")
    (finding,) = EmulatorExecutor(seconds=10).run(program, launch, ones, ones, (4, 4, 4)).findings
    assert (finding.kind, finding.line) == ("timeout", 6)
    assert ("reads an ordinary variable once" in finding.message) == reads_nothing


# ---- compare and swap

_MAX = """
__device__ void raise_to(float* place, float value)
{
    int* bits = (int*)place;
    int seen = *bits, before;
    do {
        before = seen;
        if (__int_as_float(before) >= value) return;
        seen = atomicCAS(bits, before, __float_as_int(value));
    } while (seen != before);
}
"""
_SUM = """
__device__ double add(double* place, double value)
{
    unsigned long long int* bits = (unsigned long long int*)place;
    unsigned long long int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
"""


def _run_64(source: str) -> Outcome:
    A = np.arange(256, dtype=np.float32).reshape(16, 16)
    return EmulatorExecutor(seconds=10).run(
        compile_source(source), LaunchSpec.parse("64", "1").at(16, 16, 16), A, A, (16, 16, 16)
    )


@pytest.mark.parametrize(
    "helper, type_, start, update, expected",
    [
        (_MAX, "float", "-1", "raise_to(&cell, A[threadIdx.x])", 63),
        (_MAX, "float", "-1", "raise_to(&cell + 0 * M, A[63 - threadIdx.x])", 63),
        (_SUM, "double", "0", "add(&cell, A[threadIdx.x])", 2016),
    ],
)
@pytest.mark.parametrize("space", ["__shared__", "static __device__"])
def test_a_guess_before_a_compare_and_swap_is_no_race(helper, type_, start, update, expected, space):
    body = f"{space} {type_} cell; if (threadIdx.x == 0) cell = {start}; __syncthreads(); {update}; __syncthreads();"
    outcome = _run_64(f"{helper}{_HEAD}{body} C[threadIdx.x] = cell;}}")
    assert outcome.findings == [] and (outcome.C.reshape(-1)[:64] == expected).all()


@pytest.mark.parametrize("look", ["cell", "*(volatile int*)&cell"])
def test_a_plain_look_at_what_others_add_to_is_a_race(look: str):
    body = "__shared__ int cell; if (threadIdx.x == 0) cell = 0; __syncthreads(); atomicAdd(&cell, 1);"
    outcome = _run_64(f"{_HEAD}{body} C[threadIdx.x] = {look};}}")
    assert {finding.kind for finding in outcome.findings} == ({"race"} if look == "cell" else set())


# ---- printf


def _text(kernel: OpsKernel) -> str:
    return run(kernel)[0].printed


def test_printf_prints_as_c_does():
    assert _text(KERNELS["printing"]).splitlines() == [
        "plain",
        "-7    42|42   |00042 +42 4000000000 ff 0XFF 10 g %",
        "1.500000 0.67     -1.250|1.234568e+04 1e-07 text",
        "-5 1099511627776 7 abcdef0123 -3 200 9",
        "     3|5   |0.2",
    ]


def test_long_output_is_cut():
    body = (
        '    for (int i = 0; i < K; ++i) printf("line %d of thread %d\\n", i, threadIdx.x);\n    C[threadIdx.x] = 0;\n'
    )
    shape = (4, 16, 64)
    loud = OpsKernel(
        "loud", f"#include <cstdio>\n{_HEAD}{body}}}\n", shape, LaunchSpec.parse("64", "1"), "unit", "bits"
    )
    text = _text(loud)
    assert text.startswith("line 0 of thread 0\nline 0 of thread 1\n")
    assert len(text) < print_format.LONGEST + 200
    (more, calls) = re.search(r"\n\[not shown: (\d+) more characters and the output of (\d+) more calls", text).groups()
    assert 0 < int(calls) < 64 * 64 and int(more) > 0


@pytest.mark.parametrize(
    "text, data, expected",
    [
        ("%d", b"", "%d"),
        ("%d %d", struct.pack("<i", 5), "5 %d"),
        ("%c%c", struct.pack("<ii", 65, 256 + 66), "AB"),
        ("%s|%5s|%-5s|%.2s", struct.pack("<QQQQ", 1, 1, 1, 1), "abc|  abc|abc  |ab"),
        ("%d %f", struct.pack("<iid", 1, 0, 2.5), "1 2.500000"),
        ("%x %u", struct.pack("<ii", -1, -1), "ffffffff 4294967295"),
        ("%p", struct.pack("<Q", 0x7F00), "0x7f00"),
        ("%5.1f|%-8.3e|%G", struct.pack("<ddd", 3.14159, 12345.0, 1e-10), "  3.1|1.234e+04|1E-10"),
        ("%*d", struct.pack("<ii", -4, 7), "7   "),
        ("%f %f", struct.pack("<dd", float("inf"), float("nan")), "inf nan"),
        ("%q %", b"", "%q %"),
        ("%99999999d", struct.pack("<i", 7), "%99999999d"),
        ("%#o %#x", struct.pack("<ii", 8, 255), "010 0xff"),
    ],
)
def test_conversions_of_printf(text: str, data: bytes, expected: str):
    assert print_format.format_c(text, data, lambda address: "abc") == expected


# ---- atomics, each against its definition: two threads' worth of operations on one word, in order


def _extreme(choose, t: str):
    return lambda old, x, y: choose(old, x, key=lambda bits: ref.as_type(bits, t))


def _sum_of_halves(t: str):
    return lambda old, x, y: ref.add(old & 0xFFFF, x & 0xFFFF, t) | ref.add(old >> 16, x >> 16, t) << 16


_ATOMIC_CASES = [
    *((f"add.{t}", t, lambda old, x, y: old + x) for t in ("u32", "s32", "u64")),
    *((f"min.{t}", t, _extreme(min, t)) for t in ("u32", "s32", "u64", "s64")),
    *((f"max.{t}", t, _extreme(max, t)) for t in ("u32", "s32", "u64", "s64")),
    *((f"and.{t}", t, lambda old, x, y: old & x) for t in ("b32", "b64")),
    *((f"or.{t}", t, lambda old, x, y: old | x) for t in ("b32", "b64")),
    *((f"xor.{t}", t, lambda old, x, y: old ^ x) for t in ("b32", "b64")),
    *((f"exch.{t}", t, lambda old, x, y: x) for t in ("b32", "b64")),
    *((f"cas.{t}", t, lambda old, x, y: y if old == x else old) for t in ("b16", "b32", "b64")),
    ("inc.u32", "u32", lambda old, x, y: 0 if old >= x else old + 1),
    ("dec.u32", "u32", lambda old, x, y: x if old == 0 or old > x else old - 1),
    ("add.f64", "f64", lambda old, x, y: ref.add(old, x, "f64")),
    ("add.noftz.f16", "f16", lambda old, x, y: ref.add(old, x, "f16")),
    ("add.noftz.bf16", "bf16", lambda old, x, y: ref.add(old, x, "bf16")),
    *((f"add.noftz.{t}x2", f"{t}x2", _sum_of_halves(t)) for t in ("f16", "bf16")),
]  # fmt: skip


@pytest.mark.parametrize("space", ["shared", "global"])
@pytest.mark.parametrize(
    "name, kind, define",
    [pytest.param(*case, id=case[0]) for case in [*_ATOMIC_CASES, ("add.f32", "f32", None)]],
)
def test_atomics(name: str, kind: str, define, space: str):
    """`old` and the two operands of each thread lie in A and B; the word itself in C or in shared memory."""
    flush = (lambda bits: ref.flush(bits, "f32")) if space == "global" else (lambda bits: bits)
    define = define or (lambda old, x, y: flush(ref.add(flush(old), flush(x), "f32")))
    width, rng = bits_of(kind), np.random.default_rng(2)
    old, x, y = (rng.integers(0, 2**63, 64, np.uint64) * np.uint64(2) >> np.uint64(64 - width) for _ in range(3))
    x[::3], x[1::9], old[::7] = old[::3], 0, 0
    size, (r1, r2, r3) = f"b{width}", (register(kind, n) for n in (1, 2, 3))
    last = f", {r2}" if name.startswith("cas") else ""
    place = "[%rd56+512]" if space == "global" else "[%rd20]"
    body = f"""
        mov.u64 %rd20, cells; mul.wide.u32 %rd21, %r51, 8; add.s64 %rd20, %rd20, %rd21;
        ld.global.{size} {r3}, [%rd54]; st.{space}.{size} {place}, {r3};
        ld.global.{size} {r1}, [%rd55]; ld.global.{size} {r2}, [%rd55+512];
        atom.{space}.{name} {r3}, {place}, {r1}{last}; st.global.{size} [%rd56], {r3};
        ld.{space}.{size} {r3}, {place}; red.{space}.{name} {place}, {r1}; st.global.{size} [%rd56+512], {r3};"""
    body = body if not (name.startswith(("cas", "exch"))) else body.replace(f"red.{space}.{name} {place}, {r1};", "")
    C = np.zeros(128, np.uint64)
    result = launch(kernel_text(body, ".shared .align 8 .b8 cells[512];"), old, np.concatenate([x, y]), C, 64)
    assert not len(result.events)
    for n in range(64):
        before, new = (int(C[part * 64 + n]) % 2**width for part in (0, 1))
        a, b, c = (int(v[n]) for v in (old, x, y))
        assert before == a
        wanted = define(a, b, c) % 2**width
        assert new == wanted or _both_nan(new, wanted, kind), f"{name} {a:#x} {b:#x} {c:#x}: {new:#x} not {wanted:#x}"


def _both_nan(a: int, b: int, kind: str) -> bool:
    if kind.endswith("x2"):
        return all(x == y or _both_nan(x, y, kind[:-2]) for x, y in ((a & 0xFFFF, b & 0xFFFF), (a >> 16, b >> 16)))
    return kind in ref.FORMATS and ref.is_nan(a, kind) and ref.is_nan(b, kind)


# ---- values that nobody wrote

_UNSET = {
    # body, whether the value stored to C counts as written, for even and for odd threads
    "register": ("", False, False),
    "sum with one": ("add.u32 %r1, %r2, %r51;", False, False),
    "written where a predicate holds": ("@%p1 mov.u32 %r1, 5;", True, False),
    "selected": ("selp.u32 %r1, %r51, %r2, %p1;", True, False),
    "selected by an unset predicate": ("selp.u32 %r1, %r51, %r51, %p5;", False, False),
    "and with a false predicate": ("and.pred %p6, %p5, %p1; selp.u32 %r1, 1, 0, %p6;", False, True),
    "or with a true predicate": ("or.pred %p6, %p5, %p1; selp.u32 %r1, 1, 0, %p6;", True, False),
    "xor of predicates": ("xor.pred %p6, %p5, %p1; selp.u32 %r1, 1, 0, %p6;", False, False),
    "comparison": ("setp.lt.u32 %p6, %r2, 5; selp.u32 %r1, 1, 0, %p6;", False, False),
    "a bit-field of a word": ("and.b32 %r3, %r2, -8; or.b32 %r1, %r3, %r51;", True, True),
    "half of a word": ("mov.b32 %r1, {%rs1, %rs2};", False, False),
    "shuffle from a lane that has it": ("@%p1 mov.u32 %r2, 5; shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", False, True),
    "sum of the warp": ("@%p1 mov.u32 %r2, 5; redux.sync.add.s32 %r1, %r2, -1;", False, False),
    "shared memory": ("mov.u64 %rd1, cells; ld.shared.u32 %r1, [%rd1+16];", False, False),
    "shared memory that one byte of was written": (
        "mov.u64 %rd1, cells; mul.wide.u32 %rd2, %r51, 4; add.s64 %rd1, %rd1, %rd2; @%p1 st.shared.u8 [%rd1+1], %r51;"
        "ld.shared.u32 %r1, [%rd1];", True, False),
    "local memory": (".local .align 8 .b8 own[16]; mov.u64 %rd1, own; @%p1 st.local.u32 [%rd1+4], %r51;"
                     "ld.local.u32 %r1, [%rd1+4];", True, False),
    "an unset value through memory": ("mov.u64 %rd1, cells; mul.wide.u32 %rd2, %r51, 4; add.s64 %rd1, %rd1, %rd2;"
                                      "@%p1 mov.u32 %r2, 5; st.shared.u32 [%rd1], %r2; ld.shared.u32 %r1, [%rd1];",
                                      True, False),
    "an element of C": ("ld.global.u32 %r1, [%rd56+4];", False, False),
    "an input": ("ld.global.u32 %r1, [%rd54];", True, True),
    "what an atomic found": ("@%p1 st.global.u32 [%rd56+4], %r51; atom.global.add.u32 %r1, [%rd56+4], 1;", True, False),
}  # fmt: skip


@pytest.mark.parametrize("body, even, odd", _UNSET.values(), ids=_UNSET)
def test_values_that_nobody_wrote(body: str, even: bool, odd: bool):
    """Threads store one after another, so that each fault has a thread of its own."""
    body = f"""
        and.b32 %r10, %r51, 1; setp.eq.u32 %p1, %r10, 0; {body}
        setp.eq.u32 %p7, %r10, 0; @%p7 st.global.u32 [%rd56], %r1; @!%p7 st.global.u32 [%rd56+256], %r1;"""
    A, B, C = np.zeros((3, 64), np.uint64)
    result = launch(kernel_text(body, ".shared .align 8 .b8 cells[512];"), A, B, C, 32)
    stores = [
        pc for pc, text in enumerate(result.code.texts) if "st.global.u32 [%rd56], %r1" in text or "[%rd56+256]" in text
    ]
    faulty = [pc for kind, pc in zip(kinds(result), result.events[:, 1]) if kind == "UNDEFINED_STORE"]
    assert [pc in faulty for pc in stores] == [not even, not odd]
    assert not [kind for kind in kinds(result) if kind not in ("UNDEFINED_STORE",)]


@pytest.mark.parametrize("body", ["setp.lt.u32 %p1, %r2, 5; @%p1 bra L; L: ret;", "@%p1 mov.u32 %r1, 5;"])
def test_decisions_on_values_that_nobody_wrote(body: str):
    A, B, C = np.zeros((3, 32), np.uint64)
    result = launch(kernel_text(body), A, B, C, 32)
    assert kinds(result) == ["UNDEFINED_BRANCH"]


# ---- barriers that count


def test_reductions_of_a_barrier():
    body = """
        setp.lt.u32 %p1, %r51, 50; bar.red.popc.u32 %r1, 0, %p1; bar.red.and.pred %p2, 0, %p1;
        bar.red.or.pred %p3, 0, !%p1;
        selp.u32 %r2, 1, 0, %p2; @%p3 add.u32 %r2, %r2, 2; mad.lo.u32 %r1, %r1, 10, %r2; cvt.u64.u32 %rd1, %r1;
        st.global.u64 [%rd56], %rd1;"""
    C = np.zeros(64, np.uint64)
    result = launch(kernel_text(body), *(np.zeros(64, np.uint64) for _ in range(2)), C, 64)
    assert not len(result.events) and set(C.tolist()) == {502}


def test_groups_of_lanes_vote_apart_in_one_instruction():
    body = """
        and.b32 %r1, %r51, 24; mov.u32 %r2, 255; shl.b32 %r2, %r2, %r1; and.b32 %r3, %r51, 9; setp.eq.u32 %p1, %r3, 1;
        vote.sync.ballot.b32 %r4, %p1, %r2; redux.sync.add.s32 %r5, %r51, %r2; mov.b64 %rd1, {%r4, %r5};
        st.global.u64 [%rd56], %rd1;"""
    C = np.zeros(32, np.uint64)
    launch(kernel_text(body), *(np.zeros(32, np.uint64) for _ in range(2)), C, 32)
    for lane in range(32):
        group = range(lane & 24, (lane & 24) + 8)
        ballot = sum(1 << n for n in group if n & 9 == 1)
        assert int(C[lane]) == ballot | sum(group) << 32
