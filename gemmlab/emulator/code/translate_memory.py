"""Loads, stores, atomics and addresses -> rows of code."""

from __future__ import annotations

import re

from gemmlab.emulator.code.translate_base import Base, Register, Unsupported, kind_of_type, translates, vector_parts
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import TYPE_BYTES, Function, split_operands

CACHE_WORDS = set(
    "nc ca cg cs cv lu wb wt relaxed acquire release acq_rel weak mmio gpu cta sys volatile evict_last evict_first "
    "no_allocate "
    "L1::no_allocate L1::evict_last L1::evict_first L1::evict_normal L1::evict_unchanged L2::128B L2::256B L2::64B "
    "L2::cache_hint "
    "unified".split()
)
SPACES = {
    "global": o.GLOBAL,
    "shared": o.SHARED,
    "shared::cta": o.SHARED,
    "shared::cluster": o.SHARED,
    "local": o.LOCAL,
    "const": o.GLOBAL,
}
_ELEMENTS = set("b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64".split())
_VECTORS = {"v1": 1, "v2": 2, "v4": 4, "v8": 8}
_WIDEST = 32  # bytes a lane
NEAR = 2**31 - 1
# Accesses that are ordered with atomic ones: they never race with those.
_STRONG = {"volatile", "relaxed", "acquire", "release", "acq_rel"}
_RELEASES, _ACQUIRES = {"release", "acq_rel"}, {"acquire", "acq_rel"}
_OF_SYSTEM = {"sys", "volatile", "mmio"}
# Operations of atom and red, and the types each has.
_ATOMS = {
    "add": ("u32", "s32", "u64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"),
    **dict.fromkeys(("min", "max"), ("u32", "s32", "u64", "s64")),
    **dict.fromkeys(("and", "or", "xor", "exch"), ("b32", "b64")),
    "cas": ("b16", "b32", "b64"),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
}


class Memory(Base):
    # ---- addresses

    def address(self, text: str) -> tuple[Register, int]:
        """[%rd1+8], [As+64] or [%r3] -> register and offset."""
        inner = text.strip()[1:-1].strip()
        symbol = self.builder.variables.symbol(self.function, inner)
        if symbol is not None:
            return self.constant(symbol, "w"), 0
        match = re.fullmatch(r"([%\w$.]+)(?:\+(-?\d{1,10}))?", inner)
        if not match or not text.strip().startswith("["):
            raise Unsupported(f"the address {text[:40]}")
        offset = int(match[2] or 0)
        if abs(offset) > NEAR:
            raise Unsupported("an offset of more than 32 bits")
        place = self.frame_operand(match[1], offset)
        return (place, 0) if place else (self.any_width(match[1], "w"), offset)

    def space(self) -> int:
        """The space an instruction names; generic where it names none."""
        return next((SPACES[word] for word in self.words[1:] if word in SPACES), o.GENERIC)

    def memory_fields(self, text: str, space: int, element: str) -> dict:
        register, offset = self.address(text)
        fields = self.access_fields(register, offset, space, element)
        if "nc" in self.words:
            fields["FLAGS"] |= o.READ_ONLY
        if _STRONG.intersection(self.words) or self.places.is_swapped(text):
            fields["FLAGS"] |= o.STRONG
        if _OF_SYSTEM.intersection(self.words):
            fields["FLAGS"] |= o.SYSTEM_SCOPE
        return fields

    def access_fields(self, register: Register, offset: int, space: int, element: str) -> dict:
        size = TYPE_BYTES[element]
        if space in (o.SHARED, o.GENERIC, o.GLOBAL):
            self.builder.granule = min(self.builder.granule, size)
        return {
            "a": register,
            "IMM": offset,
            "SPACE": space,
            "SIZE": size,
            "FLAGS": o.ADDRESS_64 if register[0] == "w" else 0,
            "SIGNED": int(element in ("s8", "s16", "s32")),
            "SITE": self.builder.site(),
        }

    # ---- loads and stores

    @translates("ld", "ldu")
    def ld(self) -> None:
        if "param" in self.words:
            self._load_parameter()
            return
        element, texts = self._vector(self.operands[0])
        registers = [self.target(text, self._kinds(element)) for text in texts]
        fields = self.memory_fields(self.operands[1], self.space(), element)
        self.emit(o.LOAD, VECTOR=self.builder.vector(registers), COUNT=len(registers), **fields)
        self._acquire()

    @translates("st")
    def st(self) -> None:
        if "param" in self.words:
            self._store_parameter()
            return
        element, texts = self._vector(self.operands[1])
        registers = [self.any_width(text, kind_of_type(element)) for text in texts]
        registers = [self.checked(register, self._kinds(element)) for register in registers]
        fields = self.memory_fields(self.operands[0], self.space(), element)
        if {"relaxed", "release"}.intersection(self.words):
            fields["FLAGS"] |= o.ATOMIC_STORE
        self._release()
        self.emit(o.STORE, VECTOR=self.builder.vector(registers), COUNT=len(registers), **fields)

    def _release(self) -> None:
        """A store or an atomic that releases comes after a fence of its own."""
        if _RELEASES.intersection(self.words):
            self.emit(o.FENCE, AUX=self.reach())

    def reach(self) -> int:
        """How far what the instruction orders is seen."""
        if "sys" in self.words:
            return o.FENCE_SYSTEM
        return 0 if "cta" in self.words else o.FENCE_DEVICE

    def _acquire(self) -> None:
        """Behind a load or an atomic that acquires. Within a device whoever looks at a flag is taken to do so."""
        if _ACQUIRES.intersection(self.words) and "sys" in self.words:
            self.emit(o.FENCE, AUX=o.FENCE_SYSTEM | o.ACQUIRES_ONLY)

    def _kinds(self, element: str) -> str:
        """What registers a value may be in: wider ones than it are allowed."""
        return "w" if TYPE_BYTES[element] == 8 else "rw"

    def _vector(self, text: str) -> tuple[str, list[str]]:
        """The element type and the registers of a vector, of as many as the instruction says."""
        element = self.take(_ELEMENTS)
        count = _VECTORS[self.take(_VECTORS, "v1")]
        self.ignore({*SPACES, *CACHE_WORDS, "param", "param::entry", "param::func"})
        self.no_more_words()
        texts = vector_parts(text)
        if len(texts) != count or count * TYPE_BYTES[element] > _WIDEST:
            raise Unsupported("a vector of another length")
        return element, texts

    # ---- parameters: those of the kernel are registers, those of other functions lie at fixed places of a
    # thread's memory

    def _parameter(self, text: str) -> tuple[str, int]:
        match = re.fullmatch(r"\[\s*([\w$.]+)\s*(?:\+(\d{1,9}))?\s*\]", text)
        if not match:
            raise Unsupported(f"the address {text[:40]}")
        return match[1], int(match[2] or 0)

    def _load_parameter(self) -> None:
        name, offset = self._parameter(self.operands[1])
        element, texts = self._vector(self.operands[0])
        registers = [self.target(text, self._kinds(element)) for text in texts]
        size = len(texts) * TYPE_BYTES[element]
        if self._is_result(name):
            callee = self.callee()
            if callee.name in o.EXTERNALS:
                # What printf returns is not known; nobody asks.
                self.simple("mov.u32", self.checked(registers[0], "r"), self.constant(0))
                return
            place = self._place(callee, callee.returns[0].name, offset, size)
        elif self.function.is_entry:
            self._load_kernel_parameter(name, offset, element, registers)
            return
        else:
            place = self._place(self.function, name, offset, size)
        self.emit(
            o.LOAD,
            VECTOR=self.builder.vector(registers),
            COUNT=len(registers),
            SIGNED=int(element in ("s8", "s16", "s32")),
            **self._own_fields(place, element),
        )

    def _load_kernel_parameter(self, name: str, offset: int, element: str, registers: list[Register]) -> None:
        declared = next((p for p in self.function.parameters if p.name == name), None)
        if (
            declared is None
            or offset
            or len(registers) > 1
            or declared.size != TYPE_BYTES[element]
            or element in ("s8", "s16")  # what is passed is not extended by its sign
        ):
            raise Unsupported("a kernel parameter that is a struct, or read in part")
        kind = kind_of_type(element)
        source = self.checked(self.builder.named_register(self.function.name, name, kind), kind)
        if kind == "r" and registers[0][0] == "w":
            self.simple(f"cvt.to64.{'s32' if element == 's32' else 'u32'}", registers[0], source)
        else:
            self.simple("mov.u64" if kind == "w" else "mov.u32", self.checked(registers[0], kind), source)

    def _store_parameter(self) -> None:
        name, offset = self._parameter(self.operands[0])
        element, texts = self._vector(self.operands[1])
        function = self.function
        if not self.builder.variables.has_parameter(function, name):
            function = self.callee()
            if function.name in o.EXTERNALS:
                return
            name = self._declared_name(function, name)
        registers = [self.checked(self.any_width(text, kind_of_type(element)), self._kinds(element)) for text in texts]
        place = self._place(function, name, offset, len(texts) * TYPE_BYTES[element])
        self.emit(
            o.STORE,
            VECTOR=self.builder.vector(registers),
            COUNT=len(registers),
            **self._own_fields(place, element),
        )

    def _declared_name(self, callee: Function, argument: str) -> str:
        """What the callee calls an argument of the call."""
        arguments = split_operands(self.call.operands[-1].strip("() ")) if self.call else []
        if argument not in arguments or len(arguments) > len(callee.parameters):
            raise Unsupported("a parameter of no call")
        return callee.parameters[arguments.index(argument)].name

    def _own_fields(self, place: int, element: str) -> dict:
        return {
            "a": self.constant(0, "w"),
            "IMM": place,
            "SPACE": o.PARAM,
            "SIZE": TYPE_BYTES[element],
            "FLAGS": o.ADDRESS_64,
        }

    def _place(self, function: Function, name: str, offset: int, size: int) -> int:
        """Where that part of a parameter lies in a thread's memory."""
        start, room = self.builder.variables.parameter_place(function, name)
        if offset + size > room:
            raise Unsupported("an access beyond the end of a parameter")
        return start + offset

    def _is_result(self, name: str) -> bool:
        if self.call is None or not self.call.operands[0].startswith("("):
            return False
        return name == self.call.operands[0].strip("() ")

    def callee(self) -> Function:
        if self.call is None:
            raise Unsupported("a parameter of no call")
        name = next(operand for operand in self.call.operands if not operand.startswith("("))
        callee = self.builder.module.functions.get(name)
        if callee is None or (callee.name not in self.builder.order and callee.name not in o.EXTERNALS):
            raise Unsupported("a call through a pointer" if name.startswith("%") else f"the function {name}")
        return callee

    # ---- conversions between spaces

    @translates("cvta")
    def cvta(self) -> None:
        """Between generic addresses and those of a space; the same number for global memory."""
        space = next((word for word in self.words if word in SPACES), None)
        if space is None or self.words[-1] != "u64":
            raise Unsupported("")
        window = {o.SHARED: o.SHARED_WINDOW, o.LOCAL: o.LOCAL_WINDOW}.get(SPACES[space])
        d, a = self.target(self.operands[0], "w"), self.source(self.operands[1], "w")
        if window is None:
            self.simple("mov.u64", d, a)
        else:
            self.simple("sub.u64" if "to" in self.words else "add.u64", d, a, self.constant(window, "w"))

    @translates("isspacep")
    def isspacep(self) -> None:
        space = SPACES.get(self.words[1])
        if space is None:
            raise Unsupported("")
        self.emit(o.IS_SPACE, d=self.target(self.operands[0], "p"), a=self.source(self.operands[1], "w"), SPACE=space)

    # ---- atomics

    @translates("atom", "red")
    def atom(self) -> None:
        operation = self.take(_ATOMS)
        element = self.take(_ATOMS[operation])
        self.ignore({*CACHE_WORDS, *SPACES, "noftz"})
        self.no_more_words()
        operands = self.operands if self.words[0] == "atom" else ["_", *self.operands]
        if len(operands) != (4 if operation == "cas" else 3):
            raise Unsupported("the number of its operands")
        kind = kind_of_type(element)
        target = self.target(operands[0], kind)
        b, c = [*self.sources(operands[2:], kind), None][:2]
        fields = self.memory_fields(operands[1], self.space(), element)
        self._release()
        self.emit(
            o.ATOMIC,
            d=target,
            AUX=o.ATOMICS.index(operation),
            AUX2=o.ATOMIC_TYPES.index({"b16": "u16", "b32": "u32", "b64": "u64"}.get(element, element)),
            b=b,
            c=c,
            **fields,
        )
        self._acquire()
