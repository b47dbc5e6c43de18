"""Sees to it that a notebook runs in lessons/, where the paths of its cells lead to the course's own kernels.

Jupyter starts a notebook in its own folder. VS Code may start it in the workspace's, and a notebook that was opened
alone, as on Colab, has no course around it.
"""

from __future__ import annotations

import os
from pathlib import Path

from gemmlab.course import handed_out
from gemmlab.course.places import find_root
from gemmlab.errors import UserError
from gemmlab.pictures.output import Markdown, show

MOVED = "This notebook runs in `{folder}` from here on: its kernels are written to the course in `{course}`."


def settle() -> None:
    """Change to the course's lessons/ where `../kernels` would lead elsewhere, and say so.

    Where there is no course at all, the one that was installed with the library is put into a folder here first.
    Raises UserError where there is none to put.
    """
    if os.environ.get("GEMMLAB_WORK"):  # a solved notebook, or a test: it chose its own folder
        return
    here = Path.cwd()
    root = _root()
    if (here / ".." / "kernels").resolve() == root / "kernels":
        return
    os.chdir(root / "lessons")
    show(Markdown(MOVED.format(folder=_seen_from(here, root / "lessons"), course=_seen_from(here, root))))


def _root() -> Path:
    try:
        return find_root()
    except UserError as no_course:
        try:
            return handed_out.put(Path(handed_out.FOLDER))
        except UserError as reason:
            raise UserError(f"{no_course}; {reason}") from None


def _seen_from(here: Path, folder: Path) -> str:
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else str(folder)
