"""Compiles the interpreter once and keeps the machine code on disk: `python -m gemmlab.emulator.warm`, called at
install time.

Numba notices a change of the file that it compiles, not of the files that one calls. So the machine code lies in a
folder named after the contents of all of them. Numba also goes by that file's place and time of change, so these are in
the name too. Modules that are never compiled do not count.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import shutil
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path

from gemmlab.compiler import cache
from gemmlab.kernel import warp

_MACHINE = Path(__file__).with_name("machine")
_KEPT_VERSIONS = 3
_READY = "ready"


def compiled_sources() -> list[Path]:
    """All that is compiled: the files of machine/, and the rules of a warp, which others use too."""
    return [*sorted(_MACHINE.rglob("*.py")), Path(warp.__file__)]


@lru_cache(maxsize=1)
def code_folder() -> Path:
    """Where the machine code of these very sources is kept."""
    digest = hashlib.sha256()
    entry = _MACHINE / "blocks.py"
    digest.update(f"{entry.resolve()} {entry.stat().st_mtime_ns}".encode())
    for part in (platform.python_version(), importlib.metadata.version("numba"), platform.machine()):
        digest.update(part.encode())
    for path in compiled_sources():
        digest.update(path.read_bytes())
    return cache.folder().parent / "emulator" / digest.hexdigest()[:16]


def is_warm() -> bool:
    """Whether the interpreter's machine code is on disk."""
    return (code_folder() / _READY).exists()


@lru_cache(maxsize=1)
def compiled_interpreter():
    """The interpreter's entry, `run_blocks`: loaded from disk in a moment, or compiled in most of a minute."""
    import numba

    folder = code_folder()
    folder.mkdir(parents=True, exist_ok=True)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        from gemmlab.emulator.machine.blocks import run_blocks
    finally:
        numba.config.CACHE_DIR = before
    (folder / _READY).touch()
    return run_blocks


def forget_old_versions() -> None:
    """Delete machine code of other sources than these, but for the newest few."""
    folders = sorted((p for p in code_folder().parent.iterdir() if p != code_folder()), key=lambda p: p.stat().st_mtime)
    for folder in folders[: -(_KEPT_VERSIONS - 1)]:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Compile with a line that shows that something happens."""
    if is_warm():
        print("The emulator is compiled already.")
        return
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(done,), daemon=True)
    ticker.start()
    started = time.perf_counter()
    try:
        compiled_interpreter()
    finally:
        done.set()
        ticker.join()
    forget_old_versions()
    print(f"\rThe emulator is compiled ({time.perf_counter() - started:.0f} s; this happens once).        ")


def _tick(done: threading.Event) -> None:
    """One line that counts seconds on a terminal, a dot every few seconds elsewhere."""
    started = time.perf_counter()
    on_terminal = sys.stdout.isatty()
    if not on_terminal:
        print("Compiling the emulator, once", end="", flush=True)
    while not done.wait(1 if on_terminal else 5):
        seconds = time.perf_counter() - started
        print(f"\rCompiling the emulator, once: {seconds:.0f} s" if on_terminal else ".", end="", flush=True)
    if not on_terminal:
        print(flush=True)


if __name__ == "__main__":
    main()
