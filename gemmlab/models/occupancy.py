"""What a block takes of a multiprocessor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BlockUse:
    """What a block takes: threads, registers a thread, bytes of shared memory a block."""

    threads: int
    registers: int
    shared_bytes: int
