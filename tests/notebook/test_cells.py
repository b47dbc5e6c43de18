"""The cells that write a kernel: what is kept of other work, and what is said of a lost first line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemmlab import notebook
from gemmlab.notebook.cells import Cells

FIRST = "%%writefile ../kernels/02_small.cu\n"


@pytest.fixture
def cells(course, shown, monkeypatch) -> Cells:
    """Of a notebook in lessons/, with lesson 02 open."""
    monkeypatch.setenv("GEMMLAB_ROOT", str(course))
    monkeypatch.setenv("GEMMLAB_WORK", str(course))
    found = Cells()
    found.lesson = notebook.open("02").lesson
    monkeypatch.chdir(course / "lessons")
    return found


def run(cells: Cells, text: str) -> None:
    """As IPython does."""
    cells.before(text)
    line = "".join(cells.explained(text.splitlines(keepends=True)))
    if line == text:
        cells.lesson.kernel.path.write_text(text.removeprefix(FIRST))


def test_work_that_was_saved_in_an_editor_is_kept(cells, shown):
    path, starter = cells.lesson.kernel.path, cells.lesson.starter
    path.write_text(starter.replace("______;", "acc += 1;"))
    run(cells, FIRST + starter)
    assert "`kernels/02_small.cu` held other work" in shown[-1] and "`kernels/saved/02_small_1.cu`" in shown[-1]
    copy = path.parent / "saved" / "02_small_1.cu"
    assert copy.read_text() == starter.replace("______;", "acc += 1;") and path.read_text() == starter


def test_nothing_is_kept_of_what_a_cell_wrote_or_nobody_did(cells, shown):
    starter = cells.lesson.starter
    for text in (starter, starter.replace("______;", "acc += 1;"), starter.replace("______;", "acc += 2;"), starter):
        run(cells, FIRST + text)
    assert shown == [] and not (cells.lesson.kernel.path.parent / "saved").exists()


def test_one_copy_is_enough_of_one_text(cells, shown):
    path, starter = cells.lesson.kernel.path, cells.lesson.starter
    for work in ("acc += 1;", "acc += 1;", "acc += 2;"):
        path.write_text(starter.replace("______;", work))
        run(cells, FIRST + starter)
    assert sorted(copy.name for copy in (path.parent / "saved").iterdir()) == ["02_small_1.cu", "02_small_2.cu"]


@pytest.mark.parametrize("before", ["", "// my kernel\n", "# Lesson 02\n" + FIRST])
def test_a_lost_first_line_is_explained(cells, before):
    (line,) = cells.explained((before + cells.lesson.starter).splitlines(keepends=True))
    assert "lost its first line" in line and "%%writefile ../kernels/02_small.cu" in line
    compile(line, "", "exec")


@pytest.mark.parametrize(
    "text",
    ["lesson.check()\n", "text = '''\n__global__ void f();\n'''\n", "%%bash\n__global__ x\n", FIRST + "x\n"],
)
def test_other_cells_are_left_alone(cells, text):
    assert "".join(cells.explained(text.splitlines(keepends=True))) == text


def test_a_notebook_one_folder_deeper_is_told_where_the_check_looks(cells, monkeypatch):
    deeper = Path.cwd() / "mine"
    deeper.mkdir()
    monkeypatch.chdir(deeper)
    (line,) = cells.explained((FIRST + cells.lesson.starter).splitlines(keepends=True))
    assert "Nothing was written" in line and "%%writefile ../../kernels/02_small.cu" in line
