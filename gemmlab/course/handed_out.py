"""What students get of a lesson beside its notebook, and the lessons that an installed library brings along."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from gemmlab.course.lesson import Lesson
from gemmlab.course.places import lesson_path, spec_path, starter_path
from gemmlab.errors import UserError
from gemmlab.files import read_source

FOLDER = "gemm-course"  # where the lessons go, unless somebody chooses
_BROUGHT = Path(__file__).resolve().parents[1] / "handed_out"  # hatch_build.py puts them there, into a wheel
_SPEC_ONLY = "This file holds what the course knows of the lesson. To work on it, open {name}.ipynb."


def hidden_files(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Path in the course and text of what lies out of sight: the front matter, and the starters once more, because
    students write over those in kernels/."""
    for kernel in lesson.kernels:
        yield starter_path(lesson.root, kernel.name).relative_to(lesson.root).as_posix(), kernel.starter
    front = read_source(lesson_path(lesson.root, lesson.name)).split("\n---\n", 1)[0]
    spec = spec_path(lesson.root, lesson.name).relative_to(lesson.root).as_posix()
    yield spec, f"{front}\n---\n\n{_SPEC_ONLY.format(name=lesson.name)}\n"


def put(folder: Path) -> Path:
    """Write the lessons that the library brought along into the folder, and return it. Files of the student's, lessons
    and kernels, stay as they are where they are there already.

    Raises UserError where the library brought none, as in a clone, and where the folder cannot be written.
    """
    if not _BROUGHT.is_dir():
        raise UserError("no lessons were installed with the library: they are in the clone or bundle that it came from")
    try:
        for path in sorted(_BROUGHT.rglob("*")):
            place = path.relative_to(_BROUGHT)
            target = folder / place
            is_hidden = any(part.startswith(".") for part in place.parts)
            if path.is_file() and (is_hidden or not target.exists()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
    except OSError as reason:
        raise UserError(f"the lessons cannot be written to {folder} ({reason.strerror})") from None
    return folder.resolve()
