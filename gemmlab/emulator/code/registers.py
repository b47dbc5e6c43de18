"""Registers as the translation names them.

A register is (kind, index): `w` is 64-bit, `r` 32-bit or narrower, `p` a predicate. The interpreter trusts the rows it
is given, so every operand passes a check of its kind.
"""

from __future__ import annotations

from gemmlab.emulator.ptx.parser import TYPE_BYTES

Register = tuple[str, int]

_AXES = ("tid", "ntid", "ctaid", "nctaid")
_OFFSETS = ("begin", "end", "cap", "0", "1")
SPECIAL_REGISTERS = {
    *(f"%{name}.{axis}" for name in _AXES for axis in "xyz"),
    *("%laneid", "%warpid", "%nwarpid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge"),
    *("%dynamic_smem_size", "%total_smem_size", "%smid", "%nsmid", "%gridid", "%clock", "%clock_hi", "%globaltimer_lo"),
    *(f"%reserved_smem_offset_{name}" for name in _OFFSETS),
}
SPECIAL_REGISTERS_64 = {"%clock64", "%globaltimer"}


class Unsupported(Exception):
    """This instruction cannot be emulated; running it is a finding. The text says what about it."""


def kind_of_type(name: str) -> str:
    """Which kind of register holds a value of a PTX type."""
    return "p" if name == "pred" else "w" if TYPE_BYTES.get(name) == 8 else "r"
