"""A verdict with the shortest order of warps in which a race makes C wrong, for those who ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.check.check import small
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.order.find import find_order
from gemmlab.trials.order.report import report
from gemmlab.trials.order.sentences import NOT_LOOKED_FOR

if TYPE_CHECKING:
    from gemmlab.course.lesson import Case
    from gemmlab.kernel.plan import Launches
    from gemmlab.kernel.verdict import Verdict


def with_order(verdict: Verdict, source: str, filename: str, spec: Launches, cases: Sequence[Case]) -> Verdict:
    """The verdict on this source, with an order where it tells of a race; else as it is."""
    if not any(finding.kind == "race" for finding in verdict.findings):
        return verdict
    some = [(case.shape, case.inputs, case.seed) for case in map(small, cases)]
    found = find_order(Candidate(source, filename, spec), some)
    told = report(*found)[0] if found else {"found": False, "tried": 0, "decisions": [], "words": [NOT_LOOKED_FOR()]}
    return replace(verdict, order=told)
