"""Blanks: marked, stripped, found, taken out of a student's file and put into the template."""

import re

import pytest
from conftest import SOLUTION
from hypothesis import given
from hypothesis import strategies as st

from gemmlab.course import blanks
from gemmlab.course.bodies import extract_bodies, outside_changes
from gemmlab.errors import UserError
from gemmlab.files import MAX_SOURCE_BYTES, read_source

STARTER = blanks.strip_solution(SOLUTION)
ROW = "    const int row = blockIdx.y * TILE + threadIdx.y;"
FMA = "        acc += A[row * K + k] * B[k * N + col];"
BODIES = {"row": ROW, "fma": FMA}


def test_blanks_are_found_with_their_lines():
    row, fma = blanks.find_blanks(SOLUTION)
    assert (row.name, row.todo, row.line) == ("row", "the row of C that this thread computes", 5)
    assert (row.stub, row.body) == ("    const int row = ______;", ROW)
    assert (fma.name, fma.line, fma.stub, fma.body) == ("fma", 13, "        ______;", FMA)


def test_starter_keeps_the_todo_and_shows_the_blank():
    lines = STARTER.split("\n")
    assert lines[3:5] == ["    // TODO row: the row of C that this thread computes", "    const int row = ______;"]
    assert "SOLUTION" not in STARTER
    assert [(slot.name, slot.line) for slot in blanks.find_slots(STARTER)] == [("row", 5), ("fma", 11)]
    assert blanks.open_blanks(STARTER) == [("row", 5), ("fma", 11)]


def test_solved_kernel_has_no_markers_and_the_lines_of_the_starter():
    solved = blanks.without_markers(SOLUTION)
    assert "SOLUTION" not in solved
    assert blanks.splice(STARTER, BODIES) == solved
    assert len(solved.split("\n")) == len(STARTER.split("\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// BEGIN SOLUTION\nx;\n// END SOLUTION", "line 1: BEGIN SOLUTION has no name"),
        ("// BEGIN SOLUTION a\nx;\n// END SOLUTION", "line 1: the line above BEGIN SOLUTION a must be // TODO a"),
        ("// TODO b: do\n// BEGIN SOLUTION a\nx;\n// END SOLUTION", "line 2: the line above BEGIN SOLUTION a must be"),
        ("int i;\n// END SOLUTION", "line 2: END SOLUTION without a BEGIN"),
        ("// TODO a: do\n// BEGIN SOLUTION a\nx;", "line 2: BEGIN SOLUTION without an END"),
        ("// TODO a: do\n// BEGIN SOLUTION a\n// BEGIN SOLUTION b\n// END SOLUTION", "line 3: BEGIN SOLUTION inside"),
        ("// TODO a: do\n// BEGIN SOLUTION a\n\n// END SOLUTION", "line 2: the solution of a is empty"),
        ("// TODO a: do\n// BEGIN SOLUTION a\n______;\n// END SOLUTION", "line 2: the solution of a still holds"),
        ("// TODO a: do\n// BEGIN SOLUTION a: int x;\ny;\n// END SOLUTION", "line 2: the stub of a has no ______"),
        ("// TODO a: do\nint i;", "line 1: TODO a has no BEGIN SOLUTION a under it"),
        (2 * "// TODO a: do\n// BEGIN SOLUTION a\nx;\n// END SOLUTION\n", "line 6: the blank a was already marked"),
    ],
)
def test_bad_markers_are_named_by_line(text, message):
    with pytest.raises(UserError, match="^" + re.escape(message)):
        blanks.strip_solution(text)


def test_open_blanks_ignores_comments_and_names_the_todo_above():
    text = "// ______ here\n/* ______;\n______; */ int a;\n______;\n// TODO fma: add\nacc += ______ * 2; // ______\n"
    assert blanks.open_blanks(text) == [("", 4), ("fma", 6)]
    assert blanks.open_blanks('printf("// %d"); ______;') == [("", 1)]
    assert blanks.open_blanks("int my______name; float _______x;") == []


def test_crlf_and_byte_order_mark_change_nothing():
    windows = "\ufeff" + SOLUTION.replace("\n", "\r\n")
    assert blanks.strip_solution(windows) == STARTER
    handed_in = "\ufeff" + blanks.splice(STARTER, BODIES).replace("\n", "\r\n")
    assert extract_bodies(STARTER, handed_in) == BODIES
    assert outside_changes(STARTER, handed_in) == ""


def test_tabs_and_comments_outside_the_blanks_are_no_change():
    text = blanks.splice(STARTER, BODIES).replace("    ", "\t").replace("float acc = 0.0f;", "float acc=0.0f; // sum")
    text = re.sub(r".*// TODO.*\n", "", text) + "\n// the end\n"
    assert {name: body.strip() for name, body in extract_bodies(STARTER, text).items()} == {
        name: body.strip() for name, body in BODIES.items()
    }
    assert outside_changes(STARTER, text) == ""


def test_removed_guard_is_shown_and_not_taken_for_a_body():
    solved = blanks.splice(STARTER, BODIES)
    guard = "    if (row >= M || col >= N) return;"
    text = solved.replace(guard + "\n", "")
    assert extract_bodies(STARTER, text) == BODIES
    changes = outside_changes(STARTER, text).split("\n")
    assert "-" + guard in changes
    assert [line for line in changes if line.startswith("+")] == ["+++ handed in"]
    line = int(re.search(r"@@ -(\d+)", "\n".join(changes))[1]) + 3
    assert solved.split("\n")[line - 1] == guard


def test_edited_neighbour_of_a_blank_is_a_change_and_not_a_body():
    text = blanks.splice(STARTER, BODIES).replace("for (int k = 0; k < K; ++k) {", "for (int k = 0; k < K; k++) {")
    text = text.replace("        // TODO fma: add this k's product to the running sum\n", "")
    assert extract_bodies(STARTER, text) == BODIES
    assert "+    for (int k = 0; k < K; k++) {" in outside_changes(STARTER, text).split("\n")


def test_code_hidden_in_a_block_comment_is_a_change():
    guard = "    if (row >= M || col >= N) return;"
    text = blanks.splice(STARTER, BODIES).replace(guard, f"/*{guard}*/")
    assert f"-{guard}" in outside_changes(STARTER, text).split("\n")


def test_body_may_hold_loops_and_braces_like_the_template():
    body = "        for (int i = 0; i < 1; ++i) {\n            acc += A[row * K + k] * B[k * N + col];\n        }"
    text = blanks.splice(STARTER, {"row": ROW, "fma": body})
    assert extract_bodies(STARTER, text)["fma"] == body
    assert outside_changes(STARTER, text) == ""


def test_emptied_blank_is_an_empty_body():
    text = blanks.splice(STARTER, {"row": ROW, "fma": ""})
    assert extract_bodies(STARTER, text) == {"row": ROW, "fma": ""}


def test_foreign_file_is_refused():
    with pytest.raises(UserError, match="does not come from the lesson's template"):
        extract_bodies(STARTER, "int main() { return 0; }\n")


def test_lost_lines_between_two_blanks_are_refused():
    template = "void f()\n{\n    // TODO a: x\n    ______;\n    g();\n    // TODO b: y\n    ______;\n    return;\n}\n"
    text = "void f()\n{\n    one();\n    two();\n    return;\n}\n"
    with pytest.raises(UserError, match="cannot tell where the blank b begins"):
        extract_bodies(template, text)


def test_splice_rejects_unknown_names():
    with pytest.raises(UserError, match="no blank typo"):
        blanks.splice(STARTER, {"typo": "x;"})


def test_untouched_until_the_first_blank_is_filled():
    assert blanks.is_untouched(STARTER)
    assert blanks.is_untouched(STARTER.replace("TILE 4", "TILE 8"))
    assert not blanks.is_untouched(blanks.splice(STARTER, {"fma": FMA}))
    assert not blanks.is_untouched("int main() { return 0; }")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe\x00", "not UTF-8"), (b"x" * (MAX_SOURCE_BYTES + 1), "larger than 256 KiB")],
)
def test_unreadable_files_are_refused(tmp_path, content, message):
    path = tmp_path / "k.cu"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_source(path)
    with pytest.raises(UserError, match="there is no file"):
        read_source(tmp_path)


LINES = ["{", "}", "__syncthreads();", "acc += a * b;", "", "// note", "\tx = y; // z"]
CODE = st.lists(st.sampled_from(LINES), max_size=5)
BODY = CODE.filter(lambda lines: any(line and not line.startswith("//") for line in lines)).map("\n".join)


@st.composite
def solutions(draw):
    """(text of a solution with 1 to 3 marked blanks between lines of code, its bodies)."""
    count = draw(st.integers(1, 3))
    parts, bodies = ["void gemm()"], {}
    for index in range(count):
        parts += draw(CODE) + [f"int before_{index};"]
        name, body = f"b{index}", draw(BODY)
        bodies[name] = body
        parts += [f"  // TODO {name}: write", f"  // BEGIN SOLUTION {name}", body, "  // END SOLUTION"]
    return "\n".join(parts + [f"int after_{count};"] + draw(CODE)) + "\n", bodies


@given(solutions())
def test_spliced_starter_is_the_solution_without_markers(solution):
    text, bodies = solution
    assert blanks.splice(blanks.strip_solution(text), bodies) == blanks.without_markers(text)


@given(solutions(), st.data())
def test_extracted_bodies_rebuild_the_students_code(solution, data):
    text, bodies = solution
    starter = blanks.strip_solution(text)
    bodies = {name: data.draw(BODY) for name in bodies}
    student = blanks.splice(starter, bodies)
    rebuilt = blanks.splice(starter, extract_bodies(starter, student))
    assert rebuilt.replace("\n", "").split() == student.replace("\n", "").split()
    assert outside_changes(starter, student) == ""


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_or_refused(template, text):
    for call in (
        lambda: blanks.find_blanks(text),
        lambda: blanks.open_blanks(text),
        lambda: outside_changes(template, text),
        lambda: outside_changes(STARTER, STARTER[: len(text)] + text),
    ):
        try:
            call()
        except UserError:
            pass
