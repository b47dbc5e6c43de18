"""Inputs and how close is right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemmlab.errors import UserError
from gemmlab.kernel.tolerance import EXACT, INPUT_KINDS, MAX_ELEMENTS, check_shape, compare, make_inputs

SHAPE = (35, 45, 25)
KINDS = tuple(INPUT_KINDS)
EXACT_KINDS = tuple(kind for kind in KINDS if kind != "random")


def rounded(A, B):
    return (A.astype(np.float64) @ B).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_are_the_same_for_the_same_seed(kind):
    first, second = make_inputs(kind, SHAPE, 7), make_inputs(kind, SHAPE, 7)
    for one, other, shape in zip(first, second, ((35, 25), (25, 45)), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == np.float32 and one.shape == shape and one.flags.c_contiguous


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ones"])
def test_another_seed_gives_other_inputs(kind):
    assert not np.array_equal(make_inputs(kind, SHAPE, 1)[1], make_inputs(kind, SHAPE, 2)[1])


def test_random_inputs_fill_their_range():
    A, B = make_inputs("random", (64, 64, 64), 0)
    for matrix in (A, B):
        assert -1 <= matrix.min() < -0.9 and 0.9 < matrix.max() < 1


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(EXACT_KINDS), st.integers(1, 9), st.integers(1, 9), st.integers(1, 5000), st.integers(0, 99))
def test_exact_inputs_sum_exactly_in_any_order(kind, M, N, K, seed):
    A, B = make_inputs(kind, (M, N, K), seed)
    order = np.random.default_rng(seed).permutation(K)
    C = np.zeros((M, N), np.float32)
    for k in order:
        C += np.outer(A[:, k], B[k])
    assert compare(C, A, B, kind).ok
    assert (np.abs(A.astype(np.float64)) @ np.abs(B)).max() <= EXACT


def test_integers_stay_exact_where_K_is_large():
    A, B = make_inputs("integer", (1, 1, 2**22), 0)
    assert np.abs(A).max() * np.abs(B).max() * 2**22 <= EXACT
    assert A.any() and B.any()
    with pytest.raises(UserError, match="too large for exact sums"):
        make_inputs("ones", (1, 1, EXACT + 1))


def test_ones_make_every_element_K():
    A, B = make_inputs("ones", SHAPE)
    assert (A @ B == 25).all()


@pytest.mark.parametrize("shape", [SHAPE, (32, 32, 32), (16, 16, 16), (17, 33, 5)])
def test_structured_inputs_tell_rows_columns_and_transposes_apart(shape):
    A, B = make_inputs("structured", shape, 3)
    C = rounded(A, B)
    M, N, K = shape
    assert len(np.unique(C, axis=0)) > min(M, K) // 2
    assert len(np.unique(C, axis=1).T) == N
    wrong = [np.roll(A, 1, 0) @ B, A @ np.roll(B, 1, 0), A @ np.roll(B, 1, 1), A[::-1] @ B, A @ B[:, ::-1]]
    wrong += [C.T] if M == N else []
    wrong += [A.T @ B] if M == K else []
    wrong += [A @ B.T] if N == K else []
    for other in wrong:
        assert not compare(other.astype(np.float32), A, B, "structured").ok


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_result_passes(kind):
    A, B = make_inputs(kind, SHAPE, 5)
    comparison = compare(rounded(A, B), A, B, kind)
    assert comparison.ok and not comparison.wrong.any() and comparison.unwritten is None
    assert comparison.max_error < 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_inf_fail(kind, value):
    A, B = make_inputs(kind, SHAPE, 5)
    C = rounded(A, B)
    C[3, 4] = value
    comparison = compare(C, A, B, kind)
    assert not comparison.ok and comparison.wrong.sum() == 1 and comparison.wrong[3, 4]
    assert comparison.worst == (3, 4) and comparison.max_error == np.inf


@pytest.mark.parametrize("kind", EXACT_KINDS)
def test_exact_inputs_leave_no_tolerance(kind):
    A, B = make_inputs(kind, SHAPE, 5)
    C = rounded(A, B)
    C[3, 4] = np.nextafter(C[3, 4], np.float32(np.inf))
    assert compare(C, A, B, kind).worst == (3, 4)
    assert not compare(C, A, B, kind).ok


@pytest.mark.parametrize("shape", [(8, 8, 8), (16, 16, 256), (4, 4, 65536)])
def test_random_inputs_allow_float32_summation_and_no_lost_sum(shape):
    A, B = make_inputs("random", shape, 6)
    C = np.zeros(shape[:2], np.float32)
    for k in range(shape[2]):
        C += np.outer(A[:, k], B[k])
    assert compare(C, A, B, "random").ok
    assert not compare(np.zeros_like(C), A, B, "random").ok
    assert not compare(C * np.float32(1.1), A, B, "random").ok


def test_a_missing_product_shows_on_random_inputs():
    A, B = make_inputs("random", (16, 16, 512), 6)
    assert not compare(rounded(A[:, 1:], B[1:]), A, B, "random").ok


def test_an_unwritten_element_is_wrong_whatever_it_holds():
    A, B = make_inputs("ones", SHAPE)
    written = np.ones((35, 45), bool)
    written[34, 44] = False
    comparison = compare(rounded(A, B), A, B, "ones", written)
    assert not comparison.ok and comparison.worst == (34, 44)
    np.testing.assert_array_equal(comparison.wrong, ~written)
    np.testing.assert_array_equal(comparison.unwritten, ~written)


def test_the_worst_element_is_a_wrong_one():
    """An element may be off by more than a wrong one and still be right, where its sum is larger."""
    A = np.array([[1000.0], [0.001]], np.float32)
    B = np.array([[1.0]], np.float32)
    C = np.array([[1000 + 2**-14], [0.00101]], np.float32)
    comparison = compare(C, A, B, "random")
    assert comparison.worst == (1, 0) and not comparison.wrong[0, 0]


def test_C_of_another_shape_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="C is"):
        compare(np.ones((2, 2), np.float32), *make_inputs("ones", SHAPE), "ones")


@pytest.mark.parametrize("shape", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (-5, 1, 1)])
def test_sizes_below_one_are_refused(shape):
    with pytest.raises(UserError, match="must be positive"):
        make_inputs("random", shape)


def test_matrices_beyond_the_budget_are_refused():
    side = int((MAX_ELEMENTS / 3) ** 0.5)
    check_shape((side, side, side))
    with pytest.raises(UserError, match="more than the 0.5 GiB allowed"):
        make_inputs("random", (side + 1, side + 1, side + 1))
    with pytest.raises(UserError, match="GiB"):
        make_inputs("ones", (10**9, 10**9, 1))


def test_unknown_inputs_name_the_known_ones():
    with pytest.raises(UserError, match="choose one of random, integer, ones, structured"):
        make_inputs("zeros", SHAPE)
