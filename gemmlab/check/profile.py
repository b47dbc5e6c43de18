"""The profile of a kernel: what each source line does to memory, counted in the emulator, and the occupancy."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.check.check import check_launcher, check_with
from gemmlab.check.corners import is_too_large
from gemmlab.course.lesson import Case
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.layout import COURSE, Layout
from gemmlab.kernel.limits import Occupancy, occupancy
from gemmlab.kernel.plan import Launches, Plan, launches_of
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.verdict import Verdict
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.kernel.arguments import ArgumentList
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.elements import Element
    from gemmlab.kernel.executor import Outcome
    from gemmlab.kernel.program import Program, Resources
    from gemmlab.model import Prediction

_CASE = "profiled"


@dataclass(frozen=True)
class KernelUse:
    """What a launched kernel takes of a GPU: the compiler's report, and the occupancy of its launch."""

    name: str
    launch: Launch
    resources: Resources
    occupancy: Occupancy

    def to_json(self) -> dict:
        return {
            "kernel": self.name,
            "block": list(self.launch.block),
            "grid": list(self.launch.grid),
            "resources": asdict(self.resources),
            "occupancy": asdict(self.occupancy),
        }


@dataclass(frozen=True)
class Profile:
    """One run at one shape. The verdict is that of a check at this shape: the counts of a broken kernel mean little.

    `counters` are None where nothing was run. `kernels` are the launched ones, `arch` what they were compiled for.
    `prediction` is the model's, where it was asked for; `candidate` is what it is asked about.
    """

    source: str
    shape: tuple[int, int, int]
    verdict: Verdict
    counters: Counters | None = None
    arch: str | None = None
    kernels: tuple[KernelUse, ...] = ()
    candidate: Candidate | None = None
    prediction: Prediction | None = None

    def to_json(self) -> dict:
        """The verdict's object with `lines`, `totals`, `occupancy` and more; see LineCounters for the counts."""
        text = self.source.splitlines()
        lines = self.counters.lines if self.counters else {}
        only = self.kernels[0] if len(self.kernels) == 1 else None
        return self.verdict.to_json() | {
            "shape": list(self.shape),
            "lines": [
                {"line": line, "source": text[line - 1] if 0 < line <= len(text) else ""} | counts.to_json()
                for line, counts in lines.items()
            ],
            "totals": self.counters.totals.to_json() if self.counters else None,
            "arch": self.arch,
            "occupancy": asdict(only.occupancy) if only else None,
            "kernels": [kernel.to_json() for kernel in self.kernels],
            "prediction": self.prediction.to_json() if self.prediction else None,
        }


def predicted(profile: Profile, shape: tuple[int, int, int] | None = None) -> Profile:
    """The profile with the time that the model predicts at a shape, the profiled one where none is given, or with why
    it cannot. A kernel that is not right is not predicted."""
    from gemmlab.model import predict

    if not profile.verdict.passed or profile.candidate is None:
        return profile
    return replace(profile, prediction=predict(profile.candidate, shape or profile.shape))


def profile_source(
    source: str,
    filename: str,
    spec: Launches,
    shape: tuple[int, int, int],
    inputs: str = "random",
    seed: int = 0,
) -> Profile:
    """Check a kernel at one shape in the emulator and keep what it counts. UserError as for check_source, and for a
    shape too large to run whole."""
    if is_too_large(spec.layout.product(shape)):
        M, N, K = shape
        raise UserError(f"the shape {M},{N},{K} is too large to count all that happens; take a smaller one")
    recorder = _Recorder()
    verdict = check_with((recorder,), source, filename, spec, [Case(shape, inputs, seed, _CASE)])
    if recorder.program is None or recorder.outcome is None:
        return Profile(source, shape, verdict)
    uses = _uses(spec.at(*shape), recorder.program)
    counters, arch = recorder.outcome.counters, recorder.program.arch
    return Profile(source, shape, verdict, counters, arch, uses, Candidate(source, filename, spec))


def profile_launcher(
    source: str,
    filename: str,
    name: str,
    shape: tuple[int, int, int],
    inputs: str = "random",
    layout: Layout = COURSE,
    given: ArgumentList | None = None,
    element: Element | None = None,
) -> Profile:
    """The profile of what a file's own host launcher launches, over all its kernels, and all devices."""
    from gemmlab.launcher.spec import launched

    try:
        launcher = launched(source, name, layout, given, element)
        launcher.at(*shape)
    except UserError:
        case = Case(shape, inputs, 0, _CASE)
        broken = check_launcher(source, filename, name, [case], "emulator", layout, given, element)
        return Profile(source, shape, broken)
    return profile_source(source, filename, launcher, shape, inputs)


class _Recorder:
    """The emulator as an executor that keeps its first outcome; what a check runs after it is another code."""

    name = "emulator"

    def __init__(self) -> None:
        self.program: Program | None = None
        self.outcome: Outcome | None = None

    def run(
        self,
        program: Program,
        work: Launch | Plan,
        A: np.ndarray,
        B: np.ndarray,
        shape: tuple[int, int, int],
        *,
        terms: Terms = PLAIN,
    ) -> Outcome:
        from gemmlab.emulator import EmulatorExecutor

        outcome = EmulatorExecutor().run(program, work, A, B, shape, terms=terms)
        if self.outcome is None:
            self.program, self.outcome = program, outcome
        return outcome


def _uses(work: Launch | Plan, program: Program) -> tuple[KernelUse, ...]:
    """Each launched kernel once, in order, with its first launch."""
    first: dict[str, Launch] = {}
    for launch in launches_of(work):
        first.setdefault(launch.kernel, launch)
    return tuple(
        KernelUse(name, launch, program.resources[name], _occupancy(launch, program.resources[name], program.arch))
        for name, launch in first.items()
        if name in program.resources
    )


def _occupancy(launch: Launch, resources: Resources, arch: str) -> Occupancy:
    return occupancy(prod(launch.block), resources.registers, resources.shared_bytes + launch.smem, arch)
