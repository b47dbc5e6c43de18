"""A lesson's limits on what a kernel may move: right numbers are not enough where the lesson is about memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Finding, Verdict
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.course.lesson import CounterRule, Kernel
    from gemmlab.kernel.counters import Counters


def judge(verdict: Verdict, kernel: Kernel, source: str, filename: str) -> Verdict:
    """The verdict, or a failed one with a finding for each rule that the kernel breaks. Only a kernel that passed is
    held to the rules: wrong numbers come first."""
    broken = broken_rules(kernel, source, filename) if verdict.passed else []
    return replace(verdict, status="failed", findings=(*verdict.findings, *broken)) if broken else verdict


def broken_rules(kernel: Kernel, source: str, filename: str) -> list[Finding]:
    """One finding for each rule that this source breaks, counted in the emulator. The source must compile."""
    return [finding for rule in kernel.rules if (finding := _broken(rule, kernel, source, filename))]


def _broken(rule: CounterRule, kernel: Kernel, source: str, filename: str) -> Finding | None:
    count, line = measured(rule, kernel, source, filename)
    if count <= rule.at_most:
        return None
    M, N, K = rule.shape
    words = f"{rule.what.replace('_', ' ')} of {rule.of.replace('_', ' ')}s"
    message = f"{rule.says} At M, N, K = {M}, {N}, {K} there are {count:g} {words}, and {rule.at_most:g} are enough."
    details = {"counter": rule.what, "of": rule.of, "count": count, "at_most": rule.at_most}
    return Finding("counter", message, line=line, details=details)


def measured(rule: CounterRule, kernel: Kernel, source: str, filename: str) -> tuple[float, int | None]:
    """What the emulator counts for a rule, over the whole launch, and the line that takes most of it."""
    outcome = Candidate(source, filename, kernel.launch).run(rule.shape)
    return _sectors_per_request(rule, outcome.counters)


def _sectors_per_request(rule: CounterRule, counters: Counters) -> tuple[float, int | None]:
    ratios = {"global_load": "load_sectors_per_request", "global_store": "store_sectors_per_request"}
    if rule.what != "sectors_per_request" or rule.of not in ratios:
        raise UserError(f"there is no counter '{rule.what}' of '{rule.of}'")
    ratio = getattr(counters.totals, ratios[rule.of])
    if ratio is None:
        return 0.0, None
    worst = max(counters.lines, key=lambda line: getattr(counters.lines[line], f"{rule.of}_sectors"))
    return ratio, worst or None
