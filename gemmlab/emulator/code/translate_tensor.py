"""mma, wmma, ldmatrix and stmatrix -> rows of code.

Loads and stores of fragments become ordinary ones, a register a row, so that bounds, races and counters see every
lane's access: wmma's as far as its layout says, ldmatrix as one request of 16 bytes a lane. Products are one row each,
done in tensor.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gemmlab.emulator.code.translate_base import Register, Unsupported, translates, vector_parts
from gemmlab.emulator.code.translate_memory import Memory
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx import tensor_layouts as layouts
from gemmlab.emulator.ptx.parser import TYPE_BYTES
from gemmlab.emulator.ptx.tensor_layouts import Fragment, Place

_SHAPE = re.compile(r"m(\d{1,3})n(\d{1,3})k(\d{1,3})")
_STORED = {"f16": "b16", "bf16": "b16", "tf32": "b32", "f32": "b32", "f64": "b64", "s32": "b32", "s8": "b8", "u8": "b8"}
_SUMS = {"f64": ("f64",), "f16": ("f32", "f16"), **dict.fromkeys(layouts.INTEGERS, ("s32",))}
_SPACE_WORDS = ("global", "shared", "shared::cta")
_INPUTS = tuple(layouts.MMA_SHAPES)
_LAYOUTS = ("row", "col")


class Tensor(Memory):
    @translates("mma")
    def mma(self) -> None:
        """mma.sync.aligned.SHAPE.row.col{.satfinite}{.BITS.popc}.D.A.B.C d, a, b, c;"""
        self.need("sync", "aligned", "row", "col")
        self._multiply(layouts.MMA_SHAPES, wmma=False)

    @translates("wmma")
    def wmma(self) -> None:
        what = self.take(("mma", "load", "store"))
        self.need("sync", "aligned")
        if what == "mma":
            self.take(_LAYOUTS)
            self.take(_LAYOUTS)
            self._multiply(layouts.WMMA_SHAPES, wmma=True)
        else:
            self._transfer(is_load=what == "load")

    def _shape(self, text: str, known: tuple[str, ...]) -> tuple[int, int, int]:
        match = _SHAPE.fullmatch(text)
        if text not in known or match is None:
            raise Unsupported("")
        m, n, k = (int(size) for size in match.groups())
        return m, n, k

    def _product_kinds(self) -> tuple[str, str, str, str]:
        """The kinds of A, B, C and D: .D.A.B.C, or .D.C where A and B are float16."""
        kinds = []
        while kind := self.take(layouts.BITS, ""):
            kinds.append(kind)
        if len(kinds) == 2:
            kinds[1:1] = ["f16", "f16"]
        if len(kinds) != 4:
            raise Unsupported("")
        d, a, b, c = kinds
        sums = _SUMS.get(a, ("f32",))
        if a not in _INPUTS or layouts.BITS.get(b) != layouts.BITS[a] or c not in sums or d not in sums:
            raise Unsupported("")
        if a != b and not {a, b} <= set(layouts.INTEGERS):
            raise Unsupported("")
        return a, b, c, d

    def _multiply(self, shapes: dict[str, tuple[str, ...]], wmma: bool) -> None:
        form = self.take(("satfinite", "xor", "and"), "")
        if form in ("xor", "and"):
            self.need("popc")
        kinds = self._product_kinds()
        if (kinds[0] == "b1") != (form in ("xor", "and")):
            raise Unsupported("")
        shape = self._shape(self.take(shapes.get(kinds[0], ())), shapes.get(kinds[0], ()))
        if kinds[0] == "f64":
            self.ignore(("rn",))
        self.no_more_words()
        product = layouts.multiplication(kinds, shape, wmma, form)
        parts = (product.d, product.a, product.b, product.c)
        registers = [
            register for number, part in enumerate(parts) for register in self._registers(number, part, number == 0)
        ]
        number = self.builder.product(product)
        self.emit(o.MMA, VECTOR=self.builder.vector(registers), COUNT=len(registers), AUX=number)

    def _registers(self, operand: int, fragment: Fragment, is_target: bool) -> list[Register]:
        texts = vector_parts(self.operands[operand])
        if len(texts) != fragment.register_count:
            raise Unsupported("a fragment of another size")
        kind = "w" if fragment.kind == "f64" else "r"
        return [self.target(text, kind) if is_target else self.source(text, kind) for text in texts]

    # ---- fragments to and from memory

    def _transfer(self, is_load: bool) -> None:
        """wmma.load.a.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE r, [p], stride;  wmma.store.d has p first."""
        role = self.take(("a", "b", "c") if is_load else ("d",))
        layout, kind = self.take(_LAYOUTS), self.take(layouts.BITS)
        fragment = self._memory_fragment(role, kind)
        space = self.space()
        self.ignore(_SPACE_WORDS)
        self.no_more_words()
        registers = self._registers(0 if is_load else 1, fragment, is_load)
        pointer, *stride = self.operands[1:] if is_load else [self.operands[0], *self.operands[2:]]
        base, offset = self.address(pointer)
        step = self.source(stride[0]) if stride else self.constant(_natural_step(fragment, layout))
        self.emit(
            o.TENSOR_SYNC,
            a=base,
            b=step,
            IMM=offset,
            SPACE=space,
            FLAGS=o.ADDRESS_64 if base[0] == "w" else 0,
            SIZE=max(layouts.BITS[kind] // 8, 1),
            AUX=int(not is_load),
        )
        unique = registers[: len(fragment.registers)]
        loaded: dict[int, dict[int, Register]] = {}
        for access in accesses(fragment, layout):
            moved = [self._part(unique[number], part, access, is_load) for number, part in access.parts]
            for (number, part), register in zip(access.parts, moved):
                if part is not None:
                    loaded.setdefault(number, {})[part] = register
            address = self._address_of(base, step, access, layout, layouts.BITS[kind])
            fields = self.access_fields(address, offset, space, access.element)
            vector = self.builder.vector(moved)
            if is_load:
                self.emit(o.LOAD, VECTOR=vector, COUNT=len(moved), **fields)
            else:
                self.emit(o.STORE, VECTOR=vector, COUNT=len(moved), **fields)
        if is_load:
            for number, parts in loaded.items():
                self._join(unique[number], [parts[n] for n in sorted(parts)])
            for number, register in enumerate(registers[len(unique) :]):
                self.simple("mov.u32", register, unique[number % len(unique)])

    def _part(self, register: Register, part: int | None, access: Access, is_load: bool) -> Register:
        """The register that an access loads or stores: the fragment's own, or one for a part of it."""
        if part is None:
            return register
        if is_load:
            return self.new("r")
        shift = self.constant(part * access.bits)
        return self.computed("shr.u32", register, shift) if part else register

    def _join(self, target: Register, parts: list[Register]) -> None:
        """Put the parts of a register together, the lowest first."""
        if len(parts) == 2:
            self.simple("pack.u32", target, *parts)
            return
        halves = []
        for low, high in (parts[:2], parts[2:]):
            halves.append(self.computed("or.u32", low, self.computed("shl.u32", high, self.constant(8))))
        self.simple("pack.u32", target, *halves)

    def _address_of(self, base: Register, step: Register, access: Access, layout: str, bits: int) -> Register:
        """base + (major * step + minor) * size, lane by lane."""
        rows, columns = (self.constant(tuple(place[axis] for place in access.places)) for axis in (0, 1))
        major, minor = (rows, columns) if layout == "row" else (columns, rows)
        index = self.computed("mad.lo.u32", major, step, minor)
        if bits < 8:
            index, bits = self.computed("shr.u32", index, self.constant((8 // bits).bit_length() - 1)), 8
        return self.computed("mad.wide.u32" if base[0] == "w" else "mad.lo.u32", index, self.constant(bits // 8), base)

    def _memory_fragment(self, role: str, kind: str) -> Fragment:
        known = layouts.WMMA_SHAPES.get(kind, ()) if role in "ab" else layouts.ALL_WMMA_SHAPES
        shape = self._shape(self.take(known), known)
        if role in "ab":
            return layouts.input_fragment(role, kind, *shape, True)
        if kind not in ("f16", "f32", "f64", "s32"):
            raise Unsupported("")
        return layouts.wmma_accumulator(kind, *shape[:2])

    # ---- ldmatrix and stmatrix

    def _matrices(self) -> tuple[int, bool]:
        """How many 8×8 matrices of 16-bit elements, and whether they are transposed."""
        self.need("sync", "aligned", "m8n8", "b16")
        count, transposed = self.take(("x1", "x2", "x4")), self.takes("trans")
        self.ignore(("shared", "shared::cta"))
        self.no_more_words()
        return int(count[1:]), transposed

    @translates("ldmatrix")
    def ldmatrix(self) -> None:
        """ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 d, [p];  lanes 8j to 8j + 7 give the rows of matrix j."""
        space = self.space()
        count, transposed = self._matrices()
        targets = [self.target(text) for text in self._texts(self.operands[0], count)]
        base, offset = self.address(self.operands[1])
        self.emit(o.TENSOR_SYNC)
        row = [self.new("r") for _ in range(4)]
        fields = self.access_fields(base, offset, space, "b32")
        vector = self.builder.vector(row)
        self._only_lanes_below(8 * count, lambda: self.emit(o.LOAD, VECTOR=vector, COUNT=4, **fields))
        self.emit(o.SPREAD, VECTOR=self.builder.vector([*targets, *row]), COUNT=count, AUX=int(transposed))

    @translates("stmatrix")
    def stmatrix(self) -> None:
        """stmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 [p], r;  the other way round."""
        space = self.space()
        count, transposed = self._matrices()
        sources = [self.source(text) for text in self._texts(self.operands[1], count)]
        base, offset = self.address(self.operands[0])
        self.emit(o.TENSOR_SYNC)
        row = [self.new("r") for _ in range(4)]
        self.emit(o.COLLECT, VECTOR=self.builder.vector([*row, *sources]), COUNT=count, AUX=int(transposed))
        fields = self.access_fields(base, offset, space, "b32")
        vector = self.builder.vector(row)
        self._only_lanes_below(8 * count, lambda: self.emit(o.STORE, VECTOR=vector, COUNT=4, **fields))

    def _texts(self, operand: str, count: int) -> list[str]:
        texts = vector_parts(operand)
        if len(texts) != count:
            raise Unsupported("a vector of another length")
        return texts

    def _only_lanes_below(self, count: int, emit: Callable[[], int]) -> None:
        """Emit a row for the first lanes only, of those that the guard lets through."""
        before = self.guard, self.guard_negated
        inside = self.computed("setp.lt.u32", self.builder.operand(self.function, "%laneid", "r"), self.constant(count))
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


def _natural_step(fragment: Fragment, layout: str) -> int:
    return fragment.columns if layout == "row" else fragment.rows


@dataclass(frozen=True)
class Access:
    """One load or store of a part of a fragment: `places` of its first element, lane by lane; what it moves at once;
    and for each of the moved elements its register, and which part of that it is (None: all of it)."""

    places: tuple[Place, ...]
    element: str
    parts: tuple[tuple[int, int | None], ...]

    @property
    def bits(self) -> int:
        return 8 * TYPE_BYTES[self.element]


def accesses(fragment: Fragment, layout: str) -> Iterator[Access]:
    """How a fragment is loaded or stored. Elements that are neighbours in memory go together: those of a register, or
    of two registers."""
    number = 0
    while number < len(fragment.registers):
        elements = fragment.registers[number]
        following = fragment.registers[number + 1][0] if number + 1 < len(fragment.registers) else None
        if len(elements) > 1 and _are_neighbours(elements, layout):
            yield Access(elements[0], "b32", ((number, None),))
        elif len(elements) > 1:
            for part, places in enumerate(elements):
                yield Access(places, _STORED[fragment.kind], ((number, part),))
        elif following and _are_neighbours((elements[0], following), layout):
            yield Access(elements[0], _STORED[fragment.kind], ((number, None), (number + 1, None)))
            number += 1
        else:
            yield Access(elements[0], _STORED[fragment.kind], ((number, None),))
        number += 1


def _are_neighbours(elements: tuple[tuple[Place, ...], ...], layout: str) -> bool:
    step = (0, 1) if layout == "row" else (1, 0)
    pairs = zip(elements, elements[1:])
    return all((a[0] + step[0], a[1] + step[1]) == b for first, second in pairs for a, b in zip(first, second))
