"""Talks to the process that runs NVRTC (worker.py): starts it on first use, keeps it, replaces a lost one."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from pathlib import Path

from gemmlab.child_process import Child, ChildDied, ChildTimeout
from gemmlab.errors import UserError

MEMORY_LIMIT = 3 << 30  # bytes of address space of the compiler's process
START_TIMEOUT = 60  # seconds
_WORKER = Path(__file__).with_name("worker.py")


class CompilerLost(Exception):
    """The compiler's process gave no answer: it ran out of time or memory, or crashed. The message says which."""


def out_of_time(timeout: float) -> CompilerLost:
    return CompilerLost(
        f"the compiler was stopped after {timeout:.3g} s; look for a template, a macro or a constant expression "
        "that grows without end"
    )


class _Worker:
    """The child process, and what it said when it was ready."""

    def __init__(self) -> None:
        self.child = Child([sys.executable, str(_WORKER), str(MEMORY_LIMIT)], own_group=False)
        self.hello: dict | None = None

    def greet(self) -> dict:
        """The first line: NVRTC's version and the folders of its headers. Raises UserError where there is no NVRTC."""
        if self.hello is None:
            self.hello = self._receive(START_TIMEOUT)
        if "error" in self.hello:
            raise UserError(
                "the CUDA compiler NVRTC cannot be loaded on this machine; run 'gemmlab doctor' to see what is missing "
                f"({self.hello['error'].splitlines()[0]})"
            )
        return self.hello

    def ask(self, request: dict, timeout: float) -> dict:
        self.greet()
        try:
            self.child.send(request)
        except ChildDied:
            raise CompilerLost("the compiler stopped before it read the source; try again") from None
        return self._receive(timeout)

    def _receive(self, timeout: float) -> dict:
        try:
            return self.child.receive(timeout)
        except ChildTimeout:
            raise out_of_time(timeout) from None
        except ChildDied:
            raise CompilerLost(
                f"the compiler crashed or needed more than {MEMORY_LIMIT / 2**30:g} GiB of memory; look for very large "
                "arrays with initial values, deep nesting, or a template or macro that grows without end"
            ) from None


_lock = threading.RLock()
_worker: _Worker | None = None


def warm() -> None:
    """Start the compiler's process, if there is none, without waiting for it."""
    if _lock.acquire(blocking=False):  # whoever holds the lock is using a process already
        try:
            _running_worker()
        finally:
            _lock.release()


def _running_worker() -> _Worker:
    global _worker
    if _worker is not None and _worker.child.has_ended:
        stop()
    if _worker is None:
        _worker = _Worker()
    return _worker


def ask(request: dict, timeout: float) -> dict:
    """The worker's answer to one request. Raises CompilerLost, and UserError where there is no NVRTC."""
    with _lock:
        worker = _running_worker()
        try:
            answer = worker.ask(request, timeout)
        except BaseException:  # Ctrl-C too: an answer that nobody waits for must not be taken for the next one
            stop()
            raise
        if answer["last"]:
            stop()
        return answer


def describe() -> dict:
    """{"version": [major, minor], "include": [folders]} of the NVRTC in use. Raises UserError where there is none."""
    with _lock:
        worker = _running_worker()
        try:
            return dict(worker.greet())
        except BaseException:
            stop()
            raise


def stop() -> None:
    """End the compiler's process; the next request starts another."""
    global _worker
    with _lock:
        if _worker is not None:
            _worker.child.kill()
            _worker = None


def _forget() -> None:
    """After a fork: the pipes belong to the parent."""
    global _lock, _worker
    _lock, _worker = threading.RLock(), None


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
