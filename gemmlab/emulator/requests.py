"""One warp request to memory: which words its lanes touch, how many sectors and wavefronts it takes.

Most requests of an instruction look like the one before, shifted. So the shape of the last request (addresses relative
to its first lane) is kept for each instruction, with what follows from it.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.bits import NO_LANES, first_lane, next_lane
from gemmlab.emulator.jit import compiled, compiled_as
from gemmlab.emulator.state import (
    ADDRESSES,
    COUNTERS,
    GRANULE_SHIFT,
    PATTERN_ADDRESS,
    PATTERN_META,
    PATTERN_START,
    PATTERN_WORDS,
    get,
    set64,
    word32,
    word64,
)
from gemmlab.emulator.vector import vector_changed

# Columns of PATTERN_META.
MASK, LOW_BITS, WORDS, SECTORS, WAVEFRONTS, GROUPS = range(6)
META_ROW = 6

# Columns of COUNTERS, one row an instruction.
EXECUTED, LANES, REQUESTS, SECTOR_COUNT, WAVEFRONT_COUNT, CONFLICTS, BYTES = range(7)
COUNTER_ROW = 8

SECTOR_BYTES = 32
BANKS = 32


@compiled
def pattern(state, site, mask, size, is_shared):
    """Index of the row in PATTERN_META that describes this request (ADDRESSES, `size` bytes a lane); made anew if it
    changed."""
    addresses = get(state, ADDRESSES)
    origin = word64(addresses, first_lane(mask))
    low_bits = origin & (3 if is_shared else SECTOR_BYTES - 1)
    meta = get(state, PATTERN_META) + 8 * META_ROW * site
    shape = get(state, PATTERN_ADDRESS) + 256 * site
    if word64(meta, MASK) == np.int64(mask) and word64(meta, LOW_BITS) == low_bits:
        if vector_changed(addresses, origin, shape) & mask == np.uint32(0):
            return meta
    for lane in range(32):
        set64(shape, lane, word64(addresses, lane) - origin)
    set64(meta, MASK, np.int64(mask))
    set64(meta, LOW_BITS, low_bits)
    _find_words(state, site, meta, shape, mask, size)
    if is_shared:
        _count_wavefronts(meta, shape, mask, size, low_bits)
    else:
        _count_sectors(meta, shape, mask, size, low_bits)
    return meta


@compiled
def _find_words(state, site, meta, shape, mask, size):
    """The distinct granules, each with its first and last lane: (granule relative to the first lane's) << 16 | first <<
    8 | last."""
    words = get(state, PATTERN_WORDS) + 8 * word32(get(state, PATTERN_START), site)
    shift = get(state, GRANULE_SHIFT)
    count = np.int64(0)
    todo = mask
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        start = word64(shape, lane) >> shift
        for granule in range(start, start + max(size >> shift, 1)):
            found = False
            for n in range(count - 1, -1, -1):
                if word64(words, n) >> 16 == granule:
                    set64(words, n, (granule << 16) | (word64(words, n) & 0xFF00) | lane)
                    found = True
                    break
            if not found:
                set64(words, count, (granule << 16) | (lane << 8) | lane)
                count += 1
    set64(meta, WORDS, count)


@compiled
def _count_sectors(meta, shape, mask, size, low_bits):
    """Distinct 32-byte sectors of the whole request."""
    seen = np.empty(32 * 5, np.int64)
    count = 0
    todo = mask
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        first = (word64(shape, lane) + low_bits) >> 5
        last = (word64(shape, lane) + low_bits + size - 1) >> 5
        for sector in range(first, last + 1):
            known = False
            for n in range(count - 1, -1, -1):
                if seen[n] == sector:
                    known = True
                    break
            if not known:
                seen[count] = sector
                count += 1
    set64(meta, SECTORS, count)


@compiled
def _count_wavefronts(meta, shape, mask, size, low_bits):
    """Passes through the 32 banks: 8-byte accesses go half a warp at a time, 16-byte ones a quarter; in each group the
    bank with most distinct words decides.
    """
    lanes_a_group = 32 if size <= 4 else (16 if size == 8 else 8)
    words_a_lane = max(size >> 2, 1)
    seen = np.empty(32 * 4, np.int64)
    depth = np.empty(BANKS, np.int64)
    wavefronts, groups = 0, 0
    for start in range(0, 32, lanes_a_group):
        count, deepest = 0, 0
        depth[:] = 0
        for lane in range(start, start + lanes_a_group):
            if (mask >> np.uint32(lane)) & np.uint32(1):
                first = (word64(shape, lane) + low_bits) >> 2
                for word in range(first, first + words_a_lane):
                    known = False
                    for n in range(count):
                        if seen[n] == word:
                            known = True
                            break
                    if not known:
                        seen[count] = word
                        count += 1
                        depth[word & 31] += 1
                        deepest = max(deepest, depth[word & 31])
        wavefronts += deepest
        groups += 1 if deepest > 0 else 0
    set64(meta, WAVEFRONTS, wavefronts)
    set64(meta, GROUPS, groups)


@compiled_as("void(int64, int64, int64, int64)")
def bump(state, pc, column, amount):
    row = get(state, COUNTERS) + 8 * COUNTER_ROW * pc
    set64(row, column, word64(row, column) + amount)
