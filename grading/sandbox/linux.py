"""The system calls of Linux that Python's standard library lacks. Each raises OSError where the kernel refuses."""

from __future__ import annotations

import ctypes
import os
import struct
from functools import lru_cache

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1, 2, 4, 8, 0x20, 0x1000, 0x4000, 0x40000,
)  # fmt: skip
_MNT_DETACH = 2
PR_SET_NO_NEW_PRIVS = 38
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_CAPABILITY_VERSION_3 = 0x20080522
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


@lru_cache(maxsize=1)
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def call(function: str, *arguments: object) -> int:
    """A function of the C library. Numbers are passed as longs, so that none of their bits get lost."""
    converted = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = getattr(_libc(), function)(*converted)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Move this process (of CLONE_NEWPID: its children) into new namespaces."""
    call("unshare", flags)


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    call("mount", _text(source), _text(target), _text(kind), flags, _text(data))


def pivot_root_here() -> None:
    """Make the working directory, which must be a mount point, the root, and leave nothing of the old one."""
    call("syscall", _PIVOT_ROOT[os.uname().machine], b".", b".")
    call("umount2", b".", _MNT_DETACH)
    os.chdir("/")


def prctl(option: int, value: int) -> None:
    call("prctl", option, value, 0, 0, 0)


def end_with_parent(signal: int) -> None:
    """Get that signal when the parent ends. A change of user undoes it."""
    prctl(_PR_SET_PDEATHSIG, signal)


def forbid_new_privileges() -> None:
    """No program that this process starts can have more rights; its memory is closed to others of the same user."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(_PR_SET_DUMPABLE, 0)


def drop_capabilities() -> None:
    """Give up all special rights of root, those in a user namespace as well."""
    call("capset", struct.pack("Ii", _CAPABILITY_VERSION_3, 0), bytes(24))


def _text(value: str | None) -> bytes | None:
    return None if value is None else os.fsencode(value)
