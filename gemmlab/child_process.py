"""A child process that answers JSON objects, one a line: within time limits, and ended with all that it started."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import IO

UNREADABLE = "it answered something that could not be read"
_SECONDS_TO_DIE = 10


class ChildTimeout(Exception):
    """The child did not answer in time."""


class ChildDied(Exception):
    """The child ended, or said something that is no answer. The text says what is known of it."""


class Child:
    """One process; messages are JSON objects, one a line, on its stdin and stdout.

    It is killed when `kill` is called or this object goes away. With `own_group` that ends everything it started, too;
    without, whoever kills this process's group ends it as well. A fork of this process leaves it alone: it belongs to
    whoever started it.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        *,
        own_group: bool = True,
    ) -> None:
        self._stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=own_group,
        )
        assert self.process.stdin and self.process.stdout
        self._requests = self.process.stdin
        self._answers: queue.SimpleQueue[dict | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(self.process.stdout, self._answers), daemon=True).start()
        self._finalizer = weakref.finalize(self, _kill, self.process, own_group, os.getpid())

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def send(self, message: dict) -> None:
        """Raises ChildDied where the child no longer listens."""
        try:
            self._requests.write(json.dumps(message).encode() + b"\n")
            self._requests.flush()
        except OSError:
            raise ChildDied(self._last_words()) from None

    def receive(self, seconds: float) -> dict:
        """The next answer. Raises ChildTimeout or ChildDied."""
        try:
            answer = self._answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise ChildTimeout from None
        if answer is None:
            raise ChildDied(self._last_words())
        return answer

    def kill(self) -> None:
        self._finalizer()

    def _last_words(self) -> str:
        """How it ended and the last line of its stderr."""
        try:
            status = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return UNREADABLE
        self._stderr.seek(0)
        lines = self._stderr.read()[-2000:].decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{ended}: {said}"


def _read(stdout: IO[bytes], answers: queue.SimpleQueue[dict | None]) -> None:
    """Hand over one answer a line; None at the end, or at the first line that is none."""
    for line in stdout:
        try:
            answer = json.loads(line)
        except ValueError:
            break
        if not isinstance(answer, dict):
            break
        answers.put(answer)
    answers.put(None)


def _kill(process: subprocess.Popen[bytes], own_group: bool, owner: int) -> None:
    if os.getpid() != owner:
        return
    if own_group and os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):  # a driver may still hold it; it goes when that lets go
        process.wait(timeout=_SECONDS_TO_DIE)
    if process.stdin:
        with contextlib.suppress(OSError):  # what was not sent yet has no reader any more
            process.stdin.close()
