"""One place where submissions are executed, one after the other: a nursery, and the talk with each of its children.

This is the grader's side. It alone makes the matrices from the hidden cases' seeds, it sends them case by case, and it
takes back bytes of a size that it knows beforehand. A child that says anything else, or nothing in time, is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from gemmlab.check.own_shapes import MOST_ADDED
from gemmlab.check.second_look import MOST_WORK as QUICK
from gemmlab.check.second_look import looked_at
from gemmlab.emulator.sizes.search import MOST_WORK
from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import draw
from gemmlab.kernel.plan import Launches
from gemmlab.launcher.spec import LauncherSpec
from grading.marking.cases import own_case
from grading.marking.judge import judge
from grading.model import Execution, HiddenCase, Job, RawResult
from grading.sandbox import child, nursery, sentences, wire
from grading.sandbox.gpu_lane import MOST_CODE, MachineCode, run_on_gpu
from grading.sandbox.inputs import packed

START_SECONDS = 300  # to be ready, not counting the time in which the emulator is compiled
STOP_SECONDS = 20
COMPILE_SECONDS = 20
CASE_SECONDS = child.CASE_SECONDS + 5
SUBMISSION_SECONDS = 90
NURSERY = (sys.executable, "-m", "grading.sandbox.nursery")
_KEPT_ENVIRONMENT = (
    "PATH HOME LANG LC_ALL TMPDIR GEMMLAB_CACHE_DIR GEMMLAB_SHARED_DIR XDG_CACHE_HOME CUDA_PATH CUDA_HOME "
    "LD_LIBRARY_PATH"
)


class WorkerLost(Exception):
    """The nursery is gone or could not confine its child: this machine's fault, and no student's."""


class _Ended(Exception):
    """A child is of no more use; for use inside this file. `problem` and `detail` are those of a RawResult."""

    def __init__(self, problem: str, detail: str = "") -> None:
        self.problem, self.detail = problem, detail


@dataclass(frozen=True)
class Plans:
    """What a child read in a file's own launcher, as JSON, one plan a shape, and the code for them. `faults` are what
    keeps it from being run, at the shape of number `at` where that is known; `problem` is what ended the child. Nothing
    of it is believed."""

    code: MachineCode | None = None
    plans: tuple[object, ...] = ()
    faults: tuple[dict, ...] = ()
    at: int | None = None
    problem: str = ""


class Worker:
    """A nursery. `walls` are those of the sandbox that stand, `user` the number of the user that children are; both are
    known after `greet`, which must come first.

    For one thread at a time, but for `kill`. `close` ends it and all that it started.
    """

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise UserError(sentences.NOT_LINUX())
        self.walls: list[str] = []
        self.user: int | None = None
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._complaints = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [*NURSERY, str(theirs.fileno())],
            env=_environment(), pass_fds=[theirs.fileno()], start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._complaints,
        )  # fmt: skip
        theirs.close()

    def greet(self) -> Worker:
        """Wait until it is ready, and while it compiles the emulator for as long as that takes. Raises UserError where
        it cannot be started on this machine; it is closed then."""
        try:
            hello = self._hello()
        except TimeoutError:
            hello = {"error": sentences.SLOW_START(seconds=START_SECONDS)}
        except WorkerLost as lost:
            hello = {"error": sentences.CANNOT_START(reason=lost)}
        except BaseException:
            self.close()
            raise
        if "error" in hello:
            self.close()
            raise UserError(hello["error"])
        self.walls, self.user = hello["walls"], hello["user"]
        return self

    def _hello(self) -> dict:
        """What the nursery says when it is ready. Raises WorkerLost, and TimeoutError where it does not get on."""
        said = self._said(START_SECONDS)
        while "compiling" in said:
            said = self._said(None if said["compiling"] else START_SECONDS)
        return said

    def run(self, job: Job) -> Execution:
        """Execute the job in a fresh child. Raises WorkerLost; whatever the student's kernel does is in the result."""
        started = time.monotonic()
        channel = self.open()
        talk = _Talk(channel)
        try:
            execution = talk.execute(job)
        finally:
            channel.close()
            status = self.stop()
        if status == nursery.NOT_CONFINED:
            raise WorkerLost("a child could not be confined")
        if talk.code:
            on_gpu = run_on_gpu(job.kernel.launched_by, execution.tried(job), talk.code, execution.cases)
            execution = replace(execution, gpu_cases=on_gpu)
        return replace(execution, seconds=time.monotonic() - started)

    def plans(self, job: Job, shapes: Sequence[tuple[int, int, int]]) -> Plans:
        """What the job's source launches at these shapes on a GPU of the job's architecture; nothing of it is run.
        Raises WorkerLost."""
        channel = self.open()
        try:
            return _Talk(channel).plans(job, shapes)
        finally:
            channel.close()
            if self.stop() == nursery.NOT_CONFINED:
                raise WorkerLost("a child could not be confined")

    def open(self) -> socket.socket:
        """The channel of a fresh child. `stop` must follow before the next one."""
        try:
            self._control.send(b"open")
            self._control.settimeout(STOP_SECONDS)
            _, descriptors, _, _ = socket.recv_fds(self._control, 16, 1)
        except OSError as error:
            raise WorkerLost(str(error)) from None
        if not descriptors:
            raise WorkerLost(self._last_words())
        return socket.socket(fileno=descriptors[0])

    def stop(self) -> int | None:
        """Kill the child and all that it started. Returns its exit status, or -signal where one had ended it."""
        try:
            self._control.send(b"stop")
        except OSError as error:
            raise WorkerLost(str(error)) from None
        return self._answer(STOP_SECONDS)["status"]

    def kill(self) -> None:
        """End the nursery and its children. Whoever talks with them gets WorkerLost."""
        if self._process.poll() is None:  # else the number may be another process's by now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        self.kill()
        self._process.wait()
        self._control.close()
        self._complaints.close()

    def _answer(self, seconds: float) -> dict:
        try:
            return self._said(seconds)
        except TimeoutError as error:
            raise WorkerLost(str(error)) from None

    def _said(self, seconds: float | None) -> dict:
        """The nursery's next message; None waits until there is one. Raises TimeoutError, and WorkerLost where there
        will be none."""
        try:
            self._control.settimeout(seconds)
            text = self._control.recv(1 << 16)
        except TimeoutError:
            raise
        except OSError as error:
            raise WorkerLost(str(error)) from None
        if not text:
            raise WorkerLost(self._last_words())
        return json.loads(text)

    def _last_words(self) -> str:
        self._complaints.seek(0)
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


class _Talk:
    """The talk with one child."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.code: MachineCode | None = None
        self.end = time.monotonic() + SUBMISSION_SECONDS

    def execute(self, job: Job) -> Execution:
        try:
            errors = self._compile(job)
        except _Ended as ended:
            return Execution(problem=ended.problem, detail=ended.detail)
        if errors:
            return Execution(errors=errors)
        results = self._run_cases(job.kernel.launched_by, job.cases)
        own = self._own_cases(job) if _is_right_so_far(job, results) else ()
        results += self._run_cases(job.kernel.launched_by, own)
        if job.arch and isinstance(job.kernel.launched_by, LauncherSpec):
            self._fetch_code(job.arch)
        if any(result.problem or _has_error(result) for result in results):
            return Execution(cases=tuple(results), own=own)
        try:
            rules = self._broken_rules(job)
        except _Ended as ended:
            return Execution(cases=(RawResult(problem=ended.problem, detail=ended.detail), *results[1:]), own=own)
        looked = tuple(self._look_again(job, (*job.cases, *own), results))
        return Execution(cases=looked, rules=rules, own=own, holds=self._holds())

    def plans(self, job: Job, shapes: Sequence[tuple[int, int, int]]) -> Plans:
        try:
            if errors := self._compile(job):
                return Plans(faults=errors)
            answer, cubin = self._ask({"do": "plans", "shapes": list(shapes)}, b"", MOST_CODE, 2 * COMPILE_SECONDS)
        except _Ended as ended:
            return Plans(problem=ended.problem)
        self._keep_code(answer, cubin, job.arch)
        plans = answer.get("plans")
        known = tuple(plans) if isinstance(plans, list) and len(plans) == len(shapes) else ()
        faults, at = _dicts(answer.get("faults")), answer.get("at")
        where = at if isinstance(at, int) and 0 <= at < len(shapes) else None
        return Plans(self.code, known, faults, where, "" if known or faults else "output")

    def _compile(self, job: Job) -> tuple[dict, ...]:
        """The compiler's errors; `code` is what it made, where a GPU takes part."""
        bare = replace(job.kernel, root=Path(), blanks=(), solved=None)
        request, most_code = {"do": "compile", "arch": job.arch}, MOST_CODE if job.arch else 0
        answer, cubin = self._ask(request, pickle.dumps((bare, job.source)), most_code, COMPILE_SECONDS)
        self._keep_code(answer, cubin, job.arch)
        return _dicts(answer.get("errors"))

    def _own_cases(self, job: Job) -> tuple[HiddenCase, ...]:
        """Cases at the shapes that the kernel's own conditions ask for; none where the child names none that can be."""
        request = {"do": "own_shapes", "shapes": [case.shape for case in job.cases]}
        try:
            answer = self._ask(request, b"", 0, COMPILE_SECONDS)[0]
        except _Ended:  # what ended the child is in its results
            return ()
        shapes = [shape for shape in _shapes(answer.get("shapes")) if prod(shape) <= MOST_WORK]
        most = MOST_ADDED + len(job.kernel.cases)
        return tuple(own_case(shape, number, job.cases) for number, shape in enumerate(shapes[:most]))

    def _fetch_code(self, arch: str) -> None:
        """The code once more: a file's own launcher may have asked for other templates at the hidden shapes."""
        try:
            self._keep_code(*self._ask({"do": "code"}, b"", MOST_CODE, COMPILE_SECONDS), arch)
        except _Ended:  # what ended the child is in its results
            pass

    def _keep_code(self, answer: dict, cubin: bytes, arch: str | None) -> None:
        symbols = answer.get("symbols")
        if cubin and arch and isinstance(symbols, dict):
            self.code = MachineCode(cubin, {name: str(symbol) for name, symbol in symbols.items()}, arch)

    def _run_cases(self, launches: Launches | LauncherSpec, cases: tuple[HiddenCase, ...]) -> list[RawResult]:
        """Case by case. What ends the child ends them all: the next case would most likely end it again."""
        results: list[RawResult] = []
        for case in cases:
            try:
                results.append(self._run(launches, case))
            except _Ended as ended:
                results.append(RawResult(problem=ended.problem, detail=ended.detail))
            if results[-1].problem or _timed_out(results[-1]):
                break
        return results + [RawResult(problem="not run")] * (len(cases) - len(results))

    def _run(self, launches: Launches | LauncherSpec, case: HiddenCase, again: bool = False) -> RawResult:
        M, N, K = case.shape
        description, matrices = packed(draw(launches, case.inputs, case.shape, case.seed))
        request = {"do": "run", "shape": case.shape, "again": again, "inputs": description}
        answer, data = self._ask(request, matrices, 2 * 5 * M * N, CASE_SECONDS)
        findings = _dicts(answer.get("findings"))
        seconds, plan = _seconds(answer.get("seconds")), answer.get("plan")
        if not data:
            return RawResult(findings=findings, seconds=seconds)
        if len(data) not in (5 * M * N, 2 * 5 * M * N):
            raise _Ended("output", f"{len(data)} bytes of results")
        first, second = data[: 5 * M * N], data[5 * M * N :]
        launched_again = RawResult(second[: 4 * M * N], second[4 * M * N :]) if second else None
        return RawResult(
            first[: 4 * M * N], first[4 * M * N :], findings, seconds=seconds, second=launched_again, plan=plan
        )

    def _broken_rules(self, job: Job) -> tuple[int, ...]:
        if not job.kernel.rules:
            return ()
        broken = self._ask({"do": "rules"}, b"", 0, CASE_SECONDS)[0].get("broken")
        known = range(len(job.kernel.rules))
        return tuple(number for number in known if isinstance(broken, list) and number in broken)

    def _holds(self) -> dict:
        """How far it goes that no race was found; nothing from a child that has ended."""
        try:
            holds = self._ask({"do": "holds"}, b"", 0, CASE_SECONDS)[0].get("holds")
        except _Ended:
            return {}
        return holds if isinstance(holds, dict) else {}

    def _look_again(self, job: Job, cases: Sequence[HiddenCase], results: list[RawResult]) -> Iterator[RawResult]:
        """The second look at a kernel without a fault. What becomes of the child in it does not count."""
        shapes = looked_at([case.shape for case in cases])
        ended = ""
        for case, result in zip(cases, results):
            if not ended and case.shape in shapes:
                try:
                    result = replace(result, again=self._run(job.kernel.launched_by, case, again=True))
                except _Ended as end:
                    ended = f"at the second look: {end.problem} {end.detail}"
                    result = replace(result, detail=ended)
            yield result

    def _ask(self, request: dict, data: bytes, most_data: int, seconds: float) -> tuple[dict, bytes]:
        """One question and its answer. Raises _Ended where the child did not give one, or ran out of memory."""
        seconds = max(0.1, min(seconds, self.end - time.monotonic()))
        try:
            wire.send(self.channel, request, data, seconds=seconds)
            answer, results = wire.receive(self.channel, most_data, seconds)
        except TimeoutError:
            raise _Ended("timeout", f"no answer to '{request['do']}' within {seconds:.0f} s") from None
        except wire.Closed:
            raise _Ended("crash", f"the process ended while it was asked to {request['do']}") from None
        except wire.BadMessage as bad:
            raise _Ended("output", f"no proper answer to '{request['do']}': {bad}") from None
        if answer.get("problem") in ("memory", "crash"):
            raise _Ended(answer["problem"], f"in '{request['do']}': {str(answer.get('detail', ''))[: child.MOST_TEXT]}")
        return answer, results


def _dicts(value: object) -> tuple[dict, ...]:
    """What may be a list of findings, as such; the grader looks at their contents later."""
    return tuple(one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _is_right_so_far(job: Job, results: Sequence[RawResult]) -> bool:
    """Whether every result could be right, and those of quick cases are: only then is more asked of a kernel, as in the
    check."""
    quick = [number for number, case in enumerate(job.cases) if prod(case.shape) <= QUICK]
    if any(result.problem or _has_error(result) for result in results):
        return False
    known = Execution(cases=tuple(results[number] for number in quick))
    return judge(replace(job, cases=tuple(job.cases[number] for number in quick)), known).status == "passed"


def _shapes(value: object) -> Iterator[tuple[int, int, int]]:
    """What may be shapes, as such."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, list) and len(one) == 3 and all(type(size) is int and size > 0 for size in one):
            yield one[0], one[1], one[2]


def _seconds(value: object) -> float:
    """What may be a time; 0 where it is none that can be."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= SUBMISSION_SECONDS else 0.0


def _has_error(result: RawResult) -> bool:
    return result.C is None or any(finding.get("severity") != "warning" for finding in result.findings)


def _timed_out(result: RawResult) -> bool:
    return any(finding.get("kind") == "timeout" for finding in result.findings)


def _environment() -> dict[str, str]:
    """What the nursery needs to find its programs: the environment may hold secrets that no child should see."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT.split() if name in os.environ}
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # to fork safely
    return {**kept, **one_thread, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "-1"}
