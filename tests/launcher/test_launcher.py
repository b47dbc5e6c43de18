"""Whole files with a host launcher: what is read of them, what they launch, and what is found, right and wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemmlab import cli
from gemmlab.check.check import check_launcher
from gemmlab.compiler.compile import CompileError, compile_source
from gemmlab.course.lesson import Case
from gemmlab.cuda import numbers as c_numbers
from gemmlab.cuda.preprocess import preprocess
from gemmlab.emulator import EmulatorExecutor
from gemmlab.errors import UserError
from gemmlab.gpu.executor import GpuExecutor
from gemmlab.kernel.launch import Address, Launch, Scalar
from gemmlab.kernel.layout import COURSE, LAYOUTS, LEETGPU
from gemmlab.kernel.plan import Copy, Fill, Plan
from gemmlab.kernel.program import Program
from gemmlab.launcher.file import HostFile
from gemmlab.launcher.launcher import Launcher

FOLDER = Path(__file__).parents[1] / "kernels_whole"
FILES = sorted(FOLDER.glob("*.cu"))
SHAPES = ((35, 25, 45), (64, 48, 32), (1, 17, 3))
SHAPE = M, N, K = (35, 25, 45)
SIX = (*map(Address, "ABC"), *(Scalar("int32", size) for size in SHAPE))

KERNELS = """\
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define BLOCK dim3(16, 2)
struct Config { static constexpr int BM = 64; enum { BN = 32 }; };
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {}
template <int BM, int BN> __global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K) {}
template <typename T, int X = 4> __global__ void scaled(const T* A, const T* B, T* C, T alpha, int M, int N, int K) {}
"""
BOMBS = (
    "#define BOMB(x) BOMB(x) BOMB(x)\n#define LONG0 x x\n"
    + "".join(f"#define LONG{i + 1} {f'LONG{i} ' * 9}\n" for i in range(40))
    + "#define LONG LONG40\n"
)
SIGNATURE = "void solve(const float* A, const float* B, float* C, int M, int N, int K)"
ARGUMENTS = "(A, B, C, M, N, K);"


def read(body, before="", shape=SHAPE):
    """The plan of a launcher with that body."""
    return Launcher(f"{KERNELS}{before}\n{SIGNATURE} {{ {body} }}", "solve").at(*shape)


def launches(body, before=""):
    plan = read(body, before)
    assert plan.fault is None, plan.fault
    return [step for step in plan.steps if isinstance(step, Launch)]


def header(path):
    """The first lines of a file as a dict: launcher, layout, expect."""
    lines = "\n".join(path.read_text().splitlines()[:2])
    return {"layout": "course", **dict(re.findall(r"(\w+): (.*?)(?=  \w+:|$)", lines, re.MULTILINE))}


# Whole files


def test_the_folder_holds_what_it_should():
    right = [path for path in FILES if path.stem.startswith("ok_")]
    assert len(right) >= 15 and len(FILES) - len(right) >= 15
    assert all((header(path)["expect"] == "passed") == (path in right) for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_whole_file(path):
    about = header(path)
    cases = [Case(shape, "random", seed, "given") for seed, shape in enumerate(SHAPES)]
    layout = LAYOUTS[about["layout"]]
    verdict = check_launcher(path.read_text(), path.name, about["launcher"], cases, "emulator", layout)
    errors = [finding for finding in verdict.findings if finding.is_error]
    if about["expect"] == "passed":
        assert verdict.passed and not verdict.findings, verdict
        assert [case.shape for case in verdict.cases] == list(SHAPES)
    else:
        assert verdict.status == "failed" and {finding.kind for finding in errors} >= set(about["expect"].split(", "))
        assert all("Traceback" not in finding.message for finding in errors)


def test_the_letters_of_messages_follow_the_layout():
    source = (FOLDER / "wrong_leetgpu_guard.cu").read_text()
    verdict = check_launcher(source, "a.cu", "solve", [Case(SHAPE, "random", 1, "given")], "emulator", LEETGPU)
    text = " ".join(finding.message for finding in verdict.findings)
    assert "A is 35×25 (M×N)" in text and "B is 25×45 (N×K)" in text and "C is 35×45 (M×K)" in text


def test_wrong_numbers_are_told_in_the_layouts_letters():
    source = (FOLDER / "ok_leetgpu_naive.cu").read_text().replace("(K + threads", "(N + threads")
    verdict = check_launcher(source, "a.cu", "solve", [Case(SHAPE, "random", 1, "given")], "emulator", LEETGPU)
    wrong = next(finding for finding in verdict.findings if finding.kind == "wrong_result")
    assert "Columns from 32 on of C were never written at M, N, K = 35, 25, 45" in wrong.message
    assert wrong.details["shape"] == [35, 25, 45]


def test_several_kernels_are_told_apart():
    source = (FOLDER / "wrong_workspace_too_small.cu").read_text()
    verdict = check_launcher(source, "a.cu", "solve", [Case(SHAPE, "random", 1, "given")], "emulator")
    found = {finding.details["kernel"]: finding for finding in verdict.findings if finding.kind == "out_of_bounds"}
    assert set(found) == {"partial_sums", "reduce"} and "partial has 3500 bytes" in found["reduce"].message
    assert verdict.resources is None


# What is read of a launcher


@pytest.mark.parametrize(
    "body, grid, block",
    [
        ("gemm<<<1, 32>>>", (1, 1, 1), (32, 1, 1)),
        ("gemm<<<CEIL_DIV(N, 16), BLOCK>>>", (2, 1, 1), (16, 2, 1)),
        ("dim3 b(16, 16), g((N + b.x - 1) / b.x, (M + b.y - 1) / b.y); gemm<<<g, b>>>", (2, 3, 1), (16, 16, 1)),
        ("dim3 g, b; g = dim3(2, 3); b = {4, 5, 6}; gemm<<<g, b>>>", (2, 3, 1), (4, 5, 6)),
        ("dim3 g(2); dim3 h = g; h.y = 7; gemm<<<g, h>>>", (2, 1, 1), (2, 7, 1)),
        ("int cols = 3, rows = 4; dim3 g(cols, rows); gemm<<<g, dim3{8, 2}>>>", (3, 4, 1), (8, 2, 1)),
        ("dim3 g{unsigned((N + 3) / 4), (unsigned)M}; gemm<<<g, 2>>>", (7, 35, 1), (2, 1, 1)),
        ("const auto grid = dim3{4, 5}; auto block = dim3(3); gemm<<<grid, block>>>", (4, 5, 1), (3, 1, 1)),
        ("gemm<<<ceil(N / 16.0), std::min(256, std::max(32, N))>>>", (2, 1, 1), (32, 1, 1)),
        ("gemm<<<(int)ceilf((float)N / 16), 0x10>>>", (2, 1, 1), (16, 1, 1)),
        ("unsigned x = 1; int y = 0; gemm<<<y - x, 1'0>>>", (2**32 - 1, 1, 1), (10, 1, 1)),
        ("long long t = 1LL * M * N; int p = 1; while (p < N) p <<= 1; gemm<<<t, p>>>", (875, 1, 1), (32, 1, 1)),
        ("int t = M < 16 ? 8 : M < 32 ? 16 : 32; gemm<<<t, -(-7 / 2)>>>", (32, 1, 1), (3, 1, 1)),
        ("auto f = [&](int a) { return a + N; }; int x = [] { return 2; }(); gemm<<<f(1), x>>>", (26, 1, 1), (2, 1, 1)),
        ("int x = 1; int& y = x; y = 5; { int x = 9; } gemm<<<x, 2>>>", (5, 1, 1), (2, 1, 1)),
        (
            "int s[] = {8, 16, 32}, b = s[0]; for (int i = 0; i < 3; i++) if (s[i] <= M) b = s[i]; gemm<<<b, s[1]>>>",
            (32, 1, 1),
            (16, 1, 1),
        ),
        (
            "int t; switch (M % 3) { case 0: t = 1; break; case 2: t = 9; default: t += 1; } gemm<<<t, 2>>>",
            (10, 1, 1),
            (2, 1, 1),
        ),
        (
            "enum { TX = 16, TY }; using idx = int; idx g = Config::BM; gemm<<<g, dim3(TX, TY)>>>",
            (64, 1, 1),
            (16, 17, 1),
        ),
        ("int i = 3; int a = i++; int b = ++i; do { b *= 2; } while (b < 20); gemm<<<a, b>>>", (3, 1, 1), (20, 1, 1)),
        ("int a = 1; a += 2; a *= 3; a |= 16; a ^= 1; a %= 13; gemm<<<a, sizeof(float4)>>>", (11, 1, 1), (16, 1, 1)),
        ("cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) exit(1); gemm<<<2, 3>>>", (2, 1, 1), (3, 1, 1)),
        ("bool big = M > 10 and not (N < 3) && A != nullptr && C; gemm<<<big ? 2 : 1, 2>>>", (2, 1, 1), (2, 1, 1)),
        ("double f = 1e3; float g = 0.1f; gemm<<<f, g * 10 == 1 ? 1 : 2>>>", (1000, 1, 1), (1, 1, 1)),
    ],
)
def test_sizes(body, grid, block):
    (launch,) = launches(body + ARGUMENTS)
    assert (launch.grid, launch.block, launch.arguments, launch.smem) == (grid, block, SIX, 0)


@pytest.mark.parametrize(
    "body, kernel",
    [
        ("const int BM = 64; constexpr int BN = BM / 2; tiled<BM, BN>", "tiled<64, 32>"),
        ("tiled<(1 << 3), 2 * 8 + 1>", "tiled<8, 17>"),
        ("tiled<Config::BM, Config::BN>", "tiled<64, 32>"),
        ("auto k = tiled<1, 2>; if (M > 3) k = &tiled<3, 4>; k", "tiled<3, 4>"),
        (
            "void (*k)(const float*, const float*, float*, int, int, int) = M > 99 ? gemm : tiled<5, 6>; k",
            "tiled<5, 6>",
        ),
    ],
)
def test_kernels(body, kernel):
    (launch,) = launches(f"{body}<<<1, 32>>>{ARGUMENTS}")
    assert launch.kernel == kernel


HELPERS = """\
int cdiv(int a, int b = 8) { return (a + b - 1) / b; }
unsigned cdiv(unsigned a, unsigned b, int more) { return a / b + more; }
template <typename T> T twice(T x) { return x + x; }
template <int BM, typename F>
void launch(F kernel, int n, const float* A, const float* B, float* C, int M, int N, int K) {
    kernel<<<dim3(cdiv(n, BM)), BM>>>(A, B, C, M, N, K);
}
void grow(int& x, dim3& d) { x += 2; d.y = x; }
constexpr int log2i(int n) { return n > 1 ? 1 + log2i(n / 2) : 0; }
"""


@pytest.mark.parametrize(
    "body, grid, block",
    [
        ("gemm<<<cdiv(N), cdiv(N, 2)>>>(A, B, C, M, N, K);", (4, 1, 1), (13, 1, 1)),
        ("gemm<<<cdiv(9u, 2u, 3), twice(2.75f)>>>(A, B, C, M, N, K);", (7, 1, 1), (5, 1, 1)),
        ("launch<16>(gemm, M, A, B, C, M, N, K);", (3, 1, 1), (16, 1, 1)),
        ("int x = 1; dim3 d; grow(x, d); gemm<<<d, x>>>(A, B, C, M, N, K);", (1, 3, 1), (3, 1, 1)),
        ("int x; [](int& v) { v = 4; }(x); gemm<<<x, log2i(1000)>>>(A, B, C, M, N, K);", (4, 1, 1), (9, 1, 1)),
        ("int i = 0; gemm<<<1, twice(++i)>>>(A, B, C, M, N, K);", (1, 1, 1), (2, 1, 1)),
    ],
)
def test_functions_of_the_file(body, grid, block):
    (launch,) = launches(body, HELPERS)
    assert (launch.grid, launch.block, launch.arguments) == (grid, block, SIX)


def test_a_type_is_deduced_and_a_default_taken():
    first, second = launches(
        "scaled<<<1, 2>>>(A, B, C, 1.0f, M, N, K); scaled<float, 8><<<1, 2>>>(A, B, C, 2, M, N, K);"
    )
    assert (first.kernel, second.kernel) == ("scaled<float, 4>", "scaled<float, 8>")
    assert first.arguments[3] == Scalar("float32", 1.0) and second.arguments[3] == Scalar("float32", 2.0)


def test_enumerators_keep_their_type():
    kernel = "template <{0} m, bool b> __global__ void f(float* C) {{}}"
    (launch,) = launches("f<Fast, (3 > 2)><<<1, 2>>>(C);", "enum Mode { Slow = 1, Fast };\n" + kernel.format("Mode"))
    assert launch.kernel == "f<(Mode)2, true>"
    (launch,) = launches("f<Mode::Fast, 0><<<1, 2>>>(C);", "enum class Mode { Fast };\n" + kernel.format("Mode"))
    assert launch.kernel == "f<Mode::Fast, false>"


def test_arguments_in_another_order_and_with_offsets():
    (launch,) = launches("gemm<<<1, 2>>>(B + 2, &A[K], C, N, M * K, 1 << 4);")
    assert launch.arguments == (
        Address("B", 8), Address("A", 4 * K), Address("C"), *(Scalar("int32", v) for v in (N, M * K, 16)),
    )  # fmt: skip
    (launch,) = launches("gemm<<<1, 2>>>((const float*)(reinterpret_cast<const float4*>(A) + 1), NULL, C, M, N, K);")
    assert launch.arguments[:2] == (Address("A", 16), Scalar("uint64", 0))


def test_shared_memory_and_the_opt_in():
    opt_in = "cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {});"
    launch = "tiled<8, 8><<<1, 2, 60000>>>" + ARGUMENTS
    assert [step.smem_opt_in for step in launches(opt_in.format("tiled<8, 8>", 60000) + launch)] == [True]
    assert [step.smem_opt_in for step in launches(opt_in.format("tiled<8, 8>", 59999) + launch)] == [False]
    assert [step.smem_opt_in for step in launches(opt_in.format("tiled<4, 4>", 60000) + launch)] == [False]


def test_memory_of_the_launcher():
    plan = read(
        "float *d, *C2; cudaMalloc((void**)&d, 4 * M * N); cudaMalloc(&C2, 8); cudaMemset(d + 1, 3, 8);"
        "gemm<<<1, 2>>>(A, B, d, M, N, K);"
        "cudaMemcpy(C, d, sizeof(float) * M * N, cudaMemcpyDeviceToHost); cudaFree(d);"
    )
    fill, launch, copy = plan.steps
    assert plan.buffers == {"d": 4 * M * N, "C2": 8} and launch.arguments[2] == Address("d")
    assert fill == Fill(Address("d", 4), 8, 3) and copy == Copy(Address("C"), Address("d"), 4 * M * N)


def test_streams_one_after_the_other():
    body = "cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); gemm<<<1, 2, 0, s>>>" + ARGUMENTS
    again = "gemm<<<1, 2, 0, t>>>" + ARGUMENTS
    assert len(launches(body + "cudaStreamSynchronize(s);" + again)) == 2
    for waits_for in ("", "cudaStreamSynchronize(t);"):
        with pytest.raises(UserError, match="second stream"):
            read(body + waits_for + again)


@pytest.mark.parametrize("created", ["Create(&s)", "CreateWithFlags(&s, cudaStreamNonBlocking)"])
def test_the_default_stream_waits_for_those_that_block(created: str):
    first, second = ("gemm<<<1, 2" + stream + ARGUMENTS for stream in (", 0, s>>>", ">>>"))
    for both in (first + second, second + first):
        body = f"cudaStream_t s; cudaStream{created};{both}"
        if "NonBlocking" not in created:
            assert len(launches(body)) == 2
            continue
        with pytest.raises(UserError, match="second stream"):
            read(body)


def test_what_a_program_measures_is_passed_over():
    assert launches(
        "cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a);"
        "gemm<<<1, 2>>>(A, B, C, M, N, K); cudaEventRecord(b, 0); cudaEventSynchronize(b);"
        "float ms = 0; cudaEventElapsedTime(&ms, a, b);"
        "auto t = std::chrono::high_resolution_clock::now(); double gf = 2.0 * M * N * K / (ms * 1e6);"
        'printf("%f", gf); std::cout << "time " << gf << std::endl;'
    )


def test_parameters_go_by_their_letters_or_else_by_their_places():
    call = "{ gemm<<<1, 2>>>(a, b, c, m, n, k); }"
    by_letter = KERNELS + "void solve(float* c, const float* a, const float* b, int m, int k, int n)" + call
    by_place = (
        KERNELS
        + "void solve(const float* a, const float* b, float* c, int m, int n, long k_)"
        + call.replace("k)", "k_)")
    )
    for source in (by_letter, by_place):
        assert Launcher(source, "solve").at(*SHAPE).steps[0].arguments == SIX


# Launchers that go wrong


@pytest.mark.parametrize(
    "body, kind, says",
    [
        ("while (true) {}", "timeout", "too many steps"),
        ("for (;;) gemm<<<1, 2>>>(A, B, C, M, N, K);", "unsupported", "more than 1,000"),
        ("for (int i = 0; i < 1000000000; ++i) gemm<<<1, 2>>>(A, B, C, M, N, K);", "unsupported", "more than 1,000"),
        ("solve(A, B, C, M, N, K);", "timeout", "calls itself"),
        ("int x = " + "(" * 5000 + "1" + ")" * 5000 + ";", "timeout", "too deeply"),
        ("int x = 123456789 * 123456789;", "launch_error", "overflows int"),
        ("int x = 1 << 4000000000;", "launch_error", "int has 32 bits"),
        ("int x = 1e30;", "launch_error", "cannot hold it"),
        ("int x = M / (N - N);", "launch_error", "'M / (N - N)' divides by zero"),
        ("int x = M % 0;", "launch_error", "divides by zero"),
        ("int x; gemm<<<x, 2>>>(A, B, C, M, N, K);", "uninitialized", "'x', which has no value"),
        ("", "launch_error", "launches no kernel"),
        ("if (M > 3) return; gemm<<<1, 2>>>(A, B, C, M, N, K);", "launch_error", "launches no kernel"),
        ("gemm(A, B, C, M, N, K);", "compile_error", "launch it with <<<grid, block>>>"),
        ("gemm<<<1, 2>>>(A, B, C);", "compile_error", "3 arguments; it takes 6"),
        ("gemm<<<1>>>(A, B, C, M, N, K);", "compile_error", "it takes 2 to 4"),
        ("tiled<M, 4><<<1, 2>>>(A, B, C, M, N, K);", "compile_error", "'M' is no constant"),
        ("throw 1;", "launch_error", "exception in line 8"),
        ("exit(1);", "launch_error", "ends the program"),
        ("assert(M == 3);", "launch_error", "assert in line 8"),
        ("cudaMemset(C, 0, 1 << 30);", "out_of_bounds", "1,073,741,824 bytes of C, which has 3,500"),
        ("cudaMemset((void*)A, 0, 4);", "wrong_result", "writes to A"),
        ("float* p; for (;;) cudaMalloc(&p, 4);", "launch_error", "16 arrays"),
        ("float* p; cudaMalloc(&p, 1ull << 60);", "launch_error", "1,152,921,504,606,846,976 bytes"),
        ("gemm<<<1, 2>>>(A + (1ll << 60), B, C, M, N, K);", "out_of_bounds", "away from A"),
    ],
)
def test_faults(body, kind, says):
    plan = read(body)
    assert plan.fault.kind == kind and says in plan.fault.message and plan.fault.line == 8 and plan.fault.is_error


@pytest.mark.parametrize(
    "body, says",
    [
        ("gemm<<<grid, 2>>>(A, B, C, M, N, K);", "'grid' is not known"),
        ("other<<<1, 2>>>(A, B, C, M, N, K);", "'other' is not known"),
        ("foo(A);", "the function 'foo' is not known"),
        ("cublasHandle_t h; cublasCreate(&h);", "'cublasCreate' is not known"),
        ("int x = 9999999999999999999999999;", "'9999999999999999999999999' is not understood"),
        ("again: goto again;", "is not understood"),
        ("int* p = new int[3];", "'new int[3]' is not understood"),
        ("if (C[0] > 1) return;", "'C[0]' reads the GPU's memory"),
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); if (p.major > 8) return;", "a property of the GPU"),
        ("dim3 g; cudaDeviceProp p; g.y = p.major; gemm<<<g, 2>>>(A, B, C, M, N, K);", "a dim3 depends on 'p'"),
        ("int s; cudaDeviceGetAttribute(&s, x, 0);", "'x' is not known"),
        ("int a, b; cudaOccupancyMaxPotentialBlockSize(&a, &b, gemm, 0, 0); gemm<<<a, b>>>(A, B, C, M, N, K);",
         "the occupancy on a GPU"),
        ("tiled<<<1, 2>>>(A, B, C, M, N, K);", "template argument 'BM' of 'tiled' is not given"),
        ("struct P { int x; }; P p; gemm<<<1, 2>>>(A, B, C, p, N, K);", "the kernel's argument 'M' depends on 'p'"),
        ("int x = 3 gemm<<<1, 2>>>(A, B, C, M, N, K);", "near '3' something is missing"),
        ("int x = CEIL_DIV(1;", "is missing"),
        ("BOMB(1)", "near"),
        ("int x = LONG;", "'LONG' is not known"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(body, says):
    with pytest.raises(UserError, match="^the launcher 'solve' cannot be read: in line [0-9]+, ") as error:
        Launcher(f"{BOMBS}{KERNELS}\n{SIGNATURE} {{ {body} }}\n", "solve").at(*SHAPE)
    assert says in str(error.value)
    assert str(error.value).endswith("; give --kernel gemm --block X,Y --grid X,Y [--smem BYTES] instead")


@pytest.mark.parametrize(
    "source, says",
    [
        ("", "there is no function 'solve' in the file, and none that launches"),
        (KERNELS + "void run() { gemm<<<1, 2>>>(0, 0, 0, 1, 1, 1); }", "give --launcher run (line 7)"),
        (KERNELS.replace("gemm(", "solve("), "'solve' is a kernel, not its launcher; give --kernel solve"),
        (KERNELS + "void solve(float* A, int M) {}", "takes (float* A, int M); it must take (const float* A"),
        (KERNELS + SIGNATURE.replace("float", "double") + "{}", "takes (const double* A"),
        (KERNELS + SIGNATURE.replace("float* C", "const float* C") + "{}", "takes C as const float*"),
        (KERNELS + "template <int T> " + SIGNATURE + "{}", "is a template"),
        (KERNELS + SIGNATURE.replace(")", ", int more)") + "{}", "int more); it must take"),
        ("struct X { " + SIGNATURE + " {} };", "there is no function 'solve'"),
        (KERNELS + SIGNATURE + ";", "there is no function 'solve'"),
        (KERNELS + SIGNATURE + " { \0 }", "not text"),
        (KERNELS + SIGNATURE + " { \ud800 }", "not text"),
        (KERNELS + SIGNATURE + " {" + "int x;" * 200_000 + "}", "larger than 256 KiB"),
    ],
)
def test_no_such_launcher(source, says):
    with pytest.raises(UserError) as error:
        Launcher(source, "solve")
    assert says in str(error.value)


def test_an_error_that_no_node_of_the_tree_is_is_named_by_what_is_around_it():
    assert "near '#define x' something is missing" in str(HostFile.read("void f() {}#define x").error)


@settings(max_examples=60)
@given(st.data())
def test_a_broken_file_gives_a_sentence(data):
    text = data.draw(st.sampled_from(FILES)).read_text()
    pieces = re.findall(r"\w+|\s+|.", text)
    at, size = data.draw(st.integers(0, len(pieces) - 1)), data.draw(st.integers(1, 6))
    put = data.draw(st.sampled_from(["", "(", "}", "<<<", "0", "M", "dim3", "* ", "for (;;)", '"', "#define x", ";"]))
    try:
        Launcher("".join([*pieces[:at], put, *pieces[at + size :]]), header(FILES[0])["launcher"]).at(*SHAPE)
    except UserError as error:
        assert "\n" not in str(error)


# The command line


@pytest.fixture
def call(capsys):
    def called(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([*map(str, arguments), "--backend", "emulator", "--json"])
        return ended.value.code, json.loads(capsys.readouterr().out)

    return called


def test_the_command(call):
    path = FOLDER / "ok_leetgpu_naive.cu"
    code, verdict = call("run", path, "--launcher", "solve", "--layout", "leetgpu", "--shape", "35,25,45")
    assert code == 0 and verdict["status"] == "passed" and verdict["cases"][0]["shape"] == [35, 25, 45]
    assert verdict["resources"]["registers"] > 0


def test_the_flags_that_stand_for_a_launcher(call):
    launch = ("--kernel", "matrix_multiplication_kernel", "--block", "16,16", "--grid", "cdiv(K,16),cdiv(M,16)")
    path = FOLDER / "ok_leetgpu_naive.cu"
    assert call("run", path, *launch, "--layout", "leetgpu", "--shape", "35,25,45")[0] == 0
    assert call("run", path, *launch, "--shape", "35,25,45")[0] == 1


def test_a_launcher_that_cannot_be_read_ends_with_2(call, tmp_path):
    path = tmp_path / "a.cu"
    path.write_text(f"{KERNELS}{SIGNATURE} {{ foo(); }}")
    code, verdict = call("run", path, "--launcher", "solve", "--shape", "8,8,8")
    assert code == 2 and "in line 7, the function 'foo' is not known" in verdict["findings"][0]["message"]


def test_a_compile_error_comes_before_what_cannot_be_read(call, tmp_path):
    path = tmp_path / "a.cu"
    path.write_text(f"{KERNELS}__global__ void bad() {{ int x = ; }}\n{SIGNATURE} {{ foo(); }}")
    code, verdict = call("run", path, "--launcher", "solve", "--shape", "8,8,8")
    assert code == 1 and verdict["status"] == "compile_error" and verdict["findings"][0]["line"] == 7


def test_an_open_blank_comes_first(call, tmp_path):
    path = tmp_path / "a.cu"
    path.write_text(f"{KERNELS}{SIGNATURE} {{\n    ______;\n}}")
    assert call("run", path, "--launcher", "solve", "--shape", "8,8,8")[1]["status"] == "unattempted"


def test_a_launcher_and_a_launch_do_not_go_together(call):
    code, verdict = call("run", FILES[0], "--launcher", "solve", "--shape", "8,8,8", "--block", "16")
    assert code == 2 and "leave these out" in verdict["findings"][0]["message"]


def test_a_launch_that_a_gpu_refuses_is_named_with_its_line(call):
    code, verdict = call("run", FOLDER / "wrong_too_many_threads.cu", "--launcher", "solve", "--shape", "64,64,64")
    assert code == 1 and verdict["findings"][0]["kind"] == "launch_error" and verdict["findings"][0]["line"] == 17


def test_a_large_shape_is_sampled(call):
    path = FOLDER / "ok_leetgpu_naive.cu"
    code, verdict = call("run", path, "--launcher", "solve", "--layout", "leetgpu", "--shape", "1500,1300,1400")
    assert code == 0 and "those at the corners" in verdict["findings"][0]["message"]
    path = FOLDER / "ok_split_k_workspace.cu"
    code, verdict = call("run", path, "--launcher", "solve", "--shape", "1500,1300,1400")
    assert code == 2 and "too large to emulate" in verdict["findings"][0]["message"]


# What they share with others


def test_instances_of_templates():
    source = "template <int T> __global__ void f(float* C) { C[0] = T; }\nint host() { return 1; }"
    program = compile_source(source, instances=["f<3>", "f<4>"])
    assert set(program.kernels) == {"f<3>", "f<4>"} == set(program.resources)
    assert program.symbol("f<3>") in program.ptx and program.symbol("f<3>") != program.symbol("f<4>")
    with pytest.raises(CompileError, match=r"can be made into f<float>"):
        compile_source(source, instances=["f<float>"])


def test_what_only_the_host_uses_is_no_warning():
    source = "const int tile = 4;\n__global__ void f(float* C) { C[0] = 1; }\nint host() { return tile; }"
    assert compile_source(source).warnings == ()


CLASS = "struct S {{ float v; S() {{ v = 0; }} float f() const {{ return 1; }} }};\n{}\nvoid host() {{}}"


def test_a_class_that_device_code_uses_keeps_its_functions():
    with pytest.raises(CompileError, match="write __device__ before it") as error:
        compile_source(CLASS.format("__global__ void k(float* C) { S s; C[0] = s.v; }"))
    assert {remark.line for remark in error.value.diagnostics} == {1}


def test_a_function_of_a_class_of_the_host_is_explained():
    source = CLASS.format("template <typename T> __global__ void k(float* C) { T t; C[0] = t.f(); }")
    with pytest.raises(CompileError, match=r"'f' \(line 1\) belongs to the host"):
        compile_source(source, instances=["k<S>"])


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(layout):
    assert layout.shape(layout.product((2, 3, 5))) == (2, 3, 5)
    sizes = dict(zip("MNK", (2, 3, 5)))
    rows, cols, depth = layout.product((2, 3, 5))
    assert [tuple(sizes[x] for x in layout.extents[name]) for name in "ABC"] == [
        (rows, depth), (depth, cols), (rows, cols),
    ]  # fmt: skip


def test_sentences_are_reworded():
    text = "A[row * K + k] and col < N at M, N, K = 2, 5, 3; the last K tile"
    assert LEETGPU.reword(text) == "A[row * N + k] and col < K at M, N, K = 2, 3, 5; the last K tile"
    assert COURSE.reword(text) == text


@pytest.mark.parametrize(
    "source, left",
    [
        ("#define F(x, y) (x) + y\nF(1, (2, 3))", "\n(1) + (2, 3)"),
        ('#define F(x) #x\nF(a + "b")', '\n"a + \\"b\\""'),
        ("#define F(x) x ## _t\nF(a)", "\na_t"),
        ("#define F(...) f(__VA_ARGS__)\nF(1, 2)", "\nf(1, 2)"),
        ("#define P(s, ...) p(s, ##__VA_ARGS__)\nP(1) P(1, 2)", "\np(1) p(1, 2)"),
        ("#define F() 1\nF() F", "\n1 F"),
        ("#define G F\n#define F(x) <x>\nG(2)", "\n\n<2>"),
        ("#define MAX(a, b) a > b\nMAX(1, MAX(2, 3))", "\n1 > 2 > 3"),
        ("#define F(x) x\nF(1,\n2) a\nb", "\n1,2 a\n\nb".replace("1,2", "1")),
        ("#define F(x) F(x + 1)\nF(1)", "\nF(1 + 1)"),
        ("#define F(x) [x]\nF(1\n#if 1\nF(2)\n#endif", "\nF(1\n\n[2]\n"),
    ],
)
def test_macros_with_parameters(source, left):
    assert preprocess(source) == left


def test_host_and_device_see_their_own_branches():
    source = "#ifdef __CUDA_ARCH__\ndevice\n#else\nhost\n#endif"
    assert preprocess(source).split() == ["device"] and preprocess(source, host=True).split() == ["host"]


@pytest.mark.parametrize(
    "a, sign, b, type_, value",
    [
        ("7", "/", "2", "int", 3), ("-7", "/", "2", "int", -3), ("-7", "%", "3", "int", -1),
        ("1u", "-", "2", "unsigned int", 2**32 - 1), ("1", "+", "1ll", "long long", 2),
        ("4294967295u", "+", "1u", "unsigned int", 0), ("1", "/", "2.0", "double", 0.5),
        ("1", "/", "3.0f", "float", float(np.float32(1) / np.float32(3))), ("-1", "<", "1u", "bool", 0),
        ("5", ">>", "1", "int", 2), ("6", "&", "3", "int", 2), ("2147483647", "==", "2147483647.0", "bool", 1),
    ],
)  # fmt: skip
def test_numbers(a, sign, b, type_, value):
    left, right = (c_numbers.literal(text.lstrip("-")) for text in (a, b))
    left = c_numbers.unary("-", left) if a.startswith("-") else left
    assert c_numbers.binary(sign, left, right) == c_numbers.Number(type_, value)


def test_steps_on_the_emulator_share_their_arrays():
    source = (
        "__device__ int calls;\n"
        "__global__ void add(const float* A, float* C, int n) {\n"
        "    if (threadIdx.x == 0) calls += 1;\n    if (threadIdx.x < n) C[threadIdx.x] += A[threadIdx.x] * calls;\n}"
    )
    program = compile_source(source)
    A, B = np.array([[1], [2]], np.float32), np.zeros((1, 1), np.float32)
    launch = Launch((32, 1, 1), (1, 1, 1), kernel="add", arguments=(Address("A"), Address("t"), Scalar("int32", 2)))
    steps = (
        Fill(Address("t"), 8, 0), launch, replace(launch, arguments=(*launch.arguments[:2], Scalar("int32", 1))),
        Copy(Address("C", 4), Address("t", 4), 4), Copy(Address("C"), Address("t"), 4),
    )  # fmt: skip
    outcome = EmulatorExecutor(checks=False).run(program, Plan(steps, {"t": 8}), A, B, (2, 1, 1))
    assert outcome.C[1, 0] == 2 and outcome.written.all() and outcome.counters is None
    partly = EmulatorExecutor().run(program, Plan((*steps[:2], steps[3]), {"t": 8}), A, B, (2, 1, 1))
    assert partly.written.tolist() == [[False], [True]]
    assert partly.counters.totals.global_store_requests == 2  # calls and C


def test_steps_on_a_stand_in_for_the_gpu(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))
    code = (
        "def first(at, A, B, t, M, N, K, s):\n"
        "    assert (at(t, M * N) == 0).all() and s == 0.5\n"
        "    at(t, M * N)[:] = (at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)\n"
        "def second(at, t):\n    at(t, 1)[:] += 1\n"
    )
    program = Program("", "kernel.cu", "sm_90", "", code.encode())
    rows, cols, depth = 5, 7, 3
    six = (Address("A"), Address("B"), Address("t"), *(Scalar("int32", size) for size in (rows, cols, depth)))
    block = ((16, 16, 1), (1, 1, 1))
    plan = Plan(
        (
            Fill(Address("t"), 4 * rows * cols, 0),
            Launch(*block, kernel="first", arguments=(*six, Scalar("float32", 0.5)), layout=LEETGPU),
            Launch(*block, kernel="second", arguments=(Address("t", 8),), layout=LEETGPU),
            Copy(Address("C"), Address("t"), 4 * rows * cols),
        ),
        {"t": 4 * rows * cols},
    )
    rng = np.random.default_rng(1)
    A, B = rng.random((rows, depth), np.float32), rng.random((depth, cols), np.float32)
    outcome = GpuExecutor().run(program, plan, A, B, (rows, depth, cols))
    expected = A @ B
    expected[0, 2] += 1
    assert outcome.findings == [] and np.allclose(outcome.C, expected) and outcome.written.all()


def test_a_kernel_gets_its_layouts_sizes_on_the_stand_in(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))
    code = b"def gemm(at, A, B, C, M, N, K):\n    at(C, M * K)[:] = M * 100 + N * 10 + K\n"
    launch = Launch((1, 1, 1), (1, 1, 1), layout=LEETGPU)
    A, B = np.ones((2, 3), np.float32), np.ones((3, 5), np.float32)
    outcome = GpuExecutor().run(Program("", "kernel.cu", "sm_90", "", code), launch, A, B, (2, 3, 5))
    assert (outcome.C == 235).all() and outcome.C.shape == (2, 5)


@pytest.mark.gpu
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_whole_file_on_a_gpu(path):
    about = header(path)
    cases = [Case(shape, "random", seed, "given") for seed, shape in enumerate(SHAPES)]
    layout = LAYOUTS[about["layout"]]
    verdict = check_launcher(path.read_text(), path.name, about["launcher"], cases, "cuda", layout)
    assert verdict.passed == (about["expect"] == "passed"), verdict
