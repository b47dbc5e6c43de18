"""Where a notebook runs: in the lessons of its course, also where it was started elsewhere or has no course yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemmlab.commands.course import course as command
from gemmlab.course import handed_out
from gemmlab.errors import UserError
from gemmlab.notebook.folder import settle


@pytest.fixture
def said(course, shown, monkeypatch) -> list[str]:
    """What the cell shows, of a notebook that chose no folder of its own."""
    monkeypatch.delenv("GEMMLAB_ROOT")
    monkeypatch.delenv("GEMMLAB_WORK")
    return shown


@pytest.fixture
def brought(tmp_path, monkeypatch) -> Path:
    """The lessons that an installed library has, none of them on the way up from an empty working directory."""
    found = tmp_path / "installed"
    for place in ("lessons/02_small.ipynb", "lessons/.specs/02_small.md", "kernels/02_small.cu"):
        (found / place).parent.mkdir(parents=True, exist_ok=True)
        (found / place).write_text(f"new {place}")
    monkeypatch.setattr(handed_out, "_BROUGHT", found)
    monkeypatch.setattr("gemmlab.course.places.__file__", str(tmp_path / "site-packages/gemmlab/course/places.py"))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return found


@pytest.mark.parametrize("started", [".", "lessons/mine"])
def test_a_notebook_that_was_started_elsewhere_goes_to_its_lessons(course, said, monkeypatch, started):
    (course / started).mkdir(exist_ok=True)
    monkeypatch.chdir(course / started)
    settle()
    assert Path.cwd() == (course / "lessons").resolve()
    settle()
    assert len(said) == 1 and "lessons` from here on" in said[0], "it is said once"


@pytest.mark.parametrize("started", ["lessons", "solutions", "kernels"])
def test_a_folder_whose_cells_write_into_the_course_is_left_alone(course, said, monkeypatch, started):
    monkeypatch.chdir(course / started)
    settle()
    assert Path.cwd() == (course / started).resolve() and said == []


def test_a_chosen_folder_is_left_alone(course, said, monkeypatch, tmp_path):
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    settle()
    assert Path.cwd() == tmp_path and said == []


def test_a_notebook_without_a_course_gets_one(said, brought, tmp_path):
    settle()
    assert Path.cwd() == tmp_path / "empty/gemm-course/lessons"
    assert "`gemm-course/lessons`" in said[0]


def test_work_stays_where_the_lessons_are_written_again(brought, capsys, tmp_path):
    command(Path("mine"))
    assert str(tmp_path / "empty/mine/lessons") in capsys.readouterr().out
    for place in ("lessons/02_small.ipynb", "kernels/02_small.cu", "lessons/.specs/02_small.md"):
        Path("mine", place).write_text("mine")
    Path("mine/kernels/02_small.cu").unlink()
    command(Path("mine"))
    assert Path("mine/lessons/02_small.ipynb").read_text() == "mine"
    assert Path("mine/lessons/.specs/02_small.md").read_text().startswith("new"), "the library's own"
    assert Path("mine/kernels/02_small.cu").is_file()


def test_where_nothing_was_brought_or_can_be_written_it_is_said(said, brought, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written to"):
        command(tmp_path / "file")
    monkeypatch.setattr(handed_out, "_BROUGHT", tmp_path / "none")
    with pytest.raises(UserError, match="there is no course here.*no lessons were installed"):
        settle()
