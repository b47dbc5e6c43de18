"""What the sandbox holds on this machine, found by attacking it: `python -m grading level` prints it."""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gemmlab.errors import UserError
from grading.sandbox import sandbox, sentences, wire
from grading.sandbox.worker import Worker

PROBE_SECONDS = 20
_BREACHES = {
    "files": ("read a file", "list the system's folders", "write a file"),
    "network": ("connect by TCP", "send by UDP", "connect to an abstract socket"),
    "processes": ("signal a process outside", "leave a process behind"),
    "limits": ("take more memory than allowed",),
}  # what must be kept -> the attacks that show that it is not


@dataclass(frozen=True)
class Level:
    """What the sandbox gives here. `walls` stand, `user` is the other user that children are, `breaches` are the
    attacks that got through; `missing` is what, because of them, is not kept: files, network, processes, limits."""

    walls: tuple[str, ...]
    user: int | None
    breaches: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name, attacks in _BREACHES.items() if set(attacks) & set(self.breaches))

    def __str__(self) -> str:
        kept = ", ".join(name for name in _BREACHES if name not in self.missing) or "nothing"
        lines = [sentences.KEEPS(kept=kept, walls=", ".join(self.walls) or "none")]
        if self.missing:
            lines.append(sentences.KEEPS_NOT(**self._lacks))
        lines.append(sentences.OTHER_USER(user=self.user) if self.user else sentences.SAME_USER())
        return "\n".join(lines)

    @property
    def _lacks(self) -> dict[str, str]:
        return {"missing": ", ".join(self.missing), "breaches": ", ".join(self.breaches)}

    def check(self, insecure: bool) -> None:
        """Raise UserError where something is not kept, unless the instructor says that it does not matter."""
        if self.missing and not insecure:
            raise UserError(sentences.NOT_SAFE(**self._lacks))


def level_of(worker: Worker) -> Level:
    """What the sandbox of this worker gives, by attacks from inside it."""
    with _targets() as (targets, decoy):
        channel = worker.open()
        try:
            wire.send(channel, {"do": "attack", "targets": targets})
            answer, _ = wire.receive(channel, 0, PROBE_SECONDS)
            breaches = set(answer["done"])
        finally:
            worker.stop()
        breaches -= set() if _was_hit(decoy) else {"signal a process outside"}
        breaches -= set() if _is_held_open(channel) else {"leave a process behind"}
        channel.close()
    return Level(tuple(worker.walls), worker.user, tuple(sorted(breaches)))


def level() -> Level:
    """What the sandbox gives on this machine. Raises UserError where it cannot even start."""
    worker = Worker().greet()
    try:
        return level_of(worker)
    finally:
        worker.close()


@contextlib.contextmanager
def _targets() -> Iterator[tuple[dict, subprocess.Popen]]:
    """Things outside for a child to reach for, and the process among them."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gemmlab-bait-")))
        folder.chmod(0o777)
        (folder / "bait").write_text("bait")
        tcp, udp = (stack.enter_context(socket.socket(type=kind)) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM))
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        with contextlib.suppress(OSError):  # a port that somebody else has will do as well
            udp.bind(tcp.getsockname())
        abstract = f"gemmlab-{secrets.token_hex(8)}"
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(f"\0{abstract}")
        listener.listen()
        decoy = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        stack.callback(decoy.wait)
        stack.callback(decoy.kill)
        if decoy.stdin:
            stack.callback(decoy.stdin.close)
        yield {
            "folder": str(folder), "port": tcp.getsockname()[1], "abstract": abstract, "process": decoy.pid,
            "memory": sandbox.MEMORY + 1,
        }, decoy  # fmt: skip


def _was_hit(decoy: subprocess.Popen) -> bool:
    return decoy.poll() is not None


def _is_held_open(channel: socket.socket) -> bool:
    """Whether a process that the child left behind still has the child's end of the channel."""
    try:
        wire.receive(channel, 0, 1.0)
    except wire.Closed:
        return False
    except TimeoutError:
        pass
    return True
