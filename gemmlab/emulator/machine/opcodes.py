"""Numbers shared by the decoder and the interpreter: instructions that are no plain arithmetic, fields of a code row,
spaces."""

from __future__ import annotations

from gemmlab.emulator.machine.isa import TABLE, WIDTH
from gemmlab.emulator.machine.vector import HOT

# Instructions: the vector ones first, then those of isa.py, then these.
NUMBER = {name: number for number, name in enumerate([*HOT, *TABLE])}
FIRST_COLD = len(HOT)
FIRST_SPECIAL = len(NUMBER)
_SPECIAL = """
PRED_MOV PRED_AND PRED_OR PRED_XOR PRED_NOT
BRANCH CALL RETURN EXIT TRAP
LOAD STORE ATOMIC ASYNC_COPY ASYNC_COMMIT ASYNC_WAIT FENCE
BARRIER WARP_SYNC SHUFFLE VOTE MATCH REDUCE ELECT TENSOR_SYNC MMA
SPREAD ACTIVE_MASK IS_SPACE NOTHING PRINT UNSUPPORTED
""".split()
# Those for which the lanes of a warp wait for each other are WARP_SYNC to MMA.
SPECIAL = {name: FIRST_SPECIAL + number for number, name in enumerate(_SPECIAL)}
globals().update(SPECIAL)


def result_kind(name: str) -> str:
    """What kind of register an instruction of vector.py or isa.py writes: w, r or p (see translate_base.py)."""
    return _kind((HOT.get(name) or TABLE[name]).result)


def operand_kinds(name: str) -> list[str]:
    return [_kind(operand) for operand in (HOT.get(name) or TABLE[name]).operands]


def _kind(type_name: str) -> str:
    return "p" if type_name == "pred" else "w" if WIDTH[type_name] == 64 else "r"


# A code row. D A B C are byte offsets of registers in a warp's memory; OK_* those of their definedness masks.
_ROW = """
OP D A B C OK_D OK_A OK_B OK_C GUARD OK_GUARD GUARD_NEGATED
IMM WIDE VECTOR COUNT SIZE SPACE SITE FLAGS AUX AUX2 SIGNED WIDEN
""".split()
ROW = {name: number for number, name in enumerate(_ROW)}
globals().update({f"ROW_{name}": number for name, number in ROW.items()})
ROW_LENGTH = 24

# WIDE: which of D A B C are 64-bit registers, and which are predicates.
WIDE_D, WIDE_A, WIDE_B, WIDE_C = 1, 2, 4, 8
PRED_D, PRED_C = 16, 32
# One operand that somebody wrote is enough for the result to count as written: they hold different bits of it.
ANY_WRITTEN = 64
PUT_TOGETHER = [NUMBER[name] for name in ("or.u16", "or.u32", "or.u64", "pack.u32", "pack.u64")]

# FLAGS of memory instructions.
ADDRESS_64, STRONG, ATOMIC_STORE = 1, 2, 4

GENERIC, GLOBAL, SHARED, LOCAL, PARAM = range(5)

EXTERNALS = ("vprintf", "__assertfail")
ATOMICS = "add min max exch cas and or xor inc dec".split()
ATOMIC_TYPES = "u32 s32 u64 s64 f32 f64 f16x2 bf16x2 f16 bf16 u16".split()
SHUFFLES = "up down bfly idx".split()
VOTES = "all any uni ballot".split()
REDUCTIONS = "add min max and or xor".split()
BARRIER_FORMS = "sync arrive popc and or".split()

# Addresses. Every array has its own far-apart range, so that an overrun never lands in a neighbour. Shared and local
# addresses are
# small numbers, as on the GPU; their generic form adds the window.
GLOBAL_SHIFT = 42
GLOBAL_CENTRE = 1 << 41
WINDOW_SHIFT = 20
WINDOW_CENTRE = 1 << 19
SHARED_WINDOW = 1 << 40
LOCAL_WINDOW = 2 << 40
MAX_GLOBALS = 1024
MAX_SHARED = 1024
MAX_LOCALS = 4000
FIRST_SHARED = MAX_GLOBALS
FIRST_LOCAL = MAX_GLOBALS + MAX_SHARED
REGIONS = MAX_GLOBALS + MAX_SHARED + MAX_LOCALS

# What a region is.
INPUT, TRACKED, CONSTANT, SHARED_KIND, LOCAL_KIND, NO_REGION = range(6)

FULL = 0xFFFFFFFF
