"""Kernels from the field: what the first lines of such a file say of it, and the check of it at one shape.

Lines `// key: value`: bug, expect and at_pass (a verdict word, then free text), block, grid, smem, smem_opt_in (yes),
inputs (kinds apart by spaces), shape_fail and shape_pass (M,N,K apart by `;`, or none), says (words apart by `;` that
the messages of the expected kind must hold at the failing shapes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gemmlab.check.check import Case, check_source, check_with
from gemmlab.emulator import EmulatorExecutor
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.verdict import Finding, Verdict

OWN = Path(__file__).parents[1] / "kernels" / "field"
SHARED = [Path(__file__).parents[3] / "shared" / name for name in ("field", "field_2")]
NO_SHARED = "not run: no ../shared/field, no ../shared/field_2"
SCHEDULES = ("forward", "reversed", "shuffled")

Shape = tuple[int, int, int]

KINDS = {
    "ok": (),
    "race": ("race",),
    "divergence": ("barrier_divergence",),
    "oob": ("out_of_bounds",),
    "misaligned": ("misaligned",),
    "launch-error": ("launch_error",),
    "wrong-result": ("wrong_result", "uninitialized"),
    "timeout": ("timeout",),
    "unsupported": ("unsupported",),
    "compile-error": ("compile_error",),
}


@dataclass(frozen=True)
class FieldKernel:
    """One file. `expect` is its verdict at the failing shapes, `at_pass` the one at the passing shapes."""

    path: Path
    source: str
    bug: str
    expect: str
    at_pass: str
    spec: LaunchSpec
    inputs: tuple[str, ...]
    failing: tuple[Shape, ...]
    passing: tuple[Shape, ...]
    says: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return self.expect == "ok"

    def trials(self) -> list[tuple[Shape, str]]:
        """Every shape with the verdict that is due there."""
        return [(shape, self.expect) for shape in self.failing] + [(shape, self.at_pass) for shape in self.passing]


def read_kernel(path: Path) -> FieldKernel:
    source = path.read_text()
    header = _header(source)
    expect, at_pass = header["expect"], header["at_pass"].split()[0]
    opt_in = header.get("smem_opt_in") == "yes"
    return FieldKernel(
        path=path,
        source=source,
        bug=header["bug"],
        expect=expect,
        at_pass=at_pass if at_pass in KINDS else expect,
        spec=LaunchSpec.parse(header["block"], header["grid"], header["smem"], opt_in),
        inputs=tuple(header.get("inputs", "random").split()),
        failing=_shapes(header["shape_fail"]),
        passing=_shapes(header["shape_pass"]),
        says=tuple(filter(None, map(str.strip, header.get("says", "").split(";")))),
    )


def _header(source: str) -> dict[str, str]:
    lines = [line[3:].partition(":") for line in source.split("\n\n")[0].splitlines() if line.startswith("// ")]
    return {key: value.strip() for key, _, value in lines}


def _shapes(text: str) -> tuple[Shape, ...]:
    if text == "none":
        return ()
    shapes = (tuple(int(size) for size in shape.split(",")) for shape in text.split(";"))
    return tuple((M, N, K) for M, N, K in shapes)


def read_kernels(folder: Path) -> list[FieldKernel]:
    return [read_kernel(path) for path in sorted(folder.rglob("*.cu"))]


def check(kernel: FieldKernel, shape: Shape, schedule: str = "forward", source: str | None = None) -> Verdict:
    """The verdict on the kernel, or on another source in its place, at one shape."""
    cases = [Case(shape, inputs, 1, "ordinary") for inputs in kernel.inputs]
    arguments = source or kernel.source, kernel.path.name, kernel.spec, cases
    if schedule == "forward":
        return check_source(*arguments, backend="emulator")
    return check_with((EmulatorExecutor(schedule=schedule),), *arguments)


def problem(verdict: Verdict, due: str, says: Sequence[str] = ()) -> str | None:
    """What is wrong with a verdict, None if it is the one that is due."""
    errors = [finding for finding in verdict.findings if finding.is_error]
    if due == "ok":
        return None if verdict.passed and not errors else f"passed is due, got {_text(errors) or verdict.status}"
    messages = [finding.message for finding in errors if finding.kind in KINDS[due]]
    if verdict.passed or not messages:
        return f"{due} is due, got {_text(errors) or verdict.status}"
    missing = [words for words in says if not any(words in message for message in messages)]
    return f"nothing says {missing} in {messages}" if missing else None


def _text(findings: Sequence[Finding]) -> str:
    return "; ".join(f"{finding.kind} in line {finding.line}: {finding.message}" for finding in findings)
