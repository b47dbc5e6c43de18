"""Elements of A and B: rounding, memory, and that early rounding is seen with every type while another order is not."""

import pickle

import numpy as np
import pytest

from gemmlab.errors import UserError
from gemmlab.kernel.elements import BFLOAT16, ELEMENTS, FLOAT16, FLOAT32, TF32, element_named, element_of, rounded
from gemmlab.kernel.tolerance import EXACT, compare, make_inputs, rounding_bound

EVERY = pytest.mark.parametrize("element", ELEMENTS.values(), ids=list(ELEMENTS))
NARROW = pytest.mark.parametrize("element", (TF32, FLOAT16, BFLOAT16), ids=lambda one: one.name)


def reference(value: float, digits: int, ties_away: bool) -> float:
    """Rounding in Python's own numbers: to a whole number of units in the last place."""
    mantissa, exponent = np.frexp(np.float64(value))
    unit = 2.0 ** (int(exponent) - digits)
    whole = float(value) / unit
    return float(np.copysign(np.floor(abs(whole) + 0.5), whole) if ties_away else np.round(whole)) * unit


@EVERY
def test_rounding_is_to_the_nearest(element):
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.standard_normal(200), [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, -1 - 2.0**-9, 0]])
    values = values.astype(np.float32)
    found = rounded(values, element)
    assert found.tolist() == [reference(value, element.digits, element is TF32) for value in values]
    assert np.array_equal(rounded(found, element), found)


@NARROW
def test_rounding_keeps_infinities_and_nan(element):
    found = rounded(np.array([np.inf, -np.inf, np.nan]), element)
    assert np.isinf(found[:2]).all() and np.isnan(found[2])


@EVERY
def test_memory_gives_back_what_was_put_there(element):
    A, _ = make_inputs("random", (5, 4, 3), 1, element)
    stored = element.encoded(A)
    assert stored.nbytes == A.size * element.size
    assert np.array_equal(element.decoded(stored), A)
    assert element.encoded(stored) is stored or np.array_equal(element.encoded(stored), stored)


@EVERY
@pytest.mark.parametrize("kind", ["integer", "ones", "structured"])
@pytest.mark.parametrize("K", [1, 40, 3000])
def test_whole_numbers_are_exact_in_their_type_and_in_their_sums(element, kind, K):
    A, B = make_inputs(kind, (9, 8, K), 2, element)
    assert all(np.array_equal(rounded(X, element), X) for X in (A, B))
    assert (np.abs(A.astype(np.float64)) @ np.abs(B)).max() <= EXACT


def product(A, B, element, *, step=None, order=slice(None), keep=FLOAT32):
    """A·B as a kernel with these inputs has it: sums in float32, over `step` products at a time, each partial sum
    rounded to `keep`."""
    A, B = (rounded(X, element).astype(np.float32)[:, order] if n == 0 else rounded(X, element)[order] for n, X in
            enumerate((A, B)))  # fmt: skip
    acc = np.zeros((A.shape[0], B.shape[1]), np.float32)
    for k in range(0, A.shape[1], step or 1):
        part = A[:, k : k + (step or 1)].astype(np.float64) @ B[k : k + (step or 1)].astype(np.float64)
        acc = rounded((acc + part).astype(np.float32), keep)
    return acc


@EVERY
@pytest.mark.parametrize("kind", ["random", "integer", "structured"])
@pytest.mark.parametrize("K", [7, 96, 1500])
def test_another_order_of_the_sum_passes(element, kind, K):
    A, B = make_inputs(kind, (16, 12, K), 4, element)
    for order, step in ((slice(None), None), (slice(None, None, -1), None), (slice(None), 16)):
        assert compare(product(A, B, element, order=order, step=step), A, B, kind, element=element).ok


@NARROW
@pytest.mark.parametrize("K", [40, 96, 1500])
@pytest.mark.parametrize("step", [None, 16, 10**6], ids=["each sum", "every 16", "C"])
def test_a_sum_that_is_rounded_to_the_inputs_type_fails(element, K, step):
    """Sums in half, partial sums that go through half, C rounded to half: one kind of input at least shows each."""
    found = []
    for kind in ("random", "integer", "structured"):
        A, B = make_inputs(kind, (16, 12, K), 5, element)
        C = product(A, B, element, step=step, keep=element)
        found.append(compare(C, A, B, kind, element=element).ok)
    assert not all(found) and not (found[1] and found[2])


def test_tf32_may_cut_or_round_its_factors_and_float32_may_not():
    A, B = make_inputs("random", (16, 12, 64), 6)
    cut = [np.bitwise_and(X.view(np.uint32), np.uint32(0xFFFFE000)).view(np.float32) for X in (A, B)]
    for factors in ((rounded(A, TF32), rounded(B, TF32)), cut):
        C = (factors[0].astype(np.float64) @ factors[1].astype(np.float64)).astype(np.float32)
        assert compare(C, A, B, "random", element=TF32).ok
        assert not compare(C, A, B, "random").ok


def test_factors_that_are_rounded_to_bfloat16_are_not_tf32():
    A, B = make_inputs("integer", (16, 12, 64), 6, TF32)
    C = (rounded(A, BFLOAT16).astype(np.float64) @ rounded(B, BFLOAT16).astype(np.float64)).astype(np.float32)
    assert not compare(C, A, B, "integer", element=TF32).ok


def test_the_bound_of_exact_inputs_is_that_of_float32():
    assert rounding_bound(100, 1.0, FLOAT16) == rounding_bound(100, 1.0, BFLOAT16) == rounding_bound(100, 1.0)
    assert rounding_bound(100, 1.0, TF32) > 100 * rounding_bound(100, 1.0)


def test_names_and_pointers():
    assert all(pickle.loads(pickle.dumps(element)) is element for element in ELEMENTS.values())
    assert element_named("bfloat16") is BFLOAT16
    assert element_of("const __half*") is element_of("half*") is FLOAT16
    assert element_of("const float*") is FLOAT32 and element_of("int*") is element_of("half") is None
    with pytest.raises(UserError, match="no matrices of 'fp8'"):
        element_named("fp8")
