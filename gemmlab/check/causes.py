"""Causes that a single launch does not show by itself: where C ends, what one launch leaves for the next, and several
names of one memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.check import sentences as say
from gemmlab.check.diagnosis.wrong_result import output_tile
from gemmlab.kernel.causes import without_followers
from gemmlab.kernel.epilogue import epilogue_of
from gemmlab.kernel.tolerance import compare
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    from gemmlab.course.lesson import Case
    from gemmlab.kernel.epilogue import Inputs
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.plan import Launches
    from gemmlab.kernel.program import Program
    from gemmlab.kernel.terms import Terms

_OF_SHARED_MEMORY = ("wrong_result", "race", "uninitialized")


def without_edge_followers(findings: Sequence[Finding], spec: Launches, shape: tuple[int, int, int]) -> list[Finding]:
    """The findings of one launch, without those that are there only because C ends inside of a block's tile."""
    rows, cols, _ = spec.layout.product(shape)
    tile_rows, tile_cols = output_tile(spec)
    return without_followers(findings, at_edge=bool(rows % tile_rows or cols % tile_cols))


def faults_of_second_launch(outcome: Outcome) -> Iterator[Finding]:
    """The errors at the second launch of a kernel without one at its first."""
    for finding in outcome.again.findings if outcome.again else ():
        if finding.is_error:
            message = say.SECOND_LAUNCH_FAULT(variables=", ".join(outcome.kept), fault=finding.message)
            yield replace(finding, message=message)


def second_launch(outcome: Outcome, was_right: bool, inputs: Inputs, case: Case) -> Iterator[Finding]:
    """What is wrong at a second launch, on A turned (Terms.turned); whether the first was right is given."""
    yield from faults_of_second_launch(outcome)
    again, (A, B, terms) = outcome.again, inputs
    if not was_right or again is None or again.C is None or again.has_error:
        return
    if not compare(again.C, A, B, case.inputs, again.written, terms=terms).ok:
        M, N, K = case.shape
        message = say.SECOND_LAUNCH_WRONG(M=M, N=N, K=K, variables=", ".join(outcome.kept))
        yield Finding("wrong_result", message, details={"shape": list(case.shape), "variables": list(outcome.kept)})


def read_for_beta_0(findings: Sequence[Finding], launches: object, terms: Terms) -> list[Finding]:
    """The findings, those on a C that held nothing with the reason, where the kernel has a beta."""
    if not epilogue_of(launches).beta or terms.beta:
        return list(findings)
    return [
        replace(finding, message=say.READ_FOR_BETA_0(fault=finding.message)) if _reads_C(finding) else finding
        for finding in findings
    ]


def _reads_C(finding: Finding) -> bool:
    return finding.kind == "uninitialized" and bool(finding.details.get("from_global"))


def one_memory(program: Program, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, the first on shared memory with the names of dynamic shared memory where it has several."""
    names = program.dynamic_shared
    told = list(findings)
    for number, finding in enumerate(told if len(names) > 1 else ()):
        if finding.is_error and finding.kind in _OF_SHARED_MEMORY:
            told[number] = replace(finding, message=say.ONE_MEMORY(fault=finding.message, names=" and ".join(names)))
            break
    return told
