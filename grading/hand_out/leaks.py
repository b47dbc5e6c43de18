"""Whether a folder gives answers away: the solutions of blanks, what mends a patient, model answers, graders' code.

Starters and lesson texts show some of these on purpose: lesson n begins with what lesson n-1 solved. So in the files of
a lesson each solution may stand as often as its starters and its text have it, and elsewhere not at all. What is
shorter than _SHORTEST characters, such as a barrier, is no secret by itself and counts in the lessons' files only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gemmlab.course.lesson import Kernel, Lesson, lesson_path, load_all
from gemmlab.files import normalize, read_source
from grading.hand_out import sentences as say

_SHORTEST = 24  # characters without spaces
_SHORTEST_SENTENCE = 40
_PRIVATE = ("solutions", "grading", "tests", "tools", "state", ".work")


@dataclass(frozen=True)
class _Secret:
    """A text that tells an answer, without spaces, and what is said of a file that holds it."""

    told: str
    text: str


def leaks(folder: Path, root: Path) -> list[str]:
    """A sentence for each answer of the course in `root` that a file in `folder` gives away."""
    course = load_all(root)
    shown = dict(item for lesson in course for item in _shown(lesson))
    secrets = [secret for lesson in course for kernel in lesson.kernels for secret in _solutions(kernel)]
    prose = [*_model_answers(root), *_graders_code(root)]
    return [
        say.OF_FILE(path=path.relative_to(folder).as_posix(), reason=reason)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for reason in _in_file(path, path.relative_to(folder), shown, secrets, prose)
    ]


def _in_file(
    path: Path, place: Path, shown: dict[str, str], secrets: list[_Secret], prose: list[_Secret]
) -> Iterator[str]:
    if place.parts[0] in _PRIVATE:
        yield say.PRIVATE()
    if path.suffix == ".ipynb" and (trace := _trace_of_work(path)):
        yield trace
    text = _plain(_words(path))
    known = next((shown[name] for name in shown if place.as_posix().endswith(name)), None)
    for secret in secrets:
        if known is not None:
            told = text.count(secret.text) > known.count(secret.text)
        else:
            told = len(secret.text) >= _SHORTEST and secret.text in text
        if told:
            yield secret.told
    yield from (secret.told for secret in prose if secret.text in text)


def _solutions(kernel: Kernel) -> Iterator[_Secret]:
    """The bodies of its blanks; of a patient, the lines that mend it."""
    solution = kernel.solved or ""
    if kernel.patient:
        for line in sorted(_lines(solution) - _lines(kernel.starter)):
            yield _Secret(say.HOLDS_LINE(kernel=kernel.name), line)
    else:
        for blank in kernel.blanks:
            told = say.HOLDS_BLANK(kernel=kernel.name, blank=blank.name)
            yield _Secret(told, _plain(blank.answer or ""))
    if kernel.blanks or kernel.whole:
        yield _Secret(say.HOLDS_SOLUTION(kernel=kernel.name), _plain(solution))


def _lines(text: str) -> set[str]:
    return {plain for line in normalize(text).split("\n") if len(plain := _plain(line)) >= _SHORTEST}


def _shown(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """The files of a lesson, by the end of their paths, and what each of them shows on purpose, without spaces."""
    for kernel in lesson.kernels:
        yield f"{kernel.name}.cu", _plain(kernel.starter)
    text = read_source(lesson_path(lesson.root, lesson.name))
    shown = _plain("\n".join([text, *(kernel.starter for kernel in lesson.kernels)]))
    yield from ((f"{lesson.name}{kind}", shown) for kind in (".ipynb", ".md"))


def _model_answers(root: Path) -> Iterator[_Secret]:
    """Each sentence of the model answers and rubrics, but those that are too short to tell anything."""
    for path in sorted((root / "grading" / "answers").glob("*.md")):
        for sentence in re.split(r"(?<=[.:?!])\s+|\n\s*\n|^[-#].{0,3}\s", read_source(path), flags=re.MULTILINE):
            if len(sentence.strip()) >= _SHORTEST_SENTENCE:
                yield _Secret(say.HOLDS_ANSWER(file=path.name), _plain(sentence))


def _graders_code(root: Path) -> Iterator[_Secret]:
    """The first lines of each module of the grader, which have its purpose."""
    for path in sorted((root / "grading").rglob("*.py")):
        first = _plain(read_source(path))[:200]
        if len(first) >= _SHORTEST:
            yield _Secret(say.HOLDS_CODE(file=path.name), first)


def _words(path: Path) -> str:
    """The text of a file; of a notebook all of its texts, as they read without JSON's escapes."""
    text = path.read_bytes().decode("utf-8", "replace")
    if path.suffix in (".ipynb", ".json"):
        try:
            return "\n".join(_strings(json.loads(text)))
        except (ValueError, RecursionError):
            pass
    return text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield "".join(value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _trace_of_work(path: Path) -> str:
    cells = json.loads(path.read_text("utf-8")).get("cells", [])
    return say.HOLDS_WORK() if any(cell.get("outputs") for cell in cells) else ""


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)
