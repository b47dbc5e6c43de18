"""One warp request to memory: which words its lanes touch, how many sectors and wavefronts it takes.

Most requests of an instruction look like the one before, shifted. So the shape of the last request (addresses relative
to its first lane) is kept for each instruction, with what follows from it.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_count, next_lane
from gemmlab.emulator.machine.jit import compiled, compiled_as, compiled_module, inlined
from gemmlab.emulator.machine.stack import flags, words
from gemmlab.emulator.machine.state import get, set64, word32, word64
from gemmlab.emulator.machine.vector import vector_changed
from gemmlab.kernel import warp
from gemmlab.kernel.warp import SECTOR_BYTES, WARP, WORD_BYTES

# Columns of PATTERN_META. A request by the lanes of MASK is the last one again where all its addresses are shifted
# alike, by a multiple of what its counts depend on (LOW_MASK). While its first lane stays within FIRST..LAST, all of it
# lies in REGION. HALVES says how to fetch words. The WIDE columns are of the request that ptxas makes of this one and
# its neighbours (see widening.py), -1 until they are counted.
(
    MASK,
    FIRST_LANE,
    LOW_BITS,
    LOW_MASK,
    REGION,
    FIRST,
    LAST,
    LOWEST,
    HIGHEST,
    HALVES,
    WORDS,
    SECTORS,
    WAVEFRONTS,
    GROUPS,
    WIDE_WAVEFRONTS,
    WIDE_GROUPS,
) = range(16)
META_ROW = 16

# Columns of COUNTERS, one row an instruction. IDLE counts lanes that an executed instruction did not work on. What goes
# to another device is in REQUESTS, SECTOR_COUNT and BYTES, and in the PEER columns once more.
(
    EXECUTED,
    IDLE,
    REQUESTS,
    SECTOR_COUNT,
    BYTES,
    SHARED_REQUESTS,
    WAVEFRONT_COUNT,
    CONFLICTS,
    SHARED_BYTES,
    WIDE_REQUESTS,
    WIDE_WAVEFRONT_COUNT,
    WIDE_CONFLICTS,
    LOCAL_REQUESTS,
    LOCAL_SECTORS,
    PEER_REQUESTS,
    PEER_SECTORS,
    PEER_BYTES,
) = range(17)
COUNTER_ROW = 17

HALF = 16
SCATTERED, SAME, NEIGHBOURS = range(3)  # the words of half a warp, HALF_KIND_BITS of HALVES each
HALF_KIND_BITS, HALF_KIND_MASK = 2, 3
ALL_LANES = np.uint32(0xFFFFFFFF)

# Bits of a word of a request (PATTERN_WORDS), from the lowest: the last lane that touches it, the first one, how many
# do, its granule, counted from the first lane's.
LOW_LANE_SHIFT, LANES_OF_WORD, GRANULE_OF_WORD = 8, 16, 24
MOST_LANES = 63


_RULES = compiled_module(warp, room=words)
add_distinct, count_sectors, count_wavefronts = (
    _RULES[name] for name in ("add_distinct", "count_sectors", "count_wavefronts")
)


@compiled
def last_pattern(state, site):
    return get(state, s.PATTERN_META) + 8 * META_ROW * site


@compiled
def last_shape(state, site):
    return get(state, s.PATTERN_ADDRESS) + 256 * site


@compiled
def pattern(state, site, mask, size, is_shared, is_load):
    """The row of PATTERN_META that describes this request (ADDRESSES, `size` bytes a lane); made anew if it changed."""
    meta = last_pattern(state, site)
    low_mask = np.int64(size - 1) | (WORD_BYTES - 1 if is_shared else SECTOR_BYTES - 1)
    addresses = get(state, s.ADDRESSES)
    origin = word64(addresses, first_lane(mask))
    if word64(meta, MASK) == np.int64(mask) and word64(meta, LOW_MASK) == low_mask:
        if origin & low_mask == word64(meta, LOW_BITS):
            if vector_changed(addresses, origin, last_shape(state, site)) & mask == NO_LANES:
                return meta
    shape = last_shape(state, site)
    for lane in range(32):
        set64(shape, lane, word64(addresses, lane) - origin)
    set64(meta, MASK, np.int64(mask))
    set64(meta, FIRST_LANE, first_lane(mask))
    set64(meta, REGION, -1)
    set64(meta, LOW_MASK, low_mask)
    set64(meta, LOW_BITS, origin & low_mask)
    set64(meta, WIDE_WAVEFRONTS, -1)
    _find_extent(meta, shape, mask)
    if get(state, s.CHECKS):
        _find_words(state, site, meta, shape, mask, size)
        if is_shared:
            wavefronts, groups = _wavefronts(shape, mask, size, origin & low_mask, is_load)
            set64(meta, WAVEFRONTS, wavefronts)
            set64(meta, GROUPS, groups)
        else:
            set64(meta, SECTORS, _sectors(shape, mask, size, origin & low_mask))
    return meta


@compiled
def _find_extent(meta, shape, mask):
    lowest, highest = np.int64(0), np.int64(0)
    todo = mask
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        lowest = min(lowest, word64(shape, lane))
        highest = max(highest, word64(shape, lane))
    set64(meta, LOWEST, lowest)
    set64(meta, HIGHEST, highest)
    halves = np.int64(0)
    if mask == ALL_LANES:
        halves = _half_kind(shape, 0) | (_half_kind(shape, HALF) << HALF_KIND_BITS)
    set64(meta, HALVES, halves)


@compiled
def _half_kind(shape, start):
    step = word64(shape, start + 1) - word64(shape, start)
    for lane in range(start + 1, start + HALF):
        if word64(shape, lane) - word64(shape, lane - 1) != step:
            return np.int64(SCATTERED)
    return np.int64(SAME if step == 0 else (NEIGHBOURS if step == 4 else SCATTERED))


@compiled
def _find_words(state, site, meta, shape, mask, size):
    """The distinct granules and their lanes."""
    words = get(state, s.PATTERN_WORDS) + 8 * word32(get(state, s.PATTERN_START), site)
    shift = get(state, s.GRANULE_SHIFT)
    count = np.int64(0)
    todo = mask
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        start = word64(shape, lane) >> shift
        for granule in range(start, start + max(size >> shift, 1)):
            found = False
            for n in range(count - 1, -1, -1):
                if word64(words, n) >> GRANULE_OF_WORD == granule:
                    set64(words, n, (word64(words, n) & ~0xFF | lane) + (1 << LANES_OF_WORD))
                    found = True
                    break
            if not found:
                set64(
                    words, count, (granule << GRANULE_OF_WORD) | (1 << LANES_OF_WORD) | (lane << LOW_LANE_SHIFT) | lane
                )
                count += 1
    set64(meta, WORDS, count)


@compiled_as("uint32(int64, int64)")
def lanes_between(first, last):
    """The lanes of these two threads of a warp, and all between them."""
    return (ALL_LANES << np.uint32(first & 31)) & (ALL_LANES >> np.uint32(31 - (last & 31)))


@compiled_as("int64(int64, uint32, int64, int64[:], boolean[:])")
def _lanes_of(shape, mask, low_bits, starts, takes):
    """Fill in where each lane's access starts, and whether the lane takes part."""
    for lane in range(WARP):
        starts[lane] = word64(shape, lane) + low_bits
        takes[lane] = (mask >> np.uint32(lane)) & np.uint32(1) != 0
    return np.int64(0)


@compiled_as("int64(int64, uint32, int64, int64)")
def _sectors(shape, mask, size, low_bits):
    """Distinct sectors of the whole request."""
    starts, takes = words(WARP), flags(WARP)
    _lanes_of(shape, mask, low_bits, starts, takes)
    return count_sectors(starts, takes, size)


@compiled
def _wavefronts(shape, mask, size, low_bits, is_load):
    """Passes through the banks, and how many there would be without conflicts."""
    starts, takes = words(WARP), flags(WARP)
    _lanes_of(shape, mask, low_bits, starts, takes)
    return count_wavefronts(starts, takes, size, is_load)


@inlined
def bump(state, pc, column, amount):
    row = get(state, s.COUNTERS) + 8 * COUNTER_ROW * pc
    set64(row, column, word64(row, column) + amount)


@inlined
def count_global(state, pc, meta, lanes, size, first_group):
    bump(state, pc, REQUESTS, np.int64(1) if first_group else np.int64(0))
    bump(state, pc, SECTOR_COUNT, word64(meta, SECTORS))
    bump(state, pc, BYTES, size * lane_count(lanes))


@compiled_as("void(int64, int64, int64, uint32, int64)")
def count_peer(state, pc, meta, lanes, size):
    """A request to another device's memory."""
    bump(state, pc, PEER_REQUESTS, np.int64(1))
    bump(state, pc, PEER_SECTORS, word64(meta, SECTORS))
    bump(state, pc, PEER_BYTES, size * lane_count(lanes))


@inlined
def count_shared(state, pc, meta, lanes, size, first_group):
    bump(state, pc, SHARED_REQUESTS, np.int64(1) if first_group else np.int64(0))
    bump(state, pc, WAVEFRONT_COUNT, word64(meta, WAVEFRONTS))
    bump(state, pc, CONFLICTS, word64(meta, WAVEFRONTS) - word64(meta, GROUPS))
    bump(state, pc, SHARED_BYTES, size * lane_count(lanes))


@compiled
def count_widened(state, pc, site, meta, lanes, widened, is_load):
    """This request as ptxas's wide one, of which it is the first part where its address says so (see widening.py)."""
    width, phase = widened & o.WIDEN_MASK, widened >> o.WIDEN_SHIFT
    if word64(get(state, s.ADDRESSES), first_lane(lanes)) & (width - 1) != phase:
        return
    if word64(meta, WIDE_WAVEFRONTS) < 0:
        shape = last_shape(state, site)
        wavefronts, groups = _wavefronts(shape, lanes, width, np.int64(0), is_load)
        set64(meta, WIDE_WAVEFRONTS, wavefronts)
        set64(meta, WIDE_GROUPS, groups)
    bump(state, pc, WIDE_REQUESTS, np.int64(1))
    bump(state, pc, WIDE_WAVEFRONT_COUNT, word64(meta, WIDE_WAVEFRONTS))
    bump(state, pc, WIDE_CONFLICTS, word64(meta, WIDE_WAVEFRONTS) - word64(meta, WIDE_GROUPS))


@compiled
def count_local(state, pc, lanes, size, place):
    """Local memory lies word by word, those of 32 lanes side by side: eight lanes at one offset are a sector."""
    addresses = get(state, s.ADDRESSES)
    seen = words(32 * 4)
    count = np.int64(0)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        first = (place + word64(addresses, lane)) >> 2
        for word in range(first, first + max(size >> 2, 1)):
            count = add_distinct(seen, count, (word << 2) | (lane >> 3))
    bump(state, pc, LOCAL_REQUESTS, np.int64(1))
    bump(state, pc, LOCAL_SECTORS, np.int64(count))
