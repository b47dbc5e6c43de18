"""For what more than the cases the verdict on races holds: all orders of the warps, all data, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gemmlab.check import sentences as say
from gemmlab.kernel.plan import Launches, Ranks, launches_of
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Because, Finding, HoldsFor

if TYPE_CHECKING:
    from gemmlab.emulator.proof.proof import Proof

Shape = tuple[int, int, int]
_SAYS_NOTHING_OF_RACES = {"wrong_result", "counter"}


def holds_for(
    program: Program, spec: Launches, shapes: Sequence[Shape], findings: Sequence[Finding]
) -> HoldsFor | None:
    """What is proved of the launches at the shapes that the emulator ran whole. None where there is no such shape, or
    where a fault was found: then there is a race, or the run tells too little."""
    if not shapes or any(_is_in_the_way(finding) for finding in findings):
        return None
    by_chance = next((finding for finding in findings if finding.details.get("by_chance")), None)
    proofs = list(_proofs(program, spec, shapes))
    numbers = {name: None for proof in proofs for name in proof.numbers}
    return HoldsFor(
        tuple(dict.fromkeys(shapes)),
        _meets_by_chance(by_chance) if by_chance else next((one.schedules for one in proofs if one.schedules), None),
        next((proof.data for proof in proofs if proof.data), None),
        tuple(numbers),
    )


def _is_in_the_way(finding: Finding) -> bool:
    is_fault = finding.is_error and finding.kind not in _SAYS_NOTHING_OF_RACES
    return is_fault or finding.kind == "race"


def _meets_by_chance(finding: Finding) -> Because:
    """Other warps may meet at a barrier in another order."""
    return Because(finding.line, "bar.sync", say.MEETS_BY_CHANCE(line=finding.line))


def _proofs(program: Program, spec: Launches, shapes: Sequence[Shape]) -> Iterator[Proof]:
    from gemmlab.emulator.proof.proof import Proof, proof_of

    for shape in shapes:
        work = spec.at(*shape)
        if isinstance(work, Ranks):
            flags = Because(None, "flags", say.SEVERAL_DEVICES())
            yield Proof(flags, flags)
            return
        for launch in launches_of(work):
            yield proof_of(program, launch.kernel, launch.arguments_at(shape))
