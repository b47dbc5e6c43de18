"""Reads wrong results: one sentence that says what the wrong elements of C have in common and where to look.

First the values: does one of the usual slips (hypotheses.py) give this very C, in every case tried? Else
the places (places.py): which elements are wrong or were never written, and which cases are wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gemmlab.check.diagnosis import sentences as say
from gemmlab.check.diagnosis.epilogues import EPILOGUE_SLIPS, EpilogueSlip, has_epilogue
from gemmlab.check.diagnosis.evidence import Evidence, Reading, Tile, Trial
from gemmlab.check.diagnosis.hypotheses import HYPOTHESES, Hypothesis
from gemmlab.check.diagnosis.places import nothing_written, read_place
from gemmlab.kernel.elements import FLOAT32, rounded
from gemmlab.kernel.tolerance import EXACT, rounding_bound

__all__ = ["Reading", "Tile", "Trial", "read_pattern"]

_USUAL_TILES = (16, 32, 8, 4)
_LARGEST_TILE = 1024  # a larger one only means that the grid does not grow with C
_LARGEST_REPLAY = 2**21  # products M·N·K; beyond, the slips are not replayed


def read_pattern(trials: Sequence[Trial], tile: Tile) -> Reading:
    """The best reading of these results, at least one of them wrong; `tile` is the (rows, columns) of C of a block."""
    wrong = sorted((trial for trial in trials if not trial.comparison.ok), key=lambda trial: trial.work)
    evidence = Evidence(wrong, [trial for trial in trials if trial.comparison.ok], tile)
    if wrong[0].terms.batch > 1:
        return _of_batch(wrong[0])
    if not nothing_written(evidence) and _is_narrow(evidence):
        return Reading("narrow", say.NARROW(element=wrong[0].element.name), wrong[0])
    slip = None if nothing_written(evidence) else _slip(evidence)
    if slip:
        return Reading(slip.name, slip.text(), wrong[0])
    return Reading(*read_place(evidence))


def _is_narrow(evidence: Evidence) -> bool:
    """Whether C was rounded to the type of A and B, a narrow one: all of it has such numbers, though what is right has
    not, and is near."""
    found = all(map(_holds_rounded_sums, evidence.wrong))
    return found and any(np.isfinite(trial.C).all() for trial in evidence.wrong)


def _holds_rounded_sums(trial: Trial) -> bool:
    if trial.element.digits == FLOAT32.digits or trial.unwritten.any():
        return False
    A, B = trial.A.astype(np.float64), trial.B.astype(np.float64)
    right, roundings = A @ B, A.shape[1] + 1
    with np.errstate(invalid="ignore"):
        near = np.abs(trial.C - right) <= 2 * roundings * trial.element.roundoff * (np.abs(A) @ np.abs(B))
    too_large = ~np.isfinite(trial.C)  # for a narrow type, on the way or at the end
    told = not np.array_equal(rounded(right, trial.element), right.astype(np.float32))
    narrow = np.array_equal(rounded(trial.C, trial.element), trial.C, equal_nan=True)
    return told and narrow and bool((near | too_large).all())


def _of_batch(trial: Trial) -> Reading:
    """Which products of a batch are wrong."""
    count = trial.terms.batch
    wrong = [number for number, part in enumerate(np.split(trial.comparison.wrong, count)) if part.any()]
    if wrong == list(range(1, count)):
        return Reading("batch_of_one", say.BATCH_OF_ONE(count=count), trial)
    if len(wrong) == count:
        return Reading("whole_batch", say.WHOLE_BATCH(count=count), trial)
    return Reading("part_of_batch", say.PART_OF_BATCH(count=count, wrong=len(wrong), first=wrong[0]), trial)


def _slip(evidence: Evidence) -> Hypothesis | EpilogueSlip | None:
    """The first slip that gives C in every case, right ones too, and wrong values of C from inputs not all alike."""
    trials = [trial for trial in evidence.wrong + evidence.right if trial.work <= _LARGEST_REPLAY]
    epilogues = EPILOGUE_SLIPS if any(has_epilogue(trial.terms) for trial in trials) else ()
    with np.errstate(invalid="ignore", over="ignore"):
        for T in dict.fromkeys(T for T in (*evidence.tile[::-1], *_USUAL_TILES) if T <= _LARGEST_TILE):
            of_product = [slip for slip in HYPOTHESES if T in evidence.tile or not slip.of_block_tile]
            slips: list[Hypothesis | EpilogueSlip] = [*epilogues, *of_product]
            for slip in slips:
                if _explains(slip, trials, T):
                    return slip
    return None


def _explains(slip: Hypothesis | EpilogueSlip, trials: list[Trial], T: int) -> bool:
    telling = False
    for trial in trials:
        agrees = _agrees(slip, trial, T)
        if agrees is False:
            return False
        telling = telling or (bool(agrees) and trial.has_wrong_values and trial.inputs != "ones")
    return telling


def _agrees(slip: Hypothesis | EpilogueSlip, trial: Trial, T: int) -> bool | None:
    """Whether the slip gives this C where it was written; None where it cannot happen or nothing was written."""
    A, B = trial.A.astype(np.float64), trial.B.astype(np.float64)
    if isinstance(slip, EpilogueSlip):
        expected, product = slip.candidate(trial.terms, A, B, T), A @ B
    else:
        product = slip.candidate(A, B, T)
        expected = None if product is None else trial.terms.finish(product)
    written = ~trial.unwritten
    if expected is None or not written.any():
        return None
    bound = np.zeros(expected.shape)
    if isinstance(slip, EpilogueSlip) or trial.inputs == "random" or np.abs(product).max() > EXACT:
        bound = rounding_bound(A.shape[1], (1 + np.abs(A)) @ (1 + np.abs(B)), trial.element)
    return bool((np.abs(trial.C - expected) <= trial.terms.bound(product, bound))[written].all())
