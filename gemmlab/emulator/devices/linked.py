"""The kernels of several devices as one program: a memory instruction has one number in all of them.

A record of an access tells its instruction by that number; so a device that finds the record of another one's access
knows which line that was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.shadow import SITE_MASK


class TooManySites(Exception):
    """The kernels have more memory instructions than records can tell apart."""


def linked(codes: Sequence[Code]) -> list[Code]:
    """The same kernels, with one granule and one numbering of sites. Raises TooManySites."""
    granule = min(code.granule for code in codes)
    site_pc = [pc for code in codes for pc in code.site_pc]
    if len(site_pc) > SITE_MASK:
        raise TooManySites
    found, first = [], 0
    for code in codes:
        found.append(_renumbered(code, granule, first, site_pc))
        first += code.site_count
    return found


def _renumbered(code: Code, granule: int, first: int, site_pc: list[int]) -> Code:
    rows = code.rows.copy()
    rows[:, o.ROW_SITE] += first
    sizes = code.rows[code.site_pc, o.ROW_SIZE] * np.maximum(code.rows[code.site_pc, o.ROW_COUNT], 1)
    room = 32 * np.maximum(sizes // granule, 1) if code.site_pc else np.zeros(0, np.int64)
    starts = np.zeros(len(site_pc), np.int64)
    starts[first : first + len(room)] = np.cumsum(room) - room
    return replace(
        code,
        rows=rows,
        granule=granule,
        site_pc=site_pc,
        site_count=len(site_pc),
        pattern_start=starts.tolist(),
        pattern_words=int(room.sum()),
    )
