"""lesson.rubric("q1")"""

from __future__ import annotations

import json
import os
from pathlib import Path

from gemmlab.errors import UserError
from gemmlab.markdown import escape
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show

_FEWEST_WORDS = 8  # of an answer
WRITE_FIRST = (
    "Write your answer to **{question}** first, in a sentence or more, and save the notebook. Then run this cell "
    "again: what the answer is marked by stands here."
)


@verb
def rubric(desk: Desk, question: str) -> None:
    """What the answer to a question is marked by, once yours is written and saved."""
    known = {entry.id: entry for entry in desk.lesson.questions}
    if question not in known:
        raise UserError(f"this lesson has no question '{question}'; it has {', '.join(known)}")
    points = known[question].rubric
    if not points:
        raise UserError(f"there is no rubric for {question}: your instructor says what it is marked by")
    if not desk.solved and len(_answer(_notebook(desk), question).split()) < _FEWEST_WORDS:
        show(Markdown(WRITE_FIRST.format(question=question)))
        return
    head = f"**{question}**, {known[question].marks:g} marks. Compare your answer with this, point by point:"
    show(Markdown("\n".join([head, "", *(f"- {escape(point)}" for point in points)])))


def _notebook(desk: Desk) -> Path:
    """The file of the notebook that runs here, as Jupyter tells it, or else the lesson's."""
    told = os.environ.get("JPY_SESSION_NAME", "")
    return Path(told) if told.endswith(".ipynb") and Path(told).is_file() else Path(f"{desk.lesson.name}.ipynb")


def _answer(notebook: Path, question: str) -> str:
    """What was saved in the cell of that answer, nothing where there is none."""
    from gemmlab.course.parts import ANSWER_PLACEHOLDER

    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        (text,) = ["".join(cell["source"]) for cell in cells if cell["metadata"].get("question") == question]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return text.replace(ANSWER_PLACEHOLDER, "")
