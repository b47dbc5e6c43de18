"""Compiles the interpreter once and keeps the machine code on disk: `python -m gemmlab.emulator.warm`, called at
install time.

One process compiles, others that need the same code wait for it. One that is stopped on the way leaves nothing behind
but its time.
"""

from __future__ import annotations

import sys
import threading
import time
from functools import lru_cache

from gemmlab.emulator import store
from gemmlab.errors import UserError


@lru_cache(maxsize=1)
def compiled_interpreter():
    """The interpreter's entry, `run_blocks`: loaded from disk in a moment, or compiled in a minute or more."""
    from filelock import FileLock

    if store.is_ready():
        return _run_blocks()
    folder = store.code_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "compiling.lock"):
            run_blocks = _run_blocks()
    except OSError as reason:
        raise UserError(
            f"the emulator's machine code cannot be kept in {folder} ({reason.strerror}); "
            "set GEMMLAB_CACHE_DIR to a folder that you may write and that has room"
        ) from None
    store.forget_unused()
    return run_blocks


def _run_blocks():
    import numba

    before = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = f"{store.__name__}.{store.ByContent.__name__}"
    try:
        from gemmlab.emulator.machine.blocks import run_blocks
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before
    store.mark_ready()
    return run_blocks


def main() -> None:
    """Compile with a line that shows that something happens."""
    if store.is_ready():
        print("The emulator is compiled already.")
        return
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(done,), daemon=True)
    ticker.start()
    started = time.perf_counter()
    try:
        compiled_interpreter()
    except UserError as reason:
        raise SystemExit(f"\n{reason}") from None
    finally:
        done.set()
        ticker.join()
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
