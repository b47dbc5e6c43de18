"""nbgrader itself on the course's own sources: what it releases, what it collects, and where its marks come from."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

if find_spec("nbgrader") is None:
    pytest.skip("not run: nbgrader is not installed", allow_module_level=True)
if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from student_kernels import student_kernel

from gemmlab.build.compose import has_tag
from gemmlab.check.public_marks import public_marks
from gemmlab.course import blanks
from gemmlab.course.bodies import extract_bodies
from gemmlab.course.lesson import find_root, load, load_all
from gemmlab.course.parts import ANSWER_PLACEHOLDER
from gemmlab.errors import UserError
from grading.hand_out.leaks import leaks
from grading.hand_out.nbgrader_export import export
from grading.intake import notebook_file

NAME = "02_tiled_fma"
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
SECRET = "correct horse battery staple"


def command(*arguments: str, cwd: Path, code: int | None = 0) -> str:
    """What a program said. nbgrader looks for alembic among the programs."""
    environment = os.environ | {"PATH": PATH, "PYTHONPATH": str(find_root())}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300
    )
    assert code in (None, done.returncode), done.stderr + done.stdout
    return done.stderr + done.stdout


def nbgrader(step: str, lesson: str, *, cwd: Path, succeeds: bool = True, **more: object) -> str:
    """What nbgrader said at a step, by its interface for programs, in this process: its import alone takes seconds."""
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config.loader import PyFileConfigLoader

    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(cwd)
        changed.setenv("PATH", PATH)
        api = NbGraderAPI(config=PyFileConfigLoader("nbgrader_config.py", str(cwd)).load_config())
        done = getattr(api, step)(lesson, **more)
    said = f"{done.get('log', '')}{done.get('error', '')}"
    assert done["success"] == succeeds, said
    return said


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("nbgrader") / "course"
    command("grading", "nbgrader", "--out", str(out), cwd=find_root())
    return out


@pytest.fixture(scope="module")
def released(exported: Path) -> Path:
    """The course with all lessons released by nbgrader."""
    for lesson in load_all():
        nbgrader("generate_assignment", lesson.name, cwd=exported)
    return exported


def notebook(course: Path, step: str, lesson: str, student: str = "") -> nbformat.NotebookNode:
    return nbformat.read(course / step / student / lesson / f"{lesson}.ipynb", as_version=4)


def exercises(made: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in made.cells if has_tag(cell, "exercise")]


# ---- release


@pytest.mark.parametrize("lesson", load_all(), ids=lambda lesson: lesson.name)
def test_what_nbgrader_releases_is_the_lesson_with_its_blanks(released, lesson):
    made = notebook(released, "release", lesson.name)
    for cell, kernel in zip(exercises(made), lesson.kernels, strict=True):
        first, _, text = cell.source.partition("\n")
        assert first == f"%%writefile kernels/{kernel.name}.cu"
        assert kernel.is_untouched(text) or not kernel.blanks
        named = [blank.name for blank in kernel.blanks if not kernel.patient]
        assert [name for name, _ in blanks.open_blanks(text)] == named
        assert {line for line in text.split("\n") if "______" not in line} >= {
            line for line in kernel.starter.rstrip("\n").split("\n") if "______" not in line
        }
        assert "BEGIN SOLUTION" not in text and "END SOLUTION" not in text
    answers = [cell for cell in made.cells if has_tag(cell, "answer")]
    assert {cell.source for cell in answers} == {ANSWER_PLACEHOLDER}
    assert {cell.metadata.question for cell in answers} == {"explanation", *(one.id for one in lesson.questions)}


def test_it_gives_no_answer_away(released, tmp_path):
    """Looked through like the bundle, but for the BEGIN and END that nbgrader took out."""
    for lesson in load_all():
        place = tmp_path / f"lessons/{lesson.name}.ipynb"
        place.parent.mkdir(exist_ok=True)
        shutil.copy(released / f"release/{lesson.name}/{lesson.name}.ipynb", place)
    assert leaks(tmp_path, find_root()) == []


def test_the_marks_come_to_ten_and_each_cell_says_who_gives_them(released):
    for lesson in load_all():
        cells = [cell.metadata.nbgrader for cell in notebook(released, "release", lesson.name).cells
                 if "nbgrader" in cell.metadata]  # fmt: skip
        assert all(cell.schema_version == 3 for cell in cells)
        assert sum(cell.points for cell in cells if cell.grade) == 10
        by_machine = [cell for cell in cells if cell.grade and not cell.solution]
        assert [cell.grade_id for cell in by_machine] == ["code"]


def test_a_solution_cell_without_markers_would_be_lost_so_patients_are_none(released):
    cells = exercises(notebook(released, "source", "14_claims_clinic"))
    assert len(cells) == 7 and not any("nbgrader" in cell.metadata for cell in cells)
    (cell,) = exercises(notebook(released, "source", NAME))
    assert cell.metadata.nbgrader.solution and "// BEGIN SOLUTION fma" in cell.source


def test_a_blank_with_a_line_of_its_own_keeps_it_as_a_comment(released):
    (cell,) = exercises(notebook(released, "release", "01_naive_mapping"))
    assert "    // write it as: const int row = blockIdx.y * TILE + ______;" in cell.source
    solved = cell.source
    for blank in load("01").blanks:
        solved = solved.replace("    ______;", "    " + blank.answer, 1)
    assert extract_bodies(load("01").starter, solved.partition("\n")[2]).keys() == {"row", "col"}


# ---- what is handed in


def fill(made: nbformat.NotebookNode) -> None:
    (cell,) = exercises(made)
    cell.source = cell.source.replace("______;", load("02").blanks[0].answer)
    next(cell for cell in made.cells if cell.id == "q1").source = "Because each element is used TILE times."


@pytest.fixture(scope="module")
def graded(released: Path) -> Path:
    """Collected submissions, graded by this grader and then by nbgrader. The bad ones come in by nbgrader later."""
    bait = f"open({str(released / 'canary')!r}, 'w').write('x')"

    def hostile(made: nbformat.NotebookNode) -> None:
        fill(made)
        made.cells.insert(0, nbformat.v4.new_code_cell(bait))
        made.cells[1].source = bait
        made.cells[-1].source = f"{bait}\n10"
        made.cells[-1].metadata.nbgrader.points = 1000

    def racing(made: nbformat.NotebookNode) -> None:
        fill(made)
        exercises(made)[0].source = exercises(made)[0].source.replace("__syncthreads();", "")

    def without_marks_cell(made: nbformat.NotebookNode) -> None:
        fill(made)
        del made.cells[-1]

    for student, work in {"ann": fill, "bob": lambda made: None, "eve": hostile, "ray": racing,
                          "sly": without_marks_cell}.items():  # fmt: skip
        made = notebook(released, "release", NAME)
        work(made)
        place = released / "submitted" / student / NAME
        place.mkdir(parents=True)
        nbformat.write(made, place / f"{NAME}.ipynb")
        (place / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    secret = released / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    command("grading", "grade", "submitted", "--out", "report", "--secret-file", "secret", "--jobs", "1", cwd=released)
    nbgrader("autograde", NAME, student_id="*", cwd=released)
    return released


def marks(course: Path) -> dict[str, dict[str, float | None]]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "gemmlab") as book:
        return {
            one.student.id: {grade.name: grade.auto_score for made in one.notebooks for grade in made.grades}
            for one in book.assignment_submissions(NAME)
        }


def test_what_nbgrader_collects_is_graded_by_our_grader(graded):
    with open(graded / "report/grades.csv", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {name: (row["status"], row["code"], row["boundary"]) for name, row in rows.items()} == {
        "ann": ("passed", "2", "1"), "bob": ("unattempted", "0", "0"), "eve": ("passed", "2", "1"),
        "ray": ("failed", "2", "1"), "sly": ("passed", "2", "1"),
    }  # fmt: skip
    assert all(row["lesson"] == NAME for row in rows.values())
    assert "__syncthreads" in rows["ray"]["veto"] and not rows["ann"]["veto"]


def test_nbgrader_takes_over_the_marks_for_the_code(graded):
    found = marks(graded)
    assert {name: grades["code"] for name, grades in found.items()} == {
        "ann": 3, "bob": 0, "eve": 3, "ray": 0, "sly": None
    }  # fmt: skip
    assert found["ann"]["q1"] is None and found["ann"]["q2"] == 0, "an answer waits for a person, no answer does not"


def test_nothing_of_a_student_is_executed(graded):
    assert not (graded / "canary").exists()
    made = notebook(graded, "autograded", NAME, "eve")
    assert not any(cell.get("outputs") for cell in made.cells[:-1] if cell.cell_type == "code")


def test_its_feedback_names_neither_shapes_nor_hidden_tests(graded):
    nbgrader("generate_feedback", NAME, cwd=graded)
    text = (graded / f"feedback/ray/{NAME}/{NAME}.html").read_text()
    assert "no marks: the barrier" in text and "float(" not in text.partition("public_marks(")[2]


def test_marks_older_than_the_work_are_refused(graded):
    place = graded / f"submitted/ann/{NAME}/{NAME}.ipynb"
    later = (graded / "report/grades.csv").stat().st_mtime_ns + 1_000_000
    os.utime(place, ns=(later, later))
    try:
        said = command("nbgrader", "autograde", NAME, "--student=ann", "--force", cwd=graded, code=1)
        assert "was handed in after" in said and "python -m grading grade submitted" in said
        assert marks(graded)["bob"]["code"] == 0
    finally:
        os.utime(place, ns=(0, 0))


def test_a_student_without_a_row_is_said(graded, tmp_path):
    from grading.hand_out import nbgrader_marks

    step = nbgrader_marks.TakeMarks(course=str(graded))
    known = {"student": "zoe", "assignment": NAME, "notebook": NAME}
    with pytest.raises(UserError, match="no row for zoe"):
        step.preprocess(nbformat.v4.new_notebook(), {"nbgrader": known})
    other = nbgrader_marks.TakeMarks(course=str(tmp_path))
    with pytest.raises(UserError, match="there is no"):
        other.preprocess(nbformat.v4.new_notebook(), {"nbgrader": known})


def test_a_notebook_that_stops_nbgraders_batch_is_a_row_of_ours(graded, tmp_path):
    """One cell of a format to come, and nbgrader gives up for everybody."""
    made = notebook(graded, "submitted", NAME, "ann")
    made.cells[-1].metadata.nbgrader.schema_version = 99
    handed_in = tmp_path / "submitted"
    for student in ("ann", "zed"):
        (handed_in / student / NAME).mkdir(parents=True)
        nbformat.write(made, handed_in / student / NAME / f"{NAME}.ipynb")
    (handed_in / "zed" / NAME / f"{NAME}.ipynb").write_text('{"cells": [')
    for name in ("nbgrader_config.py", "gradebook.db", "secret"):
        shutil.copy(graded / name, tmp_path)
    shutil.copytree(graded / "source", tmp_path / "source")
    assert "newer version" in nbgrader("autograde", NAME, student_id="*", cwd=tmp_path, succeeds=False)
    command("grading", "grade", "submitted", "--out", "report", "--secret-file", "secret", "--jobs=1", cwd=tmp_path)
    with open(tmp_path / "report/grades.csv", newline="") as file:
        assert {row["student"]: row["status"] for row in csv.DictReader(file)} == {
            "ann": "passed", "zed": "unreadable"
        }  # fmt: skip


# ---- the cell with the marks, where a student or plain nbgrader runs it


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    (tmp_path / "kernels/14_claims_clinic").mkdir(parents=True)
    return tmp_path


def test_the_marks_of_the_public_cases(workplace, capfd):
    kernel = load("02").kernel
    place = workplace / f"kernels/{NAME}.cu"
    assert public_marks("02") == 0
    for text, due in {
        kernel.starter: 0,
        kernel.solution: 3,
        kernel.solution.replace("row < M && k0 + tx < K", "row < M"): 2,
        kernel.solution.replace("acc += As", "acc += 2.0f * As"): 0,
        "no kernel": 0,
    }.items():
        place.write_text(text)
        assert public_marks("02") == due
    assert capfd.readouterr().err == "", "what is on standard error costs an nbgrader cell all its points"


def test_a_limit_on_memory_traffic_costs_the_marks_for_ordinary_shapes(workplace):
    lesson = load("01")
    swapped = student_kernel("01_naive_mapping/swapped").text
    (workplace / "kernels/01_naive_mapping.cu").write_text(swapped)
    assert public_marks("01") == lesson.marks["boundary"]


def test_patients_share_the_marks(workplace):
    lesson = load("14")
    for kernel in lesson.kernels[:3]:
        (workplace / f"kernels/{kernel.name}.cu").write_text(kernel.solution)
    assert public_marks("14") == pytest.approx(3 * 3 / 7, abs=0.01)


def test_the_cell_gives_the_number_in_a_notebook(released, tmp_path):
    """The cells that matter, executed as nbgrader does by default."""
    from nbclient import NotebookClient

    made = notebook(released, "release", NAME)
    fill(made)
    opens = [cell for cell in made.cells if cell.cell_type == "code" and "notebook.open" in cell.source]
    made.cells = [made.cells[0], *opens, *exercises(made), made.cells[-1]]
    client = NotebookClient(made, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=os.environ | {"PYTHONPATH": str(find_root()), "GEMMLAB_ROOT": str(find_root())})
    (output,) = made.cells[-1].outputs
    assert output.output_type == "execute_result" and output.data["text/plain"] == "3.0"
    assert (tmp_path / f"kernels/{NAME}.cu").is_file()
    written = notebook_file.read(nbformat.writes(made))
    assert [name for name, _ in written.kernels] == [NAME]


# ---- writing it


def test_a_folder_that_holds_something_is_left_alone(exported):
    with pytest.raises(UserError, match="not empty"):
        export(exported)


def test_an_answer_without_marks_and_a_course_without_solutions_are_said(course, tmp_path):
    lesson = course / "lessons/02_small.md"
    lesson.write_text(lesson.read_text().replace('question="explanation"', 'question="why"'))
    with pytest.raises(UserError, match="no marks for the answer to 'why'"):
        export(tmp_path / "out", course)
    (course / "lessons/.starters").mkdir()
    (course / "lessons/.starters/02_small.cu").write_text(load("02", course).starter)
    (course / "solutions/02_small.cu").unlink()
    with pytest.raises(UserError, match="not on disk"):
        export(tmp_path / "out", course)
    assert not (tmp_path / "out").exists()
