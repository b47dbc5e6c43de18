"""What of a whole file is compiled for the device, and what is left out."""

from __future__ import annotations

import pytest

from gemmlab.compiler.compile import CompileError, compile_source, has_header
from gemmlab.compiler.device_part import without_host_code

KERNEL = "__global__ void gemm(float* C) {{ {} }}\n"


@pytest.mark.parametrize(
    "host",
    [
        "#include <string>\nconst std::string name = \"gemm\";",
        "const dim3 block(16, 16); const int threads = block.x * block.y;",
        "using Clock = std::chrono::steady_clock; struct Timer { Clock::time_point start; };",
        "struct Case { std::vector<float> A, B; };\nstd::vector<Case> cases() { return {}; }",
        "#include <vector>\nusing std::vector;\nint main() { vector<float> host; }",
        "typedef std::pair<int, int> Size;\nstatic Size sizes[3];",
        "template <typename T> void launch(T* C) { gemm<<<1, 1>>>(C); }\ntemplate void launch<float>(float*);",
        "at::Tensor run(at::Tensor a) { return a; }\nTORCH_LIBRARY(lib, m) { m.def(\"run\", &run); }",
        "REGISTER(gemm).Inputs({\"a\"}).Outputs({\"c\"});",
    ],
)  # fmt: skip
def test_what_only_the_host_needs_is_left_out(host):
    assert compile_source(f"{host}\n{KERNEL.format('C[0] = 1;')}").kernels == ("gemm",)
    assert compile_source(f"{KERNEL.format('C[0] = 1;')}{host}\n").kernels == ("gemm",)


@pytest.mark.parametrize(
    "declared, used",
    [
        ("const int TILE = 16;", "C[TILE] = 1;"),
        ("const float scale = 2.0f;", "C[0] = scale;"),
        ("constexpr int BM = 4; constexpr int BN = BM * 2;", "C[BN] = 1;"),
        ("struct Pair { int a, b; }; using Two = Pair;", "Two two{1, 2}; C[two.a] = two.b;"),
        ("const int LAST = 7;\n#define TOP LAST", "C[TOP] = 1;"),
        ("template <int N> struct Size { static constexpr int value = N; };", "C[Size<3>::value] = 1;"),
    ],
)
def test_what_a_kernel_names_stays(declared, used):
    host = "std::vector<int> f() { return {}; }\n"
    assert compile_source(f"{declared}\n{host}{KERNEL.format(used)}").kernels == ("gemm",)


@pytest.mark.parametrize("stray", ["x;", "__syncthreads();", "C[0] = 1;"])
def test_a_stray_statement_is_no_host_code(stray):
    with pytest.raises(CompileError):
        compile_source(f"{KERNEL.format('C[0] = 1;')}{stray}\n")


def test_a_fault_of_the_kernel_is_told_beside_foreign_host_code():
    source = KERNEL.format("C[0] = nothing;") + "at::Tensor run(at::Tensor a) { return a; }\n"
    with pytest.raises(CompileError) as error:
        compile_source(source)
    assert [(remark.line, remark.message) for remark in error.value.diagnostics] == [
        (1, 'identifier "nothing" is undefined')
    ]


def test_lines_stay_and_are_named():
    part = without_host_code("int f()\n{ return 1; }\n" + KERNEL.format(""))
    assert part.removed == {"f": 1} and part.removed_lines == {1, 2} and part.text.count("\n") == 3


def test_which_headers_there_are():
    assert has_header("cuda_runtime.h") and has_header("iostream") and has_header("cooperative_groups.h")
    assert not has_header("no_such_header.h") and not has_header("../kernel.h")


@pytest.mark.parametrize("type_", ["uint", "ushort", "uint32_t", "int64_t", "std::size_t", "std::uint8_t"])
def test_names_that_nvcc_brings_along(type_):
    assert compile_source(KERNEL.format(f"{type_} i = 3; C[i] = 1;")).kernels == ("gemm",)
    assert compile_source(f"#include <cstdint>\n{KERNEL.format(f'{type_} i = 3; C[i] = 1;')}").kernels == ("gemm",)
    assert compile_source(f"typedef unsigned int uint;\n{KERNEL.format('uint i = 3; C[i] = 1;')}").kernels == ("gemm",)
