"""`lesson.rubric`: what an answer is marked by is shown after the answer is written, and not before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gemmlab import notebook

ANSWER = "Both are read once a tile, so that the reads go down with the side of the tile."


@pytest.fixture
def lesson(course, shown, monkeypatch) -> notebook.OpenLesson:
    """Lesson 02 with a rubric for q1, opened by a notebook in lessons/."""
    source = course / "lessons" / "02_small.md"
    entry = '{id: q1, text: "Why?", marks: 2}'
    text = source.read_text()
    assert entry in text
    source.write_text(text.replace(entry, entry[:-1] + ', rubric: ["names both *tiles*", "counts the reads"]}'))
    monkeypatch.setenv("GEMMLAB_ROOT", str(course))
    monkeypatch.setenv("GEMMLAB_WORK", str(course))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.chdir(course / "lessons")
    return notebook.open("02")


def write(answer: str) -> None:
    cells = [{"cell_type": "markdown", "metadata": {"question": "q1"}, "source": ["*Your answer:*\n", answer]}]
    Path("02_small.ipynb").write_text(json.dumps({"cells": cells}))


@pytest.mark.parametrize("answer", ["", "because", None])
def test_an_answer_comes_first(lesson, shown, answer):
    if answer is not None:
        write(answer)
    lesson.rubric("q1")
    assert "Write your answer to **q1** first" in shown[-1] and "tiles" not in shown[-1]


def test_the_rubric_of_a_written_answer(lesson, shown):
    write(ANSWER)
    lesson.rubric("q1")
    assert "2 marks" in shown[-1] and "- names both *tiles*\n- counts the reads" in shown[-1]


def test_what_is_not_there(lesson, shown):
    write(ANSWER)
    lesson.rubric("q2")
    assert "There is no rubric for q2" in shown[-1]
    lesson.rubric("q9")
    assert "no question 'q9'; it has q1, q2, q3" in shown[-1]
