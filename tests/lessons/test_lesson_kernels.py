"""Kernels that students write, right and wrong, each with the verdict that its first lines ask for.

tests/kernels/NN_slug/NAME.cu begins with `// expect: ` and 'passed' or a kind of finding, then `// says: ` and words,
apart by `;`, that the text of such a finding must hold.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gemmlab.check.check import check_kernel
from gemmlab.course.lesson import load

KERNELS = sorted(Path(__file__).parents[1].joinpath("kernels").glob("*/*.cu"))


def header(source: str, key: str) -> str:
    (line,) = [line for line in source.splitlines()[:2] if line.startswith(f"// {key}:")]
    return line.partition(":")[2].strip()


def test_there_are_kernels_of_both_sorts():
    expected = [header(path.read_text(), "expect") for path in KERNELS]
    assert expected.count("passed") >= 3 and len(set(expected)) >= 5


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_verdict(path: Path):
    lesson, source = load(path.parent.name), path.read_text()
    verdict = check_kernel(lesson.kernel, source, path.name, backend="emulator")
    expected, errors = header(source, "expect"), [finding for finding in verdict.findings if finding.is_error]
    if expected == "passed":
        assert verdict.passed and verdict.findings == ()
        return
    assert not verdict.passed
    messages = [finding.message for finding in errors if finding.kind == expected]
    assert messages, f"no {expected}, but {[(finding.kind, finding.message) for finding in errors]}"
    for words in filter(None, map(str.strip, header(source, "says").split(";"))):
        assert any(words in message for message in messages), f"{words!r} is not in {messages}"
