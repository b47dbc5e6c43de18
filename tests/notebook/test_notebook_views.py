"""The pictures of a student's own kernel, as the notebook's face shows them: in a cell of theirs and on paper."""

from __future__ import annotations

import pytest

from gemmlab import notebook
from gemmlab.course.lesson import find_root
from gemmlab.pictures.picture import Picture


@pytest.fixture
def lesson(monkeypatch, tmp_path, outputs) -> notebook.OpenLesson:
    """Lesson 03, solved, in a student's directory."""
    monkeypatch.setenv("GEMMLAB_ROOT", str(find_root()))
    monkeypatch.setenv("GEMMLAB_WORK", str(tmp_path))
    opened = notebook.open("03")
    opened.lesson.kernel_path.write_text(opened.lesson.solution)
    return opened


def on_paper(lesson: notebook.OpenLesson) -> notebook.OpenLesson:
    """As in a solved notebook, which has no widgets."""
    lesson.desk.solved = True
    return lesson


def pictures(outputs: list) -> list[str]:
    return [output.alt for output in outputs if isinstance(output, Picture)]


VIEWS = {
    "explore": (lambda lesson: lesson.explore((35, 45, 25), (2, 1), 3, (1, 3)), "reads As[1][0…15] and Bs[0…15][3]"),
    "explore as CUDA": (
        lambda lesson: lesson.explore((35, 45, 25), blockIdx=(1, 2), interval=3, threadIdx=(3, 1)),
        "Block (x, y) = (1, 2), barrier interval 3",
    ),
    "warp": (lambda lesson: lesson.warp((64, 64, 64), line=40), "store to C, line 40, 4 sectors"),
    "design": (lambda lesson: lesson.design(32), "TILE = 32: 8 FLOP/B"),
    "occupancy": (lambda lesson: lesson.occupancy(), "your kernel with 256 threads"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_live_for_students_and_a_picture_on_paper(name, lesson, outputs):
    call, words = VIEWS[name]
    call(lesson)
    assert "application/vnd.jupyter.widget-view+json" in outputs[0]
    live = pictures(outputs)
    assert len(live) == 1 and words in live[0]
    outputs.clear()
    call(on_paper(lesson))
    assert pictures(outputs) == live and not any(isinstance(output, dict) for output in outputs)


def test_another_body_is_explored_and_the_file_stays(lesson, outputs):
    before = lesson.lesson.kernel_path.read_text()
    lesson.explore((35, 45, 25), interval=1, second_barrier="")
    assert "fills K tile 1, uses K tiles 0, 1" in pictures(outputs)[0] and "a race" in pictures(outputs)[0]
    assert lesson.lesson.kernel_path.read_text() == before


def test_an_order_of_warps_is_stepped_through_and_written_down_on_paper(lesson, outputs):
    lesson.warp_order((48, 48, 48), second_barrier="")
    (first,) = pictures(outputs)
    assert "decisions: 1" in outputs[0].text and first.startswith("All warps go in step.")
    outputs.clear()
    on_paper(lesson).warp_order((48, 48, 48), second_barrier="")
    (last,) = pictures(outputs)
    assert outputs[1].text.startswith(f"1. {first}") and last.endswith("32 are wrong.")
    lesson.warp_order((48, 48, 48))
    assert "has no race there" in outputs[-1].text


def test_what_cannot_be_drawn_is_one_sentence(lesson, outputs):
    lesson.explore((35, 45, 25), block=(5, 5))
    lesson.warp(line=1)
    lesson.design(17)
    lesson.occupancy(arch="sm_1")
    lesson.lesson.kernel_path.write_text(lesson.lesson.starter)
    lesson.explore((35, 45, 25))
    said = [output.text for output in outputs]
    assert len(said) == 5 and all(text.endswith("\\.") for text in said)
    assert "There is no block" in said[0] and "asks nothing of memory" in said[1] and "TILE is one of" in said[2]
    assert "fill in the blank" in said[4].lower().replace("\\", "")


def test_predictions_are_asked_for_in_a_field_until_they_are_revealed(lesson, outputs):
    lesson.predict("others")
    assert "application/vnd.jupyter.widget-view+json" in outputs[1] and "elements" in outputs[0].text
    lesson.predict("others", 30)
    lesson.reveal("others")
    outputs.clear()
    lesson.predict("others")
    assert not any(isinstance(output, dict) for output in outputs)


def test_a_cell_that_is_interrupted_says_so(lesson, outputs, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gemmlab.trials.warp_view.warp_view_of", stop)
    lesson.warp()
    assert outputs[-1].text.startswith("Stopped")
