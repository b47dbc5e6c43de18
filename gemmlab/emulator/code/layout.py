"""A kernel's rows, finished: where each register lies in a warp's memory, and what the interpreter asks of a row.

A warp's registers lie in one block of memory: 64-bit registers, 32-bit registers, predicates (a bit a lane), then a
definedness mask and an origin (the instruction that last made an undefined value) for each of them.
"""

from __future__ import annotations

import numpy as np

from gemmlab.emulator.code.builder import Builder
from gemmlab.emulator.code.code import Code
from gemmlab.emulator.code.products import tables
from gemmlab.emulator.code.registers import Register
from gemmlab.emulator.machine import opcodes as o

_BYTES = {"w": 256, "r": 128, "p": 4}  # of a register, all lanes
_SLOT_BYTES = 4
_ALIGNMENT = 256
_OK_COLUMN = {
    o.ROW_D: o.ROW_OK_D,
    o.ROW_A: o.ROW_OK_A,
    o.ROW_B: o.ROW_OK_B,
    o.ROW_C: o.ROW_OK_C,
    o.ROW_GUARD: o.ROW_OK_GUARD,
}
_KIND_BITS = {
    ("w", o.ROW_D): o.WIDE_D,
    ("w", o.ROW_A): o.WIDE_A,
    ("w", o.ROW_B): o.WIDE_B,
    ("w", o.ROW_C): o.WIDE_C,
    ("p", o.ROW_D): o.PRED_D,
    ("p", o.ROW_C): o.PRED_C,
}


def _round_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


class _Layout:
    """Byte offsets of registers and of their definedness masks. Slot 0 is always defined; it stands for operands that
    are not there."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._start, self._first_slot = {}, {}
        at, slots = 0, 1
        for kind, count in counts.items():
            self._start[kind], self._first_slot[kind] = at, slots
            at, slots = at + _BYTES[kind] * count, slots + count
        self.slot_offset, self.slot_bytes = at, _SLOT_BYTES * slots
        self.bytes = _round_up(at + 2 * self.slot_bytes, _ALIGNMENT)

    def place(self, register: Register) -> int:
        kind, index = register
        return self._start[kind] + _BYTES[kind] * index

    def slot(self, register: Register) -> int:
        kind, index = register
        return self.slot_offset + _SLOT_BYTES * (self._first_slot[kind] + index)


def finished(builder: Builder, entry_pc: int) -> Code:
    """The code of a kernel whose instructions have all been translated."""
    layout = _Layout(builder.counts)
    rows = _rows(builder, layout)
    vectors = [(layout.place(r), layout.slot(r), int(r[0] == "w")) for r in builder.vectors] or [(0, 0, 0)]
    tensor_table, starts = tables(builder.products)
    products = rows[:, o.ROW_OP] == o.MMA
    rows[products, o.ROW_IMM] = [starts[number] for number in rows[products, o.ROW_AUX]]
    variables = builder.variables
    return Code(
        rows=rows,
        vectors=np.array(vectors, np.int32),
        locations=builder.locations,
        texts=builder.texts,
        site_count=len(builder.site_pc),
        site_pc=builder.site_pc,
        warp_bytes=layout.bytes,
        slot_offset=layout.slot_offset,
        slot_bytes=layout.slot_bytes,
        constants=[
            (layout.place(register), layout.slot(register), 8 if kind == "w" else 4, value)
            for (kind, value), register in builder.constants.items()
        ],
        special_rows={
            name: (layout.place(register), layout.slot(register))
            for (scope, name), register in builder.registers.items()
            if scope == "%special"
        },
        parameter_rows=_parameters(builder, layout),
        globals=variables.globals,
        shared=variables.shared,
        locals=variables.locals,
        local_bytes=_round_up(max(variables.local_bytes, 1), 16),
        granule=builder.granule,
        messages=builder.messages,
        entry_pc=entry_pc,
        tensor_table=tensor_table,
        pattern_start=_pattern_starts(builder, rows),
        pattern_words=_pattern_starts(builder, rows, with_end=True)[-1],
        **_what_it_uses(rows),
    )


def _rows(builder: Builder, layout: _Layout) -> np.ndarray:
    rows = np.zeros((max(len(builder.rows), 1), o.ROW_LENGTH), np.int32)
    rows[: len(builder.rows)] = builder.rows
    rows[:, list(_OK_COLUMN.values())] = layout.slot_offset
    for pc, column, register in builder.fixups:
        rows[pc, column] = layout.place(register)
        rows[pc, _OK_COLUMN[column]] = layout.slot(register)
        rows[pc, o.ROW_WIDE] |= _KIND_BITS.get((register[0], column), 0)
    rows[np.isin(rows[:, o.ROW_OP], o.PUT_TOGETHER), o.ROW_WIDE] |= o.ANY_WRITTEN
    return rows


def _parameters(builder: Builder, layout: _Layout) -> list[tuple[int, int, int]]:
    """Of each parameter of the kernel; place -1 for those that it never reads."""
    found = []
    for parameter in builder.entry.parameters:
        register = builder.registers.get((builder.entry.name, parameter.name))
        place, slot = (layout.place(register), layout.slot(register)) if register else (-1, -1)
        found.append((place, slot, parameter.size))
    return found


def _pattern_starts(builder: Builder, rows: np.ndarray, with_end: bool = False) -> list[int]:
    """Room for the words of each memory instruction's request: where each one's begins."""
    starts, total = [], 0
    for pc in builder.site_pc:
        starts.append(total)
        size = int(rows[pc, o.ROW_SIZE]) * max(int(rows[pc, o.ROW_COUNT]), 1)
        total += 32 * max(size // builder.granule, 1)
    return [*starts, total] if with_end else starts


def _what_it_uses(rows: np.ndarray) -> dict[str, bool]:
    operations = rows[:, o.ROW_OP]
    atomic = rows[operations == o.ATOMIC]
    return {
        "uses_async": bool(np.isin(operations, (o.ASYNC_COPY, o.BULK_COPY)).any()),
        "uses_objects": bool((operations == o.OBJECT).any()),
        "orders_blocks": bool((atomic[:, o.ROW_SPACE] != o.SHARED).any()),
        "has_fences": bool(((operations == o.FENCE) & (rows[:, o.ROW_AUX] & o.ACQUIRES_ONLY == 0)).any()),
        "has_partial_barriers": bool(((operations == o.BARRIER) & (rows[:, o.ROW_AUX2] != 0)).any()),
    }
