"""The process that children come from: `python -m grading.sandbox.nursery SOCKET`, started by worker.py.

It loads the compiler and the emulator once, which takes over a second; a fork of it takes milliseconds. Each child
serves one submission and is gone afterwards, with all that it may have left in memory. The nursery itself never sees
what students wrote: it hands the child's channel to the grader, forks, and kills. It is a fresh program, not a fork of
the grader, so that nothing the grader knows is in its children's memory.

It says {"compiling": true} where the emulator must be compiled first and {"compiling": false} when that is done, and
then hello: its walls, or an error. The grader sends b"open" and gets a channel to a new child; it sends b"stop" and
gets what became of it, when nothing of it is left.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys

from gemmlab.emulator import store, warm
from gemmlab.errors import UserError
from grading.sandbox import child, sandbox

NOT_CONFINED = 70  # the exit status of a child
MOST_DESCRIPTORS = 256


def main(descriptor: int) -> None:
    """Prepare, say hello, then serve until the grader closes the socket or is gone."""
    control = socket.socket(fileno=descriptor)
    user = sandbox.other_user()
    walls = sandbox.enter_namespaces()
    null = os.open(os.devnull, os.O_RDWR)
    compile_emulator(control)
    try:
        readable = child.prepare()
    except UserError as error:
        control.send(json.dumps({"error": str(error)}).encode())
        return
    walls += sandbox.enter_own_root(readable) if walls else []
    user, inner = _trial(user, readable)
    control.send(json.dumps({"walls": walls + inner, "user": user}).encode())
    process = 0
    while command := control.recv(16):
        if command == b"open":
            process = _open(control, null, readable, user, inner)
        elif command == b"stop":
            control.send(json.dumps({"status": _stop(process)}).encode())


def compile_emulator(control: socket.socket) -> None:
    """Compile the emulator where its machine code is not on disk yet, and tell the grader, who waits as long as it
    takes: that depends on the machine and on what else it does."""
    if store.is_ready():
        return
    control.send(json.dumps({"compiling": True}).encode())
    warm.compiled_interpreter()
    control.send(json.dumps({"compiling": False}).encode())


def _trial(user: int | None, readable: list[str]) -> tuple[int | None, list[str]]:
    """Which inner walls stand, found by a child that puts them up. Another user is one that can read the headers."""
    for candidate in dict.fromkeys((user, None)):
        outcome, answer = os.pipe()
        if not (process := os.fork()):
            walls = sandbox.confine(readable, candidate)
            os.write(answer, json.dumps([walls, sandbox.can_read(readable)]).encode())
            os._exit(0)
        os.close(answer)
        with os.fdopen(outcome) as file:
            walls, usable = json.loads(file.read() or "[[], false]")
        os.waitpid(process, 0)
        if usable:
            break
    return candidate, walls


def _open(control: socket.socket, null: int, readable: list[str], user: int | None, walls: list[str]) -> int:
    """Fork a child and send its channel. The child has no other descriptor but the null device."""
    theirs, ours = socket.socketpair()
    if not (process := os.fork()):
        status = NOT_CONFINED
        try:
            channel = _keep_only(ours.detach(), null)
            if sandbox.confine(readable, user) == walls:
                status = 0
                child.serve(channel)
        finally:
            os._exit(status)
    socket.send_fds(control, [b"channel"], [theirs.fileno()])
    theirs.close()
    ours.close()
    return process


def _keep_only(descriptor: int, null: int) -> socket.socket:
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.dup2(descriptor, 3)
    os.closerange(4, MOST_DESCRIPTORS)
    return socket.socket(fileno=3)


def _stop(process: int) -> int | None:
    """Kill what is left of the child. Returns its exit status, or -signal where one ended it."""
    ended = dict(sandbox.kill_others(process))
    return os.waitstatus_to_exitcode(ended[process]) if process in ended else None


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_DESCRIPTORS, MOST_DESCRIPTORS))
    main(int(sys.argv[1]))
