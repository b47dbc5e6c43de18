"""What was judged already, by key, one file each: an interrupted run goes on where it stopped."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gemmlab.errors import UserError
from gemmlab.files import forget_drafts, write_whole
from grading import sentences
from grading.model import Judged


class State:
    """A folder of results. A key is a digest of all that its result depends on: no entry is ever out of date."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Judged | None:
        """The result of that key; None where there is none, or none that can be read."""
        try:
            return Judged.from_json(json.loads(self._path(key).read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, judged: Judged) -> None:
        write_whole(self._path(key), json.dumps(judged.to_json(), indent=1) + "\n")

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


@contextmanager
def open_state(folder: Path) -> Iterator[State]:
    """The state in that folder, for one run at a time. Raises UserError where another one has it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)  # results name hidden shapes
        lock = open(folder / "lock", "w")
    except OSError as error:
        raise UserError(sentences.CANNOT_WRITE(folder=folder, reason=error.strerror)) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(sentences.OTHER_RUN(folder=folder.parent)) from None
        forget_drafts(folder)
        yield State(folder)
