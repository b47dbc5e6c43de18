"""Makes the interpreter's machine code once and keeps it on disk: `python -m gemmlab.emulator.warm`.

The course brings the interpreter as LLVM code, so that LLVM alone is at work. Where that does not fit (the sources were
changed, or LLVM is an older one) Numba makes it from the sources, which takes several times as long.

One process compiles, others that need the same code wait for it. One that is stopped on the way leaves nothing behind
but its time. Where the code cannot be kept it is used all the same, and the next start makes it again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from gemmlab.emulator import sentences, store
from gemmlab.files import write_whole

_LOCK, _PROGRESS = "compiling.lock", "compiling.json"
_NICER = 5  # how far what compiles beside other work stands back


@lru_cache(maxsize=1)
def compiled_interpreter() -> Callable[[int, np.ndarray], int]:
    """The interpreter's entry, `run_blocks`: loaded from disk in a moment, or compiled, however long that takes."""
    code = store.load() or _made_by_one()
    from gemmlab.emulator import native

    return native.load(code)


def _made_by_one() -> bytes:
    """The machine code, made here or, where another process is at it, there."""
    folder = store.code_folder()
    lock = FileLock(folder / _LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except (OSError, NotImplementedError) as reason:
        return _unkept(_machine_code(), reason)
    with lock:
        if code := store.load():
            return code
        code = _machine_code()
        try:
            store.keep(code)
            store.forget_unused()
        except OSError as reason:
            return _unkept(code, reason)
        finally:
            with suppress(OSError):
                (folder / _PROGRESS).unlink(missing_ok=True)
    return code


def _unkept(code: bytes, reason: Exception) -> bytes:
    why = getattr(reason, "strerror", None) or reason
    print(sentences.UNKEPT(folder=store.code_folder(), reason=why), file=sys.stderr)
    return code


def _machine_code() -> bytes:
    from gemmlab.emulator import native, shipped

    _say(sentences.FOR_THIS_PROCESSOR())
    if bitcode := shipped.read():
        with suppress(native.Unreadable):
            return native.machine_code(bitcode)
    with _counted():
        bitcode = shipped.from_sources()
    _say(sentences.FOR_THIS_PROCESSOR())
    return native.machine_code(bitcode)


# ---- how far it is


@contextmanager
def _counted() -> Iterator[None]:
    """Say how many functions Numba has compiled."""
    from gemmlab.emulator.machine import jit

    def count(done: int, known: int) -> None:
        if done % 10 == 0:
            _say(sentences.FROM_SOURCES(done=done, known=known))

    jit.on_function = count
    try:
        yield
    finally:
        jit.on_function = None


def _say(words: str) -> None:
    """Leave word for all that wait, in this process or another. The file helps nobody where it cannot be written."""
    with suppress(OSError):
        write_whole(store.code_folder() / _PROGRESS, json.dumps({"words": words, "process": os.getpid()}))


def progress() -> str | None:
    """What is being done to make the machine code, in this process or another; None where nothing is known to be."""
    if store.is_ready():
        return None
    try:
        return json.loads((store.code_folder() / _PROGRESS).read_bytes())["words"] if is_being_made() else None
    except (OSError, ValueError, KeyError):
        return None


def is_being_made() -> bool:
    """Whether a process is at work on the machine code now: one that was killed holds no lock."""
    try:
        with FileLock(store.code_folder() / _LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except (OSError, NotImplementedError):
        return False


@contextmanager
def told(tell: Callable[[str], None], every: float = 1.0) -> Iterator[None]:
    """While this goes on and the machine code is not there, call `tell` with what is being done, and for how long; in
    the end with nothing, if at all."""
    if store.is_ready():
        yield
        return
    started, done = time.monotonic(), threading.Event()

    def watch() -> None:
        said = False
        while not done.wait(every) and not store.is_ready():
            if words := progress():
                tell(sentences.SO_FAR(words=words, seconds=round(time.monotonic() - started)))
                said = True
        if said:
            tell("")

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def on_standard_error() -> Callable[[str], None]:
    """A `tell` for the command line: a line that changes on a terminal, elsewhere the first one only."""
    seen: list[str] = []

    def tell(words: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{words:<{max(map(len, seen), default=0)}}{'' if words else chr(13)}", end="", file=sys.stderr)
            sys.stderr.flush()
        elif not seen:
            print(words, file=sys.stderr, flush=True)
        seen.append(words)

    return tell


# ---- the command


def start_beside() -> None:
    """Begin to make the machine code in a process of its own, which goes on when this one ends."""
    if store.is_ready() or is_being_made() or not _can_keep():
        return
    command = [sys.executable, "-m", "gemmlab.emulator.warm", "--nice"]
    apart = {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}  # detached, own group
    nowhere = subprocess.DEVNULL
    with suppress(OSError):
        subprocess.Popen(
            command,
            cwd=Path(__file__).parents[2],
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            **apart,
        )


def _can_keep() -> bool:
    try:
        store.code_folder().mkdir(parents=True, exist_ok=True)
        write_whole(store.code_folder() / "can_write", "")
        (store.code_folder() / "can_write").unlink(missing_ok=True)
    except OSError:
        return False
    return True


def main() -> None:
    """Make the machine code, with a line that shows that something happens."""
    parser = argparse.ArgumentParser(prog="python -m gemmlab.emulator.warm", description=main.__doc__)
    parser.add_argument("--beside", action="store_true", help="in a process of its own, which goes on by itself")
    parser.add_argument("--nice", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.beside:
        start_beside()
        return
    if store.is_ready():
        print(sentences.READY())
        return
    if options.nice and hasattr(os, "nice"):
        os.nice(_NICER)
    started = time.monotonic()
    with told(on_standard_error()):
        compiled_interpreter()
    print(sentences.MADE(seconds=round(time.monotonic() - started)))


if __name__ == "__main__":
    main()
