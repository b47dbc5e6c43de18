"""Our verdict on races beside that of SentryWard, a static verifier of PTX, over folders of kernels from the field.

    python tools/compare_sentryward.py FOLDER [FOLDER ...] --sentryward PROGRAM [--seconds 30]

PROGRAM is the `sentryward` that `pip install sentryward` puts into an environment of its own; where it is not found,
that is said and nothing is written; else the table of docs/every_schedule.md is written anew. Each kernel (its header
says how it is launched) is compiled once and tried at one shape: a wrong one at the smallest shape at which it fails, a
right one at the smallest at which it passes. Both tools get the same PTX, grid, block and sizes; ours runs it in the
emulator, SentryWard never runs it. The seconds are wall-clock time; ours hold the compiler's, the second look, and the
comparison of C.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date
from math import prod
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/support"))

from field_kernels import FieldKernel, Shape, check, read_kernels  # noqa: E402

from gemmlab.compiler.compile import CompileError, compile_source  # noqa: E402
from gemmlab.emulator.ptx.parser import parse  # noqa: E402
from gemmlab.kernel.launch import Scalar  # noqa: E402
from gemmlab.kernel.plan import refused  # noqa: E402
from gemmlab.kernel.program import Program  # noqa: E402

PAGE = Path(__file__).parents[1] / "docs" / "every_schedule.md"
BEGIN, END = "<!-- table: tools/compare_sentryward.py -->", "<!-- end of table -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sentryward", default="sentryward")
    parser.add_argument("--seconds", type=int, default=30, help="what SentryWard may take for one kernel")
    options = parser.parse_args()
    program = shutil.which(options.sentryward)
    if program is None:
        print(f"SentryWard is not installed: there is no {options.sentryward}. `pip install sentryward` has it.")
        return 1
    rows = []
    for kernel in (kernel for folder in options.folders for kernel in read_kernels(folder)):
        rows.append(row(kernel, program, options.seconds))
        print(*rows[-1].values(), sep="\t", flush=True)
    label = f"SentryWard {version(program)}, {date.today()}, at most {options.seconds} s a kernel."
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n\n{label}\n\n{table(rows)}\n\n{after}", encoding="utf-8")
    return 0


def table(rows: list[dict[str, object]]) -> str:
    """The rows in Markdown. What a tool did not get to is empty."""
    lines = ["| kernel | M, N, K | due | ours | for | s | SentryWard | s |", "|:--|:--|:--|:--|:--|--:|:--|--:|"]
    for one in rows:
        sizes = ", ".join(str(one[size]) for size in "MNK")
        mine = in_lines(str(one["ours"]).replace("_", " "), one["our_lines"])
        other = in_lines(str(one["sentryward"]).replace("_", " "), one.get("their_lines"))
        why = "" if one["sentryward"] in ("race_free", "potential_race") else f", {one.get('why', '')}"
        cells = (
            one["kernel"],
            sizes,
            one["due"],
            mine,
            one["holds_for"],
            one["our_seconds"],
            f"{other}{why}".strip(", "),
        )
        lines.append("| " + " | ".join(map(str, (*cells, one.get("their_seconds", "")))) + " |")
    return "\n".join(lines)


def in_lines(what: str, numbers: object) -> str:
    several = " " in str(numbers)
    return f"{what}, line{'s' * several} {numbers}" if numbers else what


def version(program: str) -> str:
    """That of the package in SentryWard's own environment."""
    python = Path(program).with_name("python")
    asks = "import importlib.metadata as m; print(m.version('sentryward'))"
    return subprocess.run([python, "-c", asks], capture_output=True, text=True).stdout.strip()


def row(kernel: FieldKernel, program: str, seconds: int) -> dict[str, object]:
    """Both verdicts on one kernel."""
    shape = min(kernel.failing or kernel.passing, key=prod)
    known = dict(zip(("kernel", "due", "M", "N", "K"), (kernel.path.stem, kernel.expect, *shape), strict=True))
    return known | ours(kernel, shape) | theirs(kernel, shape, program, seconds)


def ours(kernel: FieldKernel, shape: Shape) -> dict[str, object]:
    started = time.perf_counter()
    verdict = check(kernel, shape)
    took = time.perf_counter() - started
    errors = [finding for finding in verdict.findings if finding.is_error]
    holds = verdict.holds_for.to_json() if verdict.holds_for else None
    return {
        "ours": " ".join(dict.fromkeys(finding.kind for finding in errors)) or verdict.status,
        "our_lines": lines(finding.line for finding in errors),
        "holds_for": f"{holds['schedules']} / {holds['data']}" if holds else "",
        "our_seconds": round(took, 2),
    }


def lines(numbers) -> str:
    return " ".join(map(str, sorted({number for number in numbers if number})))


def theirs(kernel: FieldKernel, shape: Shape, program: str, seconds: int) -> dict[str, object]:
    try:
        compiled = compile_source(kernel.source, kernel.path.name)
    except CompileError:
        return {"sentryward": "", "why": "does not compile"}
    launch = kernel.spec.at(*shape)
    if refused(launch, compiled):
        return {"sentryward": "", "why": "no GPU takes this launch"}
    with tempfile.TemporaryDirectory() as folder:
        ptx, given = Path(folder) / "kernel.ptx", Path(folder) / "input.json"
        ptx.write_text(compiled.ptx, encoding="utf-8")
        given.write_text(json.dumps(configuration(compiled, launch, shape)), encoding="utf-8")
        started = time.perf_counter()
        ran = subprocess.run(
            [program, ptx, "--input", given, "--timeout", str(seconds)], capture_output=True, text=True
        )
        took = time.perf_counter() - started
    found = json.loads(ran.stdout)
    ends = [race[end].get("location", {}) for race in found.get("races", []) for end in ("first", "second")]
    return {
        "sentryward": found["result"],
        "synchronization": found["checks"]["synchronization"],
        "memory": found["checks"]["memory"],
        "their_lines": lines(end.get("line") for end in ends),
        "why": "; ".join(dict.fromkeys(one.get("message", one["code"]) for one in found["diagnostics"])),
        "their_seconds": round(took, 2),
    }


def configuration(program: Program, launch, shape: Shape) -> dict:
    """What SentryWard wants to know: the launch, which parameters are pointers, and the values of the others."""
    names = [one.name for one in parse(program.ptx).functions[program.symbol(launch.kernel)].parameters]
    given = list(zip(names, launch.arguments_at(shape)))
    return {
        "schema": "spverify.kernel-input/v1",
        "launch": {"grid_dim": launch.grid, "block_dim": launch.block, "dynamic_shared_bytes": launch.smem},
        "declarations": [{"parameter": name, "type": "pointer"} for name, one in given if not isinstance(one, Scalar)],
        "arguments": [
            {"parameter": name, "type": "u32", "value": one.value} for name, one in given if isinstance(one, Scalar)
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
