"""Shapes too large to emulate whole: the blocks at the corners of the grid are run, and what they wrote is judged.

Indices that overflow, and guards that fail at the far end, show there. The matrices are never filled: they are zeros
that the operating system does not even store, but for the rows of A and columns of B which those blocks need.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.check import sentences as say
from gemmlab.course.lesson import Case
from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import DRAWN, NOTHING, Epilogue
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.terms import Terms
from gemmlab.kernel.tolerance import MAX_ELEMENTS, expected
from gemmlab.kernel.verdict import CaseResult, Finding

if TYPE_CHECKING:
    from gemmlab.emulator import EmulatorExecutor
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.program import Program

WHOLE_WORK = 2**31  # products M·N·K that the emulator runs whole: some ten seconds
MOST_ELEMENTS = 2**32  # of A, B and C together; 16 GiB of addresses, little of it touched


def is_too_large(shape: tuple[int, int, int]) -> bool:
    """Whether the emulator runs only a sample of the blocks at this shape."""
    M, N, K = shape
    return M * N * K > WHOLE_WORK or M * K + K * N + M * N > MAX_ELEMENTS


def check_size(shape: tuple[int, int, int]) -> None:
    """Raise UserError for a shape of which not even a sample can be run."""
    M, N, K = shape
    if min(shape) < 1:
        raise UserError(say.SIZE_BELOW_1(M=M, N=N, K=K))
    elements = M * K + K * N + M * N
    if elements > MOST_ELEMENTS or M * N > MAX_ELEMENTS:
        raise UserError(say.SHAPE_TOO_LARGE(M=M, N=N, K=K, size=elements * 4 / 2**30))


def corner_blocks(launch: Launch) -> np.ndarray:
    """The blocks at the corners of the grid, at most eight, as linear numbers."""
    x, y, z = launch.grid
    corners = {i + x * (j + y * k) for i, j, k in product(*({0, size - 1} for size in launch.grid))}
    return np.array(sorted(corners), np.int64)


def run_sample(
    executor: EmulatorExecutor, program: Program, launch: Launch, case: Case, epilogue: Epilogue = NOTHING
) -> tuple[list[Finding], CaseResult]:
    """Run the corner blocks twice: first to see which elements of C they write, then with data in the rows and columns
    that these need. A beta that is drawn is 0, so that C need not be filled."""
    M, N, K = launch.layout.product(case.shape)
    blocks = corner_blocks(launch)
    try:
        element = launch.layout.element
        A, B = (np.zeros(size, element.storage) for size in ((M, K), (K, N)))
        empty = replace(epilogue, beta="0") if epilogue.beta == DRAWN else epilogue
        terms = empty.terms("random", (M, N), case.seed, element)
        seen = executor.run(program, launch, A, B, case.shape, blocks=blocks, terms=terms)
        findings = list(seen.findings)
        if seen.C is None:
            return findings, CaseResult(case.shape, False, None, case.inputs)
        rows, cols = (np.unique(index) for index in np.nonzero(seen.written))
        rng = np.random.default_rng(case.seed)
        A[rows] = element.encoded(element.values(rng.random((len(rows), K), np.float32) * 2 - 1))
        B[:, cols] = element.encoded(element.values(rng.random((K, len(cols)), np.float32) * 2 - 1))
        outcome = executor.run(program, launch, A, B, case.shape, blocks=blocks, terms=terms)
    except MemoryError:
        raise UserError(say.NO_MEMORY(M=M, N=N, K=K)) from None
    findings = list(outcome.findings)
    max_error, right = _compare(outcome, A, B, terms, (rows, cols))
    findings.append(_only_a_sample(len(blocks), launch))
    sizes = dict(zip("MNK", case.shape, strict=True))
    missing = [(i, j) for i, j in product({0, M - 1}, {0, N - 1}) if not outcome.written[i, j]]
    if missing:
        (row, col), *_ = missing
        findings.append(_wrong(say.CORNER_NEVER_WRITTEN(row=row, col=col, **sizes), case))
    elif not right:
        findings.append(_wrong(say.CORNERS_WRONG(**sizes), case))
    right = right and not missing
    faultless = not any(finding.is_error for finding in findings)
    return findings, CaseResult(case.shape, right and faultless, max_error, case.inputs)


def _compare(
    outcome: Outcome, A: np.ndarray, B: np.ndarray, terms: Terms, place: tuple[np.ndarray, np.ndarray]
) -> tuple[float | None, bool]:
    """max |C - C64| over the written elements in the rows and columns of the place, and whether all of them (at least
    one) are close enough."""
    C, written, (rows, cols) = outcome.C, outcome.written, place
    if C is None or written is None or not len(rows):
        return None, False
    here = np.ix_(rows, cols)
    old, bias = (None if terms.C is None else terms.C[here]), (None if terms.bias is None else terms.bias[cols])
    A64, B64 = (terms.element.decoded(matrix).astype(np.float64) for matrix in (A[rows], B[:, cols]))
    right, bound = expected(A64, B64, "random", replace(terms, C=old, bias=bias))
    error, bound = np.abs(C[here] - right)[written[here]], np.broadcast_to(bound, right.shape)[written[here]]
    max_error = float(error.max())
    return (max_error if np.isfinite(max_error) else None), bool((error <= bound).all())


def _only_a_sample(blocks: int, launch: Launch) -> Finding:
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    return Finding("unsupported", say.ONLY_CORNERS(blocks=blocks, total=total), "warning")


def _wrong(message: str, case: Case) -> Finding:
    return Finding("wrong_result", message, details={"shape": list(case.shape)})
