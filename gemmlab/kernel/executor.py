"""What the two executors, the emulator and the GPU, have in common: code and work go in, an Outcome comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from gemmlab.kernel.counters import Counters
from gemmlab.kernel.plan import Work
from gemmlab.kernel.program import Program
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.verdict import Finding


@dataclass
class Outcome:
    """What a launch of `gemm(A, B, C, M, N, K)`, or the steps of a plan, left behind.

    `C` is float32 with NaN where nothing was written, or None where a launch did not finish. `written` (bool, of C's
    shape) marks the elements of C that were written, where the executor can tell. `counters` are the emulator's, by
    source line, over all launches; None without its checks. `seconds` is the time the launches took. `printed` is the
    output of printf in the kernels, cut where it is long, where the executor can tell.

    Where that left something else than before in variables of the kernels (`kept`, by name), `again` is the outcome of
    the same work done once more, with C full of NaN anew and those variables as they were left. A is turned there, as
    Terms.turned has it, so that a result kept from the first time is wrong; `again.C` has the order of the first time.

    Of several devices C has of each element the value that is `farthest` from right, and was written where all of them
    wrote it; `of_ranks` has the C of each.

    `buffers` are the bytes of the launcher's own arrays, where they were asked for.
    """

    C: np.ndarray | None
    findings: list[Finding] = field(default_factory=list)
    written: np.ndarray | None = None
    counters: Counters | None = None
    seconds: float = 0.0
    printed: str = ""
    again: Outcome | None = None
    kept: tuple[str, ...] = ()
    of_ranks: tuple[np.ndarray, ...] = ()
    buffers: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def has_error(self) -> bool:
        """Whether no launch came to its end, or an error was found."""
        return self.C is None or any(finding.is_error for finding in self.findings)

    def turned_back(self, terms: Terms) -> Outcome:
        """The same with the rows of C in the order of A, where A was turned by these terms."""
        turned = [None if matrix is None else terms.turned(matrix) for matrix in (self.C, self.written)]
        return replace(self, C=turned[0], written=turned[1], of_ranks=tuple(map(terms.turned, self.of_ranks)))


def farthest(of_ranks: Sequence[np.ndarray], product: np.ndarray) -> np.ndarray:
    """Of each element the value that is farthest from that of the product, NaN before all: where that is right, so is
    the C of every rank."""
    distances = [np.where(np.isnan(C), np.inf, np.abs(C - product)) for C in of_ranks]
    worst = np.argmax(distances, axis=0)
    return np.take_along_axis(np.stack(of_ranks), worst[None], axis=0)[0]


class Executor(Protocol):
    """Runs compiled code. `name` is what `--backend` calls it: 'emulator' or 'cuda'."""

    name: str

    def run(
        self,
        program: Program,
        work: Work,
        A: np.ndarray,
        B: np.ndarray,
        shape: tuple[int, int, int],
        *,
        terms: Terms = PLAIN,
    ) -> Outcome:
        """Do the work once with C full of NaN, or of what the `terms` say. The kernels' faults are findings in the
        Outcome, never exceptions.

        `shape` is M, N and K in the letters of the launch's layout.
        """
        ...
