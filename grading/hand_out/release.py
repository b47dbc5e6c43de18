"""The bundle that students get: lessons, starters, the library, and what `make lab` needs. Nothing that tells answers.

No solution is in it in any form, not even hidden or encoded: what the library could decode, a student could as well. So
in the bundle the fourth hint says where the answer will come from. When the time has come, hand out
solutions/NN_slug.cu; put into the bundle's solutions/, it is what that hint shows, after an attempt as always.

The numbers that students predict are in it, because the lesson shows them afterwards, but out of sight: they stand with
the rest of a lesson's front matter in a hidden folder. They give no marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from gemmlab.build import build
from gemmlab.course import lesson as lessons
from gemmlab.course.handed_out import hidden_files
from gemmlab.course.lesson import Lesson
from gemmlab.errors import UserError
from gemmlab.files import read_source
from grading.hand_out import sentences as say
from grading.hand_out.leaks import leaks
from grading.hand_out.new_folder import write_new_folder

_WAYS_IN = (  # what is needed to install the course, one way or another
    "Makefile", "pyproject.toml", "hatch_build.py", "constraints.txt", "environment.yml", "environment-gpu.yml",
    "Dockerfile", ".dockerignore", ".devcontainer/devcontainer.json", ".devcontainer/gpu/devcontainer.json",
    ".binder/postBuild", ".binder/requirements.txt", ".binder/runtime.txt",
)  # fmt: skip
TEXTS = ("README.md", "LICENSE", "THIRD_PARTY.md", *_WAYS_IN)
_BEGIN, _END = ">>> not in the student bundle", "<<< not in the student bundle"
_LINK = re.compile(r"\]\(([^()\s#:]+)\)|\bsrc=\"([^\":]+)\"")
_IMAGES = (".png", ".svg", ".jpg", ".gif", ".webp")
_PAGES = "docs"  # the folder of pages for everybody
_LEFT_OUT = ("__pycache__", "node_modules")


def release(out: Path, root: Path | None = None) -> None:
    """Write the bundle to the folder `out`, whole or not at all.

    Raises UserError where `out` holds something already or cannot be written, where solutions/ is not on disk, and
    where a file of the bundle would give an answer away.
    """
    root = root or lessons.find_root()
    write_new_folder(out, dict(_files(root)), lambda draft: _refuse_leaks(draft, root))


def _refuse_leaks(draft: Path, root: Path) -> None:
    if found := leaks(draft, root):
        more = len(found) - 1
        raise UserError(say.LEAKS_AND_MORE(leak=found[0], more=more) if more else say.LEAKS(leak=found[0]))


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Path and contents of each file. Lessons and kernels are built anew: those on disk may hold somebody's work."""
    for lesson in lessons.load_all(root):
        yield from _lesson_files(lesson)
    for path in sorted((root / "gemmlab").rglob("*")):
        place = path.relative_to(root)
        if path.is_file() and not any(part in _LEFT_OUT or part.startswith(".") for part in place.parts):
            yield place.as_posix(), path.read_bytes()
    for name in TEXTS:
        text = without_marked(read_source(root / name), name)
        yield name, text.encode()
        if name.endswith(".md"):
            yield from ((linked, (root / linked).read_bytes()) for linked in _linked(text, root))


def _lesson_files(lesson: Lesson) -> Iterator[tuple[str, bytes]]:
    """A lesson's notebook and starters, and its hidden files."""
    for made in build.made_files(lesson):
        if made.kind != "solved":
            yield made.path.relative_to(lesson.root).as_posix(), made.text.encode()
    yield from ((place, text.encode()) for place, text in hidden_files(lesson))


def _linked(text: str, root: Path) -> Iterator[str]:
    """The images of the course that a Markdown text shows, and the pages that it leads to."""
    for match in _LINK.finditer(text):
        place = PurePosixPath(match[1] or match[2])
        is_page = place.suffix == ".md" and place.parts[0] == _PAGES
        if (is_page or place.suffix in _IMAGES) and ".." not in place.parts and (root / place).is_file():
            yield place.as_posix()


def without_marked(text: str, name: str) -> str:
    """The text without the parts that are marked as for maintainers and instructors only, and without their marks.

    Raises UserError where a mark has no partner, with `name` for the file.
    """
    kept: list[str] = []
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if _BEGIN in line or _END in line:
            if (_BEGIN in line) == inside:
                raise UserError(say.MARK_ALONE(file=name, line=number))
            inside = not inside
        elif not inside:
            kept.append(line)
    if inside:
        raise UserError(say.LAST_MARK_ALONE(file=name, mark=_BEGIN))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n") + "\n"
