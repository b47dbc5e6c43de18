"""Landlock: a process gives up the file system for good, all but the folders that it names. Needs no special rights.

https://docs.kernel.org/userspace-api/landlock.html. What a kernel does not know is left out; `abi` says how much it
knows. Landlock does not hide that a file exists.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from grading.sandbox import linux

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ALL_ACCESS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # ABI -> how many kinds of access to files it knows
_TCP, _TCP_SINCE = 0b11, 4  # bind and connect
_SCOPES, _SCOPES_SINCE = 0b11, 6  # abstract sockets, signals


def abi() -> int:
    """The version of Landlock that this kernel offers, 0 for none."""
    try:
        return linux.call("syscall", _CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str], executable: Iterable[str] = (), writable: Iterable[str] = ()) -> None:
    """From now on only these folders can be read, run or written, and no TCP port used.

    The process must have forbidden itself new privileges. Raises OSError where there is no Landlock.
    """
    version = abi()
    files = (1 << _ALL_ACCESS.get(version, _ALL_ACCESS[5])) - 1
    network = _TCP if version >= _TCP_SINCE else 0
    scopes = _SCOPES if version >= _SCOPES_SINCE else 0
    attributes = struct.pack("QQQ", files, network, scopes)[: 24 if scopes else 16 if network else 8]
    ruleset = linux.call("syscall", _CREATE_RULESET, attributes, len(attributes), 0)
    reading = _READ_FILE | _READ_DIR
    for paths, access in ((readable, reading), (executable, reading | _EXECUTE), (writable, files & ~_EXECUTE)):
        for path in paths:
            _allow(ruleset, path, access)
    linux.call("syscall", _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not os.path.isdir(path):
        access &= _EXECUTE | _READ_FILE | _WRITE_FILE
    try:
        linux.call("syscall", _ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", access, place), 0)
    finally:
        os.close(place)
