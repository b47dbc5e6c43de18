"""Sizes at which a kernel goes ways that it goes at none of the given ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import prod

from gemmlab.emulator.sizes.outcomes import Outcome, Outcomes, Shape, outcomes_at
from gemmlab.kernel.plan import Launches
from gemmlab.kernel.program import Program
from gemmlab.launcher.launcher import Launcher

LONGEST_SIDE = 1024
MOST_WORK = 2**21  # products M·N·K that the emulator runs in a moment
_GOOD_WORK = 2**17  # several tiles each way, where there is a choice
_SIDES = (1, 2, 3, 4, 6, 8, 12, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 80, 96, 100, 120, 127, 128, 129)
_AROUND = ((72, 88, 40), (37, 45, 23), (130, 136, 8))  # shapes of which one size at a time is another
_DEEP = ((20, 36, 512), (33, 40, 300), (9, 257, 264))  # many steps along K, for kernels that share them out
_AT_ONCE = 128  # until none is missing
_MOST_COMPARED, _MOST_OTHERS = 16, 8
_MOST_LAUNCHES_READ = 128  # of a file's own launcher, whose text is followed anew at each shape


Taken = dict[Shape, tuple[Outcome, ...]]  # shapes, each with the outcomes that it is there for


@dataclass(frozen=True)
class Found:
    """`shapes` that are taken, those that would be next (`left`), and how many were `tried`."""

    shapes: Taken
    left: Taken
    tried: int


def shapes_for_the_missing(program: Program, spec: Launches, known: Outcomes, most: int) -> Found:
    """Up to so many shapes for outcomes that are missing in what is known, those first that have most of them. An
    outcome that no shape has of those tried counts as none. What launches a file's own launcher may yet make nobody
    knows beforehand: there shapes are tried in any case. Raises Lost."""
    is_text = isinstance(spec, Launcher)
    shapes = candidates(known, _MOST_LAUNCHES_READ if is_text else None)
    by_shape: dict[Shape, set[Outcome]] = {}
    missing, number = set(known.missing()), 0
    while (missing or is_text) and number < len(shapes):
        tried = outcomes_at(program, spec, shapes[number : number + _AT_ONCE], thorough=False)
        number += _AT_ONCE
        missing -= set(tried.reached)
        for outcome in set(tried.reached) - set(known.reached):
            for shape in tried.reached[outcome]:
                by_shape.setdefault(shape, set()).add(outcome)
    taken = list(cover(by_shape))
    return Found(dict(taken[:most]), dict(taken[most:]), min(number, len(shapes)))


def cover(by_shape: dict[Shape, set[Outcome]]) -> Iterator[tuple[Shape, tuple[Outcome, ...]]]:
    """Shapes that have all outcomes together: the one with most of those that are left, again and again."""
    left: set[Outcome] = set().union(*by_shape.values())
    while left:
        shape = max(by_shape, key=lambda one: (len(by_shape[one] & left), -abs(prod(one) - _GOOD_WORK), one))
        yield shape, tuple(sorted(by_shape[shape] & left))
        left -= by_shape[shape]


def candidates(known: Outcomes, most: int | None = None) -> list[Shape]:
    """Shapes of which one size is near a number that the kernel compares with, or strides by, or a usual one."""
    compared = _up_to(known.compared, LONGEST_SIDE, _MOST_COMPARED)
    others = _up_to(known.others - known.compared, 128, _MOST_OTHERS)
    near = [number + by for number in compared for by in (0, -1, 1)]
    sides = dict.fromkeys([*near, *_SIDES, *others])
    shapes = dict.fromkeys([*_DEEP, *(shape for around in _AROUND for shape in _varied(around, sides))])
    quick = (shape for shape in shapes if prod(shape) <= MOST_WORK)
    return list(islice(quick, most))


def _up_to(numbers: Iterable[int], largest: int, most: int) -> list[int]:
    return sorted(number for number in numbers if 1 < number <= largest)[-most:]


def _varied(around: Shape, sides: Iterable[int]) -> Iterator[Shape]:
    """The shape, and shapes in which one of its sizes is another, of the first shape also two."""
    M, N, K = around
    yield around
    for side in sides:
        yield from ((side, N, K), (M, side, K), (M, N, side))
        if around == _AROUND[0]:
            yield from ((side, side, K), (side, N, side), (M, side, side))
