"""Lesson 03 as a student meets it: in JupyterLab, in Chromium. Pictures go to build/screenshots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from copy_course import copy_course
from jupyterlab_page import ROOT, NotebookPage, chromium, jupyterlab

SCREENSHOTS = ROOT / "build" / "screenshots"
BARRIER = "__syncthreads();"
EXERCISE = "%%writefile"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("browser") / "course"
    copy_course(ROOT, target)
    return target


@pytest.fixture(scope="module")
def notebook(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NotebookPage]:
    with chromium() as browser, jupyterlab(course, tmp_path_factory.mktemp("jupyter")) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        yield NotebookPage(page, address, course / "lessons" / "03_two_barriers.ipynb")


def test_a_student_fills_checks_mends_and_passes(notebook: NotebookPage, course: Path):
    notebook.run_all()
    check = notebook.cell("lesson.check()")
    assert "not attempted" in check.inner_text()

    notebook.replace_line(EXERCISE, "______;", BARRIER)
    notebook.replace_line(EXERCISE, "______;", "")
    notebook.run(EXERCISE)
    assert (course / "kernels" / "03_two_barriers.cu").read_text().count(BARRIER) == 1
    notebook.run("lesson.check()")
    assert "race" in check.inner_text()
    notebook.picture(SCREENSHOTS / "race.png", "lesson.check()")
