"""Keeps what the compiler returned, by content: the newest in memory, more on disk. One that fails counts as empty."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import tempfile
import threading
import zlib
from collections import OrderedDict
from pathlib import Path

MOST_IN_MEMORY = 64
MOST_FILES = 2000  # some 40 KB each
FORMAT = 4  # raised when the meaning of an entry changes

_memory: OrderedDict[str, dict] = OrderedDict()
_lock = threading.Lock()


def folder() -> Path:
    """Where the files are: GEMMLAB_CACHE_DIR, or the user's cache folder."""
    import platformdirs

    base = os.environ.get("GEMMLAB_CACHE_DIR") or platformdirs.user_cache_dir("gemmlab", appauthor=False)
    return Path(base, "compile")


def key(**parts: object) -> str:
    """One name for all that the result depends on."""
    return hashlib.sha256(json.dumps([FORMAT, parts], sort_keys=True).encode()).hexdigest()


def load(name: str) -> dict | None:
    """The entry of that name, or None."""
    with _lock:
        if name in _memory:
            _memory.move_to_end(name)
            return _memory[name]
    try:
        entry = json.loads(gzip.decompress((folder() / _file(name)).read_bytes()))
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    _remember(name, entry)
    return entry


def store(name: str, entry: dict) -> None:
    """Keep the entry. The file is written whole or not at all; a disk that refuses is no error."""
    _remember(name, entry)
    with contextlib.suppress(OSError):
        where = folder()
        where.mkdir(parents=True, exist_ok=True)
        _write(where / _file(name), gzip.compress(json.dumps(entry).encode(), compresslevel=1))
        _remove_oldest(where)


def _file(name: str) -> str:
    return f"{name}.json.gz"


def _remember(name: str, entry: dict) -> None:
    with _lock:
        _memory[name] = entry
        _memory.move_to_end(name)
        while len(_memory) > MOST_IN_MEMORY:
            _memory.popitem(last=False)


def _write(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _remove_oldest(where: Path) -> None:
    files = sorted(os.scandir(where), key=lambda file: file.stat().st_mtime)
    for file in files[: max(0, len(files) - MOST_FILES)]:
        Path(file).unlink(missing_ok=True)


def forget() -> None:
    """Empty the part in memory."""
    with _lock:
        _memory.clear()
