"""The second look at a kernel without a fault: faults that the optimiser hides, or the order in which warps run.

A local array indexed by constants lives in registers, and its overrun with it; compiled with -G everything stays in
memory. Where a lock, a flag or a ticket decides who does what, it matters who comes first, so here the last warp does,
and every other look is at the optimised code: what was compiled without optimisation may be another thing altogether.
That code is another one: what it needs of a GPU's limits does not count, and neither does an end that it does not come
to. Its faults do, and its numbers, which are as near to A·B as those of any right kernel.

The check and grading both look in this way, and only in this way: a kernel that one of them fails, the other fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from gemmlab.check import sentences as say
from gemmlab.check.causes import without_edge_followers
from gemmlab.check.dropped import asks_much
from gemmlab.kernel.kinds import KINDS
from gemmlab.kernel.tolerance import compare
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    from gemmlab.kernel.epilogue import Inputs
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.program import Program
    from gemmlab.trials.candidate import Candidate

Shape = tuple[int, int, int]
MOST_WORK = 2**18  # products M·N·K that are quick without optimisation as well
_SCHEDULE = "reversed"
_NO_ASSERTIONS = "-DNDEBUG"  # each of their texts would be a variable
_UNSAID = "-U__CUDACC_DEBUG__"  # or a source could behave while it is looked at
_TAKES_TURNS = re.compile(r"\b(?:atom|red|activemask|match|mbarrier)\.|%(?:clock|globaltimer|smid|warpid)")


def looked_at(shapes: Sequence[Shape]) -> list[Shape]:
    """Those of the shapes at which there is a second look: the quick ones, and the quickest in any case."""
    quickest = min(map(prod, shapes), default=0)
    return [shape for shape in shapes if prod(shape) <= max(quickest, MOST_WORK)]


def unoptimised(candidate: Candidate, arch: str | None, shapes: Sequence[Shape] = ()) -> Program | None:
    """The program without optimisation; None where the compiler has no such code to offer.

    To assemble it takes longer than all else, and is done only where `dropped_by_optimiser` may have something to say.
    """
    from gemmlab.compiler.compile import CompileError

    asks = "NDEBUG" in candidate.text.replace("\\\n", "")  # then it could behave as well
    options = (_UNSAID,) if asks else (_UNSAID, _NO_ASSERTIONS)
    try:
        program = candidate.compiled(arch, shapes=shapes, debug=True, assembled=False, options=options)
        if asks_much(program.ptx):
            program = candidate.compiled(arch, shapes=shapes, debug=True, options=options)
        return program
    except CompileError:
        return None


def looked_through(program: Program, plain: Program | None) -> list[Program]:
    """The programs that looks take by turns: the one without optimisation, where there is one, and the `program` of the
    first look where it may matter to it who comes first."""
    in_turn = [program] if _TAKES_TURNS.search(program.ptx) else []
    return [plain, *in_turn] if plain else in_turn


def look_again(
    candidate: Candidate,
    program: Program,
    inputs: Inputs,
    shape: Shape,
    seconds: float = 60.0,
    threads: int | None = None,
) -> Outcome:
    """One launch of a program of `looked_through`, with those findings that count; its C counts where there is one."""
    from gemmlab.emulator import EmulatorExecutor

    executor = EmulatorExecutor(_SCHEDULE, seconds, threads=threads, again=False)
    A, B, terms = inputs
    outcome = executor.run(program, candidate.launch.at(*shape), A, B, shape, terms=terms)
    findings = without_edge_followers(outcome.findings, candidate.launch, shape)
    return replace(outcome, findings=[*_that_count(findings), *_not_possible(findings)])


def is_right(outcome: Outcome, inputs: Inputs, kind: str) -> bool:
    """Whether nothing speaks against its numbers: a look that came to no end has none."""
    A, B, terms = inputs
    return outcome.C is None or compare(outcome.C, A, B, kind, outcome.written, terms=terms).ok


def _that_count(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if KINDS[finding.kind].hidden_by_optimiser]


def _not_possible(findings: Sequence[Finding]) -> list[Finding]:
    unknown = [finding for finding in findings if finding.kind == "unsupported"]
    return [Finding("unsupported", say.NO_SECOND_LOOK(reason=one.message), "warning") for one in unknown[:1]]
