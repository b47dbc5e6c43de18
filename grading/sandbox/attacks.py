"""What a process that had been taken over would try first. Run inside the sandbox, it tells whether the walls hold."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import socket
import time
from pathlib import Path

LINGER = 60  # seconds that a process left behind would stay


def try_all(folder: str, port: int, abstract: str, process: int, memory: int) -> list[str]:
    """The attacks that succeeded, by name.

    `folder` is open to every user and holds a file 'bait', `port` is a TCP and UDP port on this machine, `abstract` the
    name of an abstract socket, `process` a process outside, `memory` more bytes than are allowed.
    """
    attacks = {
        "read a file": lambda: Path(folder, "bait").read_text(),
        "list the system's folders": lambda: Path("/etc/passwd").read_text() and os.listdir("/usr"),
        "write a file": lambda: Path(folder, "written").write_text("x"),
        "connect by TCP": lambda: socket.socket().connect(("127.0.0.1", port)),
        "send by UDP": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
        "connect to an abstract socket": lambda: socket.socket(socket.AF_UNIX).connect(f"\0{abstract}"),
        "signal a process outside": lambda: _signal(process),
        "take more memory than allowed": lambda: mmap.mmap(-1, memory),
        "leave a process behind": _leave_a_process,
    }
    return [name for name, attack in attacks.items() if _succeeds(attack)]


def _succeeds(attack) -> bool:
    with contextlib.suppress(OSError, MemoryError, ValueError):
        attack()
        return True
    return False


def _signal(process: int) -> None:
    """In a namespace of its own processes, that number may be this very process. The grader sees whom it hit."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.kill(process, signal.SIGUSR1)


def _leave_a_process() -> None:
    """A process in a session of its own. Whether it outlives the child, the grader sees."""
    if not os.fork():
        os.setsid()
        time.sleep(LINGER)
        os._exit(0)
