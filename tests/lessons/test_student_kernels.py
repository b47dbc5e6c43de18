"""Kernels that students write, right and wrong, each with the verdict that its first lines ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
import student_kernels as students
from student_kernels import StudentKernel, student_kernels

from gemmlab.check.check import check_kernel
from gemmlab.course.lesson import load, load_all
from gemmlab.errors import UserError

TILED = load("02").kernel
HEAD = "// expect: passed\n// Why.\n"
FMA = "            acc += As[ty][k] * Bs[k][tx];"


@pytest.mark.parametrize("one", student_kernels(), ids=lambda one: one.name)
def test_verdict(one: StudentKernel):
    assert students.complaint(one, check_kernel(one.kernel, one.text, one.path.name, backend="emulator")) is None


@pytest.mark.parametrize("kernel", [one for lesson in load_all() for one in lesson.kernels], ids=lambda one: one.name)
def test_every_kernel_of_a_lesson_has_right_and_wrong_ones(kernel):
    mine = student_kernels(kernel.name)
    wrong = [one for one in mine if one.expect != "passed"]
    kinds = 1 if kernel.patient else 2
    place = f"tests/kernels/{kernel.name}/"
    assert len(mine) > len(wrong), f"{place} needs a right kernel in another style than the solution's"
    assert len({one.expect for one in wrong}) >= kinds, f"{place} needs wrong kernels, of {kinds} kinds at least"
    assert [one.name for one in wrong if not one.says] == [], "each wrong kernel has words that its message must hold"
    assert [one.name for one in mine if not one.why] == [], "each kernel says in a sentence what it is"


def test_no_file_belongs_to_no_lesson():
    known = {one.path for one in student_kernels()}
    assert {path for path in students.FOLDER.rglob("*.cu") if "field" not in path.parts} == known


# ---- how such a file is read


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(students, "FOLDER", tmp_path / "tests/kernels")

    def write(text: str) -> StudentKernel:
        path = tmp_path / "tests/kernels/02_tiled_fma/mine.cu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return StudentKernel(path, TILED)

    return write


def test_what_is_not_named_is_the_solutions(written):
    one = written("// expect: race\n// says: a; b c\n// Why.\n\n// BLANK fma\nfirst();\n    second();\n")
    assert (one.expect, one.says) == ("race", ("a", "b c"))
    assert one.text == TILED.solution.replace(FMA, "            first();\n                second();")


def test_lines_are_found_whatever_their_spacing_and_comments(written):
    one = written(f"{HEAD}// IN PLACE OF\n  acc += As[ty][k]*Bs[k][tx];  // mine\n\n}}\n// STANDS\nnothing();\n")
    assert "\nnothing();\n" in one.text and FMA not in one.text
    gone = written(f"{HEAD}// IN PLACE OF\n{FMA}\n// STANDS\n")
    assert gone.text == TILED.solution.replace(FMA, "")


def test_parts_may_be_combined(written):
    one = written(f"{HEAD}// BLANK fma\nmine();\n// IN PLACE OF\nmine();\n// STANDS\nother();\n")
    assert "other();" in one.text and "mine();" not in one.text


def test_a_file_without_parts_is_a_whole_kernel(written):
    assert written(f"{HEAD}\nint x;\n").text == f"{HEAD}\nint x;"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("int x;\n", r"mine\.cu, line 1: a kernel begins with `// expect: `"),
        (f"{HEAD}// IN PLACE OF\n__syncthreads();\n// STANDS\n", r"mine\.cu, line 3: .*02_tiled_fma\.cu has 2 such"),
        (f"{HEAD}\n// IN PLACE OF\nno_more();\n// STANDS\n", r"mine\.cu, line 4: .* has no such places, and 1"),
        (f"{HEAD}// IN PLACE OF\n// STANDS\nx();\n", r"mine\.cu, line 3: .* has no such places"),
        (f"{HEAD}// IN PLACE OF\n{FMA}\n// BLANK fma\n", r"mine\.cu, line 3: the next marker must be `// STANDS`"),
        (f"{HEAD}// STANDS\nx();\n", r"mine\.cu, line 3: `// STANDS` has no `// IN PLACE OF` above it"),
        (f"{HEAD}// BLANK fam\nx();\n", r"mine\.cu, line 3: this lesson has no blank 'fam'; it has fma"),
        (f"{HEAD}// BLANK fma\nx();\n// BLANK fma\ny();\n", r"mine\.cu, line 5: the blank fma was filled .* line 3"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_file_and_line(written, text: str, words: str):
    with pytest.raises(UserError, match=words):
        one = written(text)
        assert one.expect and one.text
