"""What is made of a product before it is stored: what a case draws for it, and how close to right is close enough."""

import numpy as np
import pytest

from gemmlab.errors import UserError
from gemmlab.kernel.arguments import ArgumentList, AskedLaunch
from gemmlab.kernel.epilogue import Epilogue
from gemmlab.kernel.launch import Address, LaunchSpec, Scalar
from gemmlab.kernel.layout import COURSE
from gemmlab.kernel.plan import bound
from gemmlab.kernel.terms import PLAIN, STEEPEST_SILU, sigmoid, silu
from gemmlab.kernel.tolerance import INPUT_KINDS, compare

SHAPE = (35, 45, 100)
FULL = Epilogue("drawn", "drawn", bias=True, activation="silu")
F = np.float32
EDGES = np.array([0, 1e-30, -1e-30, 1, -1, 20, -20, 87, -87, 88.8, -88.8, 104, -104, 1e4, -1e4], F)


def in_float32(terms, A, B, exp=np.exp):
    """The epilogue as a kernel computes it, on a product that was summed in float32."""
    acc = np.zeros((len(A), B.shape[1]), F)
    for k in range(A.shape[1]):
        acc += A[:, k, None] * B[k]
    x = F(terms.alpha) * acc
    x = x if terms.C is None else x + F(terms.beta) * terms.C
    x = x if terms.bias is None else x + terms.bias
    return x if terms.activation == "none" else silu32(x, exp)


def silu32(x, exp=np.exp):
    with np.errstate(over="ignore"):
        return (x / (F(1) + exp(-x))).astype(F)


def rough_exp(x):
    """As __expf: the argument is rounded after it was multiplied by log2(e)."""
    return np.exp2((x * F(1.4426950408889634)).astype(F)).astype(F)


@pytest.mark.parametrize("exp", [np.exp, rough_exp])
@pytest.mark.parametrize("kind", INPUT_KINDS)
def test_float32_is_close_enough_whatever_is_drawn(kind, exp):
    for seed in range(8):
        A, B, terms = FULL.draw(kind, SHAPE, seed)
        assert compare(in_float32(terms, A, B, exp), A, B, kind, None, terms=terms).ok


def test_silu_is_nowhere_steeper_than_stated():
    x = np.linspace(-40, 40, 800_001)
    slope = sigmoid(x) * (1 + x * sigmoid(-x))
    assert np.allclose(slope[1:-1], (silu(x[2:]) - silu(x[:-2])) / (x[2:] - x[:-2]), atol=1e-6)
    assert 1.09 < np.abs(slope).max() <= STEEPEST_SILU


@pytest.mark.parametrize("exp", [np.exp, rough_exp])
def test_the_error_of_silu_itself_holds_at_the_edges_and_is_small(exp):
    x = np.concatenate([EDGES, np.random.default_rng(0).uniform(-110, 110, 20_000).astype(F)])
    terms = Epilogue(activation="silu").terms("random", (1, len(x)), 0)
    allowed = terms.bound(x.astype(np.float64), 0.0)
    assert (np.abs(silu32(x, exp) - silu(x.astype(np.float64))) <= allowed).all()
    assert (allowed <= 2e-6 * np.maximum(1, np.abs(x))).all()


@pytest.mark.parametrize("kind", INPUT_KINDS)
def test_an_error_as_large_as_a_bias_is_seen(kind):
    A, B, terms = FULL.draw(kind, SHAPE, 3)
    C = in_float32(terms, A, B)
    C[4, 7] += 0.5
    found = compare(C, A, B, kind, None, terms=terms)
    assert found.wrong.sum() == 1 and found.worst == (4, 7)


def test_half_of_the_drawn_betas_are_0_and_then_C_holds_nothing():
    drawn = [FULL.terms("integer", (3, 4), seed) for seed in range(64)]
    assert all((terms.beta == 0) == (terms.C is None) for terms in drawn)
    assert 20 < sum(terms.beta == 0 for terms in drawn) < 44
    assert {terms.alpha for terms in drawn} == {0.25, 0.5, 2.0}


def test_what_stands_as_it_was_in_C_and_is_wrong_counts_as_unwritten():
    A, B, terms = Epilogue(beta="1", bias=True).draw("integer", SHAPE, 0)
    C = in_float32(terms, A, B)
    C[5:] = terms.C[5:]
    found = compare(C, A, B, "integer", np.ones(C.shape, bool), terms=terms)
    assert not found.ok and found.unwritten[5:].mean() > 0.9 and not found.unwritten[:5].any()


def test_the_products_of_a_batch_lie_below_one_another():
    A, B, terms = Epilogue(batch=3, bias=True).draw("integer", (4, 5, 6), 0)
    assert A.shape == (12, 6) and B.shape == (18, 5)
    C = np.concatenate([A[4 * b : 4 * b + 4] @ B[6 * b : 6 * b + 6] + terms.bias for b in range(3)])
    assert compare(C, A, B, "integer", None, terms=terms).ok
    assert not compare(np.tile(C[:4], (3, 1)), A, B, "integer", None, terms=terms).ok


def test_an_epilogue_of_nothing_is_the_plain_product():
    assert Epilogue().draw("random", SHAPE, 0)[2] is PLAIN


def test_arguments_name_the_epilogue():
    given = ArgumentList.parse("A,B,bias,C,M,N,K,alpha,beta=0.5f", "silu")
    assert given.epilogue() == Epilogue("drawn", "0.5", bias=True, activation="silu")
    assert ArgumentList.parse("A,B,C=given,N").epilogue().terms("ones", (2, 2), 0).beta == 1


def test_a_case_gives_alpha_and_beta_their_numbers():
    spec = LaunchSpec.parse("16,16", "cdiv(N,16),cdiv(M,16)")
    launch = AskedLaunch.of(spec, "A,B,bias,C,M,N,K,alpha,beta=0.5", "silu")
    terms = launch.epilogue.terms("random", (64, 32), 5)
    arguments = bound(launch.at(64, 32, 16), terms).arguments
    assert arguments[2:] == (
        Address("bias"),
        Address("C"),
        *(Scalar("int32", size) for size in (64, 32, 16)),
        Scalar("float32", terms.alpha),
        Scalar("float32", 0.5),
    )
    assert [parameter.types[0] for parameter in launch.parameters] == [
        *["const float*"] * 3,
        "float*",
        *["int"] * 3,
        *["float"] * 2,
    ]


@pytest.mark.parametrize(
    "text, words",
    [
        ("A,B,C,bias,bias,M", "names bias twice"),
        ("A,B,C,alpha,alpha=1.0", "names alpha twice"),
        ("A,B,C=0,beta", "C=0 and beta"),
        ("A,B,C,alpha=much", "'much' is no number"),
        ("A,B,C,gamma", "'gamma' is not known here"),
    ],
)
def test_arguments_that_contradict_each_other(text, words):
    with pytest.raises(UserError, match=words):
        ArgumentList.parse(text)


def test_an_unknown_activation_is_named():
    with pytest.raises(UserError, match="unknown activation 'gelu'"):
        ArgumentList.parse("A,B,C", "gelu")


def test_transposed_matrices_of_a_batch_are_stored_one_by_one():
    from dataclasses import replace

    B = np.arange(2 * 3 * 4, dtype=F).reshape(6, 4)
    stored = replace(COURSE, transposed=frozenset("B"), batch=2).stored(B, B)[1]
    assert np.array_equal(stored.ravel(), np.concatenate([B[:3].T.ravel(), B[3:].T.ravel()]))
