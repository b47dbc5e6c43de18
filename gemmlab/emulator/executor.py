"""The emulator as an executor: a compiled program and a launch go in, C, findings and counters come out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gemmlab.emulator.arrays import DeviceArrays
from gemmlab.emulator.order import Order
from gemmlab.emulator.report.findings import plain_name
from gemmlab.errors import UserError
from gemmlab.kernel.executor import Outcome
from gemmlab.kernel.launch import Address, Argument, Launch
from gemmlab.kernel.plan import Fill, Plan, Ranks, Work, bound, launches_of, steps_of, stored
from gemmlab.kernel.program import Program
from gemmlab.kernel.terms import PLAIN, Terms
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    from gemmlab.emulator.chunk import Memory, Options
    from gemmlab.emulator.code.code import Code
    from gemmlab.emulator.runner import Run

# Warp instructions a chunk of blocks may take: a fixed share, and this many for each product A[i][k] * B[k][j] of 32
# lanes. The tiled kernel takes 4, one that keeps a single lane of its warps busy some 300.
_WORK_SHARE = 20_000_000
_WORK_A_PRODUCT = 2_000


class EmulatorExecutor:
    """Runs PTX on the CPU with every check on.

    `schedule` is the order in which the warps of a block get their turns: forward, reversed, shuffled or in step.
    `seconds` limits one launch; `checks=False` computes C only. With `again` off there is no second launch. `by_ptx`
    counts by lines of the PTX in place of the source's, says what of arrays and of lines of the cache they touch, and
    hands out the launcher's own arrays.
    An `order` is that of one launch of those that are run; what is put into `watch` is told each moment of it.
    """

    name = "emulator"

    def __init__(
        self,
        schedule: str = "forward",
        seconds: float = 60.0,
        checks: bool = True,
        threads: int | None = None,
        again: bool = True,
        by_ptx: bool = False,
        order: Order | None = None,
    ) -> None:
        self.schedule, self.seconds, self.checks, self.threads, self.again = schedule, seconds, checks, threads, again
        self.by_ptx, self.order = by_ptx, order
        self.watch: Callable[[Any, Any], None] | None = None

    def run(
        self,
        program: Program,
        work: Work,
        A: np.ndarray,
        B: np.ndarray,
        shape: tuple[int, int, int],
        blocks: np.ndarray | None = None,
        terms: Terms = PLAIN,
    ) -> Outcome:
        """Launch a kernel, or do the steps of a plan, with C full of NaN or of what the `terms` say. `blocks` are the
        linear numbers of those to run, all if left out. Where that leaves something in a variable of the kernels, which
        the next launch would find there, it is done once more, on other inputs where their result is known.

        A and B hold numbers of the launch's element, and stay as they are. UserError where
        there is no memory for the launch.
        """
        try:
            if isinstance(work, Ranks):
                return self._run_ranks(program, work, A, B, shape, terms)
            arrays = DeviceArrays(*stored(work, A, B), getattr(work, "buffers", {}), terms)
            work = bound(work, terms)
            outcome = self._run(program, work, arrays, shape, blocks)
            if arrays.kept and self.again and self.checks and blocks is None and not outcome.has_error:
                outcome.kept = tuple(plain_name(name) for name in arrays.kept)
                another = arrays.for_another_launch(*stored(work, terms.turned(A), B))
                again = self._run(program, work, another, shape, blocks)
                outcome.again = again.turned_back(terms)
            return outcome
        except MemoryError:
            raise UserError(
                "there is no memory to emulate this launch; take a smaller shape or smaller arrays"
            ) from None

    def _run_ranks(self, program: Program, work: Ranks, A: np.ndarray, B: np.ndarray, shape, terms: Terms) -> Outcome:
        """Several devices, with every check on."""
        from gemmlab.emulator.chunk import Options
        from gemmlab.emulator.devices.run import RanksRunner
        from gemmlab.emulator.warm import compiled_interpreter

        compiled_interpreter()
        codes = {launch.kernel: decoded(program.ptx, program.symbol(launch.kernel)) for launch in launches_of(work)}
        if unread := next((code for code in codes.values() if isinstance(code, str)), None):
            return Outcome(None, [Finding("unsupported", unread)])
        options = Options(True, self.schedule, _budget(shape), self.seconds)
        runner = RanksRunner(codes, program.source, work, shape, options)
        outcome = runner.run(*stored(work, A, B))
        kept = runner.kept
        if kept and self.again and not outcome.has_error:
            outcome.kept = tuple(map(plain_name, kept))
            outcome.again = runner.run(*stored(work, terms.turned(A), B)).turned_back(terms)
        return outcome

    def _run(self, program: Program, work: Launch | Plan, arrays: DeviceArrays, shape, blocks) -> Outcome:
        from gemmlab.emulator.warm import compiled_interpreter

        outcomes: list[Outcome] = []
        compiled_interpreter()  # no launch pays with its time for what is made once
        several = len({launch.kernel for launch in launches_of(work)}) > 1
        end = time.monotonic() + self.seconds
        launched = itertools.count()
        for step in steps_of(work):
            if not isinstance(step, Launch):
                (arrays.fill if isinstance(step, Fill) else arrays.copy)(step)
                continue
            options = self._options(next(launched), shape, blocks, end - time.monotonic())
            outcome = self._launch(program, step, arrays, shape, options)
            if several:
                outcome.findings = [
                    replace(finding, details={**finding.details, "kernel": step.kernel}) for finding in outcome.findings
                ]
            outcomes.append(outcome)
            if outcome.C is None:
                break
        return _joined(outcomes, arrays)

    def ran(self, code: Code, launch: Launch, run: Run) -> None:
        """What is to be done with each launch that was run; here nothing."""

    def _options(self, number: int, shape, blocks, seconds: float) -> Options:
        """How to run the launch with this number."""
        from gemmlab.emulator.chunk import Options

        order = self.order if self.order and self.order.launch == number else None
        limits = _budget(shape), seconds, self.threads, blocks
        return Options(self.checks, self.schedule, *limits, order, self.watch, requests=self.by_ptx)

    def _launch(self, program: Program, launch: Launch, arrays: DeviceArrays, shape, options: Options) -> Outcome:
        from gemmlab.emulator import runner
        from gemmlab.emulator.report.counters import cache_lines_of, counters_of, touched_of
        from gemmlab.emulator.report.findings import Explainer, timeout_message
        from gemmlab.emulator.report.print_format import printed_text

        found = decoded(program.ptx, program.symbol(launch.kernel))
        if isinstance(found, str):
            return Outcome(None, [Finding("unsupported", found)])
        code = _with_buffers(found, arrays)
        memory = _memory(code, arrays)
        arguments = _parameters(launch.arguments_at(shape), memory, arrays)
        run = runner.run(code, memory, launch, arguments, options)
        findings = Explainer(code, launch, shape, program.source).findings(run.events)
        self.ran(code, launch, run)
        if run.stopped and not any(finding.is_error for finding in findings):
            findings.append(Finding("timeout", timeout_message(0)))
        arrays.written = run.written.reshape(arrays.C.size, -1).all(axis=1).reshape(arrays.C.shape)
        C = None if run.stopped else arrays.C
        counters = counters_of(run.counters, code, self.by_ptx) if self.checks else None
        if counters and self.by_ptx:
            names = [region.name for region in memory.regions]
            lines, touched = cache_lines_of(run.cache_lines, code), touched_of(run.touched, names, code)
            counters = replace(counters, cache_lines=lines, touched=touched)
        printed = printed_text(run.printed, run.prints_lost, memory)
        buffers = arrays.buffers if self.by_ptx else {}
        return Outcome(C, findings, arrays.written, counters, run.seconds, printed, buffers=buffers)


def _budget(shape: tuple[int, int, int]) -> int:
    """Warp instructions that a chunk of blocks may take."""
    M, N, K = shape
    return _WORK_SHARE + _WORK_A_PRODUCT * (M * N * K // 32)


def _joined(outcomes: list[Outcome], arrays: DeviceArrays) -> Outcome:
    """One outcome for all launches of a plan, their counters added up."""
    from gemmlab.kernel.counters import joined

    if len(outcomes) == 1:
        return replace(outcomes[0], written=arrays.written)
    counted = [outcome.counters for outcome in outcomes if outcome.counters]
    return Outcome(
        C=None if any(outcome.C is None for outcome in outcomes) else arrays.C,
        findings=[finding for outcome in outcomes for finding in outcome.findings],
        written=arrays.written,
        counters=joined(counted) if counted else None,
        seconds=sum(outcome.seconds for outcome in outcomes),
        printed="".join(outcome.printed for outcome in outcomes),
    )


def _with_buffers(code: Code, arrays: DeviceArrays) -> Code:
    """The code with a bias and the launcher's own arrays as further global variables, each in an address range of its
    own."""
    from gemmlab.emulator.code.code import Region
    from gemmlab.emulator.machine import opcodes as o

    first = 3 + len(code.globals)
    if first + len(arrays.buffers) > o.MAX_GLOBALS:
        raise UserError("the kernel and its launcher have too many arrays in global memory for the emulator")
    buffers = [
        Region(
            name,
            o.INPUT if name in arrays.inputs else o.TRACKED,
            buffer.size,
            (number + 1 << o.GLOBAL_SHIFT) + o.GLOBAL_CENTRE,
        )
        for number, (name, buffer) in enumerate(arrays.buffers.items(), first)
    ]
    return replace(code, globals=[*code.globals, *buffers])


def _memory(code: Code, arrays: DeviceArrays) -> Memory:
    """The arrays as one launch sees them: what launches before it left in them is still there."""
    from gemmlab.emulator import runner

    memory = runner.global_memory(code, arrays.A, arrays.B, arrays.C)
    first_buffer = len(memory.arrays) - len(arrays.buffers)
    for number in range(3, first_buffer):
        memory.arrays[number] = arrays.variable(memory.regions[number].name, memory.arrays[number])
    memory.arrays[first_buffer:] = arrays.buffers.values()
    memory.written = arrays.written
    return memory


def _parameters(arguments: tuple[Argument, ...], memory: Memory, arrays: DeviceArrays) -> list[int]:
    """The arguments as the bits that the kernel gets."""
    first_buffer = len(memory.regions) - len(arrays.buffers)
    regions = zip(("A", "B", "C", *arrays.buffers), memory.regions[:3] + memory.regions[first_buffer:])
    addresses = {name: region.address for name, region in regions}
    return [
        addresses[argument.array] + argument.offset
        if isinstance(argument, Address)
        else int.from_bytes(np.dtype(argument.dtype).type(argument.value).tobytes(), "little")
        for argument in arguments
    ]


@lru_cache(maxsize=32)
def decoded(ptx: str, symbol: str):
    """The kernel's code, or a sentence that says why it cannot be emulated."""
    from gemmlab.emulator.code import decode
    from gemmlab.emulator.ptx import parser

    try:
        return decode.decode(parser.parse(ptx), symbol)
    except (parser.PtxError, decode.Unsupported) as reason:
        return f"The emulator cannot read this kernel: {reason}."
    except KeyError:
        return (
            f"The compiled code has no kernel named {symbol}: the compiler leaves out what its GPU could not run, such "
            "as clusters of blocks before sm_90."
        )
