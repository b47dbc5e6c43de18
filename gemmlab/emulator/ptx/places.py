"""Which address operands of a function mean the same place, as far as moves and sums with numbers tell.

This is enough to see that a plain load only guesses what a compare-and-swap of the same place will find. Such a load
does no harm where others swap too, for the swap tells whether the guess was right.
"""

from __future__ import annotations

import re

from gemmlab.emulator.ptx.parser import Function, Instruction, parse_number

_ADDRESS = re.compile(r"\[\s*([%\w$.]+)\s*(?:\+(-?\d{1,10}))?\s*\]")
_LONGEST_CHAIN = 20

Place = tuple[str, int]


class Places:
    """The places in one function. A register that is set more than once stands for itself."""

    def __init__(self, function: Function) -> None:
        self._set_by: dict[str, Instruction | None] = {}
        for instruction in function.instructions:
            for name in _targets(instruction):
                self._set_by[name] = None if name in self._set_by else instruction
        swaps = [i for i in function.instructions if i.opcode.startswith("atom") and ".cas." in i.opcode]
        self._swapped = {self._place(swap.operands[1]) for swap in swaps if len(swap.operands) > 1}

    def is_swapped(self, address: str) -> bool:
        """Whether a compare-and-swap of the function works on the address operand's place."""
        return bool(self._swapped) and self._place(address) in self._swapped

    def _place(self, address: str) -> Place | None:
        match = _ADDRESS.fullmatch(address)
        if not match:
            return None
        name, offset = match[1], int(match[2] or 0)
        for _ in range(_LONGEST_CHAIN):
            origin = self._origin(name)
            if origin is None:
                break
            name, offset = origin[0], offset + origin[1]
        return name, offset

    def _origin(self, name: str) -> Place | None:
        """What a register is made of, if it is another place plus a number."""
        instruction = self._set_by.get(name)
        if instruction is None or instruction.guard:
            return None
        head, operands = instruction.opcode.partition(".")[0], instruction.operands
        if head in ("mov", "cvta") and len(operands) == 2:
            return operands[1], 0
        if head == "add" and len(operands) == 3 and (number := parse_number(operands[2])) is not None:
            return operands[1], number
        return None


def _targets(instruction: Instruction) -> list[str]:
    """The registers that an instruction may set: those of its first operand, unless that is an address."""
    if not instruction.operands or instruction.operands[0].startswith("["):
        return []
    return re.findall(r"[%$\w]+", instruction.operands[0])
