"""A lesson's limits on how a kernel gets to the right numbers: without them a lesson could be passed around its idea.

The limits stand in the front matter, `counters`. Here is what can be limited, and how each is counted in the emulator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import draw
from gemmlab.kernel.launch import Address, Argument
from gemmlab.kernel.verdict import Finding, Verdict
from gemmlab.kernel.warp import WARP
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.course.lesson import CounterRule, Kernel
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]
Count = tuple[float, "int | None"]  # how much, and the line that takes most of it
_FLOAT = 4  # bytes


def judge(verdict: Verdict, kernel: Kernel, source: str, filename: str) -> Verdict:
    """The verdict, or a failed one with a finding for each rule that the kernel breaks. Only a kernel that passed is
    held to the rules: wrong numbers come first."""
    broken = broken_rules(kernel, source, filename) if verdict.passed else []
    return replace(verdict, status="failed", findings=(*verdict.findings, *broken)) if broken else verdict


def broken_rules(kernel: Kernel, source: str, filename: str) -> list[Finding]:
    """One finding for each rule that this source breaks, counted in the emulator. The source must compile.

    `details["rule"]` is the rule's place in `kernel.rules`.
    """
    runs = {rule.shape: _Run(kernel, source, filename, rule.shape) for rule in kernel.rules}
    findings = (_broken(number, rule, runs[rule.shape]) for number, rule in enumerate(kernel.rules))
    return [finding for finding in findings if finding]


def measured(rule: CounterRule, kernel: Kernel, source: str, filename: str) -> Count:
    """What is counted for a rule, and the line that takes most of it. UserError for a rule that nothing counts."""
    return _measure(rule).count(_Run(kernel, source, filename, rule.shape))


def _broken(number: int, rule: CounterRule, run: _Run) -> Finding | None:
    measure = _measure(rule)
    count, line = measure.count(run)
    if rule.allows(count):
        return None
    M, N, K = rule.shape
    message = measure.sentence.format(says=rule.says, M=M, N=N, K=K, count=count, limit=rule.limit)
    details = {"rule": number, "counter": rule.what, "of": rule.of, "count": count, "limit": rule.limit}
    return Finding("counter", message, line=line, details=details)


@dataclass(frozen=True)
class _Run:
    """A source at one shape: compiled once, and run once for each way in which it is looked at."""

    kernel: Kernel
    source: str
    filename: str
    shape: Shape

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.source, self.filename, self.kernel.launches_of(self.source))

    @cached_property
    def program(self) -> Program:
        return self.candidate.compiled(shapes=[self.shape])

    @property
    def launch(self) -> Launch:
        return self.candidate.launches(self.shape)[0]

    @cached_property
    def counters(self) -> Counters:
        counters = self.candidate.run(self.shape).counters
        assert counters is not None, "the emulator counts"
        return counters

    def worst_line(self, column: str) -> int | None:
        """The line with the largest count, where one is known."""
        lines = self.counters.lines
        return max(lines, key=lambda line: getattr(lines[line], column), default=0) or None


@dataclass(frozen=True)
class _Measure:
    """Something that a rule can limit, and the whole of the finding's text where it is broken."""

    count: Callable[[_Run], Count]
    sentence: str


def _measure(rule: CounterRule) -> _Measure:
    if (rule.what, rule.of) not in MEASURES:
        raise UserError(f"there is no counter '{rule.what}' of '{rule.of}'")
    return MEASURES[rule.what, rule.of]


def _sectors_per_request(kind: str) -> Callable[[_Run], Count]:
    def count(run: _Run) -> Count:
        totals = run.counters.totals
        sectors, requests = getattr(totals, f"{kind}_sectors"), getattr(totals, f"{kind}_requests")
        return (sectors / requests, run.worst_line(f"{kind}_sectors")) if requests else (0.0, None)

    return count


def _per_multiply_add(column: str, share: float) -> Callable[[_Run], Count]:
    """The count, times `share`, for each of the M·N·K multiply-adds that the product needs, however they are made."""

    def count(run: _Run) -> Count:
        return share * getattr(run.counters.totals, column) / prod(run.shape), run.worst_line(column)

    return count


def _per_element(column: str) -> Callable[[_Run], Count]:
    """Floats for each of the M·N elements of C."""

    def count(run: _Run) -> Count:
        M, N, _ = run.shape
        return getattr(run.counters.totals, column) / _FLOAT / (M * N), run.worst_line(column)

    return count


def _numbers_per_multiply_add(run: _Run) -> Count:
    """Elements of A and B, of whatever type, that are read from global memory for each multiply-add."""
    count, line = _per_multiply_add("global_load_bytes", 1 / run.launch.layout.element.size)(run)
    return count, line


def _tensor_share(run: _Run) -> Count:
    """How many of the M·N·K multiply-adds tensor instructions make, in per cent; 100 where they make all of them."""
    return min(100.0, 100 * run.counters.totals.tensor_fma / prod(run.shape)), run.worst_line("fma")


def _conflicts(run: _Run) -> Count:
    """Wavefronts of shared memory that are due to bank conflicts, as a GPU executes the accesses."""
    totals = run.counters.totals
    worst = max(("widened_load_conflicts", "widened_store_conflicts"), key=lambda column: getattr(totals, column))
    return totals.widened_load_conflicts + totals.widened_store_conflicts, run.worst_line(worst)


def _asynchronous_share(run: _Run) -> Count:
    """How much of what fills shared memory is asynchronous copies, in per cent of the requests."""
    totals = run.counters.totals
    stores, copies = totals.shared_store_requests, totals.async_copy_requests
    return (100 * copies / stores if stores else 0.0), run.worst_line("shared_store_requests")


def _multiply_adds_of_a_block(run: _Run) -> Count:
    """Multiply-adds of the first block of every launch."""
    from gemmlab.emulator import EmulatorExecutor

    A, B, terms = draw(run.candidate.launch, "random", run.shape)
    work, first = run.candidate.launch.at(*run.shape), np.zeros(1, np.int64)
    counters = EmulatorExecutor(again=False).run(run.program, work, A, B, run.shape, first, terms).counters
    assert counters is not None, "the emulator counts"
    return counters.totals.fma, run.worst_line("fma")


def _global_atomics(run: _Run) -> Count:
    return run.counters.totals.global_atomic_requests, run.worst_line("global_atomic_requests")


def _shifted_bases(run: _Run) -> Count:
    """How many of A, B and C are accessed misaligned where the matrix begins one float further than usual.

    So that all lies inside the arrays, the kernel is told of one row less.
    """
    from gemmlab.emulator import EmulatorExecutor

    M, N, K = run.shape
    A, B, terms = draw(run.candidate.launch, "integer", run.shape)
    lines: list[int | None] = []
    for shifted, sizes in (("A", (M - 1, N, K)), ("B", (M, N, K - 1)), ("C", (M - 1, N, K))):
        told = run.candidate.launches(sizes)[0].arguments_at(sizes)
        arguments = (Address(shifted, _FLOAT) if _is(shifted, one) else one for one in told)
        launch = replace(run.launch, arguments=tuple(arguments))
        outcome = EmulatorExecutor(again=False).run(run.program, launch, A, B, run.shape, terms=terms)
        lines += [finding.line for finding in outcome.findings if finding.kind == "misaligned"][:1]
    return len(lines), lines[0] if lines else None


def _is(name: str, argument: Argument) -> bool:
    return isinstance(argument, Address) and argument.array == name


def _overlapping_intervals(run: _Run) -> Count:
    """In how many intervals between two barriers the first block reads shared memory while it is copied to."""
    from gemmlab.trials.trace import overlapping_intervals

    if not run.counters.totals.async_copy_requests:
        return 0, None
    try:
        return overlapping_intervals(run.program, run.launch, run.shape), None
    except UserError:  # too much to follow
        return 0, None


def _floats_of_a_warp(run: _Run) -> Count:
    """Distinct floats of A and B that warp 0 needs for one k, by where its lanes store."""
    from gemmlab.cuda.sizes import sizes_of
    from gemmlab.trials.warp_tile import lanes_of

    try:
        return lanes_of(run.program, run.kernel.launch, sizes_of(run.kernel.starter)).floats, None
    except UserError:  # some lane has no patch
        return inf, None


_ENOUGH = "{{says}} At M, N, K = {{M}}, {{N}}, {{K}} there are {{count:g}} {words}, and {{limit:g}} are enough."
_ENOUGH_OF_THEM = _ENOUGH.replace("count:g", "count:,.0f").replace("limit:g", "limit:,.0f")
MEASURES = {
    ("sectors_per_request", "global_load"): _Measure(
        _sectors_per_request("global_load"), _ENOUGH.format(words="sectors per request of global loads")
    ),
    ("sectors_per_request", "global_store"): _Measure(
        _sectors_per_request("global_store"), _ENOUGH.format(words="sectors per request of global stores")
    ),
    ("floats_per_multiply_add", "global_load"): _Measure(
        _per_multiply_add("global_load_bytes", 1 / _FLOAT),
        _ENOUGH.format(words="floats read from global memory for each multiply-add"),
    ),
    ("floats_per_multiply_add", "shared_load"): _Measure(
        _per_multiply_add("shared_load_bytes", 1 / _FLOAT),
        _ENOUGH.format(words="floats read from shared memory for each multiply-add"),
    ),
    ("floats_per_element", "global_load"): _Measure(
        _per_element("global_load_bytes"), _ENOUGH.format(words="floats read from global memory for each element of C")
    ),
    ("floats_per_element", "peer_store"): _Measure(
        _per_element("peer_store_bytes"), _ENOUGH.format(words="floats stored on other devices for each element of C")
    ),
    ("floats_per_element", "peer_load"): _Measure(
        _per_element("peer_load_bytes"), _ENOUGH.format(words="floats read from other devices for each element of C")
    ),
    ("floats_per_element", "global_store"): _Measure(
        _per_element("global_store_bytes"), _ENOUGH.format(words="floats stored to global memory for each element of C")
    ),
    ("reads_per_multiply_add", "global_load"): _Measure(
        _per_multiply_add("global_load_requests", WARP),
        _ENOUGH.format(words="reads of global memory, of whatever width, for each multiply-add"),
    ),
    ("reads_per_multiply_add", "shared_load"): _Measure(
        _per_multiply_add("shared_load_requests", WARP),
        _ENOUGH.format(words="reads of shared memory, of whatever width, for each multiply-add"),
    ),
    ("numbers_per_multiply_add", "global_load"): _Measure(
        _numbers_per_multiply_add, _ENOUGH.format(words="numbers read from global memory for each multiply-add")
    ),
    ("tensor_share", "multiply_add"): _Measure(
        _tensor_share,
        "{says} At M, N, K = {M}, {N}, {K} tensor instructions make {count:.0f} % of the multiply-adds, and "
        "{limit:g} % are possible.",
    ),
    ("overlapping_intervals", "block"): _Measure(
        _overlapping_intervals,
        "{says} At M, N, K = {M}, {N}, {K} a block multiplies while copies are under way in {count:g} of its "
        "intervals between two barriers, and {limit:g} are possible.",
    ),
    ("conflicts", "shared"): _Measure(
        _conflicts, _ENOUGH.format(words="wavefronts of shared memory that are due to bank conflicts")
    ),
    ("asynchronous_share", "shared_store"): _Measure(
        _asynchronous_share,
        "{says} At M, N, K = {M}, {N}, {K} {count:.0f} % of the requests that fill the tiles are asynchronous copies, "
        "and {limit:g} % are possible.",
    ),
    ("misaligned_matrices", "shifted_base"): _Measure(
        _shifted_bases,
        "{says} Of A, B and C, {count:g} cannot begin 4 bytes further: the kernel then takes 16 bytes at once where no "
        "multiple of 16 begins.",
    ),
    ("multiply_adds", "block"): _Measure(
        _multiply_adds_of_a_block, _ENOUGH_OF_THEM.format(words="multiply-adds in the first block")
    ),
    ("requests", "global_atomic"): _Measure(
        _global_atomics, _ENOUGH_OF_THEM.format(words="atomic requests to global memory")
    ),
    ("floats_for_one_k", "warp"): _Measure(
        _floats_of_a_warp,
        "{says} For one k a warp needs {count:g} different floats, and {limit:g} are enough.",
    ),
}
