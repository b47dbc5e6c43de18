"""What the model says of a kernel at a shape: a time with its range, and the reasons, the one that decides first."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Reason:
    """One thing that takes time. `cycles` are those of an SM in which it was busy, or waited; `share` is their part
    of the
    whole time. Shares do not add up to 1: an SM does several things at a time."""

    name: str
    cycles: float
    share: float
    what: str


@dataclass(frozen=True)
class Prediction:
    """The predicted time of all launches of a kernel, caches cold. Without a number, `unknown` says why in a sentence.

    `percent` is the range's ± in per cent, as large as nine in ten errors of the recorded accuracy table. `reasons`
    begin with the one that decides. `lines` has the lines of the source: the share of its warps' time that each spends
    on what; all shares of all lines together are 1.
    """

    kernel: str
    shape: Shape
    gpu: str
    ms: float | None = None
    percent: float = 0.0
    gflops: float | None = None
    reasons: tuple[Reason, ...] = ()
    unknown: str | None = None
    lines: dict[int, dict[str, float]] = field(default_factory=dict)

    @property
    def low_ms(self) -> float | None:
        return None if self.ms is None else self.ms / (1 + self.percent / 100)

    @property
    def high_ms(self) -> float | None:
        return None if self.ms is None else self.ms * (1 + self.percent / 100)

    @property
    def bottleneck(self) -> str | None:
        return self.reasons[0].name if self.reasons else None

    def summary(self) -> str:
        """The three largest reasons in one line; the sentence of `unknown` where there is no number."""
        if not self.reasons:
            return self.unknown or ""
        shares = ", ".join(f"{one.name} {100 * one.share:.0f} %" for one in self.reasons[:3])
        return f"{shares}: {self.bottleneck} decides"

    def without_number(self, why: str) -> Prediction:
        """The same kernel and shape, and a sentence that says why there is no time."""
        return replace(self, unknown=why)

    def to_json(self) -> dict:
        """Everything, with the range and the summary."""
        return asdict(self) | {
            "shape": list(self.shape),
            "low_ms": self.low_ms,
            "high_ms": self.high_ms,
            "bottleneck": self.bottleneck,
            "summary": self.summary(),
            "lines": {str(line): shares for line, shares in self.lines.items()},
        }
