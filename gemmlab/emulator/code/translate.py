"""One PTX instruction -> rows of code: which method translates which opcode."""

from __future__ import annotations

from gemmlab.emulator.code.translate_arithmetic import Arithmetic
from gemmlab.emulator.code.translate_carry import Carry
from gemmlab.emulator.code.translate_control import Control
from gemmlab.emulator.code.translate_tensor import Tensor
from gemmlab.emulator.code.translate_warp import Warp


class Translator(Control, Tensor, Warp, Arithmetic, Carry):
    def run(self) -> None:
        """Emit the rows. Raises Unsupported where the emulator cannot do the instruction."""
        head = self.words[0]
        if "cc" in self.words or head in ("addc", "subc", "madc"):
            self.carry_arithmetic()
        else:
            _METHODS.get(head, Translator.arithmetic)(self)


_NAMES = """
mov selp slct setp set lop3 bfi cvt add dp4a ld st cvta isspacep atom cp
bra brx ret exit trap bar membar fence shfl vote match activemask redux elect mma wmma ldmatrix
""".split()
_METHODS = {name: getattr(Translator, name) for name in _NAMES}
_METHODS |= {
    "and": Translator.logic,
    "or": Translator.logic,
    "xor": Translator.logic,
    "not": Translator.logic,
    "ldu": Translator.ld,
    "red": Translator.atom,
    "barrier": Translator.bar,
    "brkpt": Translator.trap,
    "call": Translator.call_function,
}
_METHODS |= dict.fromkeys(
    "nanosleep prefetch prefetchu discard applypriority griddepcontrol pragma".split(), Translator.nothing
)
