"""From a folder or zip of submissions to one Submission for each student and lesson. What could not be read is a note.

Whose file it is says the layout, in this order: Moodle (`Name_123_assignsubmission_file…`), Canvas
(`name_123_456_file`, `name_LATE_…`), a folder for each student (also nbgrader's `submitted/STUDENT/ASSIGNMENT/`), or
the file's own name. Which lesson it is say the kernel that it writes, its name, its folder, or the notebook's first
cell.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gemmlab.course import lesson as lessons
from gemmlab.course.lesson import Lesson
from gemmlab.errors import UserError
from gemmlab.files import MAX_SOURCE_BYTES, normalize
from grading.intake import notebook_file
from grading.intake import sentences as say
from grading.intake.handed_in import File, files
from grading.intake.notebook_file import Written
from grading.model import Submission
from grading.visible import visible

_MOODLE = re.compile(r"(?P<student>.+?_\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)", re.DOTALL)
_CANVAS = re.compile(r"(?P<student>[^_\W]+)_(?:LATE_)?(?P<id>\d{3,})_\d{3,}_(?P<rest>.+)", re.DOTALL)
_WRAPPERS = ("submitted", "submissions")
_COPY = re.compile(r"(?: ?\((\d+)\)|-(\d+)| - Copy| copy(?: \d+)?)$")
_NUMBER = re.compile(r"(?<![0-9])([0-9]{1,2})(?![0-9])")
_COMMENT = re.compile(r"\A(?:\s*//[^\n]*\n)*?\s*//[^\n]*\b[Ll]esson (\d\d)\b")
_KINDS = (".ipynb", ".cu")
_LONGEST_NAME = 100
_DIGEST = 8  # letters of it, in place of the end of a longer name
_ZIP = b"PK\3\4"
_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class _Item:
    """One file of a student. `lesson` is '' where nobody can tell; `note` is empty where it could be read well."""

    student: str
    lesson: str
    path: str
    written: Written
    note: str = ""

    @property
    def is_useful(self) -> bool:
        return bool(self.written.kernels or self.written.answers)

    @property
    def copy(self) -> int:
        """What a browser or Canvas counted: 1 for '02 (1).ipynb'."""
        match = _COPY.search(_stem(self.path))
        return int(match[1] or match[2] or 1) if match else 0


def read(folder: Path, lesson: str | None = None) -> list[Submission]:
    """One for each student and lesson, in the order of their names; with `lesson` given, those of that lesson only.

    Raises UserError where there is no such folder, no such lesson, or no file that tells which lesson it is for.
    """
    wanted = lessons.load(lesson).name if lesson else ""
    known = {one.name: one for one in lessons.load_all()}
    items = list(_items(folder, list(known.values())))
    groups = _grouped(items, wanted or _most_common(items))
    if wanted:
        groups = {(student, wanted): groups.get((student, wanted), []) for student, _ in groups}
    return [
        _submission(known[name], student, groups[student, name], [item for item in items if item.student == student])
        for student, name in sorted(groups)
    ]


def _grouped(items: Sequence[_Item], usual: str) -> dict[tuple[str, str], list[_Item]]:
    """The items by student and lesson. One whose lesson nobody can tell goes to the student's only lesson, or else to
    the usual one; files of no use are left out where the student has others."""
    own: dict[str, set[str]] = {}
    useful: set[str] = set()
    for item in items:
        own.setdefault(item.student, set()).update({item.lesson} - {""})
        useful |= {item.student} if item.is_useful else set()
    groups: dict[tuple[str, str], list[_Item]] = {}
    for item in items:
        if _kind(item.path) or _is_archive(item.path) or item.student not in useful:
            lesson = item.lesson or (min(own[item.student]) if len(own[item.student]) == 1 else usual)
            groups.setdefault((item.student, lesson), []).append(item)
    return groups


def _most_common(items: Sequence[_Item]) -> str:
    found = Counter(item.lesson for item in items if item.lesson)
    if items and not found:
        raise UserError(say.NO_LESSON_TOLD(path=visible(items[0].path)))
    return min(found, key=lambda name: (-found[name], name)) if found else ""


def _items(folder: Path, known: Sequence[Lesson]) -> Iterator[_Item]:
    found = list(_read_all(folder, known))
    shared = _wrapper([file.path for file, _, _ in found], known)
    for file, written, note in found:
        path = file.path.removeprefix(shared)
        student, rest = _student(path, known)
        yield _Item(student, _lesson(written, rest, known), file.path, written, note)


def _read_all(folder: Path, known: Sequence[Lesson]) -> Iterator[tuple[File, Written, str]]:
    """Each file without its data, which may be large, with what was read in it."""
    for file in files(folder):
        written, note = Written(), file.note
        if file.data is not None:
            try:
                written, note = _written(file.path, file.data)
            except UserError as error:
                note = str(error)
            except Exception as error:  # a fault of ours, which must not end a batch over one student's file
                note = say.OUR_FAULT(kind=type(error).__name__)
        yield File(file.path), written, note


def _written(path: str, data: bytes) -> tuple[Written, str]:
    """What was read in the file, and a remark. Raises UserError where it is nothing that can be graded."""
    kind = _kind(path)
    if not kind:
        raise UserError(say.OTHER_ARCHIVE() if _is_archive(path) else say.OTHER_KIND())
    if data.startswith(_ZIP):
        raise UserError(say.ZIP_BY_OTHER_NAME())
    text, note = _text(data)
    if not text.strip():
        raise UserError(say.EMPTY_FILE())
    if kind == ".ipynb":
        return notebook_file.read(text), note
    if len(data) > MAX_SOURCE_BYTES:
        raise UserError(say.LARGE_KERNEL(most=MAX_SOURCE_BYTES >> 10))
    return Written(((_COPY.sub("", _stem(path)), text),)), note


def _kind(path: str) -> str:
    """'.ipynb' or '.cu', also of 'kernel.cu.txt' and 'x.ipynb.json'; '' of other files."""
    name = re.sub(r"\.(?:txt|json)$", "", path.lower())
    return next((kind for kind in _KINDS if name.endswith(kind)), "")


def _is_archive(path: str) -> bool:
    return path.lower().endswith(_ARCHIVES)


def _stem(path: str) -> str:
    name = PurePosixPath(path).name
    return re.sub(r"(?i)(?:(?:\.ipynb|\.cu)(?:\.txt|\.json)?|(?:\.tar)?\.(?:rar|7z|tar|gz|tgz|bz2|xz|zst))$", "", name)


def _text(data: bytes) -> tuple[str, str]:
    """The text with line feeds only, and a remark where it was not UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return normalize(data.decode("utf-16", "replace")), say.UTF_16()
    try:
        return normalize(data.decode("utf-8")), ""
    except UnicodeDecodeError:
        return normalize(data.decode("cp1252", "replace")), say.WINDOWS_TEXT()


def _wrapper(paths: Sequence[str], known: Sequence[Lesson]) -> str:
    """The folder, with '/', that all files lie in and that is no student's; '' where there is none."""
    parts = [path.split("/") for path in paths]
    first = {one[0] for one in parts}
    if len(first) != 1 or any(len(one) < 2 for one in parts):
        return ""
    name = first.pop()
    below = {one[1] for one in parts}
    holds_folders = all(len(one) > 2 or one[1] == "" for one in parts) and len(below) > 1
    holds_students = holds_folders and not any(_lesson_in(one, known) for one in below)
    return f"{name}/" if name.lower() in _WRAPPERS or holds_students else ""


def _student(path: str, known: Sequence[Lesson]) -> tuple[str, str]:
    """Whose it is, and what of the path is left to tell the lesson."""
    for part in path.split("/"):
        if match := _MOODLE.match(part):
            return _clean(match["student"]), path
        if match := _CANVAS.match(part):
            return _clean(f"{match['student']}_{match['id']}"), match["rest"]
    first, slash, rest = path.partition("/")
    if slash:
        return _clean(first), rest
    stem = _COPY.sub("", _stem(path)) if _kind(path) else PurePosixPath(path).stem
    for one in known:
        stem = stem.replace(one.name, "")
    own = re.sub(r"(?:^[0-9]{1,2}[ _-]+|[ _-]+[0-9]{1,2}$)", "", stem).strip(" _-")
    return _clean(own or _stem(path)), path


def _clean(name: str) -> str:
    """A name that can be shown and sorted: one form of accents, nothing invisible, not too long. Names that differ stay
    apart, however little of it can be seen."""
    text = visible(unicodedata.normalize("NFC", name)) or "unnamed"
    if len(text) <= _LONGEST_NAME:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]
    return f"{text[: _LONGEST_NAME - _DIGEST - 1]}…{digest}"


def _lesson(written: Written, path: str, known: Sequence[Lesson]) -> str:
    kernels = {kernel.name.rpartition("/")[2]: one.name for one in known for kernel in one.kernels}
    for name, _ in written.kernels:
        if name in kernels:
            return kernels[name]
    opened = [one.name for one in known if written.lesson in (one.number, one.name, one.slug)]
    told = [one.name for _, text in written.kernels if (match := _COMMENT.match(text)) for one in known
            if one.number == match[1]]  # fmt: skip
    return _exactly(path, known) or (opened + told + [_lesson_in(path, known)])[0]


def _exactly(path: str, known: Sequence[Lesson]) -> str:
    return next((one.name for one in known if one.name in path), "")


def _lesson_in(path: str, known: Sequence[Lesson]) -> str:
    """The lesson whose name, slug or number is part of the path; '' where there is none."""
    numbers = [number.zfill(2) for number in _NUMBER.findall(_COPY.sub("", _stem(path)))]
    numbers += [number.zfill(2) for part in path.split("/")[:-1] for number in _NUMBER.findall(part)]
    by_slug = [one.name for one in known if one.slug in path]
    by_number = [one.name for number in numbers for one in known if one.number == number]
    return next(iter([*by_slug, *by_number]), "")


def _submission(lesson: Lesson, student: str, items: Iterable[_Item], others: Sequence[_Item]) -> Submission:
    """`others` are all of the student's files. Of several for this lesson the one with the highest copy number counts,
    notebooks first; a .cu file fills in what they lack."""
    items = sorted(items, key=lambda item: (_kind(item.path) != ".ipynb", -item.copy, item.path))
    notes = [_of_file(item, item.note) for item in items if item.note]
    texts: dict[str, str] = {}
    for item in items:
        for kernel in lesson.kernels:
            kept = texts.get(kernel.name)
            text, remark = _kernel_text(lesson, kernel, item.written)
            if text is not None and (kept is None or kernel.is_untouched(kept)):
                texts[kernel.name] = text
                notes += [_of_file(item, remark)] if remark else []
    readable = [item for item in items if item.is_useful]
    if len(readable) > 1:
        notes.append(say.SEVERAL_FILES(count=len(readable), paths=_paths(readable)))
    if not items:
        notes += [say.NOTHING(), *([say.OTHERS_FOUND(paths=_paths(others))] if others else [])]
    elif not texts:
        notes.append(say.NO_KERNEL())
    return Submission(
        student, lesson.name, _joined(texts),
        next((item.written.answers for item in items if item.written.answers), {}),
        next((item.written.predictions for item in items if item.written.predictions), {}),
        "; ".join(notes), items[0].path if items else "",
        {kernel.patient: texts[kernel.name] for kernel in lesson.kernels if kernel.patient and kernel.name in texts},
    )  # fmt: skip


def _of_file(item: _Item, note: str) -> str:
    return say.OF_FILE(path=visible(item.path), note=note)


def _paths(items: Sequence[_Item]) -> str:
    return ", ".join(visible(item.path) for item in items)


def _joined(texts: dict[str, str]) -> str | None:
    return "\n".join(texts.values()) if texts else None


def _kernel_text(lesson: Lesson, kernel: lessons.Kernel, written: Written) -> tuple[str | None, str]:
    """What was written for this kernel, and a remark where that was not plain.

    Of several cells the last that is not the untouched starter counts. Where a lesson has one kernel, it may go by
    another name.
    """
    name = kernel.name.rpartition("/")[2]
    found = [text for called, text in written.kernels if called == name]
    if not found and not kernel.patient:
        found = [text for _, text in written.kernels]
    if not found:
        return None, ""
    touched = [text for text in found if not kernel.is_untouched(text)]
    remark = say.SEVERAL_CELLS(count=len(found)) if len(touched) > 1 else ""
    return (touched or found)[-1], remark
