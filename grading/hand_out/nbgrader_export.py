"""The lessons for nbgrader, from the same sources: a course folder that `nbgrader generate_assignment` takes.

One assignment a lesson. Its exercise cell holds the solved kernel between nbgrader's markers; its answer cells are
marked by hand; its last cell has the marks for the code. There are no hidden tests in it: those marks come from
this grader (nbgrader_marks.py), and a student who runs the cell gets the marks of the public cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.build import build, compose
from gemmlab.course import blanks
from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Kernel, Lesson
from gemmlab.course.parts import ANSWER_PLACEHOLDER
from gemmlab.errors import UserError
from gemmlab.files import read_source
from grading.hand_out import sentences as say
from grading.hand_out.new_folder import write_new_folder

if TYPE_CHECKING:
    from nbformat import NotebookNode

SCHEMA = 3
MARKS_ID = "code"  # nbgrader's name of the cell with the marks for the code
BEGIN, END = "// BEGIN SOLUTION", "// END SOLUTION"
_SETUP = """\
# Your kernel and your progress are kept in this folder, which is the one that is handed in.
from gemmlab.course.lesson import work_in

work_in(".")"""
_MARKS = """\
# Marks for the code. Here those of the public cases; your instructor's grader tries other cases, and its marks count.
from gemmlab.check.public_marks import public_marks

public_marks("{number}")"""
_CONFIG = '''\
"""Settings of nbgrader for the GEMM course. Written by `python -m grading nbgrader`."""

from pathlib import Path

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "gemmlab"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)

# The exercise cells are CUDA, though the notebook's language is Python: these are their blanks and their markers.
c.ClearSolutions.code_stub = {{"python": "{stub}"}}
c.ClearSolutions.begin_solution_delimeter = "{begin}"
c.ClearSolutions.end_solution_delimeter = "{end}"
c.ClearSolutions.text_stub = "{answer}"

# nbgrader would execute what students handed in. Instead the marks come from report/, which this writes:
#     python -m grading grade submitted --out report
c.TakeMarks.course = c.CourseDirectory.root
c.Autograde.autograde_preprocessors = [
    "grading.hand_out.nbgrader_marks.TakeMarks",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
'''


def export(out: Path, root: Path | None = None) -> None:
    """Write nbgrader's course folder: nbgrader_config.py and source/NN_slug/NN_slug.ipynb for each lesson.

    Raises UserError where `out` holds something already or cannot be written, or solutions/ is not on disk.
    """
    write_new_folder(out, dict(_files(root or lessons.find_root())))


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    config = _CONFIG.format(stub=blanks.DEFAULT_STUB, begin=BEGIN, end=END, answer=ANSWER_PLACEHOLDER)
    yield "nbgrader_config.py", config.encode()
    for lesson in lessons.load_all(root):
        yield f"source/{lesson.name}/{lesson.name}.ipynb", build.dumps(notebook(lesson)).encode()


def notebook(lesson: Lesson) -> NotebookNode:
    """A lesson's source notebook for nbgrader. UserError where solutions/ is not on disk."""
    from nbformat import v4

    made = compose.handed_out(lesson, compose.read_cells(lesson))
    for cell in made.cells:
        if compose.has_tag(cell, "exercise"):
            _fill_exercise(cell, lesson.kernel_named(cell.metadata.get("patient")))
        elif compose.has_tag(cell, "answer"):
            _mark(cell, cell.id, grade=True, solution=True, points=_points(lesson, cell.id))
    marks = v4.new_code_cell(_MARKS.format(number=lesson.number), id="marks")
    _mark(marks, MARKS_ID, grade=True, points=lesson.marks["ordinary"] + lesson.marks["boundary"], locked=True)
    made.cells = [v4.new_code_cell(_SETUP, id="setup"), *made.cells, marks]
    return made


def _fill_exercise(cell: NotebookNode, kernel: Kernel) -> None:
    """A kernel with blanks becomes the solved one with markers. One that is handed out whole stays as it is, and is no
    solution cell: nbgrader would replace all of it, its first line included."""
    if kernel.solved is None:
        raise UserError(say.NO_SOLUTION(kernel=kernel.name))
    has_blanks = bool(kernel.blanks) and not kernel.patient
    text = _with_markers(kernel) if has_blanks else kernel.starter
    cell.source = f"%%writefile kernels/{kernel.name}.cu\n{text}".rstrip("\n")
    if has_blanks:
        _mark(cell, "exercise", solution=True)


def _with_markers(kernel: Kernel) -> str:
    """The solved kernel with its markers. A blank's own stub, which nbgrader does not know, becomes a comment."""
    lines = read_source(kernel.root / "solutions" / f"{kernel.name}.cu").split("\n")
    for blank in reversed(blanks.find_blanks("\n".join(lines))):
        begin = lines[blank.line - 1]
        indent = begin[: len(begin) - len(begin.lstrip())]
        own = blank.stub.strip()
        above = [f"{indent}// write it as: {own}"] if own != blanks.DEFAULT_STUB else []
        lines[blank.line - 1 : blank.line] = [*above, f"{indent}{BEGIN} {blank.name}"]
    return "\n".join(lines)


def _points(lesson: Lesson, question: str) -> float:
    marks = {one.id: one.marks for one in lesson.questions} | {"explanation": lesson.marks["explanation"]}
    if question not in marks:
        raise UserError(say.NO_MARKS(lesson=lesson.name, question=question))
    return marks[question]


def _mark(cell: NotebookNode, name: str, *, grade: bool = False, solution: bool = False, locked: bool = False,
          points: float | None = None) -> None:  # fmt: skip
    """Give the cell nbgrader's metadata."""
    more = {} if points is None else {"points": points}
    cell.metadata["nbgrader"] = {
        "schema_version": SCHEMA, "grade_id": name, "grade": grade, "solution": solution, "locked": locked,
        "task": False, **more,
    }  # fmt: skip
