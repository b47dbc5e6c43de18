"""Shapes of a kernel's own: where its conditions on M, N and K go ways that they go at none of a lesson's cases.

The cases of a lesson know its solution. A student's kernel may have a fast path for an N that is a multiple of 24, or
another loop from K = 200 on; then the check and grading run it at such a shape as well. Both find the same shapes, for
both ask from the lesson's public cases on. Where the hidden cases leave out a way that the public ones go, grading
takes the shape of a public one as well, so that what the check fails, grading fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from gemmlab.kernel.verdict import Conditions, Lines

if TYPE_CHECKING:
    from gemmlab.emulator.sizes.outcomes import Outcome, Outcomes
    from gemmlab.emulator.sizes.search import Found, Taken
    from gemmlab.kernel.plan import Launches
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
MOST_ADDED = 2  # shapes, each of which costs time in every check


def conditions_at(program: Program, spec: Launches, shapes: Sequence[Shape]) -> Conditions:
    """Which ways the conditions of a kernel go at these shapes, and at which others more of them. The shapes at which
    to run it as well are those `added`."""
    from gemmlab.emulator.sizes.outcomes import LAUNCHED
    from gemmlab.emulator.sizes.walk import Lost

    try:
        known, found = _looked_for(program, spec, shapes)
    except Lost as reason:
        return Conditions(because=str(reason))
    new = [one for outcomes in found.shapes.values() for one in outcomes]
    ways = [one for one in (*known.reached, *new) if one.number != LAUNCHED]
    count = len({(one.kernel, one.number) for one in ways})
    return Conditions(count, len(ways), _lines(found.shapes), _lines(found.left), found.tried)


def shapes_beside(program: Program, spec: Launches, public: Sequence[Shape], hidden: Sequence[Shape]) -> list[Shape]:
    """Where to run a kernel beside the hidden shapes, so that it goes each way there that it goes in a check of the
    public ones: at the shapes that are added for it, and at some of the public."""
    from gemmlab.emulator.sizes.outcomes import outcomes_at
    from gemmlab.emulator.sizes.search import MOST_WORK, cover
    from gemmlab.emulator.sizes.walk import Lost

    try:
        known, found = _looked_for(program, spec, public)
        seen = outcomes_at(program, spec, hidden, thorough=False)
    except Lost:
        return []
    own = set(outcomes_at(program, spec, list(found.shapes), thorough=False).reached)
    by_shape: dict[Shape, set[Outcome]] = {}
    for outcome in set(known.reached) - set(seen.reached) - own:
        for shape in known.reached[outcome]:
            if prod(shape) <= MOST_WORK:
                by_shape.setdefault(shape, set()).add(outcome)
    return [*found.shapes, *(shape for shape, _ in cover(by_shape))]


def _looked_for(program: Program, spec: Launches, shapes: Sequence[Shape]) -> tuple[Outcomes, Found]:
    """What the kernel does at the shapes, and at which others it does more. Raises Lost."""
    from gemmlab.emulator.sizes.outcomes import outcomes_at
    from gemmlab.emulator.sizes.search import shapes_for_the_missing

    known = outcomes_at(program, spec, shapes)
    return known, shapes_for_the_missing(program, spec, known, MOST_ADDED)


def _lines(taken: Taken) -> tuple[Lines, ...]:
    return tuple(Lines(shape, tuple(sorted({one.line for one in outcomes} - {0}))) for shape, outcomes in taken.items())
