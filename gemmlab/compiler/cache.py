"""Keeps what the compiler returned, by content: the newest in memory, more on disk. One that fails counts as empty."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import threading
from collections import OrderedDict
from pathlib import Path

MOST_IN_MEMORY = 64
MOST_FILES = 400
FORMAT = 3  # raised when the meaning of an entry changes

_memory: OrderedDict[str, dict] = OrderedDict()
_lock = threading.Lock()


def folder() -> Path:
    """Where the files are: GEMMLAB_CACHE_DIR, or the user's cache folder."""
    import platformdirs

    base = os.environ.get("GEMMLAB_CACHE_DIR") or platformdirs.user_cache_dir("gemmlab", appauthor=False)
    return Path(base, "compile")


def key(**parts: object) -> str:
    """One name for all that the result depends on."""
    return _digest(json.dumps([FORMAT, parts], sort_keys=True))


def load(name: str) -> dict | None:
    """The entry of that name, or None."""
    with _lock:
        if name in _memory:
            _memory.move_to_end(name)
            return _memory[name]
    try:
        digest, _, text = (folder() / f"{name}.json").read_text("utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    if digest != _digest(text):
        return None
    entry = json.loads(text)
    _remember(name, entry)
    return entry


def store(name: str, entry: dict) -> None:
    """Keep the entry. The file is written whole or not at all; a disk that refuses is no error."""
    _remember(name, entry)
    with contextlib.suppress(OSError):
        where = folder()
        where.mkdir(parents=True, exist_ok=True)
        text = json.dumps(entry)
        _write(where / f"{name}.json", f"{_digest(text)}\n{text}")
        _remove_oldest(where)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _remember(name: str, entry: dict) -> None:
    with _lock:
        _memory[name] = entry
        _memory.move_to_end(name)
        while len(_memory) > MOST_IN_MEMORY:
            _memory.popitem(last=False)


def _write(path: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _remove_oldest(where: Path) -> None:
    files = sorted(where.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in files[: max(0, len(files) - MOST_FILES)]:
        path.unlink(missing_ok=True)


def forget() -> None:
    """Empty the part in memory."""
    with _lock:
        _memory.clear()
