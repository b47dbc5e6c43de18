"""Judges what a child brought back. Every word that a student may read is made here: the child gives bytes, and kinds
and lines of findings, which are checked; its sentences, which tell of hidden shapes and data, go to the audit log only.

The compiler's own words are the exception. They are shown because the child had been given nothing but the student's
source when it sent them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from gemmlab.kernel.epilogue import Inputs, draw
from gemmlab.kernel.kinds import GRAVITY, KINDS
from gemmlab.kernel.plan import Launches
from gemmlab.kernel.tolerance import Comparison, compare
from gemmlab.kernel.verdict import ALL, RAN
from gemmlab.launcher.spec import LauncherSpec
from grading.marking import sentences as say
from grading.marking.cases import OWN_KIND
from grading.marking.wrong_picture import where, wrong_picture
from grading.model import CaseMark, Execution, HiddenCase, Job, Judged, RawResult
from grading.visible import plain

RULE_KIND = "memory traffic"  # what the mark for a lesson's rules is called, beside the kinds of hidden cases
_MOST_ERRORS = 3
_MOST_WORDS = 300  # characters of one of the compiler's messages
_MOST_LINES = 1_000_000
_MOST_LOGGED = 20
_FACTORS = ("alpha", "beta")


_STOPPED = {
    "timeout": say.TOOK_TOO_LONG,
    "memory": say.TOOK_TOO_MUCH_MEMORY,
    "crash": say.CRASHED,
    "output": say.GAVE_NO_RESULT,
    "not run": say.NOT_RUN,
}


def judge(job: Job, execution: Execution) -> Judged:
    """The marks of one kernel, from results that nobody has to believe."""
    log = tuple(_log(job, execution))[:_MOST_LOGGED]
    if execution.errors:
        return Judged("compile_error", note=_compile_errors(execution.errors), log=log, seconds=execution.seconds)
    if execution.problem:
        status = "timeout" if execution.problem == "timeout" else "compile_error"
        note = say.COMPILING(problem=_STOPPED[execution.problem]())
        return Judged(status, note=note, log=log, seconds=execution.seconds)
    lines = job.source.count("\n") + 1
    launches = job.kernel.launched_by
    marks = [_mark(launches, case, results, lines) for case, *results in zip(execution.tried(job), *execution.backends)]
    for rule in (job.kernel.rules[number] for number in execution.rules):
        marks.append(CaseMark(RULE_KIND, "ordinary", False, rule.says, "counter"))
    warnings = tuple(dict.fromkeys(_warnings(execution, lines)))
    asides = tuple(dict.fromkeys(_asides(execution)))
    status = _status(marks)
    holds = _holds(execution.holds, lines) if status == "passed" else ""
    return Judged(
        status, tuple(marks), log=log, seconds=execution.seconds, warnings=warnings, holds=holds, asides=asides
    )  # fmt: skip


def _status(marks: Sequence[CaseMark]) -> str:
    if all(mark.ok for mark in marks):
        return "passed"
    return "timeout" if all(mark.ok or mark.finding == "timeout" for mark in marks) else "failed"


def _mark(launches: Launches | LauncherSpec, case: HiddenCase, results: Sequence[RawResult], lines: int) -> CaseMark:
    """The mark for one case: right on every backend, or the first thing that was wrong."""
    marks = [_judge_case(launches, case, result, lines) for result in results]
    return next((mark for mark in marks if not mark.ok), marks[0])


def _judge_case(launches: Launches | LauncherSpec, case: HiddenCase, result: RawResult, lines: int) -> CaseMark:
    """Right is C that is near enough to what is asked for, whole, and without a finding: right by luck is not."""
    if result.problem:
        finding = "timeout" if result.problem in ("timeout", "not run") else ""
        return CaseMark(case.kind, case.group, False, _said_of(case, _STOPPED[result.problem]()), finding)
    finding, message = _gravest(_findings(result), lines)
    max_error, picture = None, ""
    if result.C is not None:
        inputs = draw(launches, case.inputs, case.shape, case.seed)
        comparison = _compare(case, inputs, result.C, result.written or b"")
        picture = wrong_picture(comparison.wrong)
        max_error = comparison.max_error if math.isfinite(comparison.max_error) else None
        if not comparison.ok and not finding:
            finding, message = "wrong_result", _wrong_numbers(comparison)
        for other, words in ((result.second, say.FIRST_LAUNCH_ONLY), (result.again, say.ONE_ORDER_ONLY)):
            if not finding and other and other.C and not _compare(case, inputs, other.C, other.written or b"").ok:
                finding, message = "wrong_result", words()
    elif not finding:
        finding, message = "launch_error", say.NO_RESULT()
    return CaseMark(case.kind, case.group, not finding, _said_of(case, message), finding, max_error, picture)


def _said_of(case: HiddenCase, message: str) -> str:
    """The message, with the shape of a case of the kernel's own: that is no secret, the check has it as well."""
    if case.kind != OWN_KIND or not message:
        return message
    M, N, K = case.shape
    return say.AT_OWN_SHAPE(message=message, M=M, N=N, K=K)


def _findings(result: RawResult) -> tuple[dict, ...]:
    """Those of the launch and of the second look at it."""
    return (*result.findings, *(result.again.findings if result.again else ()))


def _compare(case: HiddenCase, inputs: Inputs, C_bytes: bytes, written_bytes: bytes) -> Comparison:
    """C against the result that only the grader knows."""
    (M, N, _), (A, B, terms) = case.shape, inputs
    C = np.frombuffer(C_bytes, np.float32).reshape(M, N)
    written = np.frombuffer(written_bytes, np.uint8).reshape(M, N) != 0
    return compare(C, A, B, case.inputs, written, terms=terms)


def _wrong_numbers(comparison: Comparison) -> str:
    if comparison.unwritten is not None and comparison.unwritten.any():
        return say.NEVER_WRITTEN[where(comparison.unwritten)]()
    return say.WRONG[where(comparison.wrong)]()


def _gravest(findings: Sequence[dict], lines: int) -> tuple[str, str]:
    """Kind and sentence of the gravest error among what may be findings; two empty strings where there is none."""
    errors = [finding for finding in findings if finding.get("severity") != "warning"]
    if not errors:
        return "", ""
    worst = min(errors, key=lambda finding: GRAVITY[_kind(finding)])
    kind, line = _kind(worst), _line(worst, lines)
    meaning = KINDS[kind].meaning
    return kind, say.FOUND_IN_LINE(meaning=meaning, line=line) if line else say.FOUND(meaning=meaning)


def _warnings(execution: Execution, lines: int) -> Iterator[str]:
    """A sentence for each warning of either look, by its kind. What the emulator does not know is for the instructor
    alone."""
    for finding in (one for results in execution.backends for result in results for one in _findings(result)):
        kind, line = _kind(finding), _line(finding, lines)
        if finding.get("severity") == "warning" and kind != "unsupported":
            yield _warned(kind, line)


def _asides(execution: Execution) -> Iterator[str]:
    """What an instructor should know of a second look that could not be taken, or came to no end."""
    for result in execution.cases:
        looked = result.again
        if looked and any(_kind(finding) == "unsupported" for finding in looked.findings):
            yield say.NO_SECOND_LOOK()
        elif result.C is not None and (result.detail or looked and looked.C is None and not looked.findings):
            yield say.NO_END_OF_SECOND_LOOK()


def _warned(kind: str, line: int | None) -> str:
    if kind == "launch_error":
        return say.WARNED_OF_LAUNCH()
    if line:
        return say.WARNED_IN_LINE(meaning=KINDS[kind].meaning, line=line)
    return say.WARNED(meaning=KINDS[kind].meaning)


def _holds(said: dict, lines: int) -> str:
    """How far it goes that no race was found, in our words; nothing where that is not said in the words we know."""
    because, numbers = said.get("because"), said.get("numbers")
    line = _line(because, lines) if isinstance(because, dict) else None
    where = say.IN_LINE(line=line) if line else say.IN_THE_WHOLE()
    known = [name for name in _FACTORS if isinstance(numbers, dict) and name in numbers]
    if said.get("schedules") == RAN:
        return say.HOLDS_IN_ORDER(where=where)
    if said.get("schedules") != ALL or said.get("data") not in (ALL, RAN):
        return ""
    if said["data"] == RAN:
        return say.HOLDS_WITH_DATA(where=where)
    return say.HOLDS_WITH_NUMBERS(numbers=" and ".join(known)) if known else say.HOLDS_ALWAYS()


def _line(finding: dict, lines: int) -> int | None:
    """The line of the student's file that the finding names; None where it names none that can be."""
    line = finding.get("line")
    return line if isinstance(line, int) and not isinstance(line, bool) and 0 < line <= lines else None


def _kind(finding: dict) -> str:
    kind = finding.get("kind")
    return kind if isinstance(kind, str) and kind in KINDS else "unsupported"


def _compile_errors(errors: Sequence[dict]) -> str:
    """The compiler's first messages, cut and on one line each."""
    shown = []
    for error in errors[:_MOST_ERRORS]:
        line = error.get("line")
        message = plain(str(error.get("message", "")))[:_MOST_WORDS]
        is_line = isinstance(line, int) and 0 < line < _MOST_LINES
        shown.append(say.ERROR_IN_LINE(line=line, message=message) if is_line else message)
    more = len(errors) - len(shown)
    return "\n".join(shown + ([say.MORE_ERRORS(count=more)] if more > 0 else []))


def _log(job: Job, execution: Execution) -> Iterator[str]:
    """What the child said, in its own words, for the instructor."""
    if execution.problem:
        yield plain(f"{execution.problem} while compiling: {execution.detail}")
    for name, results in zip(("emulator", "GPU"), execution.backends):
        for case, result in zip(execution.tried(job), results):
            at = f"{name}, {'×'.join(map(str, case.shape))} {case.inputs}"
            if result.problem or result.detail:
                yield plain(f"{at}: {result.problem} {result.detail}")
            for finding in _findings(result):
                yield plain(f"{at}: {_kind(finding)}: {finding.get('message')}")
