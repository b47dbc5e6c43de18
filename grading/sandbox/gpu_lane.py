"""The GPU's part: where the emulator found no fault, the GPU runs the code that the child compiled as well.

It does so in a process for each submission (gemmlab.gpu.child.worker), so that memory of one student's kernel is never
there for the next, and a broken context is nobody else's. That process runs no code of a student's on the CPU; it hands
the child's bytes to NVIDIA's driver, behind those walls of the sandbox that a driver can live with.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.check.causes import faults_of_second_launch
from gemmlab.errors import UserError
from gemmlab.kernel.epilogue import Inputs, draw
from gemmlab.kernel.launch import Launch, LaunchSpec
from gemmlab.kernel.plan import OnDevices, Plan, of_element
from gemmlab.kernel.plan_json import from_json
from gemmlab.launcher.spec import LauncherSpec
from grading.model import HiddenCase, RawResult
from grading.sandbox import landlock, linux

if TYPE_CHECKING:
    from gemmlab.gpu.executor import GpuExecutor

MOST_CODE = 1 << 23  # bytes of machine code that is taken from a child
COMMAND = (sys.executable, "-m", "grading.sandbox.gpu_lane")
_TEXT = 300  # characters kept of a message
_READABLE = ("/etc", "/proc", "/sys")
_EXECUTABLE = ("/usr", "/lib", "/lib64", "/bin", "/opt")
_WRITABLE = (".", "/dev", "/proc/self")


@dataclass(frozen=True)
class MachineCode:
    """What a child compiled for a GPU: code, the kernels' symbols in it by name, and the architecture."""

    cubin: bytes
    symbols: dict[str, str]
    arch: str


def run_on_gpu(
    launched_by: LaunchSpec | LauncherSpec | OnDevices,
    cases: Sequence[HiddenCase],
    code: MachineCode,
    emulated: Sequence[RawResult],
    command: Sequence[str] = COMMAND,
) -> tuple[RawResult, ...]:
    """One result a case: the GPU's, or the emulator's where that found a fault. After one that never ended, no other is
    run.

    Raises UserError where the GPU cannot be used.
    """
    from gemmlab.gpu.executor import GpuExecutor

    results: list[RawResult] = []
    with closing(GpuExecutor(command=command)) as gpu:
        for case, result in zip(cases, emulated):
            clean = result.C is not None and all(finding.get("severity") == "warning" for finding in result.findings)
            if clean and any(map(_timed_out, results)):
                result = RawResult(problem="not run")
            elif clean:
                inputs = draw(launched_by, case.inputs, case.shape, case.seed)
                result = _run(gpu, _work(launched_by, case, result), inputs, case, code, command)
            results.append(result)
    return tuple(results)


def _work(
    launched_by: LaunchSpec | LauncherSpec | OnDevices, case: HiddenCase, emulated: RawResult
) -> Launch | Plan | None:
    """The lesson's launch, or what the child read in the file's own launcher: no process but the child reads that."""
    if not isinstance(launched_by, LauncherSpec):
        return launched_by.at(*case.shape)
    try:
        return of_element(from_json(emulated.plan), launched_by.element)
    except ValueError:
        return None


def _run(
    gpu: GpuExecutor,
    work: Launch | Plan | None,
    inputs: Inputs,
    case: HiddenCase,
    code: MachineCode,
    command: Sequence[str],
) -> RawResult:
    from gemmlab.gpu.child.process import GpuProcess
    from gemmlab.kernel.program import Program

    if work is None:
        return RawResult(problem="output", detail="no plan of the launcher")
    program = Program("", "", code.arch, "", code.cubin, symbols=code.symbols)
    A, B, terms = inputs
    try:
        return _raw(gpu.run(program, work, A, B, case.shape, terms=terms))
    except UserError as error:
        GpuProcess(command).close()  # UserError again where it is the machine that fails, not this code
        return RawResult(problem="crash", detail=str(error))


def _timed_out(result: RawResult) -> bool:
    return any(finding.get("kind") == "timeout" for finding in result.findings)


def _raw(outcome) -> RawResult:
    findings = tuple(
        {"kind": one.kind, "severity": one.severity, "line": one.line, "message": one.message[:_TEXT]}
        for one in (*outcome.findings, *faults_of_second_launch(outcome))
    )
    if outcome.C is None:
        return RawResult(findings=findings, seconds=outcome.seconds)
    second = _raw(outcome.again) if outcome.again else None
    written = outcome.written.astype("uint8").tobytes()
    return RawResult(outcome.C.tobytes(), written, findings, seconds=outcome.seconds, second=second)


def main() -> None:
    """Put up the walls, then be the process that uses the GPU. What cannot be put up is left out."""
    package = str(Path(__file__).resolve().parents[2] / "gemmlab")
    programs = {sys.prefix, sys.base_prefix, package, *_EXECUTABLE}
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    with contextlib.suppress(OSError):
        linux.unshare(linux.CLONE_NEWNET | linux.CLONE_NEWIPC)
    with contextlib.suppress(OSError):
        landlock.restrict(_READABLE, [path for path in programs if os.path.exists(path)], _WRITABLE)
    runpy.run_module("gemmlab.gpu.child.worker", run_name="__main__")


if __name__ == "__main__":
    main()
