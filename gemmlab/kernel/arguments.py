"""What a kernel or launcher of any signature is given: names, numbers and sizes, as --args spells them.

`A`, `B` and `C` are the matrices, `A.T` and `B.T` the same stored transposed, `C=0` a C that is filled with zeros
first. Everything else is a number: a constant such as 1.0, or integer arithmetic over M, N and K.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32, Element, element_of
from gemmlab.kernel.launch import Address, Argument, Launch, LaunchSpec, Scalar, evaluate, split_dimensions
from gemmlab.kernel.layout import Layout
from gemmlab.kernel.plan import Fill, Plan

MATRICES: Mapping[str, str] = {"A": "A", "B": "B", "C": "C", "A.T": "A", "B.T": "B", "C=0": "C"}
_REAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?[fF]?")
_LONGEST = 20  # arguments
INTEGER_TYPES = {
    "bool": "bool",
    "char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned int": "uint32",
    "long long": "int64",
    "unsigned long long": "uint64",
}
_REAL_TYPES = {"float": "float32", "double": "float64", "half": "float16"}


@dataclass(frozen=True)
class ArgumentList:
    """The arguments as texts, in order."""

    texts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> ArgumentList:
        """From the command line: separated by commas outside of parentheses. Raises UserError."""
        texts = tuple("".join(part.split()) for part in split_dimensions(text))
        arguments = cls(texts)
        given = [MATRICES[one] for one in texts if one in MATRICES]
        if len(texts) > _LONGEST or sorted(given) != ["A", "B", "C"]:
            raise UserError(
                f"--args {text[:60]!r} must name A, B and C once each (A.T, B.T: stored transposed; C=0: filled with "
                'zeros first), beside sizes and constants, for example "M,N,K,1.0,A,B,0.0,C=0"'
            )
        for one in texts:
            if one not in MATRICES:
                arguments.number(one, (1, 1, 1))
        return arguments

    @property
    def transposed(self) -> frozenset[str]:
        """Which of A and B are stored column by column."""
        return frozenset(text[0] for text in self.texts if text.endswith(".T"))

    @property
    def zeroes_C(self) -> bool:
        return "C=0" in self.texts

    def number(self, text: str, shape: tuple[int, int, int]) -> int | float:
        """The value of one that is no matrix, at a shape."""
        return float(text.rstrip("fF")) if _REAL.fullmatch(text) else evaluate(text, dict(zip("MNK", shape)))

    def at(self, shape: tuple[int, int, int], types: Sequence[str | None]) -> tuple[Argument, ...]:
        """The arguments at a shape. `types` are those of C++ that numbers are converted to; None leaves an int an int
        and a float a float."""
        return tuple(
            Address(MATRICES[text]) if text in MATRICES else scalar(self.number(text, shape), type_)
            for text, type_ in zip(self.texts, types)
        )


def scalar(value: int | float, type_: str | None) -> Scalar:
    """A number as the argument of a parameter of that type of C++."""
    if type_ == "bfloat16":
        return Scalar("uint16", struct.unpack("<I", struct.pack("<f", value))[0] >> 16)
    if type_ in INTEGER_TYPES:
        return Scalar(INTEGER_TYPES[type_], int(value))
    if type_ in _REAL_TYPES:
        return Scalar(_REAL_TYPES[type_], float(value))
    return Scalar("float32", value) if isinstance(value, float) else Scalar("int32", value)


@dataclass(frozen=True)
class GivenLaunch:
    """A launch of a kernel of any signature. `types` are those of the numbers among its parameters, `element` is what A
    and B hold."""

    spec: LaunchSpec
    given: ArgumentList
    types: tuple[str | None, ...]
    element: Element = FLOAT32

    @property
    def kernel(self) -> str:
        return self.spec.kernel

    @property
    def layout(self) -> Layout:
        return replace(self.spec.layout, transposed=self.given.transposed, element=self.element)

    def at(self, M: int, N: int, K: int) -> Launch | Plan:
        """The launch at one shape, after C is filled with zeros where that is asked for."""
        shape = M, N, K
        launch = replace(self.spec.at(*shape), arguments=self.given.at(shape, self.types), layout=self.layout)
        return Plan((zeroed_C(self.layout, shape), launch)) if self.given.zeroes_C else launch


def element_asked(where: str, matrices: Mapping[str, str], asked: Element | None) -> Element:
    """What A and B hold, by the types of the parameters `matrices` of a kernel or launcher; `asked` is what it was said
    to be, if anything. Raises UserError where the two differ, and where A, B or C is a pointer to something else."""
    found = {name: element_of(type_) for name, type_ in matrices.items()}
    odd = next((name for name in "ABC" if name in found and found[name] is None), None)
    if odd:
        raise UserError(f"{where} takes {odd} as {matrices[odd]}; A and B may hold {_KNOWN}, and C holds float")
    if found.get("C", FLOAT32) is not FLOAT32:
        raise UserError(f"{where} takes C as {matrices['C']}; C must be float*, so that its error can be judged")
    first, second = found["A"] or FLOAT32, found["B"] or FLOAT32
    if first is not second:
        raise UserError(f"{where} takes A as {matrices['A']} and B as {matrices['B']}; both must have one type")
    if asked is not None and asked.cuda != first.cuda:
        raise UserError(f"{where} takes A as {matrices['A']}, and was to take matrices of {asked.name}")
    return asked or first


_KNOWN = "float, half or __nv_bfloat16"


def zeroed_C(layout: Layout, shape: tuple[int, int, int]) -> Fill:
    """C filled with zeros, as a launch that adds to it needs."""
    rows, cols, _ = layout.product(shape)
    return Fill(Address("C"), 4 * rows * cols, 0)
