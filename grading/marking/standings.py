"""The order of the leaderboard: who is how fast, who shares a rank, and who has none and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from gemmlab.errors import UserError
from gemmlab.models.board import score

Shape = tuple[int, int, int]
DIGITS = 3  # of a score that are compared and shown: a tenth of a per cent


@dataclass(frozen=True)
class Standing:
    """One entry of the board. `ratios` are its speed over cuBLAS's by shape, empty where it was not timed; `reason`
    says why it has no rank. `reference` is an entry of the course's own, which is shown and not ranked."""

    student: str
    ratios: dict[Shape, float] = field(default_factory=dict)
    reason: str = ""
    reference: bool = False
    rank: int | None = None

    @property
    def score(self) -> float | None:
        """The geometric mean of the ratios, as it is compared; None where it has none."""
        try:
            return round(score(self.ratios), DIGITS)
        except UserError:
            return None


def ranked(standings: Iterable[Standing]) -> list[Standing]:
    """The fastest first; those with one score share a rank, and the next rank is left out. Then those without a rank,
    by name."""
    found = list(standings)
    timed = [one for one in found if not one.reason and one.score is not None]
    timed.sort(key=lambda one: (-_score_of(one), one.reference, one.student))
    others = sorted((one for one in found if one not in timed), key=lambda one: one.student)
    return [*_numbered(timed), *(replace(one, rank=None) for one in others)]


def _numbered(timed: Sequence[Standing]) -> Iterable[Standing]:
    place, rank, last = 0, 0, float("inf")
    for one in timed:
        if one.reference:
            yield replace(one, rank=None)
            continue
        place += 1
        if _score_of(one) < last:
            rank, last = place, _score_of(one)
        yield replace(one, rank=rank)


def _score_of(one: Standing) -> float:
    found = one.score
    assert found is not None and isfinite(found), "only timed entries are ordered"
    return found
