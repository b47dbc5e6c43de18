"""times.html: how long kernels took, as of when they were executed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from grading.reports.page import render

_SLOWEST = 10


@dataclass(frozen=True)
class KernelTimes:
    """Of one kernel, in seconds, over all students. `slowest` are pairs of student and seconds."""

    name: str
    count: int
    middle: float
    longest: float
    total: float
    slowest: tuple[tuple[str, float], ...]


def text(audit: Sequence[dict]) -> str:
    """The page. A kernel that several handed in alike was executed once, and counts for each of them."""
    groups: dict[str, list[dict]] = defaultdict(list)
    for one in audit:
        groups[one["kernel"]].append(one)
    return render("times.html", kernels=[_kernel(name, groups[name]) for name in sorted(groups)])


def _kernel(name: str, executions: Sequence[dict]) -> KernelTimes:
    seconds = [one["seconds"] for one in executions]
    executed = {one["key"]: one["seconds"] for one in executions}
    slowest = sorted(((one["student"], one["seconds"]) for one in executions), key=lambda pair: (-pair[1], pair[0]))
    return KernelTimes(
        name, len(executed), median(seconds), max(seconds), sum(executed.values()), tuple(slowest[:_SLOWEST])
    )
