"""Where the course is, and where a student's own files are."""

from __future__ import annotations

import os
from pathlib import Path

from gemmlab.errors import UserError


def find_root() -> Path:
    """The course directory, which holds lessons/ and kernels/: $GEMMLAB_ROOT, or the working directory or one above it,
    or where an editable install points. Raises UserError where there is none."""
    chosen = os.environ.get("GEMMLAB_ROOT")
    if chosen:
        if not _is_root(Path(chosen)):
            raise UserError(f"GEMMLAB_ROOT is {chosen}, which has no lessons/ and kernels/ in it")
        return Path(chosen).resolve()
    here = Path.cwd()
    for directory in (here, *here.parents, Path(__file__).resolve().parents[2]):
        if _is_root(directory):
            return directory
    raise UserError(
        "there is no course here: change to the directory with lessons/ and kernels/, or set GEMMLAB_ROOT; "
        "after pip install, `gemmlab course` makes one"
    )


def _is_root(directory: Path) -> bool:
    return (directory / "lessons").is_dir() and (directory / "kernels").is_dir()


def work_root(root: Path) -> Path:
    """Where a student's kernels/ and progress live: the course directory, unless `work_in` chose another."""
    return Path(os.environ.get("GEMMLAB_WORK") or root)


def work_in(directory: str | Path) -> None:
    """Keep this process's kernels and progress in the directory. Solved notebooks do, to leave the student's alone."""
    work = Path(directory).resolve()
    (work / "kernels").mkdir(parents=True, exist_ok=True)
    os.environ["GEMMLAB_WORK"] = str(work)


def lesson_path(root: Path, name: str) -> Path:
    """The source of a lesson, its front matter and prose; in a bundle for students its front matter alone."""
    source = root / "lessons" / f"{name}.md"
    return source if source.exists() else spec_path(root, name)


def spec_path(root: Path, name: str) -> Path:
    """Where a bundle keeps a lesson's front matter; hidden, because it has the answers to the predictions."""
    return root / "lessons" / ".specs" / f"{name}.md"


def solution_path(root: Path, name: str) -> Path:
    """The source of a kernel, solved and with its blanks marked; a bundle for students has none."""
    return root / "solutions" / f"{name}.cu"


def starter_path(root: Path, name: str) -> Path:
    """Where a bundle without solutions/ keeps the pristine starter; hidden, because students write to kernels/."""
    return root / "lessons" / ".starters" / f"{name}.cu"
