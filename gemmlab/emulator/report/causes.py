"""One cause, one finding: without the faults that only follow from another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gemmlab.kernel.verdict import Finding


def without_followers(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of one kernel but for those that another one of them explains."""
    return [
        finding
        for finding in findings
        if not any(finding is not cause and _follows(finding, cause) for cause in findings if cause.is_error)
    ]


def _follows(finding: Finding, cause: Finding) -> bool:
    if finding.kind == "race":
        return _race_follows(finding, cause)
    if finding.kind == "out_of_bounds":
        return cause.kind == "misaligned" and _same_place(finding, cause)
    if finding.kind == "uninitialized" and finding.details.get("shared"):
        return cause.kind == "barrier_divergence"
    return False


def _race_follows(race: Finding, cause: Finding) -> bool:
    """An index that leaves an array also meets other threads' elements of it; threads that miss a barrier are ordered
    by none; and where two threads write different values, others that write the same one are no news."""
    if cause.kind == "out_of_bounds":
        return _same_place(race, cause)
    if cause.kind == "barrier_divergence":
        return bool(race.details.get("shared")) and "warp" not in cause.details
    return cause.kind == "race" and not race.is_error and _same_place(race, cause)


def _same_place(finding: Finding, cause: Finding) -> bool:
    """Whether both are about one array, and a line of the cause's is one of the finding's."""
    same_array = bool(set(_arrays(finding)) & set(_arrays(cause)))
    return same_array and bool(set(_lines(finding)) & set(_lines(cause)))


def _arrays(finding: Finding) -> Iterable[str]:
    return finding.details.get("arrays", ())


def _lines(finding: Finding) -> Iterable[int]:
    return finding.details.get("lines", ())
