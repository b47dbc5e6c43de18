"""mma, wmma and ldmatrix -> rows of code.

Loads and stores of fragments become ordinary ones, a register a row, so that bounds, races and counters see every
lane's access: wmma's as far as its layout says, ldmatrix as one request of 16 bytes a lane. Products are one row each,
done in tensor.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gemmlab.emulator.code.translate_base import Register, Unsupported, kind_of_type, vector_parts
from gemmlab.emulator.code.translate_memory import Memory
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx import tensor_layouts as layouts
from gemmlab.emulator.ptx.tensor_layouts import Fragment

_SHAPE = re.compile(r"m(\d{1,3})n(\d{1,3})k(\d{1,3})")
_STORED = {"f16": "b16", "bf16": "b16", "tf32": "b32", "f32": "b32", "f64": "b64"}
_PAIR = {"b16": "b32"}
_SPACE_WORDS = ("global", "shared", "shared::cta")


class Tensor(Memory):
    def mma(self) -> None:
        """mma.sync.aligned.SHAPE.row.col.D.A.B.C d, a, b, c;"""
        sync, aligned, shape, row, column, *kinds = self.words[1:]
        if (sync, aligned, row, column) != ("sync", "aligned", "row", "col") or len(kinds) != 4 or kinds[1] != kinds[2]:
            raise Unsupported("")
        self._multiply(kinds[1], kinds[3], kinds[0], self._shape(shape, layouts.MMA_SHAPES.get(kinds[1], ())), False)

    def wmma(self) -> None:
        if self.words[1] == "mma":
            self._wmma_mma()
        elif self.words[1] in ("load", "store"):
            self._transfer()
        else:
            raise Unsupported("")

    def _wmma_mma(self) -> None:
        """wmma.mma.sync.aligned.LAYOUT.LAYOUT.SHAPE.D.C for float16, ....D.A.B.C for others."""
        sync, aligned, row, column, shape, d, *more = self.words[2:]
        kinds = ["f16", "f16", *more] if len(more) == 1 else more
        if (sync, aligned) != ("sync", "aligned") or not {row, column} <= {"row", "col"} or len(kinds) != 3:
            raise Unsupported("")
        if kinds[0] != kinds[1]:
            raise Unsupported("")
        self._multiply(kinds[0], kinds[2], d, self._shape(shape, layouts.WMMA_SHAPES.get(kinds[0], ())), True)

    def _shape(self, text: str, known: tuple[str, ...]) -> tuple[int, ...]:
        if text not in known:
            raise Unsupported("")
        return tuple(int(size) for size in _SHAPE.fullmatch(text).groups())

    def _multiply(self, kind: str, c_kind: str, d_kind: str, shape: tuple[int, ...], wmma: bool) -> None:
        wide = ("f64",) if kind == "f64" else ("f32", "f16") if kind == "f16" else ("f32",)
        if c_kind not in wide or d_kind not in wide:
            raise Unsupported("")
        product = layouts.multiplication(kind, c_kind, d_kind, *shape, wmma)
        parts = (product.d, product.a, product.b, product.c)
        registers = [
            register for number, part in enumerate(parts) for register in self._registers(number, part, number == 0)
        ]
        number = self.decoder.tensor_kind(product)
        self.emit(o.MMA, VECTOR=self.decoder.vector(registers), COUNT=len(registers), AUX=number)

    def _registers(self, operand: int, fragment: Fragment, is_target: bool) -> list[Register]:
        texts = vector_parts(self.operands[operand])
        if len(texts) != fragment.register_count:
            raise Unsupported("a fragment of another size")
        kind = kind_of_type(_STORED[fragment.kind])
        return [self.target(text, kind) if is_target else self.source(text, kind) for text in texts]

    # ---- fragments to and from memory

    def _transfer(self) -> None:
        """wmma.load.a.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE r, [p], stride;  wmma.store.d has p first."""
        action, role, sync, aligned, layout, shape, *space, kind = self.words[1:]
        is_load = action == "load"
        allowed = ("a", "b", "c") if is_load else ("d",)
        if (sync, aligned) != ("sync", "aligned") or role not in allowed or layout not in ("row", "col"):
            raise Unsupported("")
        if space not in ([], *([word] for word in _SPACE_WORDS)):
            raise Unsupported("")
        fragment = self._memory_fragment(role, kind, shape)
        registers = self._registers(0 if is_load else 1, fragment, is_load)
        pointer, *stride = self.operands[1:] if is_load else [self.operands[0], *self.operands[2:]]
        base, offset = self.address(pointer)
        natural = fragment.columns if layout == "row" else fragment.rows
        step = self.source(stride[0]) if stride else self.constant(natural)
        size = layouts.BYTES[kind]
        self.emit(
            o.TENSOR_SYNC,
            a=base,
            b=step,
            IMM=offset,
            SPACE=self.space(),
            FLAGS=o.ADDRESS_64 if base[0] == "w" else 0,
            SIZE=size,
            AUX=int(not is_load),
        )
        unique = registers[: len(fragment.registers)]
        halves: dict[tuple[int, int], Register] = {}
        for places, element, parts in _accesses(fragment, layout):
            moved = [self._part(unique[number], half, is_load) for number, half in parts]
            halves |= {part: register for part, register in zip(parts, moved) if part[1] is not None}
            fields = self.access_fields(
                self._address_of(base, step, places, layout, size), offset, self.space(), element
            )
            self.emit(o.LOAD if is_load else o.STORE, VECTOR=self.decoder.vector(moved), COUNT=len(moved), **fields)
        if is_load:
            for number in {number for number, _ in halves}:
                self.simple("pack.u32", unique[number], halves[number, 0], halves[number, 1])
            for number, register in enumerate(registers[len(unique) :]):
                self.simple("mov.u32", register, unique[number % len(unique)])

    def _part(self, register: Register, half: int | None, is_load: bool) -> Register:
        """The register that an access loads or stores: the fragment's own, or one for half of it."""
        if half is None:
            return register
        if is_load:
            return self.new("r")
        return self.computed("high.u32", register) if half else register

    def _address_of(self, base: Register, step: Register, places: tuple, layout: str, size: int) -> Register:
        """base + (major * step + minor) * size, lane by lane."""
        rows, columns = (self.constant(tuple(place[axis] for place in places)) for axis in (0, 1))
        major, minor = (rows, columns) if layout == "row" else (columns, rows)
        index = self.computed("mad.lo.u32", major, step, minor)
        return self.computed("mad.wide.u32" if base[0] == "w" else "mad.lo.u32", index, self.constant(size), base)

    def _memory_fragment(self, role: str, kind: str, shape: str) -> Fragment:
        if role in "ab":
            return layouts.input_fragment(role, kind, *self._shape(shape, layouts.WMMA_SHAPES.get(kind, ())), True)
        if kind not in ("f16", "f32", "f64"):
            raise Unsupported("")
        known = tuple(shape for shapes in layouts.WMMA_SHAPES.values() for shape in shapes)
        m, n, _ = self._shape(shape, known)
        return layouts.wmma_accumulator(kind, m, n)

    # ---- ldmatrix

    def ldmatrix(self) -> None:
        """ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 d, [p];  lanes 8j to 8j + 7 give the rows of matrix j."""
        sync, aligned, shape, count, *more, kind = self.words[1:]
        transposed = more[:1] == ["trans"]
        space = more[1:] if transposed else more
        if (sync, aligned, shape, kind) != ("sync", "aligned", "m8n8", "b16") or count not in ("x1", "x2", "x4"):
            raise Unsupported("")
        if space not in ([], ["shared"], ["shared::cta"]):
            raise Unsupported("")
        number = int(count[1:])
        texts = vector_parts(self.operands[0])
        if len(texts) != number:
            raise Unsupported("a vector of another length")
        targets = [self.target(text) for text in texts]
        base, offset = self.address(self.operands[1])
        self.emit(o.TENSOR_SYNC)
        row = [self.new("r") for _ in range(4)]
        fields = self.access_fields(base, offset, self.space(), "b32")
        self._only_lanes_below(
            8 * number, lambda: self.emit(o.LOAD, VECTOR=self.decoder.vector(row), COUNT=4, **fields)
        )
        spread = self.decoder.vector([*targets, *row])
        self.emit(o.SPREAD, VECTOR=spread, COUNT=number, AUX=int(transposed))

    def _only_lanes_below(self, count: int, emit: Callable[[], int]) -> None:
        """Emit a row for the first lanes only, of those that the guard lets through."""
        before = self.guard, self.guard_negated
        inside = self.computed("setp.lt.u32", self.decoder.operand(self.function, "%laneid", "r"), self.constant(count))
        if self.guard is not None:
            allowed = self.guard
            if self.guard_negated:
                allowed = self.new("p")
                self.emit(o.PRED_NOT, d=allowed, a=self.guard)
            both = self.new("p")
            self.emit(o.PRED_AND, d=both, a=inside, b=allowed)
            inside = both
        self.guard, self.guard_negated = inside, False
        emit()
        self.guard, self.guard_negated = before


def _accesses(fragment: Fragment, layout: str) -> Iterator[tuple[tuple, str, list[tuple[int, int | None]]]]:
    """How a fragment is loaded or stored: (places of the first element, type of an element, (register, half of it)
    ...).

    Elements that are neighbours in memory go together: the two of a register, or those of two registers.
    """
    stored = _STORED[fragment.kind]
    number = 0
    while number < len(fragment.registers):
        first, *second = fragment.registers[number]
        following = fragment.registers[number + 1][0] if number + 1 < len(fragment.registers) else None
        if second and _are_neighbours(first, second[0], layout):
            yield first, _PAIR[stored], [(number, None)]
        elif second:
            yield first, stored, [(number, 0)]
            yield second[0], stored, [(number, 1)]
        elif following and _are_neighbours(first, following, layout):
            yield first, stored, [(number, None), (number + 1, None)]
            number += 1
        else:
            yield first, stored, [(number, None)]
        number += 1


def _are_neighbours(first: tuple, second: tuple, layout: str) -> bool:
    step = (0, 1) if layout == "row" else (1, 0)
    return all((a[0] + step[0], a[1] + step[1]) == b for a, b in zip(first, second))
