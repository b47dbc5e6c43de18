"""A kernel with a race: the shortest order that makes C wrong at the smallest shape that has one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import draw
from gemmlab.trials.order.search import EARLY, LATE, Tried, Work, shortest_order

if TYPE_CHECKING:
    from gemmlab.kernel.plan import Launches
    from gemmlab.kernel.program import Program
    from gemmlab.trials.candidate import Candidate

Shape = tuple[int, int, int]
_TELLING = 2**12  # products M·N·K below which a case tells little: a thread or two
SECONDS = 4.0  # for all shapes


def find_order(
    candidate: Candidate, cases: Sequence[tuple[Shape, str, int]], seconds: float = SECONDS
) -> tuple[Work, Tried] | None:
    """Look at the cases (shape, inputs, seed), small ones first, until C comes out wrong: what was run, and tried.

    None where no case has a race. Raises UserError where the kernel does not compile.
    """
    from gemmlab.compiler.compile import CompileError

    end, found = time.process_time() + seconds, None
    try:
        program = candidate.compiled(shapes=[shape for shape, _, _ in cases])
    except CompileError:
        raise UserError("the kernel does not compile: run its check, which says why") from None
    in_order = sorted(cases, key=lambda case: (prod(case[0]) < _TELLING, prod(case[0])))
    works = [_work(program, candidate.launch, *case) for case in in_order]
    for times in (EARLY, LATE):
        for number, work in enumerate(works):
            left = (end - time.process_time()) / (len(works) - number)
            tried = shortest_order(work, left, times) if left > 0 or not found else None
            if tried:
                found = _after(found, (work, tried))
            if tried and (tried.order or tried.proved):
                return found
    return found


def _work(program: Program, spec: Launches, shape: Shape, inputs: str, seed: int) -> Work:
    return Work(program, spec.at(*shape), shape, draw(spec, inputs, spec.layout.product(shape), seed), inputs)


def _after(one: tuple[Work, Tried] | None, other: tuple[Work, Tried]) -> tuple[Work, Tried]:
    """The later one, with all orders that were tried so far."""
    other[1].tried += one[1].tried if one else 0
    return other
