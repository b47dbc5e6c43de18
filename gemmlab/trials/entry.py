"""An entry of the capstone's board, timed on this machine's GPU at every shape of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.plan import refused
from gemmlab.models.board import SHAPES, named

if TYPE_CHECKING:
    from gemmlab.kernel.timing import Ratio
    from gemmlab.trials.candidate import Candidate


def time_entry(candidate: Candidate, tell: Callable[[Ratio], None] = lambda ratio: None) -> list[Ratio]:
    """The entry against cuBLAS at each shape, by the rules of gemmlab.gpu.contest; `tell` hears of each as it is there.

    Raises UserError, with the shape, where the entry cannot be launched or is wrong, and where there is no GPU.
    """
    from gemmlab.compiler.compile import CompileError
    from gemmlab.gpu.bench import Bench
    from gemmlab.gpu.contest import contest

    found = []
    with Bench() as bench:
        try:
            program = candidate.compiled(bench.arch, shapes=SHAPES)
        except CompileError:
            raise UserError("the file does not compile: run its check, which says why") from None
        for shape in SHAPES:
            work = candidate.launch.at(*shape)
            try:
                if faults := refused(work, program):
                    raise UserError(faults[0].message)
                found.append(contest(bench, program, work, shape))
            except UserError as error:
                raise UserError(f"at {named(shape)} {error}") from None
            tell(found[-1])
    return found
