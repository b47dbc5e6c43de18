"""Characters that look like C's: each is named, where it stands in code and not in a comment or text."""

from __future__ import annotations

import pytest

from gemmlab.compiler.compile import CompileError, compile_source
from gemmlab.cuda.lookalikes import look_alikes

KERNEL = "__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)\n{{ {}\n}}\n"


@pytest.mark.parametrize(
    "code, says",
    [
        ("C[0] = 1；", "'；' in line 2 is U+FF1B full-width semicolon, which only looks like ';'"),
        ("C[0] = A[0] × B[0];", "'×' in line 2 is U+00D7 multiplication sign, which only looks like '*'"),
        ("C[0] = A[0] − B[0];", "looks like '-'"),
        ("C[０] = 1;", "looks like '0'"),
        ("C[0]＝1;", "looks like '='"),
        ("if (M ≤ N) C[0] = 1;", "looks like '<='"),
        ("C[0] = А[0];", "'А' in line 2 is U+0410 cyrillic capital letter a, which only looks like 'A'"),
        ("C[0] =\u00a01;", "holds a space that is none to C (U+00A0 no-break space)"),
        ("C[0\u200b] = 1;", "invisible character (U+200B zero width space)"),
    ],
)
def test_a_look_alike_is_named_in_place_of_the_compilers_words(code, says):
    with pytest.raises(CompileError) as error:
        compile_source(KERNEL.format(code))
    first = error.value.diagnostics[0]
    assert says in first.message and first.line == 2 and first.column
    assert [remark.line for remark in error.value.diagnostics].count(2) == 1


def test_what_is_right_is_no_look_alike():
    source = KERNEL.format("/* １；２ × 3 */ printf(\"×；\\n\"); C[0] = 'x'; // Ａ")
    assert look_alikes(source) == []
    assert compile_source(source).kernels == ("gemm",)


def test_a_name_of_another_alphabet_is_told_as_a_whole():
    with pytest.raises(CompileError, match="takes names in the letters A to Z only, not 'сумма' .line 2.; rename it"):
        compile_source(KERNEL.format("float сумма = 1; C[0] = сумма;"))


def test_other_errors_are_told_as_they_are():
    with pytest.raises(CompileError) as error:
        compile_source(KERNEL.format("// сумма ×\nC[0] = nothing;"))
    assert [(remark.line, remark.message) for remark in error.value.diagnostics if remark.severity == "error"] == [
        (3, 'identifier "nothing" is undefined')
    ]
