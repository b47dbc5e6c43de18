"""Lesson 03 as a student meets it: in JupyterLab, in Chromium. Its pictures lie in build/screenshots afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from copy_course import copy_course
from jupyterlab_page import ROOT, NotebookPage, chromium, jupyterlab

from gemmlab.course import lesson as lessons
from gemmlab.emulator import warm

SCREENSHOTS = ROOT / "build" / "screenshots"
NAME = "03_two_barriers"
BARRIER = "__syncthreads();"
EXERCISE, CHECK, PREDICTION = "%%writefile", "lesson.check()", 'lesson.predict("others"'
EXPLORER = "lesson.explore((35, 45, 25), blockIdx=(1, 2), interval=0"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course as it is handed out; the emulator is compiled before anybody waits for it."""
    target = tmp_path_factory.mktemp("browser") / "course"
    copy_course(ROOT, target)
    warm.compiled_interpreter()
    return target


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def notebook(browser, course: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NotebookPage]:
    """The lesson, run once as it was handed out."""
    with jupyterlab(course, tmp_path_factory.mktemp("jupyter")) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        opened = NotebookPage(page, address, course / "lessons" / f"{NAME}.ipynb")
        opened.run_all()
        yield opened


def kept(course: Path, kind: str) -> list[dict]:
    """What the progress file holds of a kind."""
    entries = json.loads((course / "progress.json").read_text())["entries"]
    return [entry for entry in entries if entry["kind"] == kind]


def test_a_lesson_as_handed_out_is_not_attempted(notebook: NotebookPage):
    assert "not attempted" in notebook.text(CHECK)
    assert "fill in the blank first_barrier first" in notebook.text(EXPLORER).lower()
    comment = notebook.cell(EXERCISE).locator(".cm-line", has_text="// Shared memory: one copy a block").first
    assert comment.locator("span").count() == 1, "one comment, as C++ has it, and no Python"


def test_what_is_entered_is_kept(notebook: NotebookPage, course: Path):
    field = notebook.cell(PREDICTION).get_by_placeholder("your number").first
    field.fill("thirty")
    field.press("Enter")
    notebook.wait_for(PREDICTION, "is no prediction")
    field.fill("30")
    field.press("Enter")
    notebook.wait_for(PREDICTION, "you predict 30")
    assert [(entry["id"], entry["value"]) for entry in kept(course, "prediction")] == [("others", 30)]


def test_the_answer_comes_after_a_first_try_only(notebook: NotebookPage, course: Path):
    notebook.press(CHECK, "1 the area")
    notebook.wait_for(CHECK, "Something has to order the copying and the multiplying")
    notebook.press(CHECK, "4 the answer")
    notebook.wait_for(CHECK, "The answer comes after a first try")
    assert BARRIER not in notebook.text(CHECK)
    assert [entry["level"] for entry in kept(course, "hint")] == [1, 4]


def test_a_race_is_explained_and_drawn(notebook: NotebookPage, course: Path):
    notebook.replace_line(EXERCISE, "______;", BARRIER)
    notebook.replace_line(EXERCISE, "______;", "")
    notebook.run(EXERCISE)
    assert (course / "kernels" / f"{NAME}.cu").read_text().count(BARRIER) == 1
    notebook.press(CHECK, "Check again")
    notebook.wait_for(CHECK, "failed (1 of 7 public cases passed)")
    said = notebook.text(CHECK)
    assert re.search(r"error: race, line \d+", said) and "write after read" in said
    assert re.search(r"> +\d+ \| +[AB]s\[ty\]\[tx\] = ", said), "the student's own line, marked"
    notebook.wait_until_hidden(CHECK, "Stop")
    picture = notebook.cell(CHECK).get_by_role("img")
    assert "elements are wrong" in picture.get_attribute("alt")
    notebook.picture(SCREENSHOTS / "race.png", CHECK)
    notebook.press(CHECK, "4 the answer")
    notebook.wait_for(CHECK, "The answer:")


def test_the_mended_kernel_passes(notebook: NotebookPage, course: Path):
    line = notebook.cell(EXERCISE).locator(".cm-line", has_text="// TODO second_barrier")
    line.click()
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.insert_text(f"\n        {BARRIER}")
    notebook.run(EXERCISE)
    notebook.press(CHECK, "Check again")
    notebook.wait_for(CHECK, "public cases passed (7 of 7)")
    assert [entry["status"] for entry in kept(course, "attempt")] == ["failed", "passed"]
    notebook.wait_until_hidden(CHECK, "Stop")
    notebook.picture(SCREENSHOTS / "passed.png", CHECK)


def test_the_explorer_follows_the_keyboard(notebook: NotebookPage):
    notebook.run(EXPLORER)
    assert "Thread (tx, ty) = (3, 1) writes As[1][3] from A[33][3]" in notebook.text(EXPLORER)
    notebook.move_slider(EXPLORER, "interval", "ArrowRight")
    notebook.wait_for(EXPLORER, "Thread (tx, ty) = (3, 1) reads As[1][0…15] and Bs[0…15][3]")
    notebook.move_slider(EXPLORER, "K tile", "ArrowRight")
    notebook.wait_for(EXPLORER, "interval 2 of 0…4: fills K tile 1")
    assert "27 from A, 229 with 0" in notebook.text(EXPLORER)
    notebook.picture(SCREENSHOTS / "explorer.png", EXPLORER)


def test_the_editor_is_a_way_too(notebook: NotebookPage, course: Path):
    notebook.page.get_by_role("link", name="the file").first.click()
    editor = notebook.page.locator(".jp-FileEditor .cm-content")
    comment = editor.locator(".cm-line", has_text="// Shared memory: one copy a block")
    comment.locator("span").first.wait_for()
    assert comment.locator("span").count() == 1, "coloured as C++"
    solved = (course / "kernels" / f"{NAME}.cu").read_text()
    editor.locator(".cm-line", has_text=BARRIER).first.click()
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.press("Shift+Home")
    notebook.page.keyboard.insert_text("__syncwarp();")
    notebook.page.keyboard.press("Control+s")
    notebook.page.wait_for_timeout(1000)
    assert (course / "kernels" / f"{NAME}.cu").read_text() == solved.replace(BARRIER, "__syncwarp();", 1)
    notebook.page.get_by_role("tab", name=f"{NAME}.ipynb").click()
    notebook.press(CHECK, "Check again")
    notebook.wait_for(CHECK, "read after write")


UNNAMED = """() => [...document.querySelectorAll('button, input, select, img, [role=slider]')]
    .filter(one => one.closest('.jp-OutputArea') && one.offsetParent !== null)
    .filter(one => !(one.getAttribute('aria-label') || (one.labels && one.labels[0] && one.labels[0].textContent)
        || one.textContent || one.alt || one.title || '').trim())
    .map(one => one.outerHTML.slice(0, 200))"""


def test_every_control_and_picture_has_a_name(notebook: NotebookPage):
    assert notebook.cell(EXPLORER).get_by_role("slider", name="threadIdx.x").count() == 1
    assert notebook.cell(EXPLORER).get_by_role("button", name="play or pause").count() == 1
    assert notebook.page.evaluate(UNNAMED) == []


def test_a_page_that_is_loaded_again_works_on(notebook: NotebookPage, course: Path):
    notebook.page.keyboard.press("Control+s")
    notebook.page.wait_for_timeout(1000)
    notebook.reload()
    notebook.wait_for(CHECK, "read after write")
    (course / "kernels" / f"{NAME}.cu").write_text(lessons.load(NAME).solution)
    notebook.press(CHECK, "Check again")
    notebook.wait_for(CHECK, "public cases passed (7 of 7)")


def test_what_stands_there_after_a_restart_is_marked_and_one_run_makes_it_new(notebook: NotebookPage):
    notebook.restart()
    notebook.wait_for(CHECK, "from before the kernel was restarted")
    assert "The file is kernels/03_two_barriers.cu, checked on" in notebook.text(CHECK)
    notebook.picture(SCREENSHOTS / "restarted.png", CHECK)
    notebook.run("notebook.open")
    notebook.run(CHECK)
    notebook.wait_for(CHECK, "public cases passed (7 of 7)")
    assert "from before the kernel was restarted" not in notebook.text(CHECK)


def test_running_a_cell_over_work_saved_in_the_editor_keeps_a_copy(notebook: NotebookPage, course: Path):
    mine = lessons.load(NAME).solution.replace(BARRIER, f"{BARRIER}  // mine", 1)
    (course / "kernels" / f"{NAME}.cu").write_text(mine)
    notebook.run(EXERCISE)
    assert "held other work than this cell" in notebook.text(EXERCISE)
    kept_copies = [path.read_text() for path in (course / "kernels" / "saved").glob(f"{NAME}_*.cu")]
    assert mine in kept_copies


def test_a_kernel_cell_without_its_first_line_says_what_is_missing(notebook: NotebookPage, course: Path):
    before = (course / "kernels" / f"{NAME}.cu").read_text()
    notebook.replace_line(EXERCISE, "%%writefile", "")
    notebook.run("extern")
    assert "This cell has lost its first line" in notebook.text("extern")
    assert (course / "kernels" / f"{NAME}.cu").read_text() == before
