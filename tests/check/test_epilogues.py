"""Wrong epilogues are named by what they computed, and a batch by which of its products are wrong."""

from dataclasses import replace

import numpy as np
import pytest

from gemmlab.check.attention import SOURCE, check_scores
from gemmlab.check.diagnosis.epilogues import EPILOGUE_SLIPS
from gemmlab.check.diagnosis.evidence import Trial
from gemmlab.check.diagnosis.pattern import read_pattern
from gemmlab.kernel.epilogue import Epilogue
from gemmlab.kernel.tolerance import compare

EPILOGUE = Epilogue("drawn", "drawn", bias=True, activation="silu")
CASES = (((20, 35, 40), "random", 0), ((17, 33, 24), "integer", 7), ((24, 40, 33), "structured", 4))
T = 16


def trials(compute):
    """What a kernel that computes like that gives in each case; two of them have an old C."""
    found = []
    for shape, kind, seed in CASES:
        A, B, terms = EPILOGUE.draw(kind, shape, seed)
        C = np.asarray(compute(terms, A.astype(np.float64), B.astype(np.float64)), np.float32)
        comparison = compare(C, A, B, kind, np.ones(C.shape, bool), terms=terms)
        found.append(Trial(shape, kind, A, B, C, comparison, terms))
    return found


def test_the_cases_tell_alpha_beta_and_an_old_C():
    drawn = [EPILOGUE.draw(kind, shape, seed)[2] for shape, kind, seed in CASES]
    assert {terms.beta == 0 for terms in drawn} == {True, False}
    assert all(trial.comparison.ok for trial in trials(lambda terms, A, B: terms.finish(A @ B)))


@pytest.mark.parametrize("slip", EPILOGUE_SLIPS, ids=lambda slip: slip.name)
def test_each_slip_is_named(slip):
    reading = read_pattern(trials(lambda terms, A, B: slip.candidate(terms, A, B, T)), (T, T))
    assert reading.name == slip.name and reading.sentence == slip.text()


def test_a_slip_of_the_product_is_named_under_an_epilogue():
    def without_last_k(terms, A, B):
        return terms.finish(A[:, :-1] @ B[:-1])

    assert read_pattern(trials(without_last_k), (T, T)).name == "without_last_k"


@pytest.mark.parametrize("epilogue", [Epilogue(), Epilogue(batch=3)])
def test_a_kernel_without_an_epilogue_has_no_slip_of_one(epilogue):
    A, B, terms = epilogue.draw("random", (20, 30, 40), 1)
    C = (2 * terms.product(A, B)).astype(np.float32)
    trial = Trial((20, 30, 40), "random", A, B, C, compare(C, A, B, "random", terms=terms), terms)
    assert read_pattern([trial], (T, T)).name == ("twice" if epilogue.batch == 1 else "whole_batch")


# ---- a batch, in the emulator


def test_the_scores_of_attention_are_those_of_einsum():
    """The products that the check compares with, beside NumPy's own words for them."""
    B, H, S, D = 2, 3, 7, 5
    epilogue = replace(Epilogue(batch=B * H), alpha="0.25")
    Q, K, terms = epilogue.draw("random", (S, S, D), 0)
    Q4 = Q.reshape(B, H, S, D)
    K4 = K.reshape(B, H, D, S).swapaxes(2, 3)  # the check has each Kᵀ, S columns wide
    scores = 0.25 * np.einsum("bhsd,bhtd->bhst", Q4.astype(np.float64), K4)
    np.testing.assert_allclose(terms.finish(terms.product(Q.astype(np.float64), K)), scores.reshape(B * H * S, S))


def test_a_batch_runs_in_the_emulator():
    verdict = check_scores(SOURCE.read_text(encoding="utf-8"), batch=6, tokens=20, depth=24, backend="emulator")
    assert verdict.passed and [case.ok for case in verdict.cases] == [True, True]


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("A += (size_t)blockIdx.z * strideA;", "", "only the first is right"),
        ("sum += ", "sum -= ", "All 6 products of the batch are wrong"),
        ("B += (size_t)blockIdx.z", "B += (size_t)(blockIdx.z % 4)", "2 are wrong, the first of them is number 4"),
        ("strideB;\n", "(strideB + 1);\n", "beyond its end: B is 120×24 (6×N×K)"),
    ],
)
def test_a_wrong_batch_is_told_which_products_are_wrong(old, new, words):
    source = SOURCE.read_text(encoding="utf-8")
    assert old in source
    verdict = check_scores(source.replace(old, new), batch=6, tokens=20, depth=24, backend="emulator")
    assert not verdict.passed and words in " ".join(finding.message for finding in verdict.findings)
