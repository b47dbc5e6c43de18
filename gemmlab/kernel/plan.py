"""What is to happen on the device, in order: launches, fills and copies on one set of arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.launch import Address, Factor, Launch, Scalar
from gemmlab.kernel.layout import Layout
from gemmlab.kernel.limits import check_launch
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    import numpy as np

    from gemmlab.kernel.terms import Terms


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


class Launches(Protocol):
    """What is launched at any shape: a LaunchSpec, one with arguments of its own, or a file's launcher."""

    @property
    def layout(self) -> Layout:
        """What M, N and K mean."""

    def at(self, M: int, N: int, K: int) -> Launch | Plan:
        """The work at one shape."""


def steps_of(work: Launch | Plan) -> tuple[Launch | Fill | Copy, ...]:
    """The steps of a plan; a launch is a plan of one."""
    return work.steps if isinstance(work, Plan) else (work,)


def launches_of(work: Launch | Plan) -> tuple[Launch, ...]:
    return tuple(step for step in steps_of(work) if isinstance(step, Launch))


def bound(work: Launch | Plan, terms: Terms) -> Launch | Plan:
    """The work with the case's own numbers in place of alpha and beta."""
    if isinstance(work, Plan):
        steps = (_bound(step, terms) if isinstance(step, Launch) else step for step in work.steps)
        return replace(work, steps=tuple(steps))
    return _bound(work, terms)


def _bound(launch: Launch, terms: Terms) -> Launch:
    if launch.arguments is None:
        return launch
    arguments = (
        Scalar(one.dtype, getattr(terms, one.name)) if isinstance(one, Factor) else one for one in launch.arguments
    )
    return replace(launch, arguments=tuple(arguments))


def element_of(work: Launch | Plan) -> Element:
    """What A and B hold."""
    return next((launch.layout.element for launch in launches_of(work)), FLOAT32)


def of_element(plan: Plan, element: Element) -> Plan:
    """The plan for matrices of that element."""
    steps = (
        replace(step, layout=replace(step.layout, element=element)) if isinstance(step, Launch) else step
        for step in plan.steps
    )
    return replace(plan, steps=tuple(steps))


def stored(work: Launch | Plan, A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and B with their elements as they lie in memory by the work's layout, the shapes as they were."""
    launches = launches_of(work)
    return launches[0].layout.stored(A, B) if launches else (A, B)


def refused(work: Launch | Plan, program: Program) -> list[Finding]:
    """What keeps it from being run on a GPU of the program's architecture."""
    if isinstance(work, Plan) and work.fault:
        return [work.fault]
    return [
        replace(finding, line=launch.line)
        for launch in launches_of(work)
        for finding in check_launch(launch, program.resources.get(launch.kernel), program.arch, program.ptxas_errors)
    ]
