"""One PTX instruction -> rows of code. Each method says with `@translates` which opcodes it is for."""

from __future__ import annotations

from gemmlab.emulator.code.translate_arithmetic import Arithmetic
from gemmlab.emulator.code.translate_async import Asynchronous
from gemmlab.emulator.code.translate_base import METHODS
from gemmlab.emulator.code.translate_carry import CARRY_HEADS, Carry
from gemmlab.emulator.code.translate_control import Control
from gemmlab.emulator.code.translate_tensor import Tensor
from gemmlab.emulator.code.translate_warp import Warp


class Translator(Control, Tensor, Asynchronous, Warp, Arithmetic, Carry):
    def run(self) -> None:
        """Emit the rows. Raises Unsupported where the emulator cannot do the instruction."""
        head = self.words[0]
        if "cc" in self.words or head in CARRY_HEADS:
            self.carry_arithmetic()
        elif head in METHODS:
            METHODS[head](self)
        else:
            self.arithmetic()
