"""What the tests of several lessons ask of a lesson's text."""

from __future__ import annotations

import re

from gemmlab.course.lesson import Lesson


def prose_of(lesson: Lesson) -> str:
    """The lesson's Markdown source without its front matter."""
    text = (lesson.root / "lessons" / f"{lesson.name}.md").read_text(encoding="utf-8")
    return text.split("\n---\n", 1)[1]


def asked_before_revealed(lesson: Lesson, prose: str) -> None:
    """Fail unless each prediction is asked for in a cell that stands above the one that reveals it."""
    for prediction in lesson.predictions:
        asked = prose.index(f'predict("{prediction.id}", None)')
        reveals = [m for m in re.finditer(r"lesson\.reveal\((.*)\)", prose) if not m[1] or f'"{prediction.id}"' in m[1]]
        assert reveals and asked < reveals[0].start()


def diff_of(before: str, after: str) -> list[str]:
    """The lines of code that only `after` has, without comments and spacing."""
    lines = {re.sub(r"\s*//.*", "", line).strip() for line in before.split("\n")}
    return [code for line in after.split("\n") if (code := re.sub(r"\s*//.*", "", line).strip()) and code not in lines]
