"""What a class did, lesson by lesson, in numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from grading.model import Graded

BINS = 10  # of the distribution of totals, one mark each; the last one holds full marks too


@dataclass(frozen=True)
class KindCount:
    """One kind of hidden case: how many kernels were tried on it, and how many failed."""

    kind: str
    group: str
    failed: int
    tried: int


@dataclass(frozen=True)
class ItemCount:
    """One item marked by hand: how many have marks, and their mean."""

    id: str
    possible: float
    marked: int
    mean: float | None


@dataclass(frozen=True)
class LessonCount:
    """One lesson. `findings` counts students by kind of finding, `totals` by marks; `kernels` is empty where the lesson
    has one kernel only."""

    name: str
    title: str
    students: int
    statuses: dict[str, int]
    results: dict[str, int]
    vetoes: dict[str, int]
    kinds: tuple[KindCount, ...]
    findings: dict[str, int]
    totals: tuple[int, ...]
    middle: float
    items: tuple[ItemCount, ...]
    kernels: dict[str, dict[str, int]]


def by_lesson(graded: Sequence[Graded]) -> list[LessonCount]:
    """One for each lesson, in the order of their names."""
    groups: dict[str, list[Graded]] = defaultdict(list)
    for one in graded:
        groups[one.lesson].append(one)
    return [_lesson(name, groups[name]) for name in sorted(groups)]


def _lesson(name: str, graded: Sequence[Graded]) -> LessonCount:
    return LessonCount(
        name,
        graded[0].title,
        len(graded),
        _ordered(Counter(one.status for one in graded)),
        _ordered(Counter(one.result for one in graded)),
        _ordered(Counter(veto for one in graded for veto in set(filter(None, one.veto.split("; "))))),
        _kinds(graded),
        _ordered(Counter(kind for one in graded for kind in {case.finding for case in one.cases if not case.ok})),
        _totals(graded),
        median(one.total for one in graded),
        _items(graded),
        _kernels(graded),
    )


def _ordered(counts: Counter) -> dict[str, int]:
    """The most frequent first; of equal ones the first by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _kinds(graded: Sequence[Graded]) -> tuple[KindCount, ...]:
    """The kind that fails most comes first."""
    tried: Counter = Counter()
    failed: Counter = Counter()
    for case in (case for one in graded for case in one.cases):
        tried[case.kind, case.group] += 1
        failed[case.kind, case.group] += not case.ok
    kinds = [KindCount(kind, group, failed[kind, group], count) for (kind, group), count in tried.items()]
    return tuple(sorted(kinds, key=lambda one: (-one.failed / one.tried, -one.failed, one.group, one.kind)))


def _totals(graded: Sequence[Graded]) -> tuple[int, ...]:
    bins = Counter(min(int(one.total + 1e-9), BINS - 1) for one in graded)
    return tuple(bins[number] for number in range(BINS))


def _items(graded: Sequence[Graded]) -> tuple[ItemCount, ...]:
    marks: dict[tuple[str, float], list[float]] = {}
    for item in (item for one in graded for item in one.hand_items):
        given = marks.setdefault((item.id, item.possible), [])
        given += [] if item.marks is None else [item.marks]
    return tuple(ItemCount(*key, len(given), fmean(given) if given else None) for key, given in marks.items())


def _kernels(graded: Sequence[Graded]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter] = defaultdict(Counter)
    for kernel in (kernel for one in graded for kernel in one.kernels):
        counts[kernel.name.partition("/")[2]][kernel.status] += 1
    return {name: _ordered(counts[name]) for name in sorted(counts)} if len(counts) > 1 else {}
