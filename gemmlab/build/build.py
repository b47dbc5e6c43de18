"""Builds the course's made files from their sources: kernels/*.cu, lessons/*.ipynb and solutions/*.ipynb, the part of
the README that shows recorded results, and the emulator's LLVM code.

`python -m gemmlab.build` writes what is stale, `--check` only names it. Files that somebody has worked in are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.build import compose, readme
from gemmlab.build.execute import execute
from gemmlab.course import blanks
from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Kernel, Lesson
from gemmlab.course.parts import ANSWER_PLACEHOLDER
from gemmlab.emulator import shipped
from gemmlab.errors import UserError
from gemmlab.files import read_source, write_whole

if TYPE_CHECKING:
    from nbformat import NotebookNode


@dataclass(frozen=True)
class Made:
    """One made file: its kind, what it must hold, and its state: 'fresh', 'missing', 'stale' or 'work' (a student's).

    `kind` is 'starter', 'handed out' or 'solved'. A solved notebook's `text` has no outputs yet.
    """

    kind: str
    path: Path
    text: str
    state: str


def made_files(lesson: Lesson) -> list[Made]:
    """A starter for each kernel of a lesson, and its two notebooks. UserError where solutions/ is not on disk."""
    for kernel in lesson.kernels:
        if kernel.solved is None:
            raise UserError(f"solutions/{kernel.name}.cu is not on disk, so there is nothing to build from")
    cells = compose.read_cells(lesson)
    handed_out, solved = compose.handed_out(lesson, cells), compose.solved(lesson, cells)
    notebook, solution = (lesson.root / folder / f"{lesson.name}.ipynb" for folder in ("lessons", "solutions"))
    return [
        *map(_made_starter, lesson.kernels),
        Made("handed out", notebook, dumps(handed_out), _handed_out_state(notebook, handed_out)),
        Made("solved", solution, dumps(solved), _solved_state(solution, solved)),
    ]


def _made_starter(kernel: Kernel) -> Made:
    path = kernel.root / "kernels" / f"{kernel.name}.cu"
    starter = kernel.starter.rstrip("\n") + "\n"
    return Made("starter", path, starter, _kernel_state(path, starter))


def build(root: Path, execute_all: bool = False) -> Iterator[str]:
    """Write every made file that is stale or missing; yields one line of report a file written or kept.

    A solved notebook that is fresh is executed again only with `execute_all`.
    """
    if _is_ours(root) and not shipped.is_fresh():
        shipped.write(shipped.from_sources())
        yield f"wrote {shipped.PATH.relative_to(root.resolve())}"
    for lesson in lessons.load_all(root):
        for made in made_files(lesson):
            made.path.parent.mkdir(exist_ok=True)
            where = made.path.relative_to(root)
            if made.state == "work":
                yield f"kept {where}, which somebody has worked in; delete it and build again for a fresh one"
            elif made.kind == "solved" and (execute_all or made.state != "fresh"):
                write_whole(made.path, _executed(made, root))
                yield f"executed {where}"
            elif made.state != "fresh":
                write_whole(made.path, made.text)
                yield f"wrote {where}"
    yield from readme.build(root)


def _is_ours(root: Path) -> bool:
    """Whether the course is the one of this library, and not another's in a folder of its own."""
    return shipped.PATH.is_relative_to(root.resolve())


def _executed(made: Made, root: Path) -> str:
    try:
        return dumps(execute(loads(made.text), root))
    except UserError as error:
        raise UserError(f"{made.path.relative_to(root)}: {error}") from None


def check(root: Path) -> list[str]:
    """One sentence for each made file that is stale, missing or without a source, with what mends it."""
    found = lessons.load_all(root)
    made = [made for lesson in found for made in made_files(lesson) if made.state in ("stale", "missing")]
    names = {lesson.name for lesson in found}
    candidates = [*root.glob("lessons/*.ipynb"), *root.glob("solutions/*.ipynb"), *root.glob("solutions/*.cu")]
    orphans = sorted(path for path in candidates if lessons.is_name(path.stem) and path.stem not in names)
    kernels = {kernel.name for lesson in found for kernel in lesson.kernels}
    patients = [f"{path.parent.name}/{path.stem}" for path in sorted(root.glob("solutions/*/*.cu"))]
    strays = [name for name in patients if lessons.is_name(name.partition("/")[0]) and name not in kernels]
    code = [shipped.PATH.relative_to(root.resolve())] if _is_ours(root) and not shipped.is_fresh() else []
    return [
        *(f"{name} is stale; run: make lessons" for name in code),
        *(f"{one.path.relative_to(root)} is {one.state}; run: make lessons" for one in made),
        *(f"{name} is stale; run: make lessons" for name in readme.check(root)),
        *(f"{path.relative_to(root)} has no lessons/{path.stem}.md; delete it" for path in orphans),
        *(f"solutions/{name}.cu is no patient of lessons/{name.partition('/')[0]}.md; delete it" for name in strays),
    ]


def _kernel_state(path: Path, starter: str) -> str:
    """'work' as soon as one blank is filled, or, where there is none, anything differs: such a file is a student's."""
    if not path.is_file():
        return "missing"
    text = read_source(path)
    if text == starter:
        return "fresh"
    return "stale" if blanks.is_untouched(text) else "work"


def _handed_out_state(path: Path, expected: NotebookNode) -> str:
    """'work' once a cell was run, an answer was written or a blank was filled."""
    if not path.is_file():
        return "missing"
    notebook = loads(path.read_bytes().decode("utf-8", "replace"))
    if notebook is None:
        return "stale"
    known = {cell.id: cell.source for cell in expected.cells}
    if any(cell.get("execution_count") or cell.get("outputs") or _is_edited(cell, known) for cell in notebook.cells):
        return "work"
    return "fresh" if _sources(notebook) == _sources(expected) else "stale"


def _is_edited(cell: NotebookNode, known: dict[str, str]) -> bool:
    if compose.has_tag(cell, "answer"):
        return cell.source != ANSWER_PLACEHOLDER
    is_built = blanks.is_untouched(cell.source) or cell.source == known.get(cell.get("id"))
    return compose.has_tag(cell, "exercise") and not is_built


def _solved_state(path: Path, expected: NotebookNode) -> str:
    if not path.is_file():
        return "missing"
    notebook = loads(path.read_bytes().decode("utf-8", "replace"))
    if notebook is None or _sources(notebook) != _sources(expected):
        return "stale"
    return "fresh" if all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code") else "stale"


def _sources(notebook: NotebookNode) -> list[tuple]:
    return [(cell.get("id"), cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in notebook.cells]


def loads(text: str) -> NotebookNode | None:
    """The notebook, or None where the text is none."""
    import nbformat

    try:
        return nbformat.reads(text, as_version=4)
    except Exception:  # nbformat raises many kinds, and each of them means that the file must be built anew
        return None


def dumps(notebook: NotebookNode) -> str:
    """The notebook as text, the same for the same cells."""
    import nbformat

    nbformat.validate(notebook)
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def main(arguments: list[str] | None = None) -> int:
    """The command line. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m gemmlab.build", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; name the stale files and exit with 1")
    parser.add_argument("--execute-all", action="store_true", help="execute the solved notebooks that are fresh, too")
    options = parser.parse_args(arguments)
    try:
        root = lessons.find_root()
        if options.check:
            stale = check(root)
            print("\n".join(stale) or "all made files are fresh")
            return 1 if stale else 0
        for line in build(root, options.execute_all):
            print(line, flush=True)
        return 0
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
