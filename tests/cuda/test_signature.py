"""Which kernels a source has, and what is said of one that the course cannot call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemmlab.cuda.signature import KernelSignature, canonical_type, check_signature, contract, find_kernels

PARAMETERS = "(const float* A, const float* B, float* C, int M, int N, int K)"
GEMM = f"__global__ void gemm{PARAMETERS}"


@pytest.mark.parametrize(
    "source",
    [
        f'extern "C" {GEMM} {{}}',
        f'extern "C" {{\n{GEMM} {{}}\n}}',
        f"namespace mine {{ {GEMM} {{}} }}",
        f"static inline {GEMM} {{}}",
        f'extern "C" __global__ void\n__launch_bounds__(256, 2)\ngemm{PARAMETERS} {{}}',
        f"__launch_bounds__(256) {GEMM} {{}}",
        f"__attribute__((noinline)) {GEMM} {{}}",
        f"__global__ void __maxnreg__(64) gemm{PARAMETERS} {{}}",
        f"__global__ __cluster_dims__(2, 1, 1) void __block_size__((16, 16)) gemm{PARAMETERS} {{}}",
        f"void __global__ gemm{PARAMETERS} {{}}",
        f"__global__ void (gemm){PARAMETERS} {{}}",
        f"__global__ auto gemm{PARAMETERS} -> void {{}}",
        f"{GEMM};\n{GEMM} {{}}",
        f'#define KERNEL extern "C" __global__\nKERNEL void gemm{PARAMETERS} {{}}',
        f"#define NAME gemm\n__global__ void NAME{PARAMETERS} {{}}",
        f"#if 0\nint broken(\n#else\n{GEMM} {{}}\n#endif",
        f"template <int T> {GEMM} {{}}\ntemplate __global__ void gemm<16>{PARAMETERS};",
        "__global__ void gemm(const float *__restrict__ a, // left\n float const * __restrict b,\n float *c /* out */,"
        "\n const int rows, int columns, signed int inner)\n{}",
        "__global__ void gemm(const float a[], const float* const b, float c[], unsigned m, uint32_t n, int k) {}",
        "__global__ void gemm(float* a, float* b, float* c, int, int, int) {}",
        "using real = float;\ntypedef const real *input, number;\n"
        "__global__ void gemm(input A, const real* B, real* C, int M, int N, int K = 3) {}",
        "#define real float\n#define RESTRICT __restrict__\n"
        "__global__ void gemm(const real* RESTRICT A, const real* B, real* RESTRICT C, int M, int N, int K) {}",
    ],
)
def test_signatures_that_fit(source):
    assert check_signature(source) is None


@pytest.mark.parametrize(
    "source, line, words",
    [
        ("", None, "The file is empty"),
        (" \n\t\n", None, "The file is empty"),
        ("a\0b", None, "not text"),
        ("\udc80", None, "not text"),
        ("int x;", None, "There is no kernel in the file"),
        (f"// {GEMM} {{}}", None, "There is no kernel in the file"),
        (f"/* \n{GEMM} {{}} */", None, "There is no kernel in the file"),
        (f'const char* s = "{GEMM} {{}}";', None, "There is no kernel in the file"),
        (f"#if 0\n{GEMM} {{}}\n#endif", None, "There is no kernel in the file"),
        (f"#ifdef NOT_DEFINED\n{GEMM} {{}}\n#endif", None, "There is no kernel in the file"),
        (f"\nvoid gemm{PARAMETERS} {{}}", 2, "write __global__ before void"),
        (f'extern "C" __device__ void gemm{PARAMETERS} {{}}', 1, "write __global__ before void"),
        (f"\n\n{GEMM};", 3, "has no body"),
        (f"\n__global__ void mm{PARAMETERS} {{}}", 2, "but 'mm' (line 2)"),
        ("__global__ void gemm() {}", 1, "has 0 parameters, not 6"),
        ("__global__ void gemm(void) {}", 1, "has 0 parameters, not 6"),
        ("__global__ void gemm(float* C) {}", 1, "has 1 parameter, not 6"),
        (f"{GEMM} {{}}".replace("int K", "int K, int L"), 1, "has 7 parameters, not 6"),
        (
            f"{GEMM} {{}}".replace("const float* A", "float A"),
            1,
            "Parameter 1 of the kernel 'gemm' (A) has type 'float'",
        ),
        (f"{GEMM} {{}}".replace("const float* B", "const float& B"), 1, "Parameter 2"),
        (f"{GEMM} {{}}".replace("float* C", "const float* C"), 1, "(C) has type 'const float*', not 'float*'"),
        (f"{GEMM} {{}}".replace("float* C", "double* C"), 1, "(C) has type 'double*', not 'float*'"),
        (f"{GEMM} {{}}".replace("float* C", "float** C"), 1, "(C) has type 'float**', not 'float*'"),
        (f"{GEMM} {{}}".replace("int K", "size_t K"), 1, "(K) has type 'size_t', not 'int'"),
        (f"{GEMM} {{}}".replace("int K", "long long"), 1, "(without a name) has type 'long long', not 'int'"),
        ("typedef double real;\n" + f"{GEMM} {{}}".replace("float*", "real*"), 2, "'const double*'"),
        (f"template <int T> {GEMM} {{}}", 1, "is a template that nothing instantiates"),
        (
            "__global__ void gemm(int M, int N, int K, const float* A, const float* B, float* C) {}",
            1,
            "Parameter 1 of the kernel 'gemm' (M) has type 'int', not 'const float*'",
        ),
    ],
)
def test_signatures_that_do_not_fit(source, line, words):
    finding = check_signature(source)
    assert (finding.kind, finding.severity, finding.line) == ("compile_error", "error", line)
    assert words in finding.message and "\n" not in finding.message
    assert "parameter" not in finding.message.lower() or contract() in finding.message


def test_another_kernel_can_be_asked_for():
    source = f"__global__ void first{PARAMETERS} {{}}\n__global__ void second(float*) {{}}"
    assert check_signature(source, "first") is None
    assert "'second' has 1 parameter" in check_signature(source, "second").message


def test_options_decide_branches():
    source = f"#ifdef WIDE\n{GEMM} {{}}\n#endif"
    assert check_signature(source, options=["-DWIDE"]) is None
    assert check_signature(source, options=["-lineinfo"]) is not None


def test_kernels_are_listed_in_order_with_their_parameters():
    helper, template = "__device__ float f(int a) { return a; }", "template <int T> __global__ void b(half x) {}"
    source = f'{helper}\nextern "C" {GEMM}\n{{}}\n{template}'
    assert find_kernels(source) == [
        KernelSignature(
            "gemm",
            2,
            (("const float*", "A"), ("const float*", "B"), ("float*", "C"), ("int", "M"), ("int", "N"), ("int", "K")),
        ),
        KernelSignature("b", 4, (("__half", "x"),), template=True, template_names=("T",)),
    ]


@pytest.mark.parametrize(
    "spelled, canonical",
    [
        ("const float *", "const float*"),
        ("float const * __restrict__", "const float*"),
        ("float * const", "float*"),
        ("const int", "int"),
        ("unsigned", "unsigned int"),
        ("volatile float*", "float*"),
        ("const float * const *", "const float**"),
        ("unsigned   char", "unsigned char"),
        ("number", "float"),
        ("const pointer", "const float*"),
        ("endless", "endless"),
    ],
)
def test_types_have_one_spelling(spelled, canonical):
    aliases = {"number": "float", "pointer": "number*", "endless": "endless"}
    assert canonical_type(spelled, aliases) == canonical


@given(st.text(alphabet=st.sampled_from(list("gemm_global__void(){}<>[]*&;:,=\n\t #\\\"'/0A"))))
def test_any_text_is_read(text):
    assert isinstance(find_kernels(text), list)
    finding = check_signature(text)
    assert finding is None or finding.kind == "compile_error"


@given(st.integers(0, 200))
def test_a_cut_source_is_read(length):
    check_signature(f'extern "C" {GEMM}\n{{ __shared__ float As[16][16]; if (M > 3) {{ C[0] = 1; }} }}\n'[:length])
