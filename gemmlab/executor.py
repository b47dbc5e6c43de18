"""What the two executors, the emulator and the GPU, have in common: compiled code and a launch go in, an Outcome comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from gemmlab.compile import Program
from gemmlab.launch import Launch
from gemmlab.verdict import Finding


@dataclass
class Outcome:
    """One launch of `gemm(A, B, C, M, N, K)`.

    `C` is M×N float32 with NaN where the kernel wrote nothing, or None where the launch did not finish.
    `written` (M×N, bool) marks the elements of C that were written, where the executor can tell.
    `counters` is the emulator's table of counts by source line. `seconds` is the time the launch took.
    """

    C: np.ndarray | None
    findings: list[Finding] = field(default_factory=list)
    written: np.ndarray | None = None
    counters: Any = None
    seconds: float = 0.0


class Executor(Protocol):
    """Runs compiled code. `name` is what `--backend` calls it: 'emulator' or 'cuda'."""

    name: str

    def run(self, program: Program, launch: Launch, A: np.ndarray, B: np.ndarray, shape: tuple[int, int, int]) -> Outcome:
        """Launch once with C full of NaN. Faults of the kernel are findings in the Outcome, never exceptions."""
        ...
