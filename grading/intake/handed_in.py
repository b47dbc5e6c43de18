"""The files of a folder or zip of submissions, read one by one, whatever is in it. Nothing is ever unpacked onto the
disk.

Links are not followed, sizes are bounded before and while reading, and a zip within is looked into as if it were a
folder. What cannot be read is told in a note, and the others go on.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO

from gemmlab.errors import UserError
from grading.intake import sentences as say

LARGEST_FILE = 32 << 20
_LARGEST_ZIP = 64 << 20  # of a zip within, and of all that is read out of it
_MOST_FILES = 2_000  # in a zip within
_MOST_FOLDERS_DEEP = 12
_MOST_ZIPS_DEEP = 2
_MOST_NAMED = 5  # hidden files in a note
_LEFT_OUT = ("__MACOSX", "__pycache__")


@dataclass(frozen=True)
class File:
    """One file. `path` is that inside of what was handed in, without '..' or a leading '/'. Where `data` is None,
    `note` says why. An empty folder counts as one, with a path that ends in '/'.
    """

    path: str
    data: bytes | None = None
    note: str = ""


def files(place: Path) -> Iterator[File]:
    """All files, in the order of their paths but for those in zips. Raises UserError where there is no such place."""
    if place.is_dir():
        yield from _folder(place, "", 0)
    elif place.is_file() and zipfile.is_zipfile(place):
        with open(place, "rb") as opened:
            yield from _zip(opened, "", 0)
    elif place.is_file():
        yield File(place.name, *_read(place))
    else:
        raise UserError(say.NO_PLACE(place=place))


def _folder(folder: Path, prefix: str, depth: int) -> Iterator[File]:
    try:
        everything = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield File(f"{prefix}/", note=say.FOLDER_UNREADABLE(reason=error.strerror))
        return
    entries = [entry for entry in everything if not _is_left_out(entry.name)]
    if not entries and prefix:
        hidden = ", ".join(_readable(entry.name) for entry in everything[:_MOST_NAMED])
        yield File(f"{prefix}/", note=say.HIDDEN_ONLY(names=hidden) if hidden else say.EMPTY_FOLDER())
    for entry in entries:
        path = f"{prefix}/{_readable(entry.name)}".lstrip("/")
        if entry.is_dir(follow_symlinks=False):
            if depth < _MOST_FOLDERS_DEEP:
                yield from _folder(Path(entry.path), path, depth + 1)
            else:
                yield File(f"{path}/", note=say.TOO_DEEP())
        else:
            yield from _unpacked(File(path, *_read(Path(entry.path))), 1)


def _is_left_out(name: str) -> bool:
    """Hidden files, and what systems leave behind."""
    return name.startswith(".") or name in _LEFT_OUT


def _readable(name: str) -> str:
    """The name as text. Bytes that are none stay apart from each other: \\xff."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _read(path: Path) -> tuple[bytes | None, str]:
    """The data, or None and why not. A device or pipe in place of a file does not hold us up."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        is_link = path.is_symlink()
        return None, say.LINK() if is_link else say.UNREADABLE(reason=error.strerror)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None, say.NO_FILE()
        try:
            return _bounded(file, LARGEST_FILE)
        except OSError as error:
            return None, say.UNREADABLE(reason=error.strerror)


def _bounded(file: IO[bytes], most: int) -> tuple[bytes | None, str]:
    data = file.read(most + 1)
    return (data, "") if len(data) <= most else (None, say.TOO_LARGE(most=LARGEST_FILE >> 20))


def _unpacked(file: File, depth: int) -> Iterator[File]:
    """The file, or the files in it where it is a zip."""
    if file.data is None or not file.path.lower().endswith(".zip"):
        yield file
    elif depth > _MOST_ZIPS_DEEP:
        yield replace(file, data=None, note=say.ZIPS_TOO_DEEP())
    else:
        yield from _zip(io.BytesIO(file.data), file.path[: -len(".zip")], depth)


def _zip(opened: IO[bytes], prefix: str, depth: int) -> Iterator[File]:
    """The files of a zip. `depth` is 0 for that of the whole class, which may be as large as it likes."""
    own = f"{prefix}.zip"
    try:
        archive = zipfile.ZipFile(opened)
        everything = sorted(archive.infolist(), key=lambda info: info.filename)
    except Exception as error:  # damaged on purpose, a zip raises nearly anything
        yield File(own, note=say.ZIP_UNREADABLE(reason=type(error).__name__))
        return
    members = [info for info in everything if not info.is_dir()]
    left = _LARGEST_ZIP
    if depth and len(members) > _MOST_FILES:
        yield File(own, note=say.ZIP_TOO_FULL(most=_MOST_FILES))
        return
    if not members and prefix:
        yield File(own, note=say.ZIP_EMPTY())
    for folder, hidden in _empty(everything).items():
        note = say.HIDDEN_ONLY(names=", ".join(hidden[:_MOST_NAMED])) if hidden else say.EMPTY_FOLDER()
        yield File(f"{prefix}/{folder}/".lstrip("/"), note=note)
    for info in members:
        parts = _parts(info)
        if not parts or any(map(_is_left_out, parts)):
            continue
        parts = parts[-1:] if _leads_out(info) else parts  # where it would have gone tells nothing of whose it is
        path = "/".join([prefix, *map(_readable, parts)]).lstrip("/")
        most = min(LARGEST_FILE, left) if depth else LARGEST_FILE
        file = File(path, *_member(archive, info, most))
        left -= len(file.data or b"")
        yield from _unpacked(file, depth + 1)


def _parts(info: zipfile.ZipInfo) -> list[str]:
    return [part for part in PurePosixPath(info.filename.replace("\\", "/")).parts if part not in ("/", "..")]


def _empty(members: Iterable[zipfile.ZipInfo]) -> dict[str, list[str]]:
    """The outermost folders of a zip that hold no file, or only files that are left out, and the names of those."""
    hidden: dict[str, set[str]] = {}
    folders: set[str] = set()
    full: set[str] = set()
    for info in members:
        parts = _parts(info)
        seen = list(takewhile(lambda part: not _is_left_out(part), parts))
        is_file = not info.is_dir() and len(seen) == len(parts)
        above = ["/".join(map(_readable, seen[:count])) for count in range(1, len(seen) + (not is_file))]
        (full if is_file else folders).update(above)
        if len(seen) < len(parts):
            for folder in above:
                hidden.setdefault(folder, set()).add(_readable(parts[len(seen)]))
    empty = folders - full
    outermost = sorted(folder for folder in empty if folder.rpartition("/")[0] not in empty)
    return {folder: sorted(hidden.get(folder, ())) for folder in outermost}


def _leads_out(info: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    return ".." in path.parts or path.is_absolute()


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> tuple[bytes | None, str]:
    if _leads_out(info):
        return None, say.LEADS_OUT()
    if stat.S_ISLNK(info.external_attr >> 16):
        return None, say.LINK()
    if info.flag_bits & 1:
        return None, say.ENCRYPTED()
    if info.file_size > most:
        return None, say.TOO_LARGE(most=LARGEST_FILE >> 20)
    try:
        with archive.open(info) as file:
            return _bounded(file, most)
    except Exception as error:  # as above
        return None, say.DAMAGED(reason=type(error).__name__)
