"""Where the emulator's machine code is kept on disk: by what it was made of, so that every clone of the course and
every user of a shared folder finds the same.

A folder is named after the contents of all files that are compiled, Python's and Numba's versions, and the processor.
Modules that are never compiled do not count. Numba itself would go by the place and time of one of the files.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import platform
import shutil
import time
from functools import lru_cache
from pathlib import Path

from gemmlab.compiler import cache
from gemmlab.kernel import warp

_MACHINE = Path(__file__).with_name("machine")
_READY = "ready"  # its time of change is that of the last use
_KEPT_VERSIONS = 8
_UNUSED_SECONDS = 24 * 3600


def compiled_sources() -> list[Path]:
    """All that is compiled: the files of machine/, and the rules of a warp, which others use too."""
    return [*sorted(_MACHINE.rglob("*.py")), Path(warp.__file__)]


@lru_cache(maxsize=1)
def _digest() -> str:
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    versions = (platform.python_version(), importlib.metadata.version("numba"), platform.machine())
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    for part in (*versions, *processor):
        digest.update(f"{part}\n".encode())
    for path in compiled_sources():
        text = path.read_text("utf-8")
        digest.update(f"{path.name} {len(text)}\n{text}".encode())
    return digest.hexdigest()[:16]


def code_folder() -> Path:
    """Where the machine code of these very sources is kept."""
    return cache.folder().parent / "emulator" / _digest()


def is_ready() -> bool:
    """Whether the interpreter's machine code is on disk."""
    return (code_folder() / _READY).exists()


def mark_ready() -> None:
    """The machine code is whole, and in use now. Where nobody may write, it stays as it is."""
    with contextlib.suppress(OSError):
        (code_folder() / _READY).touch()


def forget_unused() -> None:
    """Delete machine code of other sources than these: what nobody has used for a day, but for the newest few."""
    others = [path for path in code_folder().parent.iterdir() if path.is_dir() and path != code_folder()]
    used = sorted(others, key=_last_use, reverse=True)
    for folder in used[_KEPT_VERSIONS - 1 :]:
        if _last_use(folder) < time.time() - _UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _last_use(folder: Path) -> float:
    for path in (folder / _READY, folder):
        with contextlib.suppress(OSError):
            return path.stat().st_mtime
    return 0.0


class ByContent:
    """Tells Numba where the machine code is; named to it in warm.py. The folder's name says all that it depends on."""

    @classmethod
    def from_function(cls, _function: object, _file: str) -> ByContent:
        return cls()

    def ensure_cache_path(self) -> None:
        """The folder may be one that others filled and nobody else may write."""

    def get_cache_path(self) -> str:
        return str(code_folder())

    def get_source_stamp(self) -> str:
        return code_folder().name

    def get_disambiguator(self) -> str:
        return "code"
