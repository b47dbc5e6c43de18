"""Tensor instructions at run time: products of fragments, the spread of ldmatrix, and what wmma asks of an address.

float16, bfloat16 and TF32 with a float32 result are added up as an H200 does it, to the last bit, for every shape and
kind that was tried (tests/support/tensor_measured.json): all products of one instruction and c together. Each is cut
to a multiple of 2^-25 of the largest of their powers of two (of a product: that of its factors' powers), the sum is
exact, and is cut to a float32. Cut is towards zero: nothing is rounded. Of a TF32 operand only the upper 19 bits count.
float16 results add up in float32, one rounding a step, and are rounded at the end; a GPU's last bits may differ. Sums
of integers are exact in float64, and are cut to 32 bits at the end.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
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
    poke32,
)
from gemmlab.emulator.machine.events import begin, keep, record_place
from gemmlab.emulator.machine.jit import compiled, compiled_as
from gemmlab.emulator.machine.memory.addresses import lane_address, locate, offset_in
from gemmlab.emulator.machine.registers import define, field, lane_bits, origin_of, set_lane, vector_entry
from gemmlab.emulator.machine.stack import flags, floats
from gemmlab.emulator.machine.state import get, mask32, set64, word32

FULL_WARP = np.uint32(o.FULL)
_NONE, _KEPT_BITS = -100_000, 25
WMMA_ALIGNMENT = 32
STRIDE_ALIGNMENT = 16


@compiled_as("void(int64, int64, uint32, int64)")
def whole_warp(state, warp, lanes, pc):
    """Tensor instructions need all 32 lanes; a block whose size is no multiple of 32 has a warp that lacks some."""
    if lanes != FULL_WARP:
        event = begin(state, e.WARP_SYNC_MISSING, pc, warp * 32 + first_lane(lanes))
        set64(event, e.OTHER_THREAD, warp * 32 + first_lane(~lanes))
        set64(event, e.TILE, word32(get(state, s.TILE), warp))
        keep(state, event)


@compiled_as("void(int64, int64, int64, uint32, int64, int64)")
def check_matrix(state, warp, row, lanes, base, pc):
    """wmma: the matrix starts at a multiple of 32 bytes, and its rows lie a multiple of 16 bytes apart."""
    size = field(row, o.ROW_SIZE)
    if size == 0:
        return
    lane = first_lane(lanes)
    kind = e.MISALIGNED_WRITE if field(row, o.ROW_AUX) else e.MISALIGNED_READ
    address = lane_address(row, base, lane)
    step = np.int64(peek32(base + field(row, o.ROW_B) + 4 * lane)) * size
    region = locate(state, address)
    at = offset_in(state, region, address)
    if address & (WMMA_ALIGNMENT - 1):
        record_place(state, kind, pc, region, at, warp * 32 + lane, np.int64(WMMA_ALIGNMENT))
    elif step & (STRIDE_ALIGNMENT - 1):
        record_place(state, kind, pc, region, at + step, warp * 32 + lane, np.int64(STRIDE_ALIGNMENT))


# ---- products


@compiled_as("int64(int64)")
def _elements(kind):
    """Of one register."""
    if kind == o.F16 or kind == o.BF16:
        return 2
    if kind == o.S8 or kind == o.U8:
        return 4
    if kind == o.S4 or kind == o.U4:
        return 8
    return 32 if kind == o.B1 else 1


@compiled_as("float64(int64, uint64, int64)")
def _integer(kind, bits, element):
    if kind == o.S32:
        return np.float64(np.int32(np.uint32(bits)))
    if kind == o.B1:
        return np.float64((bits >> np.uint64(element)) & np.uint64(1))
    width = 8 if kind == o.S8 or kind == o.U8 else 4
    value = np.int64((bits >> np.uint64(width * element)) & np.uint64((1 << width) - 1))
    if (kind == o.S8 or kind == o.S4) and value >> (width - 1):
        value -= 1 << width
    return np.float64(value)


@compiled_as("float64(int64, uint64, int64)")
def _value(kind, bits, element):
    """An element of a register as a number."""
    if kind >= o.S32:
        return _integer(kind, bits, element)
    half = bits >> np.uint64(16 * element)
    if kind == o.F16:
        return np.float64(as_f16(half))
    if kind == o.BF16:
        return np.float64(as_bf16(half))
    if kind == o.TF32:
        return np.float64(as_f32(bits & np.uint64(0xFFFFE000)))
    return as_f64(bits) if kind == o.F64 else np.float64(as_f32(bits))


_FRAGMENT = "int64(int64, int64, int64, int64, int64, int64, float64[:], boolean[:], int64)"


@compiled_as(_FRAGMENT)
def _gather(state, base, entry, registers, kind, places, values, known, columns):
    """The elements of a fragment as a matrix; `known` says which of them somebody wrote. Returns an origin of one that
    nobody did."""
    elements, origin = _elements(kind), np.int64(0)
    for n in range(registers):
        source, wide = base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE)
        slot = base + word32(entry, o.ENTRY_SLOT)
        ok = mask32(slot, 0)
        if ok != FULL_WARP and origin == 0:
            origin = origin_of(state, slot)
        for element in range(elements):
            for lane in range(32):
                place = word32(places, (n * elements + element) * 32 + lane)
                at = (place >> o.PLACE_SHIFT) * columns + (place & o.PLACE_MASK)
                values[at] = _value(kind, lane_bits(source, wide, lane), element)
                known[at] = (ok & lane_bit(lane)) != NO_LANES
        entry += o.ENTRY_BYTES
    return origin


@compiled_as("void(int64, int64, int64)")
def multiply(state, row, base):
    """D = A·B + C for the whole warp."""
    table = get(state, s.TENSOR_TABLE) + 4 * field(row, o.ROW_IMM)
    m, n, k = word32(table, o.TILE_M), word32(table, o.TILE_N), word32(table, o.TILE_K)
    a, b, c = floats(m * k), floats(k * n), floats(m * n)
    a_known, b_known, c_known = flags(m * k), flags(k * n), flags(m * n)
    entry_d = vector_entry(state, row, 0)
    entry_a = entry_d + o.ENTRY_BYTES * word32(table, o.NAMED_D)
    entry_b = entry_a + o.ENTRY_BYTES * word32(table, o.NAMED_A)
    entry_c = entry_b + o.ENTRY_BYTES * word32(table, o.NAMED_B)
    places_a = table + 4 * o.PRODUCT_HEADER
    places_b = places_a + 4 * m * k
    places_c = places_b + 4 * k * n
    places_d = places_c + 4 * m * n
    kind = word32(table, o.KIND_A)
    origin_a = _gather(state, base, entry_a, word32(table, o.REGISTERS_A), kind, places_a, a, a_known, k)
    kind_b, kind_c = word32(table, o.KIND_B), word32(table, o.KIND_C)
    origin_b = _gather(state, base, entry_b, word32(table, o.REGISTERS_B), kind_b, places_b, b, b_known, n)
    origin_c = _gather(state, base, entry_c, word32(table, o.REGISTERS_C), kind_c, places_c, c, c_known, n)
    form, kind_d = word32(table, o.PRODUCT_FORM), word32(table, o.KIND_D)
    is_cut = kind_d == o.F32 and (kind == o.F16 or kind == o.BF16 or kind == o.TF32)
    for i in range(m):
        for j in range(n):
            at = i * n + j
            if is_cut:
                c[at] = _cut_sum(a, b, c[at], i, j, k, n)
            else:
                c[at] = _sum(a, b, c[at], i, j, k, n, kind, form)
            for step in range(k):
                c_known[at] = c_known[at] and a_known[i * k + step] and b_known[step * n + j]
    origin = origin_a if origin_a != 0 else (origin_b if origin_b != 0 else origin_c)
    _scatter(state, base, entry_d, word32(table, o.REGISTERS_D), kind_d, places_d, c, c_known, n, origin)


@compiled_as("int64(float64)")
def _power(value):
    """The exponent of its highest bit: of a number that a float32 has, none is too small for a float64's own."""
    return (np.int64(of_f64(value) >> np.uint64(52)) & 0x7FF) - 1023


@compiled_as("float64(float64)")
def _cut(value):
    """To a float32, towards zero."""
    nearest = np.float32(value)
    if np.isinf(nearest) or abs(np.float64(nearest)) <= abs(value):
        return np.float64(nearest)
    return np.float64(as_f32(np.uint64(of_f32(value)) - np.uint64(1)))


@compiled_as("float64(float64[:], float64[:], float64, int64, int64, int64, int64)")
def _cut_sum(a, b, start, i, j, k, n):
    """c and all products of one element together, as the tensor cores of an H200 add them."""
    largest = np.int64(_NONE) if start == 0.0 else _power(start)
    plain = start
    for step in range(k):
        x, y = a[i * k + step], b[step * n + j]
        plain += x * y
        if x != 0.0 and y != 0.0:
            largest = max(largest, _power(x) + _power(y))
    if not np.isfinite(plain) or largest == _NONE:
        return np.float64(np.float32(plain))
    unit = as_f64(np.uint64(largest - _KEPT_BITS + 1023) << np.uint64(52))
    total = np.int64(start / unit)
    for step in range(k):
        total += np.int64(a[i * k + step] * b[step * n + j] / unit)
    return _cut(np.float64(total) * unit)


@compiled_as("float64(float64[:], float64[:], float64, int64, int64, int64, int64, int64, int64)")
def _sum(a, b, start, i, j, k, n, kind, form):
    if kind == o.B1:
        for step in range(k):
            x, y = a[i * k + step], b[step * n + j]
            start += x * y if form == o.PRODUCT_AND else abs(x - y)
        return start
    if kind == o.F64 or kind >= o.S32:
        for step in range(k):
            start = fma64(a[i * k + step], b[step * n + j], start)
        if form == o.PRODUCT_SATFINITE:
            return min(max(start, -2147483648.0), 2147483647.0)
        return start
    acc = np.float32(start)
    for step in range(k):
        acc = fma32(np.float32(a[i * k + step]), np.float32(b[step * n + j]), acc)
    return np.float64(acc)


@compiled_as("uint64(int64, float64)")
def _bits_of(kind, value):
    if kind == o.F16:
        return np.uint64(of_f16(value))
    if kind == o.F64:
        return of_f64(value)
    return np.uint64(np.int64(value)) if kind == o.S32 else of_f32(value)


@compiled_as("void(int64, int64, int64, int64, int64, int64, float64[:], boolean[:], int64, int64)")
def _scatter(state, base, entry, registers, kind, places, values, known, columns, origin):
    elements = _elements(kind)
    for n in range(registers):
        ok = NO_LANES
        for lane in range(32):
            bits, defined = np.uint64(0), True
            for element in range(elements):
                place = word32(places, (n * elements + element) * 32 + lane)
                at = (place >> o.PLACE_SHIFT) * columns + (place & o.PLACE_MASK)
                defined = defined and known[at]
                bits |= _bits_of(kind, values[at]) << np.uint64(16 * element)
            set_lane(base + word32(entry, o.ENTRY_PLACE), word32(entry, o.ENTRY_WIDE), lane, bits)
            ok |= lane_bit(lane) if defined else NO_LANES
        define(state, base + word32(entry, o.ENTRY_SLOT), FULL_WARP, ok, origin)
        entry += o.ENTRY_BYTES


# ---- ldmatrix and stmatrix


@compiled_as("void(int64, int64, uint32, int64)")
def spread(state, row, lanes, base):
    """ldmatrix: from whole rows in eight lanes each, two elements of each matrix to every lane."""
    count = field(row, o.ROW_COUNT)
    for number in range(count):
        target = vector_entry(state, row, number)
        defined, origin = NO_LANES, np.int64(0)
        todo = lanes
        while todo != NO_LANES:
            lane, todo = next_lane(todo)
            bits, missing = _spread_lane(state, row, base, number, lane)
            poke32(base + word32(target, o.ENTRY_PLACE) + 4 * lane, bits)
            defined |= lane_bit(lane) if missing == 0 else NO_LANES
            origin = missing if missing != 0 else origin
        define(state, base + word32(target, o.ENTRY_SLOT), lanes, defined, origin)


@compiled
def _spread_lane(state, row, base, number, lane):
    """The two elements of matrix `number` for a lane, and where one that nobody wrote comes from (0: both are known).
    The rows, four registers each, follow the targets in the vector."""
    transposed = field(row, o.ROW_AUX)
    bits, missing = np.uint32(0), np.int64(0)
    for element in range(2):
        matrix_row = lane % 4 * 2 + element if transposed else lane // 4
        column = lane // 4 if transposed else lane % 4 * 2 + element
        entry = vector_entry(state, row, field(row, o.ROW_COUNT) + column // 2)
        giver = 8 * number + matrix_row
        pair = peek32(base + word32(entry, o.ENTRY_PLACE) + 4 * giver)
        half = (pair >> np.uint32(16 * (column % 2))) & np.uint32(0xFFFF)
        bits |= np.uint32(half << np.uint32(16 * element))
        slot = base + word32(entry, o.ENTRY_SLOT)
        if mask32(slot, 0) & lane_bit(giver) == NO_LANES:
            missing = max(origin_of(state, slot), np.int64(1))
    return bits, missing


@compiled_as("void(int64, int64, int64)")
def collect(state, row, base):
    """stmatrix: from two elements of each matrix in every lane, whole rows in eight lanes each, four registers a row.
    The registers of the matrices follow those of the rows in the vector."""
    for number in range(field(row, o.ROW_COUNT)):
        source = vector_entry(state, row, 4 + number)
        place, slot = base + word32(source, o.ENTRY_PLACE), base + word32(source, o.ENTRY_SLOT)
        for part in range(4):
            target = vector_entry(state, row, part)
            for matrix_row in range(8):
                bits, known = np.uint32(0), True
                for element in range(2):
                    column = 2 * part + element
                    giver, half = matrix_row * 4 + part, element
                    if field(row, o.ROW_AUX):
                        giver, half = column * 4 + matrix_row // 2, matrix_row % 2
                    value = (peek32(place + 4 * giver) >> np.uint32(16 * half)) & np.uint32(0xFFFF)
                    bits |= np.uint32(value << np.uint32(16 * element))
                    known = known and mask32(slot, 0) & lane_bit(giver) != NO_LANES
                lane = 8 * number + matrix_row
                poke32(base + word32(target, o.ENTRY_PLACE) + 4 * lane, bits)
                ok = lane_bit(lane) if known else NO_LANES
                define(state, base + word32(target, o.ENTRY_SLOT), lane_bit(lane), ok, origin_of(state, slot))
