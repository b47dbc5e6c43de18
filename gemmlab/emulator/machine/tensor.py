"""Tensor instructions at run time: products of fragments, the spread of ldmatrix, and what wmma asks of an address.

A product adds up in float32, one rounding a step: acc = c, then acc = fma(A[i][k], B[k][j], acc) for k = 0, 1, ...
Products of two float16, bfloat16 or TF32 numbers are exact in float32's fused multiply-add. A GPU adds in groups and
another order, so the last bits may differ. float16 results are rounded once, at the end. Of a TF32 operand only the
upper 19 bits count.
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
    fma32,
    fma64,
    lane_bit,
    next_lane,
    of_f16,
    of_f32,
    of_f64,
    peek32,
    peek64,
    poke32,
    poke64,
)
from gemmlab.emulator.machine.events import MISALIGNED_READ, MISALIGNED_WRITE, WARP_SYNC_MISSING, record, record_place
from gemmlab.emulator.machine.jit import compiled
from gemmlab.emulator.machine.memory import field, locate, space_window
from gemmlab.emulator.machine.state import (
    ORIGIN_SHIFT,
    REGION_BASE,
    TENSOR_TABLE,
    TILE,
    VECTOR_TABLE,
    get,
    mask32,
    set32,
    word32,
    word64,
)
from gemmlab.emulator.ptx.tensor_layouts import HEADER

F16, BF16, TF32, F32, F64 = range(5)
FULL_WARP = np.uint32(0xFFFFFFFF)
NONE = np.int64(-1)
WMMA_ALIGNMENT = 32
STRIDE_ALIGNMENT = 16


@compiled
def whole_warp(state, warp, lanes, pc):
    """Tensor instructions need all 32 lanes; a block whose size is no multiple of 32 has a warp that lacks some."""
    if lanes != FULL_WARP:
        thread, absent = warp * 32 + first_lane(lanes), warp * 32 + first_lane(~lanes)
        tile = word32(get(state, TILE), warp)
        record(state, WARP_SYNC_MISSING, pc, NONE, NONE, np.int64(0), thread, absent, NONE, tile, NONE, np.int64(0))


@compiled
def check_matrix(state, warp, row, lanes, base, pc):
    """wmma: the matrix starts at a multiple of 32 bytes, and its rows lie a multiple of 16 bytes apart."""
    size = field(row, o.ROW_SIZE)
    if size == 0:
        return
    lane = first_lane(lanes)
    kind = MISALIGNED_WRITE if field(row, o.ROW_AUX) else MISALIGNED_READ
    source = base + field(row, o.ROW_A)
    wide = field(row, o.ROW_FLAGS) & o.ADDRESS_64
    address = np.int64(peek64(source + 8 * lane)) if wide else np.int64(peek32(source + 4 * lane))
    address += field(row, o.ROW_IMM) + space_window(field(row, o.ROW_SPACE))
    step = np.int64(peek32(base + field(row, o.ROW_B) + 4 * lane)) * size
    region = locate(state, address)
    at = address - word64(get(state, REGION_BASE), region) if region >= 0 else address
    if address & (WMMA_ALIGNMENT - 1):
        record_place(state, kind, pc, region, at, warp * 32 + lane, np.int64(WMMA_ALIGNMENT))
    elif step & (STRIDE_ALIGNMENT - 1):
        record_place(state, kind, pc, region, at + step, warp * 32 + lane, np.int64(STRIDE_ALIGNMENT))


@compiled
def _value(kind, bits, element):
    """Element 0 or 1 of a register as a number."""
    half = bits >> np.uint64(16 * element)
    if kind == F16:
        return np.float64(as_f16(half))
    if kind == BF16:
        return np.float64(as_bf16(half))
    if kind == TF32:
        return np.float64(as_f32(bits & np.uint64(0xFFFFE000)))
    return as_f64(bits) if kind == F64 else np.float64(as_f32(bits))


@compiled
def _gather(state, base, entry, registers, kind, places, values, known, columns):
    """The elements of a fragment as a matrix; `known` says which of them somebody wrote. Returns an origin of one that
    nobody did."""
    elements = 2 if kind == F16 or kind == BF16 else 1
    origin = np.int64(0)
    for n in range(registers):
        source, slot, wide = base + word32(entry, 0), base + word32(entry, 1), word32(entry, 2)
        ok = mask32(slot, 0)
        if ok != FULL_WARP and origin == 0:
            origin = word32(slot + get(state, ORIGIN_SHIFT), 0)
        for e in range(elements):
            for lane in range(32):
                bits = peek64(source + 8 * lane) if wide else np.uint64(peek32(source + 4 * lane))
                place = word32(places, (n * elements + e) * 32 + lane)
                at = (place >> 8) * columns + (place & 255)
                values[at] = _value(kind, bits, e)
                known[at] = (ok & lane_bit(lane)) != NO_LANES
        entry += 12
    return origin


@compiled
def multiply(state, row, base):
    """D = A·B + C for the whole warp."""
    table = get(state, TENSOR_TABLE) + 4 * field(row, o.ROW_IMM)
    m, n, k = word32(table, 0), word32(table, 1), word32(table, 2)
    a = np.empty(m * k)
    b = np.empty(k * n)
    c = np.empty(m * n)
    a_known, b_known, c_known = np.empty(m * k, np.bool_), np.empty(k * n, np.bool_), np.empty(m * n, np.bool_)
    entry_d = get(state, VECTOR_TABLE) + 12 * field(row, o.ROW_VECTOR)
    entry_a = entry_d + 12 * word32(table, 14)
    entry_b = entry_a + 12 * word32(table, 11)
    entry_c = entry_b + 12 * word32(table, 12)
    places_a = table + 4 * HEADER
    places_b = places_a + 4 * m * k
    places_c = places_b + 4 * k * n
    places_d = places_c + 4 * m * n
    origin_a = _gather(state, base, entry_a, word32(table, 7), word32(table, 3), places_a, a, a_known, k)
    origin_b = _gather(state, base, entry_b, word32(table, 8), word32(table, 4), places_b, b, b_known, n)
    origin_c = _gather(state, base, entry_c, word32(table, 9), word32(table, 5), places_c, c, c_known, n)
    for i in range(m):
        for j in range(n):
            at = i * n + j
            c[at] = _sum(a, b, c[at], i, j, k, n, word32(table, 3) == F64)
            for step in range(k):
                c_known[at] = c_known[at] and a_known[i * k + step] and b_known[step * n + j]
    origin = origin_a if origin_a != 0 else (origin_b if origin_b != 0 else origin_c)
    _scatter(state, base, entry_d, word32(table, 10), word32(table, 6), places_d, c, c_known, n, origin)


@compiled
def _sum(a, b, start, i, j, k, n, in_f64):
    if in_f64:
        for step in range(k):
            start = fma64(a[i * k + step], b[step * n + j], start)
        return start
    acc = np.float32(start)
    for step in range(k):
        acc = fma32(np.float32(a[i * k + step]), np.float32(b[step * n + j]), acc)
    return np.float64(acc)


@compiled
def _scatter(state, base, entry, registers, kind, places, values, known, columns, origin):
    elements = 2 if kind == F16 else 1
    for n in range(registers):
        target, slot, wide = base + word32(entry, 0), base + word32(entry, 1), word32(entry, 2)
        ok = NO_LANES
        for lane in range(32):
            bits, defined = np.uint64(0), True
            for e in range(elements):
                place = word32(places, (n * elements + e) * 32 + lane)
                at = (place >> 8) * columns + (place & 255)
                defined = defined and known[at]
                if kind == F16:
                    bits |= np.uint64(of_f16(values[at]) << np.uint64(16 * e))
                else:
                    bits = of_f64(values[at]) if kind == F64 else of_f32(values[at])
            if wide:
                poke64(target + 8 * lane, bits)
            else:
                poke32(target + 4 * lane, np.uint32(bits))
            ok |= lane_bit(lane) if defined else NO_LANES
        _define(state, slot, FULL_WARP, ok, origin)
        entry += 12


@compiled
def _define(state, slot, lanes, defined, origin):
    poke32(slot, (mask32(slot, 0) & ~lanes) | (defined & lanes))
    if lanes & ~defined != NO_LANES:
        set32(slot + get(state, ORIGIN_SHIFT), 0, origin)


@compiled
def spread(state, row, lanes, base):
    """ldmatrix: from whole rows in eight lanes each, two elements of each matrix to every lane."""
    count, transposed = field(row, o.ROW_COUNT), field(row, o.ROW_AUX)
    table = get(state, VECTOR_TABLE) + 12 * field(row, o.ROW_VECTOR)
    rows = table + 12 * count
    for j in range(count):
        target, slot = base + word32(table + 12 * j, 0), base + word32(table + 12 * j, 1)
        defined, origin = NO_LANES, np.int64(0)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            bits, known = np.uint32(0), True
            for e in range(2):
                matrix_row = lane % 4 * 2 + e if transposed else lane // 4
                column = lane // 4 if transposed else lane % 4 * 2 + e
                entry = rows + 12 * (column // 2)
                source, giver = base + word32(entry, 0), 8 * j + matrix_row
                half = (peek32(source + 4 * giver) >> np.uint32(16 * (column % 2))) & np.uint32(0xFFFF)
                bits |= np.uint32(half << np.uint32(16 * e))
                if mask32(base + word32(entry, 1), 0) & lane_bit(giver) == NO_LANES:
                    known = False
                    origin = word32(base + word32(entry, 1) + get(state, ORIGIN_SHIFT), 0)
            poke32(target + 4 * lane, bits)
            defined |= lane_bit(lane) if known else NO_LANES
        _define(state, slot, lanes, defined, origin)
