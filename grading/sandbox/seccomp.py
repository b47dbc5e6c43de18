"""Seccomp: a process gives up system calls for good. Needs no special rights, and works where containers allow nothing.

What is refused is what a kernel never needs to be compiled and emulated: sockets, other processes, other programs,
other processes' memory, and the parts of Linux with a history of holes.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable

from grading.sandbox import linux

_PR_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where they lie in struct seccomp_data (little-endian)
_X32 = 0x40000000  # x86-64's second set of numbers begins here
_CLONE_THREAD = 0x00010000

# name -> number on x86-64 and on aarch64 (-1: not there), from the kernel's tables of system calls
_NUMBERS = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281),
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "prlimit64": (302, 261),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "memfd_create": (319, 279),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "landlock_create_ruleset": (444, 444),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
}  # fmt: skip
_CLONE, _TGKILL = (56, 220), (234, 131)
_CLONE3 = 435
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # which number, and AUDIT_ARCH


def restrict() -> None:
    """Refuse all of the table; of `clone`, threads stay, and of signals, those to this very process.

    The process must have forbidden itself new privileges. Raises OSError where there is no seccomp.
    """
    column, _ = _machine()
    threads_only = [
        (_LOAD, 0, 0, _FIRST_ARGUMENT), (_JUMP_ANY_BIT, 0, 1, _CLONE_THREAD), (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    only_myself = [
        (_LOAD, 0, 0, _FIRST_ARGUMENT), (_JUMP_EQUAL, 0, 1, os.getpid()), (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    _install(
        _case(_CLONE[column], threads_only, errno.EPERM)
        + _case(_TGKILL[column], only_myself, errno.EPERM)
        + _case(_CLONE3, [], errno.ENOSYS)  # its flags are out of sight; the C library falls back to clone
        + _refusals(_NUMBERS)
    )


def refuse(names: Iterable[str]) -> None:
    """Refuse these system calls of the table only."""
    _install(_refusals(names))


def _refusals(names: Iterable[str]) -> list[tuple]:
    column, _ = _machine()
    numbers = [_NUMBERS[name][column] for name in names]
    return [step for number in numbers if number >= 0 for step in _case(number, [], errno.EPERM)]


def _case(number: int, exceptions: list[tuple], error: int) -> list[tuple]:
    """If the call has that number: what `exceptions` allow, else the error."""
    body = [*exceptions, (_RETURN, 0, 0, _REFUSE | error)]
    return [(_JUMP_EQUAL, 0, len(body), number), *body]


def _machine() -> tuple[int, int]:
    machine = os.uname().machine
    if machine not in _MACHINES or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"no table of system calls for {machine}")
    return _MACHINES[machine]


def _install(cases: list[tuple]) -> None:
    """Load the filter. Each instruction is (code, jump if true, jump if false, value)."""
    _, architecture = _machine()
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER), (_JUMP_GREATER_EQUAL, 0, 1, _X32), (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        *cases, (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HP", len(steps), ctypes.addressof(code))
    linux.call("prctl", _PR_SET_SECCOMP, _FILTER, program, 0, 0)
