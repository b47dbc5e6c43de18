"""Launch expressions: what they mean, and that hostile text ends in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemmlab.errors import UserError
from gemmlab.kernel.launch import Launch, LaunchSpec, cdiv, evaluate, split_dimensions

NAMES = {"M": 35, "N": 45, "K": 25}


@pytest.mark.parametrize(
    "text, value",
    [
        ("16", 16),
        ("M", 35),
        ("cdiv(N,16)", 3),
        ("cdiv(N, 16) * (M + 1) - K", 83),
        ("-N // 16", -3),
        ("-(N // 16)", -2),
        ("N % 16", 13),
        ("2*16*16*4", 2048),
        ("+M", 35),
        ("  (N) ", 45),
        ("0x10", 16),
    ],
)
def test_evaluates_integer_arithmetic(text, value):
    assert evaluate(text, NAMES) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "16,",
        "16 16",
        "1.5",
        "N/16",
        "2**3",
        "9**9**9",
        "__import__('os')",
        "__import__('os').system('true')",
        "a.b",
        "M.real",
        "cdiv",
        "cdiv(N)",
        "cdiv(N,16,1)",
        "cdiv(a=1,b=2)",
        "cdiv(*[1,2])",
        "max(M,N)",
        "lambda: 1",
        "[M][0]",
        "(M for M in [1])",
        "M if N else K",
        "M << 4",
        "~M",
        "not M",
        "True",
        "None",
        "'16'",
        "1j",
        "x",
        "M := 3",
        "M; N",
        "M\nN",
        "\x00",
        "\ud800",
        "１６",
        "N × 16",
        "🙂",
        "(" * 90 + "1" + ")" * 89,
        "(" * 1000 + "1" + ")" * 1000,
        "-" * 5000 + "1",
        "1+" * 100_000 + "1",
        "9" * 150,
        "9" * 10_000,
        "99999999999*99999999999",
    ],
)
def test_refuses_anything_else_with_a_short_sentence(text):
    with pytest.raises(UserError) as caught:
        evaluate(text, NAMES)
    assert "expression" in str(caught.value)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["1 // 0", "M % (N - 45)", "cdiv(M, 0)"])
def test_division_by_zero_is_named(text):
    with pytest.raises(UserError, match="divides by zero"):
        evaluate(text, NAMES)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UserError, match="'n' is not known here; use M, N, K"):
        evaluate("cdiv(n, 16)", NAMES)


@given(st.text(max_size=250))
def test_any_text_gives_a_number_or_a_user_error(text):
    try:
        assert isinstance(evaluate(text, NAMES), int)
    except UserError as error:
        assert str(error).isprintable()


@given(st.integers(0, 10**6), st.integers(1, 10**4))
def test_cdiv_is_the_smallest_cover(a, b):
    tiles = cdiv(a, b)
    assert tiles * b >= a > (tiles - 1) * b or tiles == a == 0


def test_dimensions_split_outside_parentheses():
    assert split_dimensions("cdiv(N,16), cdiv(M,16)") == ("cdiv(N,16)", "cdiv(M,16)")
    assert split_dimensions("16") == ("16",)


def test_spec_gives_the_launch_of_a_shape():
    spec = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)", "2*16*16*4", True, "tiled")
    assert spec.at(35, 45, 25) == Launch((16, 16, 1), (3, 3, 1), 2048, True, "tiled")


def test_values_no_gpu_takes_are_kept_for_the_check_to_name():
    assert LaunchSpec.parse("N,M", "N//64").at(35, 45, 25) == Launch((45, 35, 1), (0, 1, 1))


@pytest.mark.parametrize("block, grid", [("1,1,1,1", "1"), ("1", "1,1,1,1")])
def test_more_than_three_dimensions_are_refused(block, grid):
    with pytest.raises(UserError, match="has 4 dimensions"):
        LaunchSpec.parse(block, grid)


def test_an_empty_dimension_is_refused():
    with pytest.raises(UserError, match="cannot read the expression ''"):
        LaunchSpec.parse("16,", "1").at(16, 16, 16)
