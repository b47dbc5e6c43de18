"""A warp, and the rules by which its requests to memory are served: sectors, banks and wavefronts.

The emulator compiles these functions with Numba; models and trials call them as they stand. So there is one rule.
"""

from __future__ import annotations

import numpy as np

WARP = 32  # lanes
SECTOR_BYTES = 32
BANKS = 32
WORD_BYTES = 4


def room(count: int) -> np.ndarray:
    """Room for so many numbers; in the emulator, on the stack."""
    return np.empty(count, np.int64)


def sector_range(start: int, size: int) -> tuple[int, int]:
    """The numbers of the first and the last sector that `size` bytes from byte `start` on touch."""
    return start // SECTOR_BYTES, (start + size - 1) // SECTOR_BYTES


def count_sectors(starts: np.ndarray, takes: np.ndarray, size: int) -> int:
    """Distinct sectors of a request. `starts[lane]` is the first byte of `size` that a lane touches, where it `takes`
    part."""
    seen = room(len(starts) * (size // SECTOR_BYTES + 2))
    count = 0
    for lane in range(len(starts)):
        if takes[lane]:
            first, last = sector_range(starts[lane], size)
            for sector in range(first, last + 1):
                count = add_distinct(seen, count, sector)
    return count


def lanes_a_pass(starts: np.ndarray, takes: np.ndarray, size: int, is_load: bool) -> int:
    """How many lanes go through the banks together.

    8-byte accesses go half a warp at a time, 16-byte ones a quarter; two such groups of a load go together where each
    lane reads the same as its neighbour.
    """
    if size <= WORD_BYTES:
        return WARP
    lanes = WARP * WORD_BYTES // size
    if is_load and (_is_paired(starts, takes, 1) or _is_paired(starts, takes, 2)):
        return 2 * lanes
    return lanes


def _is_paired(starts: np.ndarray, takes: np.ndarray, bit: int) -> bool:
    """Whether the lanes of each pair that differs in this bit of the number read one place, or one of them none."""
    for lane in range(len(starts)):
        other = lane ^ bit
        if takes[lane] and takes[other] and starts[lane] != starts[other]:
            return False
    return True


def count_wavefronts(starts: np.ndarray, takes: np.ndarray, size: int, is_load: bool) -> tuple[int, int]:
    """Passes through the banks, and how many there would be without conflicts.

    In a pass, the bank with most distinct words decides. An H200 does so in each of the 462 patterns of
    tools/validate_counters.py.
    """
    together = lanes_a_pass(starts, takes, size, is_load)
    words = max(size // WORD_BYTES, 1)
    seen, depth = room(WARP * words), room(BANKS)
    wavefronts, groups = 0, 0
    for start in range(0, len(starts), together):
        count, deepest = 0, 0
        depth[:] = 0
        for lane in range(start, min(start + together, len(starts))):
            if takes[lane]:
                first = starts[lane] // WORD_BYTES
                for word in range(first, first + words):
                    before, count = count, add_distinct(seen, count, word)
                    depth[word % BANKS] += count - before
                    deepest = max(deepest, depth[word % BANKS])
        wavefronts += deepest
        groups += 1 if deepest > 0 else 0
    return wavefronts, groups


def add_distinct(seen: np.ndarray, count: int, value: int) -> int:
    """Put the value among the first `count` of `seen` unless it is there. Returns how many there are then."""
    for n in range(count - 1, -1, -1):
        if seen[n] == value:
            return count
    seen[count] = value
    return count + 1
