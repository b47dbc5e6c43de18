"""The model answers and rubrics of grading/answers/NN_slug.md, and what each lesson asks to be answered in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gemmlab.course.lesson import Lesson

FOLDER = Path(__file__).resolve().parents[1] / "answers"
EXPLANATION = "explanation"
_SECTION = re.compile(r"^## +(\w+)[^\n]*\n", re.MULTILINE)
_ASKED = re.compile(r"^\*\*Explanation\*\*[^.\n]*\.\s*((?:[^\n]+\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Rubric:
    """What to give marks for, in Markdown. `remarks` are for all of the lesson, `items` has the rest by item."""

    remarks: str = ""
    items: dict[str, str] | None = None

    def of(self, item: str) -> str:
        """The text for 'explanation' or 'q1'; '' where there is none."""
        return (self.items or {}).get(item, "")


def load(lesson: str) -> Rubric:
    """The rubric of a lesson, by its name such as '04_ragged_edges'; an empty one where it has none."""
    path = FOLDER / f"{lesson}.md"
    if not path.is_file():
        return Rubric()
    head, *parts = _SECTION.split(path.read_text("utf-8"))
    items = {name.lower(): text.strip() for name, text in zip(parts[::2], parts[1::2])}
    return Rubric(head.partition("\n")[2].strip(), items)


def asked(lesson: Lesson) -> dict[str, tuple[float, str]]:
    """What is answered in words: by item the marks and the question."""
    items = {EXPLANATION: (lesson.marks[EXPLANATION], _explanation(lesson))}
    return items | {question.id: (question.marks, question.text) for question in lesson.questions}


def _explanation(lesson: Lesson) -> str:
    """The text stands in the lesson's prose, above the cell for its answer."""
    text = (lesson.root / "lessons" / f"{lesson.name}.md").read_text("utf-8")
    found = _ASKED.search(text)
    return " ".join(found[1].split()) if found else ""
