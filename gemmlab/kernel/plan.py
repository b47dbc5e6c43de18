"""What is to happen on a device, or on several, in order: launches, fills and copies on one set of arrays each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.launch import Address, Factor, Launch, Scalar, evaluate
from gemmlab.kernel.layout import Devices, Layout
from gemmlab.kernel.limits import check_launch
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    import numpy as np

    from gemmlab.kernel.terms import Terms


MOST_FLAGS = 1 << 20


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


@dataclass(frozen=True)
class Ranks(Plan):
    """What each of several devices is to do, each in its own order: the `plans` of the ranks, whose steps one after the
    other are the steps of all. `flags` is how many each device has of them, whole numbers of 32 bits that others may
    set."""

    plans: tuple[Plan, ...] = ()
    devices: Devices = Devices(1)
    flags: int = 0

    @classmethod
    def of(cls, plans: Sequence[Plan], devices: Devices, flags: int = 0) -> Ranks:
        """The work of these plans, with the first fault of any."""
        steps = tuple(step for plan in plans for step in plan.steps)
        fault = next((plan.fault for plan in plans if plan.fault), None)
        return cls(steps, fault=fault, plans=tuple(plans), devices=devices, flags=flags)


Work = Launch | Plan


class Launches(Protocol):
    """What is launched at any shape: a LaunchSpec, one with arguments of its own, or a file's launcher."""

    @property
    def layout(self) -> Layout:
        """What M, N and K mean."""

    def at(self, M: int, N: int, K: int) -> Work:
        """The work at one shape."""


@dataclass(frozen=True)
class OnDevices:
    """What several devices launch: each its own part, in which rank and world are known."""

    parts: tuple[Launches, ...]
    devices: Devices

    @property
    def layout(self) -> Layout:
        return self.parts[0].layout

    def at(self, M: int, N: int, K: int) -> Ranks:
        """The work of all devices at one shape. Raises UserError where the number of flags cannot be."""
        names = {"M": M, "N": N, "K": K, "world": self.devices.world}
        flags = evaluate(self.devices.flags, names)
        if not 0 <= flags <= MOST_FLAGS:
            raise UserError(f"a device has {flags:,} flags at M, N, K = {M}, {N}, {K}; it may have 0 to {MOST_FLAGS:,}")
        works = [part.at(M, N, K) for part in self.parts]
        plans = tuple(work if isinstance(work, Plan) else Plan(steps_of(work)) for work in works)
        return Ranks.of(plans, self.devices, flags)


def steps_of(work: Work) -> tuple[Launch | Fill | Copy, ...]:
    """The steps of a plan; a launch is a plan of one."""
    return work.steps if isinstance(work, Plan) else (work,)


def launches_of(work: Work) -> tuple[Launch, ...]:
    return tuple(step for step in steps_of(work) if isinstance(step, Launch))


def bound(work: Work, terms: Terms) -> Work:
    """The work with the case's own numbers in place of alpha and beta; several devices have none."""
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


def element_of(work: Work) -> Element:
    """What A and B hold."""
    return next((launch.layout.element for launch in launches_of(work)), FLOAT32)


def of_element(plan: Plan, element: Element) -> Plan:
    """The plan for matrices of that element."""
    steps = (
        replace(step, layout=replace(step.layout, element=element)) if isinstance(step, Launch) else step
        for step in plan.steps
    )
    return replace(plan, steps=tuple(steps))


def stored(work: Work, A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and B with their elements as they lie in memory by the work's layout, the shapes as they were."""
    launches = launches_of(work)
    return launches[0].layout.stored(A, B) if launches else (A, B)


def refused(work: Work, program: Program) -> list[Finding]:
    """What keeps it from being run on a GPU of the program's architecture."""
    if isinstance(work, Plan) and work.fault:
        return [work.fault]
    return [
        replace(finding, line=launch.line)
        for launch in launches_of(work)
        for finding in check_launch(launch, program.resources.get(launch.kernel), program.arch, program.ptxas_errors)
    ]
