"""The arrays of a source with their extents, the constants in them, and what the small preprocessor leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemmlab.cuda.arrays import FILE_SCOPE, ArrayDeclaration, array_extents
from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.preprocess import preprocess

SOURCE = """\
#define TILE 16
#define PAD (TILE + 1)
using real = float;
enum { BM = 64, BN, BK = BM / 8 };
namespace cfg { constexpr int Q = 3; struct S { static const int R = 4; enum { E = 7 }; }; }
__constant__ float table[BK];
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int half = TILE / 2; constexpr int P{5};
    __shared__ real As[TILE][PAD], Bs[2 * BK];
    extern __shared__ __align__(16) unsigned char raw[];
    volatile __shared__ float v[cfg::Q][cfg::S::R][cfg::S::E];
    float acc[half][P] = {}, *rows[4], single;
    float4 wide[BN];
    { float tmp[3]; } { float tmp[4]; }
    auto f = [&](int i) { float inner[3]; return inner[i]; };
    float open[N];
    __shared__ __half h[SIZE];
}
template <int T> __device__ void helper() { __shared__ float q[T][4]; }
// __shared__ float commented[9];
"""


def test_extents_of_every_kind():
    found = array_extents(SOURCE, ["-DSIZE=32"])
    gemm = {name: (array.extents, array.element, array.space) for name, array in found["gemm"].items()}
    assert gemm == {
        "As": ((16, 17), "float", "shared"),
        "Bs": ((16,), "float", "shared"),
        "raw": ((None,), "unsigned char", "shared"),
        "v": ((3, 4, 7), "float", "shared"),
        "acc": ((8, 5), "float", "local"),
        "rows": ((4,), "float*", "local"),
        "wide": ((65,), "float4", "local"),
        "tmp": ((None,), "float", "local"),
        "inner": ((3,), "float", "local"),
        "open": ((None,), "float", "local"),
        "h": ((32,), "__half", "shared"),
    }
    assert found["helper"]["q"].extents == (None, 4)
    assert (found[FILE_SCOPE]["table"].extents, found[FILE_SCOPE]["table"].space) == ((8,), "constant")
    assert found["gemm"]["As"].line == 10
    assert [name for name, array in found["gemm"].items() if array.dynamic] == ["raw"]


@pytest.mark.parametrize(
    "name, offset, element",
    [
        ("As", 0, "As[0][0]"),
        ("As", 17 * 4, "As[1][0]"),
        ("As", 17 * 4 + 7, "As[1][1]"),
        ("As", 16 * 17 * 4, "As[16][0]"),
        ("As", -4, "As[-1][16]"),
        ("v", 4 * (28 + 7 + 1), "v[1][1][1]"),
        ("raw", 1000, "raw[1000]"),
        ("wide", 33, "wide[2]"),
        ("rows", 8, None),
        ("tmp", 8, "tmp[2]"),
    ],
)
def test_a_byte_has_a_name(name, offset, element):
    assert array_extents(SOURCE)["gemm"][name].element_at(offset) == element


def test_an_inner_extent_that_is_not_known_names_nothing():
    assert ArrayDeclaration("q", (4, None), "float", "shared", 1).element_at(8) is None


@pytest.mark.parametrize(
    "expression, value",
    [
        ("16", 16),
        ("0x10u", 16),
        ("1'000ul", 1000),
        ("010", 8),
        ("0b101", 5),
        ("T + 1", 17),
        ("U / 3", 10),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1 << 4 | 3", 19),
        ("T > 8 ? U : 3", 32),
        ("sizeof(float) * T", 64),
        ("sizeof(float4)", 16),
        ("(int)T", 16),
        ("(unsigned)(T)", 16),
        ("static_cast<int>(T) + 1", 17),
        ("int(T)", 16),
        ("Cfg::BM * 2", 128),
        ("!T || true && ~0", 1),
        ("C", None),
        ("1.5", None),
        ("1e5", None),
        ("1.0f", None),
        ("f(3)", None),
        ("1 / 0", None),
        ("1 << 99", None),
        ("sizeof(thing)", None),
        ("", None),
        ("(1", None),
        ("1 1", None),
        ("'a'", None),
        ("(" * 5000, None),
        ("1+" * 900 + "1", 901),
    ],
)
def test_constant_expressions(expression, value):
    names = {"T": "16", "U": "T * 2", "C": "C", "Cfg::BM": "64", "open": None}
    assert evaluate(expression, names) == value


numbers = st.integers(0, 1000).map(str)
operators = st.sampled_from(["+", "-", "*", "<", "<=", "==", "|", "&", "^"])
expressions = st.recursive(
    numbers, lambda inner: st.tuples(inner, operators, inner).map(lambda parts: f"({' '.join(parts)})"), max_leaves=6
)


@given(expressions)
def test_arithmetic_is_that_of_python(expression):
    assert evaluate(expression, {}) == int(eval(expression))


@given(st.text())
def test_any_expression_is_read(text):
    value = evaluate(text, {"a": text})
    assert value is None or isinstance(value, int)


@pytest.mark.parametrize(
    "source, left",
    [
        ("#define T 16\nT t", "\n16 t"),
        ("#define T 16\n#undef T\nT", "\n\nT"),
        ("#define F(x) x\nF(1)", "\n1"),
        ('#define T 16\n"T" T', '\n"T" 16'),
        ("// #define T 16\nT", " " * 15 + "\nT"),
        ("#define T \\\n 16\nT", "\n\n16"),
        ("#if 0\na\n#else\nb\n#endif", "\n\n\nb\n"),
        ("#if T\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "\n\n\nb\n\n\n\n\n"),
        ("#ifndef T\n#define T 3\n#endif\n#if defined(T) && T == 3\nT\n#endif", "\n\n\n\n3\n"),
        ("#if 0\n#if 1\na\n#endif\n#define T 3\n#endif\nT", "\n\n\n\n\n\nT"),
        ("#if __CUDA_ARCH__ >= 800\na\n#endif", "\na\n"),
        ("#endif\na\n#else", "\na\n"),
        ("#define A B\n#define B A\nA", "\n\nA"),
    ],
)
def test_preprocess(source, left):
    assert preprocess(source) == left


@given(st.text(alphabet=st.sampled_from(list("#define if elsA B\n\\/*\"' 0"))))
def test_lines_keep_their_numbers(source):
    assert preprocess(source).count("\n") == source.count("\n")


def test_macros_that_explode_stay_as_they_are():
    bomb = "#define A0 x x\n" + "".join(f"#define A{i + 1} {f'A{i} ' * 9}\n" for i in range(30)) + "A30"
    assert len(preprocess(bomb)) < 20_000
