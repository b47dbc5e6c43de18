"""Barriers of a block, barriers of a warp, and the instructions in which lanes of a warp exchange values."""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.bits import NO_LANES, first_lane, lane_bit, lane_count, next_lane, peek32, peek64, poke32
from gemmlab.emulator.machine.events import (
    BARRIER_DEADLOCK,
    BARRIER_EXITED,
    BARRIER_OTHER_IN_BLOCK,
    BARRIER_OTHER_IN_WARP,
    WARP_SYNC_MISSING,
    record,
)
from gemmlab.emulator.machine.fragments import (
    AT_BARRIER,
    AT_WARP_SYNC,
    LANES,
    RUNNABLE,
    STATUS,
    WAITS_AT,
    fragment,
    fragment_count,
)
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.memory import field
from gemmlab.emulator.machine.shadow import pass_barrier, pass_named_barrier, pass_warp_sync
from gemmlab.emulator.machine.state import (
    BARRIER_ARRIVED,
    BARRIER_MEMBERS,
    CODE,
    EXIT_PC,
    EXITED,
    ORIGIN_SHIFT,
    PRESENT,
    TILE,
    VECTOR_TABLE,
    WARP_BASE,
    WARP_BYTES,
    WARPS,
    get,
    mask32,
    set32,
    set64,
    word32,
    word64,
)
from gemmlab.emulator.machine.tensor import check_matrix, multiply, whole_warp

NONE = np.int64(-1)


@compiled
def row_of(state, pc):
    return get(state, CODE) + 4 * o.ROW_LENGTH * pc


@compiled
def warp_base(state, warp):
    return get(state, WARP_BASE) + get(state, WARP_BYTES) * warp


@compiled_as("void(int64, int64, int64, int64, int64, int64, int64)")
def _tell(state, kind, pc, other_pc, thread, other_thread, warp):
    tile = word32(get(state, TILE), warp)
    record(state, kind, pc, other_pc, NONE, np.int64(0), thread, other_thread, NONE, tile, NONE, np.int64(0))


@compiled
def _waiting(state, warp):
    """The first fragment of the warp that waits at a block barrier, or -1."""
    for index in range(fragment_count(state, warp)):
        if word32(fragment(state, warp, index), STATUS) == AT_BARRIER:
            return np.int64(index)
    return NONE


@compiled
def settle_warp(state, warp):
    """No lane of the warp can run: say what is wrong with how they stand. True if lanes were set going again."""
    first = NONE
    for index in range(fragment_count(state, warp)):
        row = fragment(state, warp, index)
        if word32(row, STATUS) == AT_WARP_SYNC:
            if not some_group_came(state, warp, row):
                thread = warp * 32 + first_lane(mask32(row, LANES))
                _tell(state, WARP_SYNC_MISSING, word32(row, WAITS_AT), NONE, thread, _absent(state, warp, row), warp)
            set32(row, STATUS, RUNNABLE)
            set32(row, WAITS_AT, -1)
            return True
        if word32(row, STATUS) == AT_BARRIER:
            if first < 0:
                first = index
            else:
                _tell_other_barrier(state, warp, fragment(state, warp, first), row)
    return False


@compiled
def _absent(state, warp, row):
    """A thread of the warp that is not in the fragment: one of those that were expected."""
    others = mask32(get(state, PRESENT), warp) & ~mask32(row, LANES)
    return warp * 32 + first_lane(others) if others != NO_LANES else NONE


@compiled
def _tell_other_barrier(state, warp, a, b):
    if word32(a, WAITS_AT) != word32(b, WAITS_AT):
        lane_a, lane_b = first_lane(mask32(a, LANES)), first_lane(mask32(b, LANES))
        _tell(
            state,
            BARRIER_OTHER_IN_WARP,
            word32(a, WAITS_AT),
            word32(b, WAITS_AT),
            warp * 32 + lane_a,
            warp * 32 + lane_b,
            warp,
        )


@compiled
def _barrier_arguments(state, warp, index):
    """(number, thread count or 0, form) of the barrier a fragment waits at."""
    row = row_of(state, word32(fragment(state, warp, index), WAITS_AT))
    base = warp_base(state, warp)
    lane = first_lane(mask32(fragment(state, warp, index), LANES))
    number = np.int64(peek32(base + field(row, o.ROW_A) + 4 * lane)) & 15
    count = np.int64(peek32(base + field(row, o.ROW_B) + 4 * lane))
    return number, count, field(row, o.ROW_AUX)


@compiled
def resolve_barriers(state):
    """Let the warps go whose barrier is complete. False if warps wait and none can ever go."""
    warps = get(state, WARPS)
    any_waits, released = False, False
    for number in range(16):
        waiting, members, expected = np.int64(0), np.int64(0), np.int64(0)
        everyone = True
        for warp in range(warps):
            index = _waiting(state, warp)
            if index < 0:
                everyone = everyone and fragment_count(state, warp) == 0
                continue
            any_waits = True
            mine, count, _form = _barrier_arguments(state, warp, index)
            if mine == number:
                waiting += 1
                members |= np.int64(1) << warp
                expected = max(expected, count)
            else:
                everyone = False
        if waiting == 0:
            continue
        arrived = word64(get(state, BARRIER_ARRIVED), number)
        needed = (expected + 31) >> 5
        if (expected == 0 and everyone) or (expected > 0 and waiting + arrived >= needed):
            arrived_members = word64(get(state, BARRIER_MEMBERS), number)
            _release(state, members, arrived_members, expected == 0 or needed >= warps)
            members |= arrived_members
            if expected == 0 or needed >= warps:
                pass_barrier(state)
            else:
                pass_named_barrier(state, members)
            set64(get(state, BARRIER_ARRIVED), number, 0)
            set64(get(state, BARRIER_MEMBERS), number, 0)
            released = True
    return released or not any_waits


@compiled
def _release(state, members, arrived, whole_block):
    """Set the members going; report threads that have left or wait elsewhere when the whole block should be here.

    Warps of `arrived` came before, by bar.arrive, and are free to leave.
    """
    warps = get(state, WARPS)
    first_pc, first_thread = NONE, NONE
    for warp in range(warps):
        index = _waiting(state, warp)
        if (members >> warp) & 1 and index >= 0 and first_pc < 0:
            first_pc = word32(fragment(state, warp, index), WAITS_AT)
            first_thread = warp * 32 + first_lane(mask32(fragment(state, warp, index), LANES))
    _reduce_votes(state, members)
    for warp in range(warps):
        gone = mask32(get(state, EXITED), warp)
        if whole_block and gone != NO_LANES and not (arrived >> warp) & 1:
            thread = warp * 32 + first_lane(gone)
            exit_pc = word32(get(state, EXIT_PC), thread)
            _tell(state, BARRIER_EXITED, first_pc, exit_pc, first_thread, thread, warp)
        if not (members >> warp) & 1:
            continue
        for index in range(fragment_count(state, warp)):
            row = fragment(state, warp, index)
            if word32(row, STATUS) == AT_BARRIER:
                at = word32(row, WAITS_AT)
                if at != first_pc and whole_block:
                    thread = warp * 32 + first_lane(mask32(row, LANES))
                    _tell(state, BARRIER_OTHER_IN_BLOCK, first_pc, at, first_thread, thread, warp)
                set32(row, STATUS, RUNNABLE)
                set32(row, WAITS_AT, -1)


@compiled
def _reduce_votes(state, members):
    """bar.red: count the predicates of all threads and hand out the result (popc, and, or)."""
    votes, threads, form = np.int64(0), np.int64(0), np.int64(0)
    for phase in range(2):
        for warp in range(get(state, WARPS)):
            if not (members >> warp) & 1:
                continue
            base = warp_base(state, warp)
            for index in range(fragment_count(state, warp)):
                fragment_row = fragment(state, warp, index)
                if word32(fragment_row, STATUS) != AT_BARRIER:
                    continue
                row = row_of(state, word32(fragment_row, WAITS_AT))
                lanes = mask32(fragment_row, LANES)
                form = field(row, o.ROW_AUX)
                if form < 2:
                    continue
                if phase == 0:
                    votes += lane_count(lanes & mask32(base + field(row, o.ROW_C), 0))
                    threads += lane_count(lanes)
                else:
                    _give_vote(base, row, lanes, form, votes, threads)


@compiled
def _give_vote(base, row, lanes, form, votes, threads):
    ok = mask32(base + field(row, o.ROW_OK_D), 0)
    poke32(base + field(row, o.ROW_OK_D), ok | lanes)
    if form == 2:
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            set32(base + field(row, o.ROW_D), lane, votes)
    else:
        true = votes == threads if form == 3 else votes > 0
        old = mask32(base + field(row, o.ROW_D), 0)
        poke32(base + field(row, o.ROW_D), (old | lanes) if true else (old & ~lanes))


@compiled
def report_deadlock(state):
    """Warps wait at barriers that cannot complete: name two that wait for each other."""
    first_pc, first_thread = NONE, NONE
    for warp in range(get(state, WARPS)):
        index = _waiting(state, warp)
        if index < 0:
            continue
        at = word32(fragment(state, warp, index), WAITS_AT)
        thread = warp * 32 + first_lane(mask32(fragment(state, warp, index), LANES))
        if first_pc < 0:
            first_pc, first_thread = at, thread
        elif at != first_pc:
            _tell(state, BARRIER_DEADLOCK, first_pc, at, first_thread, thread, warp)
            return
    if first_pc >= 0:
        _tell(state, BARRIER_DEADLOCK, first_pc, NONE, first_thread, NONE, np.int64(0))


@compiled
def arrive(state, warp, row, lanes, base):
    """bar.arrive: counts for the barrier without waiting."""
    number = np.int64(peek32(base + field(row, o.ROW_A) + 4 * first_lane(lanes))) & 15
    set64(get(state, BARRIER_ARRIVED), number, word64(get(state, BARRIER_ARRIVED), number) + 1)
    members = word64(get(state, BARRIER_MEMBERS), number)
    set64(get(state, BARRIER_MEMBERS), number, members | (np.int64(1) << warp))


# ---- exchange between the lanes of a warp


@compiled
def named_group(state, row, lanes, base):
    """The membermask that the first lane gives to a warp-wide instruction, and all lanes that give the same."""
    op = field(row, o.ROW_OP)
    offset = field(row, o.ROW_B)
    if op == o.TENSOR_SYNC or op == o.MMA:
        return np.uint32(0xFFFFFFFF), lanes
    if op == o.WARP_SYNC:
        offset = field(row, o.ROW_A)
    elif op == o.SHUFFLE:
        offset = word32(get(state, VECTOR_TABLE) + 12 * (field(row, o.ROW_VECTOR) + 1), 0)
    named, group = peek32(base + offset + 4 * first_lane(lanes)), NO_LANES
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        if peek32(base + offset + 4 * lane) == named:
            group |= lane_bit(lane)
    return named, group


@compiled
def some_group_came(state, warp, waiting):
    """Whether, among the lanes of a fragment that waits at a warp-wide instruction, all that a mask names are there.
    Lanes that have ended are not waited for."""
    row, base = row_of(state, word32(waiting, WAITS_AT)), warp_base(state, warp)
    alive = mask32(get(state, PRESENT), warp) & ~mask32(get(state, EXITED), warp)
    todo = mask32(waiting, LANES)
    while todo != NO_LANES:
        named, group = named_group(state, row, todo, base)
        todo &= ~group
        if named & alive & ~group == NO_LANES:
            return True
    return False


@compiled
def exchange(state, warp, row, lanes, base, pc):
    """Do a warp-wide instruction for the lanes that came. Those on matrices do not order memory."""
    op = field(row, o.ROW_OP)
    if op == o.TENSOR_SYNC or op == o.MMA:
        whole_warp(state, warp, lanes, pc)
        if op == o.MMA:
            multiply(state, row, base)
        else:
            check_matrix(state, warp, row, lanes, base, pc)
        return
    pass_warp_sync(state, warp, lanes)
    if op == o.SHUFFLE:
        _shuffle(state, row, lanes, base)
    elif op == o.VOTE:
        _vote(state, row, lanes, base)
    elif op == o.REDUCE:
        _reduce(state, row, lanes, base)
    elif op == o.MATCH:
        _match(state, row, lanes, base)
    elif op == o.ELECT:
        _elect(state, row, lanes, base)


@compiled
def _define(state, base, slot, lanes, defined, origin):
    ok = mask32(base + slot, 0)
    poke32(base + slot, (ok & ~lanes) | (defined & lanes))
    if lanes & ~defined != NO_LANES:
        set32(base + slot + get(state, ORIGIN_SHIFT), 0, origin)


@compiled
def _shuffle(state, row, lanes, base):
    """shfl.sync: the source lane by mode, clamp and segment mask (operand c), as the ISA defines it."""
    mode = field(row, o.ROW_AUX)
    table = get(state, VECTOR_TABLE) + 12 * field(row, o.ROW_VECTOR)
    clamp_at, valid_at, valid_slot = base + word32(table, 0), base + word32(table + 24, 0), word32(table + 24, 1)
    result = np.zeros(32, np.uint32)
    valid, defined = NO_LANES, NO_LANES
    source_ok = mask32(base + field(row, o.ROW_OK_A), 0)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        amount = np.int64(peek32(base + field(row, o.ROW_B) + 4 * lane)) & 31
        packed = np.int64(peek32(clamp_at + 4 * lane))
        clamp, segment = packed & 31, (packed >> 8) & 31
        low, high = lane & segment, (lane & segment) | (clamp & ~segment)
        source, inside = lane, False
        if mode == 0:
            source = lane - amount
            inside = source >= high
        elif mode == 1:
            source = lane + amount
            inside = source <= high
        elif mode == 2:
            source = lane ^ amount
            inside = source <= high
        else:
            source = low | (amount & ~segment)
            inside = source <= high
        if not inside:
            source = np.int64(lane)
        result[lane] = peek32(base + field(row, o.ROW_A) + 4 * source)
        valid |= lane_bit(lane) if inside else NO_LANES
        if lanes & lane_bit(source) != NO_LANES and source_ok & lane_bit(source) != NO_LANES:
            defined |= lane_bit(lane)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        poke32(base + field(row, o.ROW_D) + 4 * lane, result[lane])
    poke32(valid_at, (peek32(valid_at) & ~lanes) | valid)
    origin = word32(base + field(row, o.ROW_OK_A) + get(state, ORIGIN_SHIFT), 0)
    if lanes & ~source_ok == NO_LANES:
        origin = (row - get(state, CODE)) // (4 * o.ROW_LENGTH) + 1
    _define(state, base, field(row, o.ROW_OK_D), lanes, defined, origin)
    _define(state, base, valid_slot, lanes, lanes, np.int64(0))


@compiled
def _vote(state, row, lanes, base):
    mode = field(row, o.ROW_AUX)
    votes = mask32(base + field(row, o.ROW_A), 0) & lanes
    defined = lanes if lanes & ~mask32(base + field(row, o.ROW_OK_A), 0) == NO_LANES else NO_LANES
    if mode == 3:
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            poke32(base + field(row, o.ROW_D) + 4 * lane, votes)
    else:
        true = (
            votes == lanes if mode == 0 else (votes != NO_LANES if mode == 1 else votes == lanes or votes == NO_LANES)
        )
        old = mask32(base + field(row, o.ROW_D), 0)
        poke32(base + field(row, o.ROW_D), (old | lanes) if true else (old & ~lanes))
    origin = word32(base + field(row, o.ROW_OK_A) + get(state, ORIGIN_SHIFT), 0)
    _define(state, base, field(row, o.ROW_OK_D), lanes, defined, origin)


@compiled
def _reduce(state, row, lanes, base):
    """redux.sync over 32-bit integers."""
    operation, signed = field(row, o.ROW_AUX), field(row, o.ROW_SIGNED)
    started, total = False, np.int64(0)
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        bits = peek32(base + field(row, o.ROW_A) + 4 * lane)
        value = np.int64(np.int32(bits)) if signed else np.int64(bits)
        if not started:
            total = value
        elif operation == 0:
            total += value
        elif operation == 1:
            total = min(total, value)
        elif operation == 2:
            total = max(total, value)
        elif operation == 3:
            total &= value
        elif operation == 4:
            total |= value
        else:
            total ^= value
        started = True
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        poke32(base + field(row, o.ROW_D) + 4 * lane, np.uint32(total))
    defined = lanes if lanes & ~mask32(base + field(row, o.ROW_OK_A), 0) == NO_LANES else NO_LANES
    _define(
        state,
        base,
        field(row, o.ROW_OK_D),
        lanes,
        defined,
        word32(base + field(row, o.ROW_OK_A) + get(state, ORIGIN_SHIFT), 0),
    )


@compiled
def _match(state, row, lanes, base):
    wide = field(row, o.ROW_WIDE) & o.WIDE_A
    all_same = True
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        same = NO_LANES
        mine = _lane(base, row, lane, wide)
        for other in range(32):
            if lanes & lane_bit(other) and _lane(base, row, other, wide) == mine:
                same |= lane_bit(other)
        all_same = all_same and same == lanes
        poke32(base + field(row, o.ROW_D) + 4 * lane, same)
    table = get(state, VECTOR_TABLE) + 12 * field(row, o.ROW_VECTOR)
    if field(row, o.ROW_AUX):
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            poke32(base + field(row, o.ROW_D) + 4 * lane, lanes if all_same else NO_LANES)
        old = mask32(base + word32(table, 0), 0)
        poke32(base + word32(table, 0), (old | lanes) if all_same else (old & ~lanes))
        _define(state, base, word32(table, 1), lanes, lanes, np.int64(0))
    _define(state, base, field(row, o.ROW_OK_D), lanes, lanes, np.int64(0))


@compiled
def _lane(base, row, lane, wide):
    offset = base + field(row, o.ROW_A)
    return peek64(offset + 8 * lane) if wide else np.uint64(peek32(offset + 4 * lane))


@compiled
def _elect(state, row, lanes, base):
    leader = first_lane(lanes)
    table = get(state, VECTOR_TABLE) + 12 * field(row, o.ROW_VECTOR)
    old = mask32(base + word32(table, 0), 0)
    poke32(base + word32(table, 0), (old & ~lanes) | lane_bit(leader))
    todo = lanes
    while todo != NO_LANES:
        lane, todo = next_lane(todo)
        set32(base + field(row, o.ROW_D), lane, leader)
    _define(state, base, field(row, o.ROW_OK_D), lanes, lanes, np.int64(0))
    _define(state, base, word32(table, 1), lanes, lanes, np.int64(0))
