"""What is to happen on the device, in order: launches, fills and copies on one set of arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gemmlab.kernel.launch import Address, Launch
from gemmlab.kernel.limits import check_launch
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Finding


@dataclass(frozen=True)
class Fill:
    """cudaMemset: `size` bytes from `to` on get the value `byte`."""

    to: Address
    size: int
    byte: int


@dataclass(frozen=True)
class Copy:
    """cudaMemcpy: `size` bytes."""

    to: Address
    source: Address
    size: int


@dataclass(frozen=True)
class Plan:
    """The steps of a whole launcher at one shape. `buffers` are the arrays that it has beside A, B and C, with their
    sizes in bytes. A plan with a `fault` is not run."""

    steps: tuple[Launch | Fill | Copy, ...]
    buffers: dict[str, int] = field(default_factory=dict)
    fault: Finding | None = None


def steps_of(work: Launch | Plan) -> tuple[Launch | Fill | Copy, ...]:
    """The steps of a plan; a launch is a plan of one."""
    return work.steps if isinstance(work, Plan) else (work,)


def launches_of(work: Launch | Plan) -> tuple[Launch, ...]:
    return tuple(step for step in steps_of(work) if isinstance(step, Launch))


def refused(work: Launch | Plan, program: Program) -> list[Finding]:
    """What keeps it from being run on a GPU of the program's architecture."""
    if isinstance(work, Plan) and work.fault:
        return [work.fault]
    return [
        replace(finding, line=launch.line)
        for launch in launches_of(work)
        for finding in check_launch(launch, program.resources.get(launch.kernel), program.arch, program.ptxas_errors)
    ]
