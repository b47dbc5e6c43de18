"""Puts a lesson's notebooks together: the cells of lessons/NN_slug.md, the kernel as exercise, and the questions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from gemmlab.course.lesson import Kernel, Lesson
from gemmlab.course.parts import ANSWER_PLACEHOLDER
from gemmlab.errors import UserError
from gemmlab.files import read_source

if TYPE_CHECKING:
    from nbformat import NotebookNode

CHECK_TAG = "nbval-check-output"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SOLVED_NOTE = (
    "This is the solved lesson, executed without a GPU. It keeps its kernel and its progress in `solutions/.work/` "
    "and never touches your own files."
)
_INSTALL = """\
# Where the course is not installed, as on Colab, this cell installs it. Elsewhere it does nothing.
from glob import glob
from importlib.util import find_spec

if find_spec("gemmlab") is None:
    found = sorted(glob("gemmlab-*.whl"))[-1:]{address}
    assert found, "Put the course's wheel, gemmlab-….whl, beside this notebook, and run this cell again."
    %pip install --quiet {{found[-1]}}"""
_ADDRESS = re.compile(r'^Source\s*=\s*"([^"]+)"', re.MULTILINE)  # of [project.urls]
SOLVED_SETUP = 'from gemmlab.lesson import work_in\n\nwork_in(".work")'


def read_cells(lesson: Lesson) -> list[NotebookNode]:
    """The cells of lessons/NN_slug.md. Raises UserError where a cell that the course needs is missing or double."""
    import jupytext

    place = f"lessons/{lesson.name}.md"
    text = read_source(lesson.root / place)
    cells = [cell for cell in jupytext.reads(text, fmt="md").cells if cell.cell_type != "raw"]
    try:
        _reject_misfits(lesson, cells)
    except UserError as error:
        raise UserError(f"{place} {error}") from None
    return cells


def _reject_misfits(lesson: Lesson, cells: list[NotebookNode]) -> None:
    for tag, cell_type, names in (
        ("exercise", "code", [kernel.patient for kernel in lesson.kernels]),
        ("questions", "markdown", [None]),
    ):
        tagged = [cell for cell in cells if has_tag(cell, tag)]
        empty = all(cell.cell_type == cell_type and not cell.source.strip() for cell in tagged)
        if not empty or sorted(map(str, names)) != sorted(str(cell.metadata.get("patient")) for cell in tagged):
            each = f" for each of the patients {', '.join(map(str, names))}" if names[0] else ""
            raise UserError(f"must have one empty {cell_type} cell tagged '{tag}'{each}")
    for cell in cells:
        if has_tag(cell, "answer") and (cell.source != ANSWER_PLACEHOLDER or not cell.metadata.get("question")):
            raise UserError(f"has a cell tagged 'answer' without question=\"NAME\" or the text {ANSWER_PLACEHOLDER}")
    if not any(has_tag(cell, CHECK_TAG) for cell in cells):
        raise UserError(f"has no cell tagged '{CHECK_TAG}', so that its test would compare nothing")


def handed_out(lesson: Lesson, cells: list[NotebookNode]) -> NotebookNode:
    """The notebook that students open."""
    first = next((place for place, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
    cells = [*cells[:first], _install_cell(lesson), *cells[first:]]
    return _notebook(lesson, cells, lambda kernel: f"%%writefile ../kernels/{kernel.name}.cu\n{kernel.starter}")


def _install_cell(lesson: Lesson) -> NotebookNode:
    """Before all other code: what makes a notebook work that was opened alone. It is shown folded."""
    from nbformat import v4

    project = lesson.root / "pyproject.toml"
    known = _ADDRESS.search(read_source(project)) if project.is_file() else None
    address = f' or ["git+{known[1]}"]' if known else ""
    return v4.new_code_cell(_INSTALL.format(address=address), metadata={"jupyter": {"source_hidden": True}})


def solved(lesson: Lesson, cells: list[NotebookNode]) -> NotebookNode:
    """The solved notebook, not yet executed. Its kernel goes to a place of its own, which git ignores."""
    from nbformat import v4

    setup = [v4.new_markdown_cell(SOLVED_NOTE), v4.new_code_cell(SOLVED_SETUP)]
    cells = setup + cells
    return _notebook(lesson, cells, lambda kernel: f"%%writefile .work/kernels/{kernel.name}.cu\n{kernel.solution}")


def _notebook(lesson: Lesson, cells: list[NotebookNode], exercise: Callable[[Kernel], str]) -> NotebookNode:
    """The cells with exercises and questions filled in, and ids that stay the same from build to build."""
    from nbformat import v4

    filled: list[NotebookNode] = []
    for cell in cells:
        if has_tag(cell, "exercise"):
            kernel = lesson.kernel_named(cell.metadata.get("patient"))
            name = "-".join(("exercise", *filter(None, [kernel.patient])))
            filled.append(v4.new_code_cell(exercise(kernel).rstrip("\n"), metadata=cell.metadata, id=name))
        elif has_tag(cell, "questions"):
            filled += _question_cells(lesson)
        else:
            make = v4.new_code_cell if cell.cell_type == "code" else v4.new_markdown_cell
            filled.append(make(cell.source, metadata=cell.metadata, id=_cell_id(cell, filled)))
    return v4.new_notebook(cells=filled, metadata=METADATA)


def _question_cells(lesson: Lesson) -> list[NotebookNode]:
    """Two cells a question: its text, and the one that the student writes the answer in."""
    from nbformat import v4

    cells = []
    for question in lesson.questions:
        text = f"**{question.id.upper()}** ({question.marks:g} marks). {question.text}"
        answer = {"tags": ["answer"], "question": question.id}
        cells.append(v4.new_markdown_cell(text, id=f"{question.id}-text"))
        cells.append(v4.new_markdown_cell(ANSWER_PLACEHOLDER, metadata=answer, id=question.id))
    return cells


def _cell_id(cell: NotebookNode, before: list[NotebookNode]) -> str:
    """The name of an answer, else made of the cell's text, so that editing one cell leaves the other ids alone."""
    if has_tag(cell, "answer"):
        return cell.metadata["question"]
    digest = hashlib.sha256(cell.source.encode()).hexdigest()[:12]
    twins = sum(cell.id.startswith(digest) for cell in before)
    return f"{digest}-{twins}" if twins else digest


def has_tag(cell: NotebookNode, tag: str) -> bool:
    """Whether the cell has the tag."""
    return tag in cell.metadata.get("tags", ())
