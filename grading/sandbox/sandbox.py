"""The walls around a process that compiles and emulates a student's kernel.

No code of a student's runs on the CPU: NVRTC reads the source and the emulator reads PTX. The walls are for the day
when one of them can be tricked. From outside in:

    namespaces   of network, processes, mounts and IPC: nothing to talk to, nobody to signal; one end kills all
    own root     a file system that holds CUDA's headers, read-only, and nothing else
    user         another one than the grader's, where that is root; no special rights, and no way to gain any
    limits       of memory, CPU time, tasks, open files; no file may grow
    Landlock     no file but those headers can be opened, no TCP port, no signal to the outside
    seccomp      no socket, no other process, no other program, no look into another process

Each is put up where the machine allows it. Together they must give four things, which level.py tries out: files,
network, processes and limits. Two walls guard each of the first three, so that one may be missing.

What they do not protect: with Landlock but without the own root, the process can learn whether a file of some name
exists; A and B are in its own memory, so that a kernel which took over the whole process could compute A·B there and
pass, though it has no way to send them anywhere but to the grader; how long it takes is seen by all on the machine.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from grading.sandbox import landlock, linux, seccomp

MEMORY = 3 << 30  # bytes of address space
CPU_SECONDS = 300
TASKS = 64  # threads and processes of one user
OPEN_FILES = 64
_FIRST_USER, _USERS = 60706, 400  # numbers that neither Debian nor systemd gives to anybody
_NAMESPACES = linux.CLONE_NEWNET | linux.CLONE_NEWPID | linux.CLONE_NEWIPC | linux.CLONE_NEWNS


def enter_namespaces() -> list[str]:
    """Go on as process 1 of new namespaces, where the machine allows it. Returns the walls that this gives.

    The calling process stays outside, waits for the one that returns from here, and ends as it does.
    """
    try:
        linux.unshare(_NAMESPACES)
    except OSError:
        try:
            _enter_as_user()
        except OSError:
            return []
    inner = os.fork()
    if inner:
        _, status = os.waitpid(inner, 0)
        os._exit(abs(os.waitstatus_to_exitcode(status)))
    linux.end_with_parent(signal.SIGKILL)
    return ["namespaces"]


def _enter_as_user() -> None:
    """The same for one who is not root, by a namespace of users that knows nobody else."""
    user, group = os.geteuid(), os.getegid()
    linux.unshare(_NAMESPACES | linux.CLONE_NEWUSER)
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", file).write_text(text)


def enter_own_root(folders: Sequence[str]) -> list[str]:
    """Leave the file system for one that holds these folders, under their own names (without links) and read-only.
    Needs the namespaces.

    The new one begins as an empty file system in memory, laid over /proc, where none of the folders is.
    """
    try:
        linux.mount(None, "/", None, linux.MS_REC | linux.MS_PRIVATE)
        linux.mount("none", "/proc", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=755,size=1m")
        for folder in folders:
            inside = f"/proc{folder}"
            os.makedirs(inside, exist_ok=True)
            linux.mount(folder, inside, None, linux.MS_BIND | linux.MS_REC)
            _make_read_only(inside)
        os.chdir("/proc")
        linux.pivot_root_here()
        _make_read_only("/")
    except OSError:
        return []
    return ["own root"]


def _make_read_only(path: str) -> None:
    flags = linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    linux.mount(None, path, None, linux.MS_REMOUNT | linux.MS_BIND | flags)


def other_user() -> int | None:
    """The number of a user who owns nothing, one for each process that asks; None where it is not root."""
    return _FIRST_USER + os.getpid() % _USERS if os.geteuid() == 0 else None


def confine(readable: Sequence[str], user: int | None) -> list[str]:
    """Put up the inner walls around this process, for good. Returns the names of those that stand.

    `readable` are folders; `user` is the number of another user to become. The process should have one thread.
    """
    walls = []
    linux.forbid_new_privileges()
    for name, put_up in (
        ("limits", _limit),
        ("Landlock", lambda: landlock.restrict(readable)),
        ("user", lambda: _become(user)),
        ("no special rights", linux.drop_capabilities),
        ("seccomp", seccomp.restrict),
    ):
        with contextlib.suppress(OSError):
            put_up()
            walls.append(name)
    return walls


def _limit() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_NPROC, TASKS),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (value, value))


def _become(user: int | None) -> None:
    if user is None:
        raise PermissionError("only root can become another user")
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def can_read(folders: Sequence[str]) -> bool:
    """Whether this process, as it is now, can list these folders."""
    with contextlib.suppress(OSError):
        return all(os.listdir(folder) for folder in folders)
    return False


def kill_others(child: int) -> Iterator[tuple[int, int]]:
    """Kill that child and, in a namespace of its own processes, all others; the (pid, status) of each that ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1 if os.getpid() == 1 else child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            yield os.waitpid(-1, 0)
