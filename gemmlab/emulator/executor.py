"""The emulator as an executor: a compiled program and a launch go in, C, findings and counters come out."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gemmlab.compile import Program
from gemmlab.errors import UserError
from gemmlab.executor import Outcome
from gemmlab.launch import Launch
from gemmlab.verdict import Finding

# Warp instructions a chunk of blocks may take: a fixed share, and this many for each product A[i][k] * B[k][j] of 32
# lanes. The tiled kernel takes 4, one that keeps a single lane of its warps busy some 300.
_WORK_SHARE = 20_000_000
_WORK_A_PRODUCT = 2_000


class EmulatorExecutor:
    """Runs PTX on the CPU with every check on.

    `schedule` is the order in which the warps of a block get their turns: forward, reversed or shuffled. `seconds`
    limits one launch; `checks=False` computes C only.
    """

    name = "emulator"

    def __init__(
        self, schedule: str = "forward", seconds: float = 60.0, checks: bool = True, threads: int | None = None
    ) -> None:
        self.schedule, self.seconds, self.checks, self.threads = schedule, seconds, checks, threads

    def run(
        self,
        program: Program,
        launch: Launch,
        A: np.ndarray,
        B: np.ndarray,
        shape: tuple[int, int, int],
        blocks: np.ndarray | None = None,
    ) -> Outcome:
        """Launch `gemm(A, B, C, M, N, K)` once with C full of NaN, or only the blocks of these linear numbers.

        A and B are float32 and stay as they are. UserError where there is no memory for the launch.
        """
        try:
            return self._run(program, launch, A, B, shape, blocks)
        except MemoryError:
            raise UserError(
                "there is no memory to emulate this launch; take a smaller shape or smaller arrays"
            ) from None

    def _run(self, program: Program, launch: Launch, A, B, shape: tuple[int, int, int], blocks) -> Outcome:
        from gemmlab.emulator import machine
        from gemmlab.emulator.findings import Explainer, timeout_message

        M, N, K = shape
        symbol = program.symbol(launch.kernel)
        code = decoded(program.ptx, symbol)
        if isinstance(code, str):
            return Outcome(None, [Finding("unsupported", code)])
        A, B = (np.ascontiguousarray(matrix, np.float32) for matrix in (A, B))
        C = np.full((M, N), np.nan, np.float32)
        memory = machine.global_memory(code, A, B, C)
        arguments = [region.address for region in memory.regions[:3]] + [M, N, K]
        budget = _WORK_SHARE + _WORK_A_PRODUCT * (M * N * K // 32)
        options = machine.Options(self.checks, self.schedule, budget, self.seconds, self.threads, blocks)
        run = machine.run(code, memory, launch, arguments, options)
        findings = Explainer(code, launch, shape, program.source).findings(run.events)
        if run.stopped and not any(finding.is_error for finding in findings):
            findings.append(Finding("timeout", timeout_message(0)))
        written = run.written.reshape(-1)[: M * N].reshape(M, N)
        return Outcome(None if run.stopped else C, findings, written, run.counters, run.seconds)


@lru_cache(maxsize=32)
def decoded(ptx: str, symbol: str):
    """The kernel's code, or a sentence that says why it cannot be emulated."""
    from gemmlab.emulator import decode
    from gemmlab.emulator import ptx as parser

    try:
        return decode.decode(parser.parse(ptx), symbol)
    except (parser.PtxError, decode.Unsupported) as reason:
        return f"The emulator cannot read this kernel: {reason}."
    except KeyError:
        return f"The compiled code has no kernel named {symbol}."
