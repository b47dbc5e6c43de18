"""What the tests of lessons read off a lesson's text and off its kernel."""

from __future__ import annotations

import re

from gemmlab.course.lesson import Lesson
from gemmlab.course.parts import Prediction

SPEEDUP = "speedup"  # over the step before: its answer is the record's, and no sum


def prose_of(lesson: Lesson) -> str:
    """The lesson's Markdown source without its front matter."""
    text = (lesson.root / "lessons" / f"{lesson.name}.md").read_text(encoding="utf-8")
    return text.split("\n---\n", 1)[1]


def computed(lesson: Lesson) -> list[Prediction]:
    """The predictions whose answers are sums, each bound by a test of its own."""
    return [prediction for prediction in lesson.predictions if prediction.id != SPEEDUP]


def asked(prose: str, prediction: str) -> int:
    """Where the cell stands that asks for the prediction. ValueError where there is none."""
    return prose.index(f'lesson.predict("{prediction}", None)')


def revealed(prose: str, prediction: str) -> int:
    """Where the number is shown: by `reveal`, of this prediction or of all, or as the evidence on a claim."""
    for cell in re.finditer(r"lesson\.(?:reveal|evidence)\((.*)\)", prose):
        if not cell[1] or f'"{prediction}"' in cell[1]:
            return cell.start()
    raise ValueError(f"nothing reveals the prediction {prediction}")


def diff_of(before: str, after: str) -> list[str]:
    """The lines of code that only `after` has, without comments and spacing."""
    lines = {re.sub(r"\s*//.*", "", line).strip() for line in before.split("\n")}
    return [code for line in after.split("\n") if (code := re.sub(r"\s*//.*", "", line).strip()) and code not in lines]
