"""What a student did: a log of attempts, predictions, hints, and GFLOPS, in one JSON file that is written whole.

The file is {"version": 1, "entries": [{"time", "lesson", "kind", …}]}, oldest first. Notebooks that are open at the
same time add to the same log: each addition reads the file anew under a lock.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import IO

from gemmlab.errors import UserError
from gemmlab.files import write_whole

VERSION = 1
FILE_NAME = "progress.json"
LOCK_SECONDS = 5.0
_POLL_SECONDS = 0.02
_NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK)


class Progress:
    """The log of one student. With `path` None it is kept in memory only.

    `notices` collects what the student should be told, such as a damaged file that was set aside; whoever shows a
    notice removes it.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.notices: list[str] = []
        self._unsaved: list[dict] = []

    def record(self, lesson: str, kind: str, **fields: object) -> None:
        """Add one entry of JSON values, with the time. UserError where it cannot be saved; it is kept here then."""
        entry = {"time": _now(), "lesson": lesson, "kind": kind, **fields}
        self._unsaved.append(entry)
        if self.path is not None:
            self._save(self.path)

    def entries(self, lesson: str | None = None, kind: str | None = None, **fields: object) -> list[dict]:
        """The entries, oldest first, of a lesson, of a kind, and with the given values."""
        given = {"lesson": lesson, "kind": kind, **fields}
        wanted = {key: value for key, value in given.items() if value is not None}.items()
        return [entry for entry in self._read() + self._unsaved if wanted <= entry.items()]

    def last(self, lesson: str, kind: str, **fields: object) -> dict | None:
        """The newest such entry."""
        found = self.entries(lesson, kind, **fields)
        return found[-1] if found else None

    def _save(self, path: Path) -> None:
        with _explained(path, "saved"), _locked(path):
            data = {"version": VERSION, "entries": self._read_locked(path) + self._unsaved}
            write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        self._unsaved.clear()

    def _read(self) -> list[dict]:
        if self.path is None:
            return []
        with _explained(self.path, "read"):
            try:
                return _load(self.path)
            except ValueError:
                with _locked(self.path):
                    return self._read_locked(self.path)

    def _read_locked(self, path: Path) -> list[dict]:
        """The entries; a damaged file is set aside. Needs the lock, since another notebook may have mended it."""
        try:
            return _load(path)
        except ValueError:
            self._set_aside(path)
            return []

    def _set_aside(self, path: Path) -> None:
        """Rename the damaged file, so that nothing in it is lost, and say so."""
        aside = next(free for free in _names_aside(path) if not free.exists())
        os.replace(path, aside)
        self.notices.append(
            f"The progress file {path.name} was damaged; it is kept as {aside.name} and a new one was begun."
        )


@contextmanager
def _explained(path: Path, what: str) -> Iterator[None]:
    """What goes wrong with the file, as a UserError of one sentence; `what` could not be done with it."""
    try:
        yield
    except OSError as error:
        why = f"{path.name}: {error.strerror or error}"
        raise UserError(f"your progress cannot be {what} ({why}); checks work all the same") from None


def _load(path: Path) -> list[dict]:
    try:
        return _entries(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return []


def _entries(data: object) -> list[dict]:
    """The entries of a parsed file. ValueError where it is not of our form, UserError where a newer course wrote it."""
    if not isinstance(data, dict):
        raise ValueError("not a progress file")
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        raise UserError("your progress was written by a newer version of the course; update this one to go on with it")
    entries = data.get("entries") if version == VERSION else None
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise ValueError("not a progress file")
    return entries


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("time", "lesson", "kind"))


def _names_aside(path: Path) -> Iterator[Path]:
    number = 0
    while True:
        number += 1
        yield path.with_name(f"{path.name}.damaged-{number}")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file; waits up to LOCK_SECONDS. The lock's own file stays; the lock ends with us."""
    deadline = time.monotonic() + LOCK_SECONDS
    with open(path.with_name(path.name + ".lock"), "a") as file:
        while not _try_lock(file):
            if time.monotonic() > deadline:
                raise UserError(f"{path.name} is held by another program; close it to have your progress saved")
            time.sleep(_POLL_SECONDS)
        yield


def _try_lock(file: IO[str]) -> bool:
    """Take the lock if it is free. True as well where the file system has no locks: better than to save nothing."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True
