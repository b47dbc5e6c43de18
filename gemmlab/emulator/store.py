"""Where the emulator's machine code is kept on disk: by what it was made of, so that every clone of the course and
every user of a shared folder finds the same.

A folder is named after the contents of all files that are compiled, llvmlite's version, and the processor. Modules that
are never compiled do not count.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import shutil
import time
from functools import lru_cache
from pathlib import Path

from gemmlab.compiler import cache
from gemmlab.files import write_whole
from gemmlab.kernel import warp

_MACHINE = Path(__file__).with_name("machine")
CODE = "run_blocks.code"  # its time of change is that of the last use
_KEPT_VERSIONS = 8
_UNUSED_SECONDS = 24 * 3600


def compiled_sources() -> list[Path]:
    """All that is compiled: the files of machine/, what they ask of the processor, and the rules of a warp, which
    others use too."""
    return [*sorted(_MACHINE.rglob("*.py")), Path(__file__).with_name("processor.py"), Path(warp.__file__)]


@lru_cache(maxsize=1)
def sources_digest() -> str:
    """The contents of all that is compiled. Without fused multiply-adds other parts of it are."""
    from gemmlab.emulator.processor import HAS_FMA

    digest = hashlib.sha256(f"FMA: {HAS_FMA}\n".encode())
    for path in compiled_sources():
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _digest() -> str:
    from gemmlab.emulator import processor

    parts = (sources_digest(), importlib.metadata.version("llvmlite"), processor.TRIPLE, processor.NAME)
    return hashlib.sha256("\n".join([*parts, processor.FEATURES]).encode()).hexdigest()[:16]


def code_folder() -> Path:
    """Where the machine code of these very sources is kept."""
    return cache.folder().parent / "emulator" / _digest()


def _folders() -> list[Path]:
    """Where it may be: first in the folder that GEMMLAB_SHARED_DIR names, which somebody else fills."""
    shared = os.environ.get("GEMMLAB_SHARED_DIR")
    return [*([Path(shared, "emulator", _digest())] if shared else []), code_folder()]


def is_ready() -> bool:
    """Whether the interpreter's machine code is on disk."""
    return any((folder / CODE).is_file() for folder in _folders())


def load() -> bytes | None:
    """The machine code, or None where none is whole. It is in use now: where nobody may write, that is not noted."""
    for folder in _folders():
        try:
            digest, _, code = (folder / CODE).read_bytes().partition(b"\n")
        except OSError:
            continue
        if digest == _checksum(code):
            with contextlib.suppress(OSError):
                os.utime(folder / CODE)
            return code
    return None


def keep(code: bytes) -> None:
    """Keep the machine code, whole or not at all. OSError where the disk refuses."""
    code_folder().mkdir(parents=True, exist_ok=True)
    write_whole(code_folder() / CODE, _checksum(code) + b"\n" + code)


def _checksum(code: bytes) -> bytes:
    return hashlib.sha256(code).hexdigest().encode()


def forget_unused() -> None:
    """Delete machine code of other sources than these: what nobody has used for a day, but for the newest few."""
    others = [path for path in code_folder().parent.iterdir() if path.is_dir() and path != code_folder()]
    used = sorted(others, key=_last_use, reverse=True)
    for folder in used[_KEPT_VERSIONS - 1 :]:
        if _last_use(folder) < time.time() - _UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _last_use(folder: Path) -> float:
    for path in (folder / CODE, folder):
        with contextlib.suppress(OSError):
            return path.stat().st_mtime
    return 0.0
