"""The cause first, and one cause, one finding.

A finding's `details` tell what it is about: `place`, which findings of one cause share; `arrays` and `lines`, all that
the cause touches; `shared` for shared memory; `one_warp` where the example is two threads of one warp; `no_barrier`
where none stands between the two accesses of a race, whoever comes to it; `left` where a thread ended before a barrier,
`warp` where only lanes of one warp did not meet; `wanted` the blocks that a kernel wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gemmlab.kernel.kinds import KINDS
from gemmlab.kernel.verdict import Finding


def causes_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings as a report tells them: what makes other faults before what it makes, errors before warnings."""

    def rank(finding: Finding) -> tuple[bool, int, bool]:
        return not finding.is_error, KINDS[finding.kind].order, bool(finding.details.get("one_warp"))

    return sorted(findings, key=rank)


def merge(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of one fault as one, in order of appearance, with their counts summed.

    A fault is what an executor says is one `place` of one kernel, else a kind, line and message. The clearer example
    stays: one of two threads of different warps.
    """
    merged: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        place = finding.details.get("place")
        what = (finding.details.get("kernel"), place) if place else (finding.line, finding.message)
        key = (finding.kind, finding.severity, *what)
        known = merged.get(key, finding)
        shown = finding if known.details.get("one_warp") and not finding.details.get("one_warp") else known
        count = finding.count + (known.count if key in merged else 0)
        merged[key] = replace(shown, count=count)
    return list(merged.values())


def harmless_ends_as_warnings(findings: Sequence[Finding]) -> list[Finding]:
    """Whole warps that end before a barrier, which does without them, are a warning where nothing else is wrong."""
    if any(finding.is_error and not finding.details.get("whole_warp") for finding in findings):
        return list(findings)
    return [replace(one, severity="warning") if one.details.get("whole_warp") else one for one in findings]


def ends_as_errors(findings: Sequence[Finding]) -> list[Finding]:
    """The same where the numbers are wrong: then what those warps left undone may be the reason."""
    return [replace(one, severity="error") if one.details.get("whole_warp") else one for one in findings]


def without_followers(findings: Sequence[Finding], at_edge: bool = False) -> list[Finding]:
    """The findings of one kernel but for those that another one of them explains. `at_edge` says that they are of one
    launch at a shape where the last blocks reach beyond C."""

    def follows(finding: Finding, cause: Finding) -> bool:
        return _follows(finding, cause) or at_edge and _meets_others_beyond_the_edge(finding, cause)

    return [
        finding
        for finding in findings
        if not any(finding is not cause and follows(finding, cause) for cause in findings if cause.is_error)
    ]


def _follows(finding: Finding, cause: Finding) -> bool:
    if cause.kind == "launch_error" and "wanted" in cause.details:
        return finding.kind in ("race", "out_of_bounds", "uninitialized", "misaligned")
    if finding.kind == "race":
        return _race_follows(finding, cause)
    if finding.kind == "barrier_divergence":
        if finding.details.get("whole_warp"):
            return cause.kind == finding.kind and not cause.details.get("whole_warp")
        return bool(finding.details.get("left")) and cause.kind == finding.kind and not cause.details.get("left")
    if finding.kind == "out_of_bounds":
        return cause.kind == "misaligned" and _same_place(finding, cause)
    if finding.kind == "uninitialized" and finding.details.get("shared"):
        return cause.kind == "barrier_divergence"
    return False


def _race_follows(race: Finding, cause: Finding) -> bool:
    """Threads that miss a barrier are ordered by none, though where no barrier stands that is another fault; and where
    two threads write different values, others that write the same one are no news."""
    if cause.kind == "barrier_divergence":
        is_of_barriers = bool(race.details.get("shared")) and not race.details.get("no_barrier")
        return is_of_barriers and "warp" not in cause.details
    return cause.kind == "race" and not race.is_error and _same_place(race, cause)


def _meets_others_beyond_the_edge(race: Finding, cause: Finding) -> bool:
    """A thread beyond the last column that stores all the same leaves C in the last row, and in any other row meets
    the thread whose element it is. A race that is there at whole tiles as well is none of these."""
    is_in_memory = race.kind == "race" and not race.details.get("shared")
    return is_in_memory and cause.kind == "out_of_bounds" and _same_place(race, cause)


def _same_place(finding: Finding, cause: Finding) -> bool:
    """Whether both are about one array, and a line of the cause's is one of the finding's."""
    same_array = bool(set(_arrays(finding)) & set(_arrays(cause)))
    return same_array and bool(set(_lines(finding)) & set(_lines(cause)))


def _arrays(finding: Finding) -> Iterable[str]:
    return finding.details.get("arrays", ())


def _lines(finding: Finding) -> Iterable[int]:
    return finding.details.get("lines", ())
