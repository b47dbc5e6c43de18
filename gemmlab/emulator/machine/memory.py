"""Loads, stores, atomics and asynchronous copies of a warp: find the array, check bounds and alignment, keep the
shadows, move data.

Each goes the same way: the 32 addresses are computed, lanes that are misaligned or outside every array are reported and
dropped, and the rest are served in groups of lanes that fall into one array (nearly always a single group).
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.bits import (
    NO_LANES,
    as_bf16,
    as_f16,
    as_f32,
    as_f64,
    first_lane,
    flush,
    lane_bit,
    next_lane,
    of_bf16,
    of_f16,
    of_f32,
    of_f64,
    peek,
    peek8,
    peek32,
    peek64,
    poke,
    poke32,
    poke64,
    sum_to_odd,
)
from gemmlab.emulator.machine.events import (
    ASYNC_OVERFLOW,
    INPUT_WRITTEN,
    MISALIGNED_READ,
    MISALIGNED_WRITE,
    OUT_OF_BOUNDS_READ,
    OUT_OF_BOUNDS_WRITE,
    UNDEFINED_ADDRESS,
    UNDEFINED_STORE,
    record,
    record_place,
)
from gemmlab.emulator.machine.jit import compiled, compiled_as, inlined
from gemmlab.emulator.machine.orders import meet
from gemmlab.emulator.machine.requests import (
    ALL_LANES,
    FIRST,
    FIRST_LANE,
    HALF,
    HALVES,
    HIGHEST,
    LAST,
    LOW_BITS,
    LOW_MASK,
    LOWEST,
    MASK,
    NEIGHBOURS,
    REGION,
    SAME,
    WORDS,
    count_global,
    count_local,
    count_shared,
    count_widened,
    last_pattern,
    last_shape,
    pattern,
)
from gemmlab.emulator.machine.shadow import (
    DEFINED,
    IN_FLIGHT,
    NEVER,
    TIME_SHIFT,
    UNDEFINED,
    needs_look,
    note_atomic,
    note_global_block,
    note_global_read,
    note_read,
    note_write,
    read_conflict,
    stamp,
    write_conflict,
)
from gemmlab.emulator.machine.state import (
    ADDRESSES,
    ASYNC_CAPACITY,
    ASYNC_COUNT,
    ASYNC_GROUP,
    ASYNC_QUEUE,
    CHECKS,
    GLOBAL_WRITE_BLOCK,
    GRANULE_SHIFT,
    INTERVAL_START,
    LOCAL_BYTES,
    LOCAL_DEFINED,
    LOCAL_HOST,
    ORIGIN_SHIFT,
    PATTERN_START,
    PATTERN_WORDS,
    REGION_BASE,
    REGION_HOST,
    REGION_KIND,
    REGION_SHADOW,
    REGION_SIZE,
    SHADOW_DEFINED,
    SHADOW_ORIGIN,
    SHADOW_READ1,
    SHADOW_READ2,
    SHADOW_WRITE,
    SHARED_GRANULES,
    STORE_INTERVAL,
    TILE,
    VECTOR_TABLE,
    byte,
    get,
    mask32,
    put,
    set32,
    set64,
    set_byte,
    word32,
    word64,
)
from gemmlab.emulator.machine.vector import (
    copy_half,
    fill_half,
    vector_addresses,
    vector_outside,
    vector_request,
    vector_unaligned,
)


@compiled_as("int64(int64, int64)")
def field(row, number):
    return word32(row, number)


@compiled_as("int64(int64, int64)")
def locate(state, address):
    """The region a generic address belongs to, or -1. An overrun counts for the array it started from."""
    region = np.int64(-1)
    high = address >> o.GLOBAL_SHIFT
    window = address >> 40
    variable = ((address & (o.SHARED_WINDOW - 1)) >> o.WINDOW_SHIFT) - 1
    if 1 <= high <= o.MAX_GLOBALS:
        region = high - 1
    elif window == 1 and 0 <= variable < o.MAX_SHARED:
        region = o.FIRST_SHARED + variable
    elif window == 2 and 0 <= variable < o.MAX_LOCALS:
        region = o.FIRST_LOCAL + variable
    if region >= 0 and word64(get(state, REGION_KIND), region) == o.NO_REGION:
        return np.int64(-1)
    return region


@compiled
def space_window(space):
    if space == o.SHARED:
        return np.int64(o.SHARED_WINDOW)
    return np.int64(o.LOCAL_WINDOW) if space == o.LOCAL else np.int64(0)


@compiled
def _mark(state, base, slot, lanes, defined, origin):
    """Set the definedness of a register in `lanes`: the lanes of `defined` hold a value, the others a value nobody
    wrote."""
    ok = mask32(base + slot, 0)
    poke32(base + slot, (ok & ~lanes) | (defined & lanes))
    if lanes & ~defined != NO_LANES:
        set32(base + slot + get(state, ORIGIN_SHIFT), 0, origin)


@compiled
def _compute_addresses(state, row, base):
    offset = field(row, o.ROW_IMM) + space_window(field(row, o.ROW_SPACE))
    address_64 = field(row, o.ROW_FLAGS) & o.ADDRESS_64
    vector_addresses(get(state, ADDRESSES), base + field(row, o.ROW_A), address_64, offset)


@compiled
def _is_known(state, row, lanes, base):
    """Compute the addresses. True if the request is the last one, shifted within the same region, and without fault."""
    meta = last_pattern(state, field(row, o.ROW_SITE))
    if word64(meta, MASK) != np.int64(lanes):
        _compute_addresses(state, row, base)
        return False
    offset = field(row, o.ROW_IMM) + space_window(field(row, o.ROW_SPACE))
    register, address_64 = base + field(row, o.ROW_A), field(row, o.ROW_FLAGS) & o.ADDRESS_64
    lane = word64(meta, FIRST_LANE)
    origin = offset + (word64(register, lane) if address_64 else np.int64(mask32(register, lane)))
    shape = last_shape(state, field(row, o.ROW_SITE))
    changed = vector_request(get(state, ADDRESSES), register, address_64, offset, origin, shape)
    if changed & lanes != NO_LANES or origin & word64(meta, LOW_MASK) != word64(meta, LOW_BITS):
        return False
    if origin < word64(meta, FIRST) or origin > word64(meta, LAST):
        return False
    return not get(state, CHECKS) or lanes & ~mask32(base + field(row, o.ROW_OK_A), 0) == NO_LANES


@compiled
def _place(state, meta, region, size):
    """Note in a pattern which region it lies in, and how far it can be shifted there."""
    if word64(meta, REGION) != region:
        start = word64(get(state, REGION_BASE), region)
        end = start + word64(get(state, REGION_SIZE), region)
        set64(meta, REGION, region)
        set64(meta, FIRST, start - word64(meta, LOWEST))
        set64(meta, LAST, end - size - word64(meta, HIGHEST))


@compiled
def _prepare(state, warp, row, lanes, base, pc, size, is_write):
    """Report and drop lanes whose address is undefined or misaligned. Returns the lanes that go on."""
    addresses = get(state, ADDRESSES)
    undefined = lanes & ~mask32(base + field(row, o.ROW_OK_A), 0)
    if undefined != NO_LANES and get(state, CHECKS):
        origin = word32(base + field(row, o.ROW_OK_A) + get(state, ORIGIN_SHIFT), 0) - 1
        record(
            state,
            UNDEFINED_ADDRESS,
            pc,
            origin,
            np.int64(-1),
            np.int64(0),
            warp * 32 + first_lane(undefined),
            np.int64(-1),
            np.int64(-1),
            np.int64(-1),
            np.int64(-1),
            size,
        )
        lanes &= ~undefined
    wrong = vector_unaligned(addresses, size - 1) & lanes
    while wrong != NO_LANES:
        lane = first_lane(wrong)
        address = word64(addresses, lane)
        region = locate(state, address)
        at = address - word64(get(state, REGION_BASE), region) if region >= 0 else address
        record_place(state, MISALIGNED_WRITE if is_write else MISALIGNED_READ, pc, region, at, warp * 32 + lane, size)
        lanes &= ~lane_bit(lane)
        wrong &= ~lane_bit(lane)
    return lanes


@compiled
def _next_group(state, warp, lanes, pc, size, is_write):
    """The region of the first lane that is inside one, and the lanes inside it. Lanes outside are reported. (region,
    group, rest)"""
    addresses = get(state, ADDRESSES)
    while lanes != NO_LANES:
        lane = first_lane(lanes)
        address = word64(addresses, lane)
        region = locate(state, address)
        if region >= 0:
            low = word64(get(state, REGION_BASE), region)
            high = low + word64(get(state, REGION_SIZE), region) - size
            group = lanes & ~vector_outside(addresses, low, high)
            if group & lane_bit(lane) != NO_LANES:
                return region, group, lanes & ~group
        at = address - word64(get(state, REGION_BASE), region) if region >= 0 else address
        record_place(
            state, OUT_OF_BOUNDS_WRITE if is_write else OUT_OF_BOUNDS_READ, pc, region, at, warp * 32 + lane, size
        )
        lanes &= ~lane_bit(lane)
    return np.int64(-1), NO_LANES, NO_LANES


@compiled
def _count_request(state, row, pc, meta, region, lanes, size, first_group, is_load):
    if region < o.FIRST_SHARED:
        count_global(state, pc, meta, lanes, size, first_group)
        return
    count_shared(state, pc, meta, lanes, size, first_group)
    widened = field(row, o.ROW_WIDEN)
    if widened != 0:
        count_widened(state, pc, field(row, o.ROW_SITE), meta, lanes, widened, is_load)


@compiled
def load(state, warp, row, lanes, base, pc):
    size = field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)
    if field(row, o.ROW_SPACE) == o.PARAM:
        _load_own(state, warp, row, lanes, base, pc, field(row, o.ROW_IMM), True)
        return
    if _is_known(state, row, lanes, base):
        _serve_load(state, warp, row, lanes, base, pc, size, True, last_pattern(state, field(row, o.ROW_SITE)))
        return
    rest = _prepare(state, warp, row, lanes, base, pc, size, False)
    dropped = lanes & ~rest
    first = True
    while rest != NO_LANES:
        before = rest
        region, group, rest = _next_group(state, warp, rest, pc, size, False)
        dropped |= before & ~(group | rest)
        if group == NO_LANES:
            break
        _load_group(state, warp, row, group, base, pc, region, size, first)
        first = False
    if dropped != NO_LANES:
        _fill_dropped(state, row, dropped, base)


@compiled
def _load_group(state, warp, row, lanes, base, pc, region, size, first_group):
    """A load by lanes that lie in one region."""
    if region >= o.FIRST_LOCAL:
        place = word64(get(state, REGION_HOST), region)
        if get(state, CHECKS):
            count_local(state, pc, lanes, size, place)
        _load_own(state, warp, row, lanes, base, pc, place, False)
        return
    meta = pattern(state, field(row, o.ROW_SITE), lanes, size, region >= o.FIRST_SHARED, True)
    _place(state, meta, region, size)
    _serve_load(state, warp, row, lanes, base, pc, size, first_group, meta)


@compiled
def _serve_load(state, warp, row, lanes, base, pc, size, first_group, meta):
    region = word64(meta, REGION)
    _fetch(state, row, lanes, base, region, word64(meta, HALVES))
    if get(state, CHECKS):
        _count_request(state, row, pc, meta, region, lanes, size, first_group, True)
        if word64(get(state, REGION_SHADOW), region) >= 0:
            _shadow_load(state, warp, row, lanes, base, pc, region, meta)
        else:
            _mark_defined(state, row, lanes, base)


@compiled
def _mark_defined(state, row, lanes, base):
    """All that was loaded holds values."""
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        _mark(state, base, word32(entry, 1), lanes, lanes, np.int64(0))


@compiled
def _fill_dropped(state, row, lanes, base):
    """What a faulting load returns: all ones (a NaN). It counts as defined, since the fault was reported."""
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        target, slot, wide = word32(entry, 0), word32(entry, 1), word32(entry, 2)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            if wide:
                poke64(base + target + 8 * lane, ~np.uint64(0))
            else:
                poke32(base + target + 4 * lane, ~np.uint32(0))
        _mark(state, base, slot, lanes, lanes, np.int64(0))


@compiled
def _fetch(state, row, lanes, base, region, halves):
    addresses = get(state, ADDRESSES)
    size, signed = field(row, o.ROW_SIZE), field(row, o.ROW_SIGNED)
    delta = word64(get(state, REGION_HOST), region) - word64(get(state, REGION_BASE), region)
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        target, wide = base + word32(entry, 0), word32(entry, 2)
        if size == 4 and not wide and lanes == ALL_LANES:
            _fetch_half(addresses, target, delta, np.int64(0), halves & 3)
            _fetch_half(addresses, target, delta, np.int64(HALF), halves >> 2)
        else:
            todo = lanes
            while todo != NO_LANES:
                lane, todo = next_lane(todo)
                value = peek(word64(addresses, lane) + delta, size, signed)
                if wide:
                    poke64(target + 8 * lane, value)
                else:
                    poke32(target + 4 * lane, np.uint32(value))
        delta += size


@inlined
def _fetch_half(addresses, target, delta, start, kind):
    """Words for half a warp's lanes, whose addresses are all the same, neighbours, or neither."""
    source = word64(addresses, start) + delta
    if kind == SAME:
        fill_half(target + 4 * start, source)
    elif kind == NEIGHBOURS:
        copy_half(target + 4 * start, source)
    else:
        for lane in range(start, start + HALF):
            poke32(target + 4 * lane, peek32(word64(addresses, lane) + delta))


@compiled
def _shadow_load(state, warp, row, lanes, base, pc, region, meta):
    """Race and definedness of a load from shared memory or C, word by word."""
    addresses = get(state, ADDRESSES)
    shift = get(state, GRANULE_SHIFT)
    origin = word64(addresses, first_lane(lanes)) - word64(get(state, REGION_BASE), region)
    start = word64(get(state, REGION_SHADOW), region) + (origin >> shift)
    site = field(row, o.ROW_SITE)
    stamped = stamp(state, site, field(row, o.ROW_FLAGS) & o.STRONG != 0)
    thread = warp << 5
    is_global = region < o.FIRST_SHARED
    fresh = (np.int64(1) if is_global else get(state, INTERVAL_START)) << TIME_SHIFT
    writes, defined = get(state, SHADOW_WRITE), get(state, SHADOW_DEFINED)
    words = get(state, PATTERN_WORDS) + 8 * word32(get(state, PATTERN_START), site)
    read1, read2 = get(state, SHADOW_READ1), get(state, SHADOW_READ2)
    count = word64(meta, WORDS)
    clean = True
    if field(row, o.ROW_FLAGS) & o.STRONG:
        _meet_words(state, warp, row, lanes, region, False)
    for n in range(count):
        word = word64(words, n)
        granule = start + (word >> 16)
        low, high = thread + ((word >> 8) & 31), thread + (word & 31)
        old = word64(writes, granule)
        if old >= fresh and (low != high or is_global or needs_look(state, old, high, fresh)):
            _look_at_readers(state, pc, granule, region, lanes, warp, start, row)
        clean = clean and byte(defined, granule) == DEFINED
        if is_global:
            note_global_read(state, read1, read2, granule, stamped | low, stamped | high)
        else:
            note_read(state, read1, read2, granule, stamped | low, stamped | high, fresh)
    if clean:
        _mark_defined(state, row, lanes, base)
        return
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        _mark_component(state, row, lanes, base, pc, region, entry, n)


@compiled
def _meet_words(state, warp, row, lanes, region, publishes):
    """A load or store that counts as an atomic: each lane meets the word it touches."""
    base, first = word64(get(state, REGION_BASE), region), word64(get(state, REGION_SHADOW), region)
    while lanes != NO_LANES:
        lane, lanes = next_lane(lanes)
        offset = word64(get(state, ADDRESSES), lane) - base
        meet(state, warp, lane, first + (offset >> get(state, GRANULE_SHIFT)), publishes)


@compiled
def _look_at_readers(state, pc, granule, region, lanes, warp, start, row):
    """The exact test for every lane of the request that reads this word."""
    addresses, shift = get(state, ADDRESSES), get(state, GRANULE_SHIFT)
    base = word64(get(state, REGION_BASE), region)
    first = word64(get(state, REGION_SHADOW), region)
    width = max((field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)) >> shift, 1)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        offset = word64(addresses, lane) - base
        at = first + (offset >> shift)
        if at <= granule < at + width:
            strong = field(row, o.ROW_FLAGS) & o.STRONG != 0
            read_conflict(state, pc, granule, region, (granule - first) << shift, warp * 32 + lane, strong)


@compiled
def _mark_component(state, row, lanes, base, pc, region, entry, number):
    """Definedness of one component of a load, lane by lane. A value is undefined if none of its bytes was written."""
    addresses, shift = get(state, ADDRESSES), get(state, GRANULE_SHIFT)
    size = field(row, o.ROW_SIZE)
    first = word64(get(state, REGION_SHADOW), region)
    defined, origin = NO_LANES, np.int64(0)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        offset = word64(addresses, lane) - word64(get(state, REGION_BASE), region) + number * size
        some = False
        for granule in range(first + (offset >> shift), first + (offset >> shift) + max(size >> shift, 1)):
            known = byte(get(state, SHADOW_DEFINED), granule)
            some = some or known == DEFINED
            if known == NEVER:
                origin = pc + 1
            elif known == UNDEFINED:
                origin = word32(get(state, SHADOW_ORIGIN), granule)
        if some:
            defined |= lane_bit(lane)
    _mark(state, base, word32(entry, 1), lanes, defined, origin)


@compiled
def _load_own(state, warp, row, lanes, base, pc, place, constant_address):
    """A load from a thread's own memory: local variables, or the parameters of a device function (at a fixed place)."""
    size, signed = field(row, o.ROW_SIZE), field(row, o.ROW_SIGNED)
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        target, slot, wide = base + word32(entry, 0), word32(entry, 1), word32(entry, 2)
        defined = NO_LANES
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            offset = _own_offset(state, warp, lane, place, constant_address) + n * size
            value = peek(get(state, LOCAL_HOST) + offset, size, signed)
            for at in range(offset, offset + size):
                if byte(get(state, LOCAL_DEFINED), at) == DEFINED:
                    defined |= lane_bit(lane)
            if wide:
                poke64(target + 8 * lane, value)
            else:
                poke32(target + 4 * lane, np.uint32(value))
        _mark(state, base, slot, lanes, defined, pc + 1)


@compiled
def _own_offset(state, warp, lane, place, constant_address):
    """Where in the memory of all threads' local variables this lane's access falls. `place`: see REGION_HOST of local
    regions."""
    own = (warp * 32 + lane) * get(state, LOCAL_BYTES)
    return own + (place if constant_address else place + word64(get(state, ADDRESSES), lane))


@compiled
def store(state, warp, row, lanes, base, pc):
    size = field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)
    if field(row, o.ROW_SPACE) == o.PARAM:
        _store_own(state, warp, row, lanes, base, field(row, o.ROW_IMM), True)
        return
    if _is_known(state, row, lanes, base):
        _serve_store(state, warp, row, lanes, base, pc, size, True, last_pattern(state, field(row, o.ROW_SITE)))
        return
    rest = _prepare(state, warp, row, lanes, base, pc, size, True)
    first = True
    while rest != NO_LANES:
        region, group, rest = _next_group(state, warp, rest, pc, size, True)
        if group == NO_LANES:
            return
        _store_group(state, warp, row, group, base, pc, region, size, first)
        first = False


@compiled
def _store_group(state, warp, row, lanes, base, pc, region, size, first_group):
    """A store by lanes that lie in one region."""
    if region >= o.FIRST_LOCAL:
        place = word64(get(state, REGION_HOST), region)
        if get(state, CHECKS):
            count_local(state, pc, lanes, size, place)
        _store_own(state, warp, row, lanes, base, place, False)
        return
    meta = pattern(state, field(row, o.ROW_SITE), lanes, size, region >= o.FIRST_SHARED, False)
    _place(state, meta, region, size)
    _serve_store(state, warp, row, lanes, base, pc, size, first_group, meta)


@compiled
def _serve_store(state, warp, row, lanes, base, pc, size, first_group, meta):
    region = word64(meta, REGION)
    kind = word64(get(state, REGION_KIND), region)
    if kind == o.INPUT or kind == o.CONSTANT:
        lane = first_lane(lanes)
        at = word64(get(state, ADDRESSES), lane) - word64(get(state, REGION_BASE), region)
        record_place(state, INPUT_WRITTEN, pc, region, at, warp * 32 + lane, field(row, o.ROW_SIZE))
        return
    if get(state, CHECKS):
        _count_request(state, row, pc, meta, region, lanes, size, first_group, False)
        _shadow_store(state, warp, row, lanes, base, pc, region, meta)
    elif region < o.FIRST_SHARED:
        _note_written(state, row, lanes, region)
    _put(state, row, lanes, base, region)


@compiled
def _put(state, row, lanes, base, region):
    addresses = get(state, ADDRESSES)
    size = field(row, o.ROW_SIZE)
    delta = word64(get(state, REGION_HOST), region) - word64(get(state, REGION_BASE), region)
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        source, wide = base + word32(entry, 0), word32(entry, 2)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            value = peek64(source + 8 * lane) if wide else np.uint64(peek32(source + 4 * lane))
            poke(word64(addresses, lane) + delta, size, value)
        delta += size


@compiled
def _note_written(state, row, lanes, region):
    """With checks off only 'this element of C was written' is kept."""
    shift = get(state, GRANULE_SHIFT)
    first = word64(get(state, REGION_SHADOW), region)
    width = max((field(row, o.ROW_SIZE) * field(row, o.ROW_COUNT)) >> shift, 1)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        at = first + ((word64(get(state, ADDRESSES), lane) - word64(get(state, REGION_BASE), region)) >> shift)
        for granule in range(at, at + width):
            set_byte(get(state, SHADOW_DEFINED), granule, DEFINED)


@compiled
def enter_tile(state, warp):
    """The first store to shared memory since a barrier begins the next K tile of this warp."""
    if word64(get(state, STORE_INTERVAL), warp) != get(state, INTERVAL_START):
        set64(get(state, STORE_INTERVAL), warp, get(state, INTERVAL_START))
        set32(get(state, TILE), warp, word32(get(state, TILE), warp) + 1)
    return word32(get(state, TILE), warp)


@compiled
def _shadow_store(state, warp, row, lanes, base, pc, region, meta):
    shift = get(state, GRANULE_SHIFT)
    origin = word64(get(state, ADDRESSES), first_lane(lanes)) - word64(get(state, REGION_BASE), region)
    start = word64(get(state, REGION_SHADOW), region) + (origin >> shift)
    site = field(row, o.ROW_SITE)
    strong = field(row, o.ROW_FLAGS) & o.ATOMIC_STORE != 0
    stamped = stamp(state, site, strong)
    if strong:
        _meet_words(state, warp, row, lanes, region, True)
    is_global = region < o.FIRST_SHARED
    tile = np.int64(-1) if is_global else enter_tile(state, warp)
    fresh = (np.int64(1) if is_global else get(state, INTERVAL_START)) << TIME_SHIFT
    words = get(state, PATTERN_WORDS) + 8 * word32(get(state, PATTERN_START), site)
    writes, read1, read2 = get(state, SHADOW_WRITE), get(state, SHADOW_READ1), get(state, SHADOW_READ2)
    undefined = _undefined_value(state, row, lanes, base)
    for n in range(word64(meta, WORDS)):
        word = word64(words, n)
        granule = start + (word >> 16)
        low, high = (warp << 5) + ((word >> 8) & 31), (warp << 5) + (word & 31)
        if (
            low != high
            or undefined != NO_LANES
            or needs_look(state, word64(writes, granule), high, fresh)
            or needs_look(state, word64(read1, granule), high, fresh)
            or needs_look(state, word64(read2, granule), high, fresh)
        ):
            _store_word_exactly(state, warp, row, lanes, base, pc, region, granule, stamped, tile)
        else:
            note_write(state, granule, stamped | high, tile, DEFINED)
        if is_global:
            note_global_block(state, granule, get(state, GLOBAL_WRITE_BLOCK))


@compiled
def _undefined_value(state, row, lanes, base):
    """Lanes that store a value nobody wrote."""
    undefined = NO_LANES
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        undefined |= lanes & ~mask32(base + word32(entry, 1), 0)
    return undefined


@compiled
def _store_word_exactly(state, warp, row, lanes, base, pc, region, granule, stamped, tile):
    """The exact test, lane by lane, for one word of a store; several lanes that write one word race with each other."""
    addresses, shift = get(state, ADDRESSES), get(state, GRANULE_SHIFT)
    size, count = field(row, o.ROW_SIZE), field(row, o.ROW_COUNT)
    first = word64(get(state, REGION_SHADOW), region)
    before = np.int64(-1)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        offset = word64(addresses, lane) - word64(get(state, REGION_BASE), region)
        at = first + (offset >> shift)
        if not at <= granule < at + max((size * count) >> shift, 1):
            continue
        component = (
            (((granule - first) << shift) - offset) // size if (granule - first) << shift > offset else np.int64(0)
        )
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + component)
        value_at = word64(get(state, REGION_HOST), region) + offset + component * size
        same = before < 0 and _same_value(base, entry, lane, value_at, size)
        if before >= 0:
            same = _same_lanes(base, entry, lane, before)
        strong = field(row, o.ROW_FLAGS) & o.ATOMIC_STORE != 0
        write_conflict(state, pc, granule, region, (granule - first) << shift, warp * 32 + lane, strong, same)
        defined = DEFINED
        if not mask32(base + word32(entry, 1), 0) & lane_bit(lane):
            defined = UNDEFINED
            origin = word32(base + word32(entry, 1) + get(state, ORIGIN_SHIFT), 0)
            set32(get(state, SHADOW_ORIGIN), granule, origin)
            if region < o.FIRST_SHARED:
                record(
                    state,
                    UNDEFINED_STORE,
                    pc,
                    origin - 1,
                    region,
                    offset,
                    warp * 32 + lane,
                    np.int64(-1),
                    np.int64(-1),
                    np.int64(-1),
                    np.int64(-1),
                    size,
                )
        note_write(state, granule, stamped | (warp * 32 + lane), tile, defined)
        if region < o.FIRST_SHARED:
            note_global_block(state, granule, get(state, GLOBAL_WRITE_BLOCK))
        before = lane


@compiled
def _lane_value(base, entry, lane):
    source = base + word32(entry, 0)
    return peek64(source + 8 * lane) if word32(entry, 2) else np.uint64(peek32(source + 4 * lane))


@compiled
def _same_value(base, entry, lane, place, size):
    """Whether the store leaves memory as it is: two threads that write one value to one word still race, but do no
    harm."""
    mask = ~np.uint64(0) >> np.uint64(64 - 8 * size)
    return _lane_value(base, entry, lane) & mask == peek(place, size, False) & mask


@compiled
def _same_lanes(base, entry, lane, other):
    return _lane_value(base, entry, lane) == _lane_value(base, entry, other)


@compiled
def _store_own(state, warp, row, lanes, base, place, constant_address):
    size = field(row, o.ROW_SIZE)
    for n in range(field(row, o.ROW_COUNT)):
        entry = get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + n)
        ok = mask32(base + word32(entry, 1), 0)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            offset = _own_offset(state, warp, lane, place, constant_address) + n * size
            poke(get(state, LOCAL_HOST) + offset, size, _lane_value(base, entry, lane))
            for at in range(offset, offset + size):
                set_byte(get(state, LOCAL_DEFINED), at, DEFINED if ok & lane_bit(lane) else NEVER)


# ---- atomics


@compiled
def atomic(state, warp, row, lanes, base, pc):
    """Lane after lane, as one of the orders the hardware may take. Atomics do not race with each other."""
    size = field(row, o.ROW_SIZE)
    _compute_addresses(state, row, base)
    rest = _prepare(state, warp, row, lanes, base, pc, size, True)
    first = True
    while rest != NO_LANES:
        region, group, rest = _next_group(state, warp, rest, pc, size, True)
        if group == NO_LANES:
            return
        if region >= o.FIRST_LOCAL or word64(get(state, REGION_SHADOW), region) < 0:
            record_place(state, INPUT_WRITTEN, pc, region, np.int64(0), warp * 32 + first_lane(group), size)
            continue
        if get(state, CHECKS):
            meta = pattern(state, field(row, o.ROW_SITE), group, size, region >= o.FIRST_SHARED, False)
            _count_request(state, row, pc, meta, region, group, size, first, False)
        todo = group
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            _atomic_lane(state, warp, row, base, pc, region, lane)
        first = False


@compiled
def _atomic_lane(state, warp, row, base, pc, region, lane):
    size, shift = field(row, o.ROW_SIZE), get(state, GRANULE_SHIFT)
    offset = word64(get(state, ADDRESSES), lane) - word64(get(state, REGION_BASE), region)
    place = word64(get(state, REGION_HOST), region) + offset
    old = peek(place, size, False)
    wide = size == 8
    b = _register_bits(base, field(row, o.ROW_B), lane, size)
    c = _register_bits(base, field(row, o.ROW_C), lane, size)
    new = atomic_result(field(row, o.ROW_AUX), field(row, o.ROW_AUX2), old, b, c, region < o.FIRST_SHARED)
    poke(place, size, new)
    ok = mask32(base + field(row, o.ROW_OK_B), 0) & mask32(base + field(row, o.ROW_OK_C), 0) & lane_bit(lane)
    first = word64(get(state, REGION_SHADOW), region) + (offset >> shift)
    thread = warp * 32 + lane
    defined = ok != NO_LANES
    origin = pc + 1
    for granule in range(first, first + max(size >> shift, 1)):
        known = byte(get(state, SHADOW_DEFINED), granule)
        if known != DEFINED and field(row, o.ROW_AUX) != 3:
            defined = False
            origin = pc + 1 if known == NEVER else word32(get(state, SHADOW_ORIGIN), granule)
        if get(state, CHECKS):
            meet(state, warp, lane, granule, True)
            read_conflict(state, pc, granule, region, offset, thread, True)
            write_conflict(state, pc, granule, region, offset, thread, True, False)
            stamped = stamp(state, field(row, o.ROW_SITE), True)
            if not defined:
                set32(get(state, SHADOW_ORIGIN), granule, origin)
            note_atomic(
                state, granule, stamped | thread, word32(get(state, TILE), warp), DEFINED if defined else UNDEFINED
            )
            note_global_block(state, granule, get(state, GLOBAL_WRITE_BLOCK))
        else:
            set_byte(get(state, SHADOW_DEFINED), granule, DEFINED)
    if not defined and region < o.FIRST_SHARED and get(state, CHECKS):
        record(
            state,
            UNDEFINED_STORE,
            pc,
            origin - 1,
            region,
            offset,
            thread,
            np.int64(-1),
            np.int64(-1),
            np.int64(-1),
            np.int64(-1),
            size,
        )
    if wide:
        poke64(base + field(row, o.ROW_D) + 8 * lane, old)
    else:
        poke32(base + field(row, o.ROW_D) + 4 * lane, np.uint32(old))
    _mark(state, base, field(row, o.ROW_OK_D), lane_bit(lane), lane_bit(lane) if defined else NO_LANES, origin)


@compiled
def _register_bits(base, offset, lane, size):
    if size == 8:
        return peek64(base + offset + 8 * lane)
    bits = np.uint64(peek32(base + offset + 4 * lane))
    return bits & np.uint64(0xFFFF) if size == 2 else bits


@compiled
def _float_sum(kind, old, b, in_global):
    """What atom.add leaves behind for the floating-point kinds; in global memory float32 flushes denormals."""
    if kind == 4:
        total = as_f32(old) + as_f32(b)
        return of_f32(flush(flush(as_f32(old)) + flush(as_f32(b))) if in_global else total)
    if kind == 5:
        return of_f64(as_f64(old) + as_f64(b))
    high_old, high_b = old >> np.uint64(16), b >> np.uint64(16)
    if kind == 6 or kind == 8:
        low, high = of_f16(np.float64(as_f16(old)) + as_f16(b)), of_f16(np.float64(as_f16(high_old)) + as_f16(high_b))
    else:
        low = of_bf16(sum_to_odd(np.float64(as_bf16(old)), np.float64(as_bf16(b))))
        high = of_bf16(sum_to_odd(np.float64(as_bf16(high_old)), np.float64(as_bf16(high_b))))
    return low | np.uint64(high << np.uint64(16))


@compiled
def atomic_result(operation, kind, old, b, c, in_global):
    """The value an atomic leaves behind. Numbers: see ATOMICS and ATOMIC_TYPES in opcodes.py."""
    if operation == 3:
        return b
    if operation == 4:
        return c if old == b else old
    if 4 <= kind <= 9:
        return _float_sum(kind, old, b, in_global)
    if operation == 0:
        return old + b
    if operation == 5:
        return old & b
    if operation == 6:
        return old | b
    if operation == 7:
        return old ^ b
    if operation == 8:
        return np.uint64(0) if old >= b else old + np.uint64(1)
    if operation == 9:
        return b if old == np.uint64(0) or old > b else old - np.uint64(1)
    less = old < b
    if kind == 1:
        less = np.int32(old) < np.int32(b)
    if kind == 3:
        less = np.int64(old) < np.int64(b)
    return old if less == (operation == 1) else b


# ---- cp.async

# A queue row: target host address, source host address, bytes, bytes from the source, group, thread, first granule,
# granules, record.
QUEUE_ROW = 9


@compiled
def async_copy(state, warp, row, lanes, base, pc):
    """Start copies global -> shared. Nothing is moved before the copying thread waits; until then the words are in
    flight."""
    size, site = field(row, o.ROW_SIZE), field(row, o.ROW_SITE)
    addresses = get(state, ADDRESSES)
    _compute_addresses(state, row, base)
    lanes = _prepare(state, warp, row, lanes, base, pc, size, True)
    targets = np.empty(32, np.int64)
    for lane in range(32):
        targets[lane] = word64(addresses, lane)
    sources = np.empty(32, np.int64)
    reading = NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        sources[lane] = np.int64(peek64(base + field(row, o.ROW_B) + 8 * lane)) + field(row, o.ROW_AUX)
        actual = np.int64(peek32(base + field(row, o.ROW_C) + 4 * lane))
        if actual > 0:
            reading |= lane_bit(lane)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        actual = min(np.int64(peek32(base + field(row, o.ROW_C) + 4 * lane)), size)
        source = _async_source(state, warp, lane, pc, sources[lane], actual, size)
        region = locate(state, targets[lane])
        inside = region >= o.FIRST_SHARED and region < o.FIRST_LOCAL
        offset = targets[lane] - word64(get(state, REGION_BASE), region) if region >= 0 else targets[lane]
        if not inside or offset < 0 or offset + size > word64(get(state, REGION_SIZE), region):
            record_place(state, OUT_OF_BOUNDS_WRITE, pc, region, offset, warp * 32 + lane, size)
        elif source != 0 or actual == 0:
            _enqueue(state, warp, lane, pc, site, region, offset, source, size, actual)
    _count_async(state, row, pc, lanes, reading, targets, sources, size)


@compiled
def _async_source(state, warp, lane, pc, address, actual, size):
    """The host address to copy from, or 0 where the source is outside or misaligned (reported) or nothing is read."""
    if actual <= 0:
        return np.int64(0)
    region = locate(state, address)
    offset = address - word64(get(state, REGION_BASE), region) if region >= 0 else address
    if address & (size - 1):
        record_place(state, MISALIGNED_READ, pc, region, offset, warp * 32 + lane, size)
        return np.int64(0)
    if (
        region < 0
        or region >= o.FIRST_SHARED
        or offset < 0
        or offset + actual > word64(get(state, REGION_SIZE), region)
    ):
        record_place(state, OUT_OF_BOUNDS_READ, pc, region, offset, warp * 32 + lane, actual)
        return np.int64(0)
    return word64(get(state, REGION_HOST), region) + offset


@compiled
def _enqueue(state, warp, lane, pc, site, region, offset, source, size, actual):
    count = get(state, ASYNC_COUNT)
    if count == get(state, ASYNC_CAPACITY):
        record_place(state, ASYNC_OVERFLOW, pc, region, offset, warp * 32 + lane, size)
        return
    thread, shift = warp * 32 + lane, get(state, GRANULE_SHIFT)
    first = word64(get(state, REGION_SHADOW), region) + (offset >> shift)
    granules = max(size >> shift, 1)
    stamped = (np.int64(IN_FLIGHT) << TIME_SHIFT) | (site << 10) | thread
    tile = enter_tile(state, warp)
    for granule in range(first, first + granules):
        if get(state, CHECKS):
            write_conflict(state, pc, granule, region, offset, thread, False, False)
            note_write(state, granule, stamped, tile, byte(get(state, SHADOW_DEFINED), granule))
    entry = get(state, ASYNC_QUEUE) + 8 * QUEUE_ROW * count
    host = word64(get(state, REGION_HOST), region) + offset
    group = word32(get(state, ASYNC_GROUP), thread)
    values = (host, source, size, actual, group, thread, first, granules, site)
    for n in range(QUEUE_ROW):
        set64(entry, n, values[n])
    put(state, ASYNC_COUNT, count + 1)


@compiled
def _count_async(state, row, pc, lanes, reading, targets, sources, size):
    """A copy is a request to global memory and a store to shared memory."""
    if not get(state, CHECKS) or lanes == NO_LANES:
        return
    addresses, site = get(state, ADDRESSES), field(row, o.ROW_SITE)
    for lane in range(32):
        set64(addresses, lane, targets[lane])
    meta = pattern(state, site, lanes, size, True, False)
    count_shared(state, pc, meta, lanes, size, True)
    if reading != NO_LANES:
        for lane in range(32):
            set64(addresses, lane, sources[lane])
        meta = pattern(state, site + 1, reading, size, False, True)
        count_global(state, pc, meta, reading, size, True)


@compiled
def forget_copies(state):
    """The copies of a block that ended before they arrived are none of the next block's."""
    if get(state, ASYNC_COUNT) > 0 and get(state, CHECKS):
        for granule in range(get(state, SHARED_GRANULES)):
            if word64(get(state, SHADOW_WRITE), granule) >> TIME_SHIFT == IN_FLIGHT:
                set64(get(state, SHADOW_WRITE), granule, 0)
    put(state, ASYNC_COUNT, 0)


@compiled
def async_commit(state, warp, lanes):
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        groups = get(state, ASYNC_GROUP)
        set32(groups, warp * 32 + lane, word32(groups, warp * 32 + lane) + 1)


@compiled
def async_wait(state, warp, lanes, allowed):
    """Finish the copies of these lanes except their last `allowed` committed groups (-1: all, committed or not)."""
    count, kept = get(state, ASYNC_COUNT), np.int64(0)
    queue = get(state, ASYNC_QUEUE)
    for n in range(count):
        entry = queue + 8 * QUEUE_ROW * n
        thread, group = word64(entry, 5), word64(entry, 4)
        mine = thread >> 5 == warp and lanes & lane_bit(thread & 31) != NO_LANES
        open_group = word32(get(state, ASYNC_GROUP), thread)
        if mine and (allowed < 0 or group < open_group - allowed):
            _finish(state, entry)
        else:
            if kept != n:
                for column in range(QUEUE_ROW):
                    set64(queue + 8 * QUEUE_ROW * kept, column, word64(entry, column))
            kept += 1
    put(state, ASYNC_COUNT, kept)


@compiled
def _finish(state, entry):
    target, source, size, actual = word64(entry, 0), word64(entry, 1), word64(entry, 2), word64(entry, 3)
    for at in range(size):
        set_byte(target, at, peek8(source + at) if at < actual else np.uint8(0))
    first, site, thread = word64(entry, 6), word64(entry, 8), word64(entry, 5)
    stamped = stamp(state, site, False) | thread
    for granule in range(first, first + word64(entry, 7)):
        if get(state, CHECKS) and word64(get(state, SHADOW_WRITE), granule) >> TIME_SHIFT == IN_FLIGHT:
            set64(get(state, SHADOW_WRITE), granule, stamped)
        set_byte(get(state, SHADOW_DEFINED), granule, DEFINED)
