"""Numbers shared by the decoder and the interpreter: instructions that are no plain arithmetic, fields of a code row,
forms of an instruction, spaces.
"""

from __future__ import annotations

from gemmlab.emulator.machine.isa import TABLE, WIDTH
from gemmlab.emulator.machine.vector import HOT

# Instructions: the vector ones first, then those of isa.py, then these.
NUMBER = {name: number for number, name in enumerate([*HOT, *TABLE])}
FIRST_COLD = len(HOT)
FIRST_SPECIAL = len(NUMBER)
# fmt: off
(
    # The next instruction follows.
    LOAD, STORE,
    PRED_MOV, PRED_AND, PRED_OR, PRED_XOR, PRED_NOT,
    ATOMIC, ASYNC_COPY, ASYNC_COMMIT, ASYNC_WAIT, BULK_COPY, FENCE, OBJECT,
    SPREAD, COLLECT, ACTIVE_MASK, IS_SPACE, NOTHING, PRINT,
    # The lanes of a warp wait for each other.
    WARP_SYNC, SHUFFLE, VOTE, MATCH, REDUCE, ELECT, TENSOR_SYNC, MMA,
    # Another instruction may follow, or none.
    BRANCH, BARRIER, CALL, RETURN, EXIT, TRAP, UNSUPPORTED,
) = range(FIRST_SPECIAL, FIRST_SPECIAL + 35)
# fmt: on
FIRST_COLLECTIVE, FIRST_JUMP = WARP_SYNC, BRANCH


def result_kind(name: str) -> str:
    """What kind of register an instruction of vector.py or isa.py writes: w, r or p (see translate_base.py)."""
    return _kind((HOT.get(name) or TABLE[name]).result)


def operand_kinds(name: str) -> list[str]:
    return [_kind(operand) for operand in (HOT.get(name) or TABLE[name]).operands]


def _kind(type_name: str) -> str:
    return "p" if type_name == "pred" else "w" if WIDTH[type_name] == 64 else "r"


# A code row of 32-bit numbers. D A B C are byte offsets of registers in a warp's memory, OK_* those of their
# definedness masks; AUX and AUX2 say which form of the instruction it is.
# fmt: off
(
    ROW_OP, ROW_D, ROW_A, ROW_B, ROW_C, ROW_OK_D, ROW_OK_A, ROW_OK_B, ROW_OK_C,
    ROW_GUARD, ROW_OK_GUARD, ROW_GUARD_NEGATED,
    ROW_IMM, ROW_WIDE, ROW_VECTOR, ROW_COUNT, ROW_SIZE, ROW_SPACE, ROW_SITE, ROW_FLAGS, ROW_AUX, ROW_AUX2, ROW_SIGNED,
    ROW_WIDEN,
) = range(24)
# fmt: on
ROW_LENGTH = 24
ROW_BYTES = 4 * ROW_LENGTH
ROW = {name.removeprefix("ROW_"): number for name, number in list(globals().items()) if name.startswith("ROW_")}

# An entry of the table of vector operands: the register's place, its definedness mask's, whether it has 64 bits.
ENTRY_PLACE, ENTRY_SLOT, ENTRY_WIDE = range(3)
ENTRY_BYTES = 12

# WIDE: which of D A B C are 64-bit registers, and which are predicates.
WIDE_D, WIDE_A, WIDE_B, WIDE_C = 1, 2, 4, 8
PRED_D, PRED_C = 16, 32
# One operand that somebody wrote is enough for the result to count as written: they hold different bits of it.
ANY_WRITTEN = 64
PUT_TOGETHER = [NUMBER[name] for name in ("or.u16", "or.u32", "or.u64", "pack.u32", "pack.u64")]

# WIDEN: bytes of the access that ptxas makes of this one and its neighbours, and where in it this one lies.
WIDEN_SHIFT = 5
WIDEN_MASK = (1 << WIDEN_SHIFT) - 1

# FLAGS of memory instructions.
ADDRESS_64, STRONG, ATOMIC_STORE, READ_ONLY, SYSTEM_SCOPE = 1, 2, 4, 8, 16

# AUX of a fence: how far it reaches beyond the block, and whether it only acquires.
FENCE_DEVICE, FENCE_SYSTEM, ACQUIRES_ONLY = 1, 2, 4

GENERIC, GLOBAL, SHARED, LOCAL, PARAM = range(5)

# Forms of an instruction, each by the word that PTX has for it.
EXTERNALS = ("vprintf", "__assertfail")
ATOMICS = ("add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec")
(
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_INC,
    ATOMIC_DEC,
) = range(10)
ATOMIC_TYPES = ("u32", "s32", "u64", "s64", "f32", "f64", "f16x2", "bf16x2", "f16", "bf16", "u16")
KIND_U32, KIND_S32, KIND_U64, KIND_S64, KIND_F32, KIND_F64, KIND_F16X2, KIND_BF16X2, KIND_F16, KIND_BF16, KIND_U16 = (
    range(11)
)
SHUFFLES = ("up", "down", "bfly", "idx")
SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX = range(4)
VOTES = ("all", "any", "uni", "ballot")
VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT = range(4)
REDUCTIONS = ("add", "min", "max", "and", "or", "xor")
REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR = range(6)
BARRIER_FORMS = ("sync", "arrive", "popc", "and", "or")
BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR = range(5)

# Forms of an instruction on a barrier object (AUX), and how an arrival is meant (AUX2).
(
    OBJECT_INIT,
    OBJECT_INVAL,
    OBJECT_ARRIVE,
    OBJECT_WAIT,
    OBJECT_WAIT_PARITY,
    OBJECT_EXPECT,
    OBJECT_COMPLETE,
    OBJECT_COPIES,
) = range(8)
DROPS_OUT, EXPECTS_BYTES, COUNTED_ANYWAY = 1, 2, 4
TOKEN_BITS = 20  # of the token of an arrival: how many were missing before; above them the phase

# What the interpreter is told of a kind of matrix product: sizes; of A, B, C and D the kind of element, the registers
# that hold different elements, and the registers that an instruction names; how A and B are put together. Then the
# places of all elements, row << PLACE_SHIFT | column each.
# fmt: off
(
    TILE_M, TILE_N, TILE_K,
    KIND_A, KIND_B, KIND_C, KIND_D, REGISTERS_A, REGISTERS_B, REGISTERS_C, REGISTERS_D,
    NAMED_A, NAMED_B, NAMED_C, NAMED_D,
    PRODUCT_FORM,
) = range(16)
# fmt: on
PRODUCT_HEADER = 16
PLACE_SHIFT = 8
PLACE_MASK = (1 << PLACE_SHIFT) - 1
ELEMENT_KINDS = ("f16", "bf16", "tf32", "f32", "f64", "s32", "s8", "u8", "s4", "u4", "b1")
F16, BF16, TF32, F32, F64, S32, S8, U8, S4, U4, B1 = range(11)
PRODUCT_FORMS = ("", "satfinite", "xor", "and")
PRODUCT_PLAIN, PRODUCT_SATFINITE, PRODUCT_XOR, PRODUCT_AND = range(4)

# Addresses. Every array has its own far-apart range, so that an overrun never lands in a neighbour. Shared and local
# addresses are small numbers, as on the GPU; their generic form adds the window.
GLOBAL_SHIFT = 42
GLOBAL_CENTRE = 1 << 41
WINDOW_SHIFT = 20
WINDOW_CENTRE = 1 << 19
SPACE_SHIFT = 40  # the bits above it say which window a generic address lies in
SHARED_NUMBER, LOCAL_NUMBER = 1, 2
SHARED_WINDOW = SHARED_NUMBER << SPACE_SHIFT
LOCAL_WINDOW = LOCAL_NUMBER << SPACE_SHIFT
MAX_GLOBALS = 1024
MAX_SHARED = 1024
MAX_LOCALS = 4000
FIRST_SHARED = MAX_GLOBALS
FIRST_LOCAL = MAX_GLOBALS + MAX_SHARED
REGIONS = MAX_GLOBALS + MAX_SHARED + MAX_LOCALS

# What a region is.
INPUT, TRACKED, CONSTANT, SHARED_KIND, LOCAL_KIND, NO_REGION = range(6)

FULL = 0xFFFFFFFF
