"""The instructions of a cubin, as far as their time goes: what executes them, what they wait for, where they jump.

An instruction of 16 bytes holds its operation, its guard, its registers, and what the compiler planned: how many cycles
the warp pauses after it, which of the six counters it raises until its result is there or its operands are read, and
which counters must be at zero before it starts. NVIDIA documents none of this; what the fields are is public knowledge
since Z. Jia, M. Maggioni, B. Staiger, D. P. Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via
Microbenchmarking", 2018. `nvdisasm` names the same operations (tests/model/test_sass.py).
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass

from gemmlab.model.cubin import MachineCode

SIZE = 16  # bytes of an instruction
NO_COUNTER = 7
NO_REGISTER = 255  # reads as 0

# What executes an instruction. FMA: multiply-adds and products of float32. HEAVY: that half of the FMA pipe which alone
# multiplies integers. SHARED, GLOBAL, COPY (cp.async) and LOCAL go through the load/store unit.
FMA, HEAVY, ALU, UNIFORM, DOUBLE, SPECIAL, SHARED, GLOBAL, COPY, LOCAL, CONSTANT, BARRIER, CONTROL, TENSOR, OTHER = (
    range(15)
)

# By the lowest nine bits of the operation; the three above them say what kind of operands it has.
_BY_BASE = {
    **dict.fromkeys((0x020, 0x021, 0x023, 0x030, 0x031, 0x032), FMA),  # FMUL FADD FFMA HADD2 HFMA2 HMUL2
    **dict.fromkeys((0x024, 0x025, 0x026, 0x027), HEAVY),  # IMAD, .WIDE, .HI
    **dict.fromkeys((0x028, 0x029, 0x02A, 0x02B), DOUBLE),  # DMUL DADD DSETP DFMA
    **dict.fromkeys(
        (0x108, 0x104, 0x105, 0x106, 0x109, 0x100, 0x101, 0x110, 0x111, 0x112), SPECIAL
    ),  # MUFU I2F F2I F2F
    **dict.fromkeys((0x03C, 0x03F, 0x037, 0x03D, 0x1F0), TENSOR),  # HMMA DMMA IMMA BMMA HGMMA
    **dict.fromkeys((0x184, 0x188, 0x18C, 0x18D, 0x18F, 0x03B), SHARED),  # LDS STS ATOMS LDSM
    **dict.fromkeys((0x180, 0x181, 0x185, 0x186, 0x1A8, 0x1A9, 0x1A6, 0x18E, 0x1A3), GLOBAL),  # LD LDG ST STG ATOMG RED
    **dict.fromkeys((0x183, 0x187), LOCAL),  # LDL STL
    **dict.fromkeys((0x189, 0x1A2), SHARED),  # SHFL goes the same way
    0x1AE: COPY,  # LDGSTS
    **dict.fromkeys((0x182, 0x119, 0x1C3, 0x1C4), CONSTANT),  # LDC S2R S2UR
    0x11D: BARRIER,
    **dict.fromkeys((0x147, 0x149, 0x14D, 0x145, 0x141, 0x148, 0x144, 0x150, 0x142, 0x143, 0x14A, 0x14E), CONTROL),
    **dict.fromkeys(
        (0x082, 0x083, 0x086, 0x08B, 0x08C, 0x08D, 0x08F, 0x090, 0x091, 0x092, 0x094, 0x096, 0x099, 0x09C), UNIFORM
    ),
    **dict.fromkeys(
        (0x0A4, 0x0A5, 0x0B9, 0x0BD, 0x0BF, 0x084, 0x085, 0x087, 0x089, 0x08A, 0x095, 0x097, 0x0C2), UNIFORM
    ),
}
FFMA, FADD, FMUL, LDS, STS, LDG, STG, LDGSTS = 0x023, 0x021, 0x020, 0x184, 0x188, 0x181, 0x186, 0x1AE
HMMA, LDSM = 0x03C, 0x03B
ATOMICS = (0x1A8, 0x1A9, 0x1A6, 0x18E, 0x1A3, 0x18C, 0x18D)
READS = (0x184, 0x181, 0x180, 0x183, 0x189, 0x1A8, 0x1A9, 0x18C, 0x18D, 0x03B)  # their results are waited for
DEPBAR, LDGDEPBAR, BAR, BRA, BRX, EXIT, RET, CALL, NOP = 0x11A, 0x1AF, 0x11D, 0x147, 0x149, 0x14D, 0x150, 0x144, 0x118
_UNIFORM_BRANCH = 0x547
# Arithmetic whose registers matter, and how many it may read: multiply-adds, sums of three, logic, shifts; sums,
# products, comparisons.
_THREE, _TWO, _REGISTERS_ONLY = 3, 2, 1
_READ_BY = {
    **dict.fromkeys((0x023, 0x024, 0x025, 0x026, 0x027, 0x010, 0x012, 0x019, 0x016, 0x031), _THREE),
    **dict.fromkeys((0x020, 0x021, 0x00B, 0x00C, 0x007, 0x008, 0x009, 0x011, 0x036), _TWO),
}
# What an HMMA multiplies, by a field of it: 16×k by k×8, sums in float32. bfloat16 is as float16.
_PRODUCTS = {0x018: (16, False), 0x418: (16, False), 0x010: (8, False), 0x810: (8, True), 0x850: (4, True)}
_STRONG = (0x5, 0x7, 0xA)  # orders of an access that others must see: of the block, the GPU, the system
_TRUE = 7  # the guard that is always true
_NEVER = 15
_WIDTHS = (1, 1, 2, 2, 4, 8, 16, 16)


@dataclass(frozen=True)
class Instruction:
    """One instruction. `target` is the index of the instruction that a jump goes to. `wait` is a mask of counters,
    `sets` the counter of its result, `reads` that of its operands, NO_COUNTER where it has none. `width` is the bytes
    of a lane of an access; one that is `strong`, as of a volatile variable, goes past the L1 cache. `sources` are the
    registers that arithmetic reads, `kept` those places and registers of them that stay at hand for the next
    instruction. `ptx` is the line of the PTX. `product` is the k of a product on tensor cores, and whether it is of
    TF32; None where the model does not know its kind."""

    base: int
    unit: int
    guard: int
    conditional: bool
    target: int | None
    stall: int
    sets: int
    reads: int
    wait: int
    width: int
    strong: bool
    immediate: int
    sources: tuple[int, ...]
    kept: tuple[tuple[int, int], ...]
    ptx: int
    product: tuple[int, bool] | None = None

    @property
    def always(self) -> bool:
        """Whether it stands under no condition."""
        return self.guard == _TRUE

    @property
    def never(self) -> bool:
        """Whether its guard is false whatever happens: such reads only pass the time."""
        return self.guard == _NEVER

    @property
    def ends(self) -> bool:
        return self.base in (EXIT, RET)


def instructions(code: MachineCode) -> list[Instruction]:
    """Those of one kernel, in order."""
    starts = [address for address, _ in code.lines]
    found = []
    for at in range(0, len(code.code) - SIZE + 1, SIZE):
        low, high = struct.unpack_from("<QQ", code.code, at)
        place = bisect_right(starts, at) - 1
        found.append(_decoded(low, high, at, code.lines[place][1] if place >= 0 else 0))
    return found


def _decoded(low: int, high: int, at: int, ptx: int) -> Instruction:
    operation = low & 0xFFF
    base, guard = operation & 0x1FF, low >> 12 & 15
    return Instruction(
        base=base,
        unit=_unit(operation, base),
        guard=guard,
        conditional=guard != _TRUE or operation == _UNIFORM_BRANCH or (base == BRA and high >> 23 & 15 != _TRUE),
        target=_target(low, high, at) if base == BRA else None,
        stall=high >> 41 & 15,
        sets=high >> 46 & 7,
        reads=high >> 49 & 7,
        wait=high >> 52 & 63,
        width=_WIDTHS[high >> 9 & 7],
        strong=base in (LDG, STG) and (high >> 13 & 15) in _STRONG,
        immediate=low >> 38 & 63,
        sources=(sources := _sources(operation, low, high)),
        kept=tuple((slot, r) for slot, r in enumerate(sources) if high >> 58 + slot & 1),
        ptx=ptx,
        product=_PRODUCTS.get(high >> 8 & 0xFFF) if base == HMMA else None,
    )


def _unit(operation: int, base: int) -> int:
    if base in (NOP, DEPBAR, LDGDEPBAR):
        return CONTROL
    return _BY_BASE.get(base, ALU)


def _target(low: int, high: int, at: int) -> int:
    """A jump's distance, in words of four bytes from the next instruction on, lies in two pieces."""
    far = low >> 34 | (high & 0x3FFFF) << 30
    if far >> 47:
        far -= 1 << 48
    return (at + SIZE + 4 * (far << 8 | low >> 16 & 0xFF)) // SIZE


def _sources(operation: int, low: int, high: int) -> tuple[int, ...]:
    """The registers that arithmetic reads. Where the second operand is a number, a constant or uniform, the form says
    so; a third is there only in some operations."""
    base, form = operation & 0x1FF, operation >> 9
    if base not in _READ_BY:
        return ()
    second = (low >> 32 & 0xFF,) if form == _REGISTERS_ONLY else ()
    third = (high & 0xFF,) if _READ_BY[base] == _THREE else ()
    return (low >> 24 & 0xFF, *second, *third)
