"""What a check says: a Verdict made of Findings, one a distinct fault, and one CaseResult a shape tried; and how far a
verdict without a race goes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gemmlab.kernel.kinds import KINDS, SEVERITIES

FINDING_KINDS = tuple(KINDS)
ALL, RAN = "all", "those that ran"  # for what a verdict holds
STATUSES = ("passed", "failed", "compile_error", "unattempted", "timeout")


@dataclass(frozen=True)
class Finding:
    """One fault at one place.

    `message` is one sentence for the student. `severity` is the kind's own where none is given. `line` and `column`
    count from 1 in the student's file; `count` says how often the same fault happened at this place. `details` holds
    what a view may want to draw (threads, block, array, index, K tile, the other line), in JSON types only.
    """

    kind: str
    message: str
    severity: str = ""
    line: int | None = None
    column: int | None = None
    count: int = 1
    details: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in FINDING_KINDS:
            raise ValueError(f"gemmlab/kernel/kinds.py has no finding kind {self.kind!r}; it has {', '.join(KINDS)}")
        object.__setattr__(self, "severity", self.severity or KINDS[self.kind].severity)
        if self.severity not in SEVERITIES:
            raise ValueError(f"the severity of a finding is {' or '.join(SEVERITIES)}, not {self.severity!r}")

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def to_json(self) -> dict:
        return {
            "kind": self.kind,
            "severity": self.severity,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "count": self.count,
            **({"details": self.details} if self.details else {}),
        }


@dataclass(frozen=True)
class CaseResult:
    """One launch at one shape (M, N, K). `max_error` is max |C - C64|; None where there was no result to compare.

    `wrong` marks the wrong elements of C (M×N, bool), for the picture; it does not travel in the JSON.
    """

    shape: tuple[int, int, int]
    ok: bool
    max_error: float | None
    inputs: str = "random"
    wrong: np.ndarray | None = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict:
        return {"shape": list(self.shape), "ok": self.ok, "max_error": self.max_error, "inputs": self.inputs}


@dataclass(frozen=True)
class Because:
    """What stands in the way of a proof: the line of the student's file (None where it has none), the value or the
    instruction there, and a sentence on both."""

    line: int | None
    value: str
    message: str

    def to_json(self) -> dict:
        return {"line": self.line, "value": self.value, "message": self.message}


@dataclass(frozen=True)
class HoldsFor:
    """That no race was found holds for every launch at these `shapes` (M, N, K), whatever the order of the warps and
    the data, but for what stands in the way: of all orders (`schedules`), of all data (`data`), None where nothing
    does. `numbers` are parameters, such as beta, that decide what a thread does: it holds for the values that ran."""

    shapes: tuple[tuple[int, int, int], ...]
    schedules: Because | None = None
    data: Because | None = None
    numbers: tuple[str, ...] = ()

    @property
    def because(self) -> Because | None:
        """What stands in the way first."""
        return self.schedules or self.data

    def to_json(self) -> dict:
        return {
            "schedules": RAN if self.schedules else ALL,
            "data": RAN if self.because else ALL,
            **({"numbers": {name: RAN for name in self.numbers}} if self.numbers else {}),
            "shapes": [list(shape) for shape in self.shapes],
            "because": self.because.to_json() if self.because else None,
        }


@dataclass(frozen=True)
class Lines:
    """A shape (M, N, K), and the lines of the conditions that it is there for."""

    shape: tuple[int, int, int]
    lines: tuple[int, ...]

    def to_json(self) -> dict:
        return {"shape": list(self.shape), "lines": list(self.lines)}


@dataclass(frozen=True)
class Conditions:
    """So many conditions of the kernels hang on M, N and K, and went so many `ways`, a way being true or false for some
    thread. `added` are shapes at which the kernel was run as well, for it goes ways there that it goes at none of the
    lesson's; `left` are more of these, at which nothing was run. They were found among `tried` shapes, none where the
    lesson's leave no way out. `because` is why nothing of this is known."""

    count: int = 0
    ways: int = 0
    added: tuple[Lines, ...] = ()
    left: tuple[Lines, ...] = ()
    tried: int = 0
    because: str = ""

    def to_json(self) -> dict:
        if self.because:
            return {"because": self.because}
        return {
            "conditions": self.count,
            "ways": self.ways,
            "added": [one.to_json() for one in self.added],
            "left": [one.to_json() for one in self.left],
            "shapes_tried": self.tried,
        }


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: passed only if there is no error finding and every case is right.

    `resources` is what the compiler reports of the kernel (registers, shared memory, spills, and for which `arch`),
    None before it compiled. `printed` is what the kernel printed in the first case in which it did. `holds_for` says
    how far it goes that no race was found; None where one was, or another fault, or where nobody looked. `order` is the
    shortest order of warps that makes C wrong, as gemmlab.trials.order.report has it; None where nobody asked for it.
    `conditions` says which of the kernel's ways its cases went; None where it was not looked at.
    """

    status: str
    findings: tuple[Finding, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    backend: str | None = "emulator"
    resources: dict | None = None
    printed: str = ""
    holds_for: HoldsFor | None = None
    order: dict | None = None
    conditions: Conditions | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"unknown status {self.status!r}; known: {', '.join(STATUSES)}")

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def has_race(self) -> bool:
        """Whether a race is among its faults."""
        return any(finding.kind == "race" and finding.is_error for finding in self.findings)

    def to_json(self) -> dict:
        """The object of the `--json` contract: status, findings, cases, and more."""
        return {
            "status": self.status,
            "findings": [finding.to_json() for finding in self.findings],
            "cases": [case.to_json() for case in self.cases],
            "backend": self.backend,
            "resources": self.resources,
            "printed": self.printed,
            "holds_for": self.holds_for.to_json() if self.holds_for else None,
            **({"order": self.order} if self.order else {}),
            **({"conditions": self.conditions.to_json()} if self.conditions else {}),
        }
