"""The made files: built from their sources, stable, named when stale, and never written over somebody's work."""

import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from conftest import LESSON, SOLUTION
from copy_course import copy_course

from gemmlab.build import build, compose
from gemmlab.course import blanks
from gemmlab.course import lesson as lessons
from gemmlab.errors import UserError
from gemmlab.files import normalize, write_whole

REPOSITORY = Path(build.__file__).resolve().parents[2]
MADE = ("kernels/02_small.cu", "lessons/02_small.ipynb", "solutions/02_small.ipynb")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A built course; tests copy it, because executing takes seconds."""
    root = tmp_path_factory.mktemp("built") / "a course with spaces"
    for folder in ("lessons", "kernels", "solutions"):
        (root / folder).mkdir(parents=True)
    (root / "lessons/02_small.md").write_text(LESSON)
    (root / "solutions/02_small.cu").write_text(SOLUTION)
    assert list(build.build(root)) == [
        "wrote kernels/02_small.cu",
        "wrote lessons/02_small.ipynb",
        "executed solutions/02_small.ipynb",
    ]
    return root


@pytest.fixture
def course(built, tmp_path, monkeypatch) -> Path:
    shutil.copytree(built, tmp_path / "course")
    monkeypatch.setenv("GEMMLAB_ROOT", str(tmp_path / "course"))
    return tmp_path / "course"


def notebook_of(path: Path):
    return nbformat.read(path, as_version=4)


def cell_of(notebook, cell_id: str):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def edit(path: Path, cell_id: str, **fields) -> None:
    notebook = notebook_of(path)
    cell_of(notebook, cell_id).update(fields)
    nbformat.write(notebook, path)


def test_repository_is_fresh():
    assert lessons.names(REPOSITORY)
    assert build.check(REPOSITORY) == []


def test_solved_lessons_pass():
    for lesson in lessons.load_all(REPOSITORY):
        assert "public cases passed" in (REPOSITORY / f"solutions/{lesson.name}.ipynb").read_text(encoding="utf-8")


def test_committed_files_are_as_built():
    """A student's own work may stand in the working tree; what is committed may not hold any."""
    made = [made for lesson in lessons.load_all(REPOSITORY) for made in build.made_files(lesson)]
    paths = [one for one in made if one.kind != "solved" and _is_committed(one.path)]
    if not paths:
        pytest.skip("the made files are not committed, or somebody has worked in them")
    assert [one.path.name for one in paths if normalize(one.path.read_text(encoding="utf-8")) != one.text] == []


def _is_committed(path: Path) -> bool:
    command = ["git", "-C", str(REPOSITORY), "diff", "--quiet", "HEAD", "--", str(path)]
    tracked = ["git", "-C", str(REPOSITORY), "ls-files", "--error-unmatch", str(path)]
    try:
        return all(subprocess.run(c, capture_output=True).returncode == 0 for c in (tracked, command))
    except FileNotFoundError:
        return False


def test_handed_out_notebook(course):
    notebook = notebook_of(course / "lessons/02_small.ipynb")
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor, notebook.metadata.kernelspec.name) == (4, 5, "python3")
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    exercise = cell_of(notebook, "exercise")
    assert exercise.source.split("\n")[0] == "%%writefile ../kernels/02_small.cu"
    assert exercise.source.split("\n", 1)[1] == blanks.strip_solution(SOLUTION).rstrip("\n")
    assert exercise.metadata.tags == ["exercise"]
    assert [cell.id for cell in notebook.cells if "question" in cell.metadata] == ["q1", "q2", "q3", "explanation"]
    assert cell_of(notebook, "q2").metadata == {"tags": ["answer"], "question": "q2"}
    assert cell_of(notebook, "q2-text").source == "**Q2** (2 marks). How?"
    assert "SOLUTION" not in (course / "lessons/02_small.ipynb").read_text()


def test_solved_notebook_is_executed_and_leaves_the_students_kernel_alone(course):
    notebook = notebook_of(course / "solutions/02_small.ipynb")
    outputs = [cell.outputs for cell in notebook.cells if "nbval-check-output" in cell.metadata.get("tags", [])]
    assert [out.text for (out,) in outputs] == ["solved\n"]
    assert notebook.metadata == compose.METADATA
    assert (course / "kernels/02_small.cu").read_text() == blanks.strip_solution(SOLUTION)
    assert not (course / "solutions/.work").exists()


def test_running_the_exercise_cell_writes_the_starter_as_built(course):
    from nbclient import NotebookClient

    notebook = notebook_of(course / "lessons/02_small.ipynb")
    built = (course / "kernels/02_small.cu").read_bytes()
    (course / "kernels/02_small.cu").unlink()
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(course / "lessons")}}).execute()
    assert (course / "kernels/02_small.cu").read_bytes() == built
    (checked,) = [cell for cell in notebook.cells if "nbval-check-output" in cell.metadata.get("tags", ())]
    assert checked.outputs[0].text == "['row', 'fma']\n"


def test_second_build_writes_nothing(course):
    assert list(build.build(course)) == []


def test_forced_build_gives_the_same_bytes(course):
    before = (course / MADE[2]).read_bytes()
    assert list(build.build(course, execute_all=True)) == ["executed solutions/02_small.ipynb"]
    assert (course / MADE[2]).read_bytes() == before


def test_ids_of_other_cells_survive_an_edit(course):
    before = [cell.id for cell in notebook_of(course / MADE[1]).cells]
    text = LESSON.replace("# A small lesson", "# A small lesson\n\n\nOne more cell.").replace("The end.", "An end.")
    (course / "lessons/02_small.md").write_text(text)
    lesson = lessons.load("02")
    after = [cell.id for cell in compose.handed_out(lesson, compose.read_cells(lesson)).cells]
    assert after == [before[0], after[1], *before[1:-1], after[-1]]
    assert len(set(after)) == len(after)


def test_same_text_twice_has_two_ids(course):
    (course / "lessons/02_small.md").write_text(LESSON + "\n\nThe end.\n\n\nThe end.\n")
    lesson = lessons.load("02")
    ids = [cell.id for cell in compose.handed_out(lesson, compose.read_cells(lesson)).cells]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("path", "old", "new", "stale"),
    [
        ("lessons/02_small.md", "The end.", "The very end.", MADE[1:]),
        ("lessons/02_small.md", "Why?", "Why not?", MADE[1:]),
        ("solutions/02_small.cu", "acc += A", "acc = acc + A", MADE[2:]),
        ("solutions/02_small.cu", "#define TILE 4", "#define TILE 8", MADE),
        ("kernels/02_small.cu", "#define TILE 4", "#define TILE 8", MADE[:1]),
        ("lessons/02_small.ipynb", "The end.", "The very end.", MADE[1:2]),
        ("lessons/02_small.ipynb", '"nbformat": 4', '"nbformat": 4,', MADE[1:2]),
        ("solutions/02_small.ipynb", '"execution_count": 1', '"execution_count": null', MADE[2:]),
    ],
)
def test_stale_files_are_named_and_mended(course, path, old, new, stale, capsys):
    text = (course / path).read_text()
    assert old in text
    (course / path).write_text(text.replace(old, new))
    assert build.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [f"{one} is stale; run: make lessons" for one in stale]
    assert len(list(build.build(course))) == len(stale)
    assert build.main(["--check"]) == 0


def test_missing_and_orphaned_files_are_named(course):
    (course / MADE[1]).rename(course / "lessons/03_gone.ipynb")
    assert build.check(course) == [
        "lessons/02_small.ipynb is missing; run: make lessons",
        "lessons/03_gone.ipynb has no lessons/03_gone.md; delete it",
    ]


def test_students_kernel_is_no_staleness_and_is_kept(course):
    kernel = course / "kernels/02_small.cu"
    solved = blanks.without_markers(SOLUTION)
    kernel.write_text(solved)
    assert build.check(course) == []
    (course / "solutions/02_small.cu").write_text(SOLUTION.replace("TILE 4", "TILE 8"))
    report = list(build.build(course))
    assert report[0].startswith("kept kernels/02_small.cu, which somebody has worked in")
    assert kernel.read_text() == solved


@pytest.mark.parametrize(
    ("cell_id", "fields"),
    [
        ("q1", {"source": "Because."}),
        ("exercise", {"source": "%%writefile ../kernels/02_small.cu\n" + blanks.without_markers(SOLUTION)}),
        ("exercise", {"execution_count": 3}),
    ],
)
def test_students_notebook_is_no_staleness_and_is_kept(course, cell_id, fields):
    edit(course / MADE[1], cell_id, **fields)
    before = (course / MADE[1]).read_bytes()
    assert build.check(course) == []
    (course / "lessons/02_small.md").write_text(LESSON.replace("The end.", "The very end."))
    assert any(line.startswith(f"kept {MADE[1]}") for line in build.build(course))
    assert (course / MADE[1]).read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('tags=["exercise"]', "", "one empty code cell tagged 'exercise'"),
        ('tags=["exercise"]\n', 'tags=["exercise"]\nx = 1\n', "one empty code cell tagged 'exercise'"),
        ('tags=["questions"]', "", "one empty markdown cell tagged 'questions'"),
        ('tags=["nbval-check-output"]', "", "no cell tagged 'nbval-check-output'"),
        ('question="explanation"', "", "a cell tagged 'answer' without question="),
        ("*Your answer:*", "Because.", "a cell tagged 'answer' without question="),
    ],
)
def test_lesson_lacking_a_cell_is_refused(course, old, new, message, capsys):
    (course / "lessons/02_small.md").write_text(LESSON.replace(old, new))
    assert build.main(["--check"]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "message"),
    [("1 / 0", "ZeroDivisionError"), ("import os; print(os.getcwd())", "this cell prints the directory")],
)
def test_cell_that_fails_or_shows_its_place_stops_the_build(course, code, message, capsys):
    before = (course / MADE[2]).read_bytes()
    (course / "lessons/02_small.md").write_text(LESSON.replace("The end.", f"```python\n{code}\n```"))
    assert build.main([]) == 1
    assert message in capsys.readouterr().err
    assert (course / MADE[2]).read_bytes() == before


def test_bundle_cannot_be_built(course):
    (course / "solutions/02_small.cu").unlink()
    kept = lessons.starter_path(course, "02_small")
    kept.parent.mkdir()
    kept.write_text(blanks.strip_solution(SOLUTION))
    with pytest.raises(UserError, match="nothing to build from"):
        build.check(course)


def test_copied_course_is_as_handed_out(course, tmp_path):
    fresh = [(course / path).read_bytes() for path in MADE]
    edit(course / MADE[1], "exercise", execution_count=3)
    (course / MADE[0]).write_text(blanks.without_markers(SOLUTION))
    copy_course(course, tmp_path / "copy")
    assert [(tmp_path / "copy" / path).read_bytes() for path in MADE] == fresh
    assert (course / MADE[0]).read_text() == blanks.without_markers(SOLUTION)


def test_copied_course_lacks_no_notebook(course, tmp_path):
    (course / MADE[2]).unlink()
    with pytest.raises(SystemExit, match="missing: solutions/02_small.ipynb"):
        copy_course(course, tmp_path / "copy")
    (course / "lessons/02_small.md").unlink()
    with pytest.raises(SystemExit, match="missing: every lesson"):
        copy_course(course, tmp_path / "copy")


def test_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, "old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("file", "old")]
