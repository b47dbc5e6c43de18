"""Checks a kernel: compile it, run it over the cases on a backend, compare, and say what was found as a Verdict.

On a GPU the emulator runs as well, because a race or a read outside a matrix often leaves the numbers right there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from math import isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.check import sentences as say
from gemmlab.check.causes import one_memory, read_for_beta_0, second_launch, without_edge_followers
from gemmlab.check.corners import check_size, is_too_large, run_sample
from gemmlab.check.diagnosis.launch_fit import misfit
from gemmlab.check.diagnosis.pattern import Trial
from gemmlab.check.diagnosis.wrong_result import output_tile, wrong_result
from gemmlab.check.dropped import dropped_by_optimiser
from gemmlab.check.holds import holds_for
from gemmlab.check.own_shapes import conditions_at
from gemmlab.check.rules import judge
from gemmlab.check.second_look import is_right, look_again, looked_at, looked_through, unoptimised
from gemmlab.course.blanks import open_blanks
from gemmlab.course.lesson import INPUT_KINDS, Case, Kernel
from gemmlab.errors import UserError
from gemmlab.files import read_source
from gemmlab.kernel.causes import causes_first, ends_as_errors, merge, without_followers
from gemmlab.kernel.epilogue import draw, epilogue_of
from gemmlab.kernel.launch import Launch, LaunchSpec
from gemmlab.kernel.layout import COURSE, Layout
from gemmlab.kernel.plan import Launches, Work, launches_of, refused, steps_of
from gemmlab.kernel.tolerance import check_shape, compare
from gemmlab.kernel.verdict import CaseResult, Conditions, Finding, Verdict
from gemmlab.launcher.faults import LauncherError
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.kernel.arguments import ArgumentList
    from gemmlab.kernel.elements import Element
    from gemmlab.kernel.executor import Executor, Outcome
    from gemmlab.kernel.program import Diagnostic, Program

BACKENDS = ("auto", "emulator", "cuda")
_EMULATED_WORK = 2**24  # products M·N·K that the emulator repeats beside a GPU; larger cases are cut down to it
_SMALL_SIDE = 128


class Ticking:
    """An executor that calls `tick` after each run."""

    def __init__(self, executor: Executor, tick: Callable[[], None]) -> None:
        self.name, self.tick, self._executor = executor.name, tick, executor

    def run(self, *args, **kwargs) -> Outcome:
        """As the executor does."""
        outcome = self._executor.run(*args, **kwargs)
        self.tick()
        return outcome


class KernelFileError(UserError):
    """The kernel's file cannot be taken: missing, empty, not text."""


def check_kernel(
    kernel: Kernel, source: str, filename: str, backend: str = "auto", tick: Callable[[], None] | None = None
) -> Verdict:
    """Check a source as that kernel of a lesson, and at shapes of its own where its conditions ask for them; what is
    still as it was handed out counts as not attempted.

    `tick` is called after each launch; what it raises ends the check.
    """
    if kernel.patient and kernel.is_untouched(source):
        return Verdict("unattempted", backend=backend)
    with open_executors(backend) as executors:
        watched = [Ticking(executor, tick) for executor in executors] if tick else executors
        try:
            verdict = _check_read(watched, source, filename, kernel.launches_of, kernel.cases, own=True)
        except LauncherError as error:
            verdict = Verdict("failed", (error.finding,), backend=executors[0].name)
    return judge(verdict, kernel, source, filename)


def read_kernel(path: Path) -> str:
    """The text of a kernel file. Raises KernelFileError where it is missing, too large, empty or not text."""
    try:
        text = read_source(path)
    except UserError as error:
        raise KernelFileError(str(error)) from None
    if "\0" in text:
        raise KernelFileError(f"{path} is a binary file; give the path of a .cu file")
    if not text.strip():
        raise KernelFileError(f"{path} is empty; write the kernel into it first")
    return text


def check_source(source: str, filename: str, spec: Launches, cases: Sequence[Case], backend: str = "auto") -> Verdict:
    """Check one kernel. Raises UserError for a bad shape, a bad launch expression, or a backend that is not there."""
    with open_executors(backend) as executors:
        return check_with(executors, source, filename, spec, cases)


def check_launcher(
    source: str,
    filename: str,
    name: str,
    cases: Sequence[Case],
    backend: str = "auto",
    layout: Layout = COURSE,
    given: ArgumentList | None = None,
    element: Element | None = None,
) -> Verdict:
    """Check what a file's own host launcher launches; `given` are its arguments, where they are not the course's, and
    `element` is what A and B hold, where its parameters are not to say it.

    UserError as for check_source, and where it cannot be read.
    """
    from gemmlab.launcher.spec import launched

    with open_executors(backend) as executors:

        def read(text: str) -> Launches:
            return launched(text, name, layout, given, element)

        return _check_read(executors, source, filename, read, cases)


def _check_read(
    executors: Sequence[Executor],
    source: str,
    filename: str,
    read: Callable[[str], Launches],
    cases: Sequence[Case],
    own: bool = False,
) -> Verdict:
    """Check what `read` finds that the source launches. Where that cannot be read, open blanks and what the compiler
    says come first."""
    try:
        launches = read(source)
        for case in cases:
            _check_size(case, executors[0].name)
            launches.at(*case.shape)
    except UserError:
        main = executors[0].name
        broken = _unattempted(source, main) or _compile_errors(source, filename, main)
        if broken:
            return broken
        raise
    return check_with(executors, source, filename, launches, cases, own)


def _compile_errors(source: str, filename: str, backend: str) -> Verdict | None:
    """The verdict on a file that does not compile: that comes before any complaint about its launcher."""
    from gemmlab.compiler.compile import CompileError, compile_source

    try:
        compile_source(source, filename)
    except CompileError as error:
        remarks = merge(_remark(diagnostic) for diagnostic in error.diagnostics)
        return Verdict("compile_error", tuple(remarks), backend=backend)
    return None


@contextmanager
def open_executors(backend: str) -> Iterator[tuple[Executor, ...]]:
    """The executors of a backend, the one that it is named after first. 'auto' is the GPU where one can be used."""
    if backend not in BACKENDS:
        raise UserError(f"unknown backend '{backend}'; choose one of {', '.join(BACKENDS)}")
    from gemmlab.emulator import EmulatorExecutor

    if backend == "emulator" or not _gpu_can_be_used(wanted=backend == "cuda"):
        yield (EmulatorExecutor(),)
        return
    from gemmlab.gpu.executor import GpuExecutor

    with closing(GpuExecutor()) as executor:
        yield executor, EmulatorExecutor()


def _gpu_can_be_used(wanted: bool) -> bool:
    """Whether kernels can run on this machine's GPU. Where it is wanted and they cannot, UserError says why."""
    from gemmlab import gpu

    try:
        if gpu.available() is None:
            raise UserError("this machine has no NVIDIA GPU; take --backend emulator")
        gpu.device()
    except UserError:
        if wanted:
            raise
        return False
    return True


def check_with(
    executors: Sequence[Executor],
    source: str,
    filename: str,
    spec: Launches,
    cases: Sequence[Case],
    own: bool = False,
) -> Verdict:
    """Check one kernel on these executors; the first one's cases are reported, the findings of all. `own` asks for
    shapes of its own as well, where it is right at the others."""
    backend = executors[0].name
    for case in cases:
        _check_size(case, backend)
        spec.at(*case.shape)
    if unattempted := _unattempted(source, backend):
        return unattempted
    candidate = Candidate(source, filename, spec)
    program, remarks = _compile(candidate, cases, backend)
    if program is None:
        return Verdict("compile_error", tuple(merge(remarks)), backend=backend)
    runs = [_Run() for _ in executors]
    _run_on_all(executors, runs, program, spec, cases)
    conditions = None
    if own and all(run.is_right for run in runs):
        conditions = conditions_at(program, spec, [case.shape for case in cases])
        more = _own_cases(conditions)
        _run_on_all(executors, runs, program, spec, more)
        cases = (*cases, *more)
    if executors[-1].name == "emulator" and not any(run.has_error for run in runs):
        was_right = all(result.ok for run in runs for result in run.cases)
        found = _second_look(candidate, program, cases, was_right, getattr(executors[-1], "tick", _no_tick))
        remarks += [_by(finding, executors[-1]) for finding in found] if len(executors) > 1 else found
    verdict = replace(_verdict(program, candidate, cases, remarks, runs, backend), conditions=conditions)
    if executors[-1].name != "emulator":
        return verdict
    return replace(verdict, holds_for=holds_for(program, spec, runs[-1].whole, verdict.findings))


def _own_cases(conditions: Conditions) -> tuple[Case, ...]:
    """At the shapes that are added for a kernel's conditions."""
    return tuple(
        Case(added.shape, INPUT_KINDS[number % len(INPUT_KINDS)], number, "ragged")
        for number, added in enumerate(conditions.added)
    )


def _check_size(case: Case, backend: str) -> None:
    (check_size if backend == "emulator" else check_shape)(case.shape)


def _unattempted(source: str, backend: str) -> Verdict | None:
    blanks = [_blank_finding(name, line) for name, line in open_blanks(source)]
    return Verdict("unattempted", tuple(blanks), backend=backend) if blanks else None


def _by(finding: Finding, executor: Executor) -> Finding:
    """The finding with the name of the executor, where that is not the one by which the backend goes."""
    return replace(finding, details={**finding.details, "by": executor.name})


def _no_tick() -> None:
    """Nobody watches the check."""


def _second_look(
    candidate: Candidate, program: Program, cases: Sequence[Case], was_right: bool, tick: Callable[[], None]
) -> Iterator[Finding]:
    """What a second look finds, case by case. Its numbers tell something only of a kernel that was right before."""
    layout, quick = candidate.launch.layout, sorted(map(small, cases), key=lambda case: prod(case.shape))
    shapes = [case.shape for case in quick]
    plain = unoptimised(candidate, program.arch, shapes)
    if plain:
        yield from dropped_by_optimiser(program, plain)
    programs = looked_through(program, plain)
    for number, case in enumerate(quick):
        if programs and case.shape in looked_at(shapes):
            inputs = draw(candidate.launch, case.inputs, layout.product(case.shape), case.seed)
            outcome = look_again(candidate, programs[number % len(programs)], inputs, case.shape)
            tick()
            yield from outcome.findings
            if was_right and not outcome.findings and not is_right(outcome, inputs, case.inputs):
                M, N, K = case.shape
                yield Finding("wrong_result", say.ONE_ORDER_ONLY(M=M, N=N, K=K), details={"shape": list(case.shape)})
                return


def _blank_finding(name: str, line: int) -> Finding:
    blank = f"The blank '{name}'" if name else "A blank"
    message = f"{blank} in line {line} is still open: write your code in place of ______."
    return Finding("compile_error", message, line=line, details={"blank": name})


def _compile(candidate: Candidate, cases: Sequence[Case], backend: str) -> tuple[Program | None, list[Finding]]:
    """The program and the compiler's remarks; no program where the source has an error or not the kernel asked for."""
    from gemmlab.compiler.compile import CompileError
    from gemmlab.cuda.signature import launch_misfit

    shapes = [case.shape for case in (*cases, *map(small, cases))]
    try:
        program = candidate.compiled(_arch(backend), shapes=shapes)
    except CompileError as error:
        return None, [_remark(diagnostic) for diagnostic in error.diagnostics]
    remarks = [_remark(diagnostic) for diagnostic in program.warnings]
    misfit = launch_misfit(candidate.text, candidate.launch)
    return (None, [misfit, *remarks]) if misfit else (program, remarks)


def _arch(backend: str) -> str | None:
    """The architecture to compile for: that of the GPU, or the compiler's default."""
    if backend != "cuda":
        return None
    from gemmlab import gpu

    return gpu.device().arch


def _remark(diagnostic: Diagnostic) -> Finding:
    return Finding("compile_error", diagnostic.message, diagnostic.severity, diagnostic.line, diagnostic.column)


def small(case: Case) -> Case:
    """The case, or one of the same raggedness that the emulator runs in a moment."""
    if prod(case.shape) <= _EMULATED_WORK:
        return case
    M, N, K = (size if size <= _SMALL_SIDE else _SMALL_SIDE + size % _SMALL_SIDE for size in case.shape)
    return replace(case, shape=(M, N, K))


@dataclass
class _Run:
    """What one executor made of the cases; `clean` are results of launches without a fault, `faulty` of the others.

    `printed` is the output of the first case that printed, `wrong_on` the first of several devices whose C was wrong,
    `whole` are the shapes at which all blocks ran to their end.
    """

    findings: list[Finding] = field(default_factory=list)
    cases: list[CaseResult] = field(default_factory=list)
    clean: list[Trial] = field(default_factory=list)
    faulty: list[Trial] = field(default_factory=list)
    printed: str = ""
    whole: list[tuple[int, int, int]] = field(default_factory=list)
    wrong_on: int | None = None

    @property
    def has_error(self) -> bool:
        return any(finding.is_error for finding in self.findings)

    @property
    def is_right(self) -> bool:
        return not self.has_error and all(result.ok for result in self.cases)


def _run_on_all(
    executors: Sequence[Executor], runs: Sequence[_Run], program: Program, spec: Launches, cases: Sequence[Case]
) -> None:
    """Add to what each executor made of the cases before: the first one runs them as they are, the others what is
    quick."""
    for number, (executor, run) in enumerate(zip(executors, runs)):
        known = len(run.findings)
        _run_cases(run, executor, program, spec, map(small, cases) if number else cases)
        if number:
            run.findings[known:] = [_by(finding, executor) for finding in run.findings[known:]]


def _run_cases(run: _Run, executor: Executor, program: Program, spec: Launches, cases: Iterable[Case]) -> None:
    """Run case after case; a timeout ends it, for the next case would only take as long."""
    for case in cases:
        findings, result, trial = _run_case(run, executor, program, spec, case)
        findings = without_edge_followers(findings, spec, case.shape)
        run.findings += [
            replace(finding, details={"shape": list(case.shape)} | finding.details) for finding in findings
        ]
        faults = [finding.kind for finding in findings if finding.is_error]
        run.cases.append(result or _case_result(case, trial, not faults))
        if trial:
            (run.faulty if faults else run.clean).append(trial)
        if "timeout" in faults:
            break


def _run_case(
    run: _Run, executor: Executor, program: Program, spec: Launches, case: Case
) -> tuple[list[Finding], CaseResult | None, Trial | None]:
    """What was found, the result where it is judged already, and what there is to compare where it is not."""
    work, product = spec.at(*case.shape), spec.layout.product(case.shape)
    if faults := refused(work, program):
        return faults, None, None
    if executor.name == "emulator" and is_too_large(case.shape):
        findings, result = run_sample(executor, program, _only_launch(work, case), case, epilogue_of(spec))
        return findings, result, None
    A, B, terms = inputs = draw(spec, case.inputs, product, case.seed)
    outcome = executor.run(program, work, A, B, case.shape, terms=terms)
    run.printed = run.printed or outcome.printed
    findings = read_for_beta_0(outcome.findings, spec, terms)
    if outcome.C is not None:
        run.whole.append(case.shape)
        comparison = compare(outcome.C, A, B, case.inputs, outcome.written, terms=terms)
        findings = findings if comparison.ok else ends_as_errors(findings)
        findings += second_launch(outcome, comparison.ok, inputs, case)
        for rank, C in enumerate(() if comparison.ok else outcome.of_ranks):
            on_device = compare(C, A, B, case.inputs, ~np.isnan(C), terms=terms)
            if not on_device.ok:
                run.wrong_on = rank if run.wrong_on is None else run.wrong_on
                return findings, None, Trial(product, case.inputs, A, B, C, on_device, terms)
        return findings, None, Trial(product, case.inputs, A, B, outcome.C, comparison, terms)
    if not any(finding.is_error for finding in findings):
        findings.append(Finding("launch_error", "The launch ended without a result and without a reason; try again."))
    return findings, None, None


def _only_launch(work: Work, case: Case) -> Launch:
    """What can be sampled: one launch and nothing else."""
    if len(steps_of(work)) > 1:
        M, N, K = case.shape
        raise UserError(f"the shape {M},{N},{K} is too large to emulate all that is launched; take a smaller one")
    return launches_of(work)[0]


def _case_result(case: Case, trial: Trial | None, faultless: bool) -> CaseResult:
    """A case is ok where C is right and no fault was found: right numbers by luck are not."""
    if trial is None:
        return CaseResult(case.shape, False, None, case.inputs)
    found = trial.comparison
    max_error = found.max_error if isfinite(found.max_error) else None
    return CaseResult(case.shape, found.ok and faultless, max_error, case.inputs, found.wrong)


def _verdict(
    program: Program,
    candidate: Candidate,
    cases: Sequence[Case],
    remarks: list[Finding],
    runs: list[_Run],
    backend: str,
) -> Verdict:
    findings = merge(one_memory(program, remarks + [finding for run in runs for finding in run.findings]))
    clean = [trial for run in runs for trial in run.clean]
    faulty = [trial for run in runs for trial in run.faulty]
    spec = candidate.launch
    is_wrong = not all(trial.comparison.ok for trial in clean)
    findings = without_followers(findings + _misfits(findings, is_wrong, program, spec, cases))
    raced = any(finding.kind == "race" and finding.is_error for finding in findings)
    wrong = wrong_result(clean, faulty, output_tile(spec), program.source, raced)
    findings += one_memory(program, [_on_device(_in_letters(wrong, spec.layout), runs)] if wrong else [])
    findings = causes_first(findings)
    results, kernels = tuple(runs[0].cases), candidate.kernels(case.shape for case in cases)
    resources = program.resources.get(kernels[0]) if len(kernels) == 1 else None
    return Verdict(
        _status(findings, results),
        tuple(findings),
        results,
        backend,
        {**asdict(resources), "arch": program.arch} if resources else None,
        next((run.printed for run in runs if run.printed), ""),
    )


def _misfits(
    findings: Sequence[Finding], is_wrong: bool, program: Program, spec: Launches, cases: Sequence[Case]
) -> list[Finding]:
    """Of a kernel with a fault or wrong numbers, whether its launch fits it at all."""
    kinds = {finding.kind for finding in findings if finding.is_error}
    if not isinstance(spec, LaunchSpec) or "launch_error" in kinds or not (kinds or is_wrong):
        return []
    launch = launches_of(spec.at(*cases[0].shape))[0]
    resources = program.resources.get(launch.kernel)
    found = misfit(program.source, launch, resources.max_threads if resources else None)
    return [found] if found else []


def _on_device(finding: Finding, runs: Sequence[_Run]) -> Finding:
    """The finding on wrong numbers, with the device that has them, of several."""
    device = next((run.wrong_on for run in runs if run.wrong_on is not None), None)
    if device is None:
        return finding
    message = say.ON_DEVICE(device=device, fault=finding.message)
    return replace(finding, message=message, details={**finding.details, "device": device})


def _in_letters(finding: Finding, layout: Layout) -> Finding:
    """The finding on wrong numbers, in the letters of the kernel's file."""
    details = finding.details
    if "shape" in details:
        details = {**details, "shape": list(layout.shape(tuple(details["shape"])))}
    return replace(finding, message=layout.reword(finding.message), details=details)


def _status(findings: Sequence[Finding], cases: Sequence[CaseResult]) -> str:
    errors = [finding.kind for finding in findings if finding.is_error]
    if not errors and cases and all(case.ok for case in cases):
        return "passed"
    return "timeout" if errors and set(errors) == {"timeout"} else "failed"
