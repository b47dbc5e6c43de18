"""A file in which more was changed than its blanks: the check says what grading would make of it."""

from __future__ import annotations

import pytest

from gemmlab.check.as_graded import check_work
from gemmlab.check.check import check_kernel
from gemmlab.course.lesson import load
from grading.intake.splice import splice
from grading.model import Submission

LESSON = load("02")
KERNEL = LESSON.kernel
PLAIN = KERNEL.solution
LINE = "acc += As[ty][k] * Bs[k][tx];"
STORE = "    if (row < M && col < N) {\n        C["
HELPER = "__device__ float product(float a, float b) { return a * b; }\n"


def changed(*pairs: tuple[str, str]) -> str:
    text = PLAIN
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


EXTERN = 'extern "C"'
LOST = {  # passes as a whole; what grading takes of it does not
    "helper above the kernel": changed((LINE, "acc += product(As[ty][k], Bs[k][tx]);"), (EXTERN, HELPER + EXTERN)),
    "another name for the sum": changed(("acc", "sum")),
    "a macro": changed((LINE, "acc += TERM;"), (EXTERN, "#define TERM As[ty][k] * Bs[k][tx]\n" + EXTERN)),
    "sum doubled, halved at the end": changed((LINE, "acc += 2 * As[ty][k] * Bs[k][tx];"), ("= acc;", "= acc / 2;")),
}
LEFT_OUT = {  # passes either way
    "a variable that nobody needs": changed((EXTERN, "__constant__ int unused_by_all = 3;\n" + EXTERN)),
    "a third barrier": changed((STORE, "    __syncthreads();\n" + STORE)),
}
TAKEN = {  # nothing but blanks and comments
    "as solved": PLAIN,
    "with more comments": changed((EXTERN, "// mine\n" + EXTERN)),
    "other words in the blank": changed((LINE, "acc = fmaf(As[ty][k], Bs[k][tx], acc);")),
}


def graded(text: str) -> bool:
    """Whether the source that grading makes of it passes the check."""
    taken = splice(Submission("ann", LESSON.name, text), KERNEL)
    return check_kernel(KERNEL, taken.source, "kernel.cu", "emulator").passed


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_what_passes_only_as_a_whole_fails_and_says_why(text: str):
    assert check_kernel(KERNEL, text, "kernel.cu", "emulator").passed and not graded(text)
    verdict = check_work(KERNEL, text, "kernel.cu", "emulator")
    assert verdict.status == "failed" and verdict.findings[0].is_error
    assert "grading takes only what stands in its blanks" in verdict.findings[0].message


@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_passes_without_its_changes_too_is_told_that_they_are_left_out(text: str):
    verdict = check_work(KERNEL, text, "kernel.cu", "emulator")
    assert verdict.passed and graded(text)
    assert [finding.severity for finding in verdict.findings if "left out" in finding.message] == ["warning"]


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_changes_in_the_blanks_alone_need_no_word(text: str):
    verdict = check_work(KERNEL, text, "kernel.cu", "emulator")
    assert verdict.passed and verdict.findings == () and graded(text)


def test_the_name_that_is_not_there_is_told():
    verdict = check_work(KERNEL, LOST["helper above the kernel"], "kernel.cu", "emulator")
    assert "product" in verdict.findings[0].message and verdict.findings[0].kind == "compile_error"


def test_a_file_without_its_todo_lines_is_taken_as_it_is():
    text = "\n".join(line for line in changed(("acc", "sum")).split("\n") if "TODO" not in line)
    assert check_work(KERNEL, text, "kernel.cu", "emulator").passed == graded(text)
