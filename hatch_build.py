"""Puts the lessons as students get them into a wheel, so that `pip install` brings them along: gemmlab/handed_out/."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from gemmlab.course.lesson import Lesson

PLACE = "gemmlab/handed_out"


class HandedOut(BuildHookInterface):
    """A wheel has no solutions. Where somebody has worked in a lesson it would hand out that work: it is refused."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # the library finds the lessons of the clone
            return
        root = Path(self.root)
        sys.path.insert(0, str(root))
        from gemmlab.course.lesson import load_all

        self._drafts = tempfile.TemporaryDirectory(prefix="gemmlab-wheel-")
        for lesson in load_all(root):
            for place, text in _files(lesson):
                draft = Path(self._drafts.name, place)
                draft.parent.mkdir(parents=True, exist_ok=True)
                draft.write_text(text, encoding="utf-8", newline="\n")
                build_data["force_include"][str(draft)] = f"{PLACE}/{place}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._drafts.cleanup()


def _files(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Path and text of each file of a lesson."""
    from gemmlab.course.handed_out import hidden_files

    yield f"lessons/{lesson.name}.ipynb", _notebook(lesson)
    for kernel in lesson.kernels:
        yield f"kernels/{kernel.name}.cu", kernel.starter.rstrip("\n") + "\n"
    yield from hidden_files(lesson)


def _notebook(lesson: Lesson) -> str:
    """The lesson's notebook. SystemExit where a cell has been run, or where a kernel in it is no starter."""
    path = lesson.root / "lessons" / f"{lesson.name}.ipynb"
    text = path.read_text("utf-8")
    cells = json.loads(text)["cells"]
    kernels = [_body(cell) for cell in cells if str(cell.get("id")).startswith("exercise")]
    starters = [kernel.starter.strip() for kernel in lesson.kernels]
    if sorted(kernels) != sorted(starters) or any(cell.get("outputs") for cell in cells):
        raise SystemExit(f"lessons/{path.name} is not as it was built: somebody has worked in it, or it is stale")
    return text


def _body(cell: dict[str, Any]) -> str:
    """The kernel in a cell, below its %%writefile line."""
    return "".join(cell["source"]).partition("\n")[2].strip()
