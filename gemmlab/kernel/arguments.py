"""What a kernel or launcher of any signature is given: names, numbers and sizes, as --args spells them.

`A`, `B` and `C` are the matrices, `A.T` and `B.T` the same stored transposed, `C=0` a C that is filled with zeros
first, `C=given` one that holds values to add to. `bias` has a value for each column of C. `alpha` is a factor of the
product and `beta` one of what C held; each case draws them, unless the text says which, as `alpha=0.5` does. Everything
else is a number: a constant such as 1.0, or integer arithmetic over M, N and K.

One of several devices is also given `rank` and `world`, its own `flags`, and tables of what each device has, by rank:
`A_of`, `B_of`, `C_of`, `flags_of`. M, N and K are those of the whole product; A and B are the device's part of them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32, Element, element_of
from gemmlab.kernel.epilogue import DRAWN, Epilogue
from gemmlab.kernel.launch import (
    ALPHA,
    BETA,
    Address,
    Argument,
    Factor,
    Launch,
    LaunchSpec,
    Scalar,
    evaluate,
    split_dimensions,
)
from gemmlab.kernel.layout import Devices, Layout
from gemmlab.kernel.plan import Fill, OnDevices, Plan
from gemmlab.kernel.terms import read_activation

MATRICES: Mapping[str, str] = {"A": "A", "B": "B", "C": "C", "A.T": "A", "B.T": "B", "C=0": "C", "C=given": "C"}
ARRAYS: Mapping[str, str] = {**MATRICES, "bias": "bias"}
TABLES: Mapping[str, str] = {f"{name}_of": name for name in ("A", "B", "C", "flags")}
FLAGS = "flags"
OF_DEVICES = (FLAGS, *TABLES)
FACTORS: Mapping[str, Factor] = {"alpha": ALPHA, "beta": BETA}
TYPES_OF_DEVICES: Mapping[str, tuple[str, ...]] = {
    FLAGS: ("unsigned int*", "int*"),
    "flags_of": ("unsigned int**", "int**"),
    **{name: ("float**", "const float**") for name in ("A_of", "B_of", "C_of")},
}
_NOT_ON_DEVICES = {*ARRAYS, *FACTORS} - set("ABC")
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


class Parameter(NamedTuple):
    """A parameter that a kernel must have: a name for it, and the types of C++ that are accepted, the first is asked
    for."""

    name: str
    types: tuple[str, ...]


@dataclass(frozen=True)
class ArgumentList:
    """The arguments as texts, in order, and what is applied to each element of the sum that they give."""

    texts: tuple[str, ...]
    activation: str = "none"
    devices: Devices | None = None
    rank: int = 0  # of several devices, the one that they are for

    @classmethod
    def parse(cls, text: str, activation: str = "none", devices: Devices | None = None) -> ArgumentList:
        """From the command line: separated by commas outside of parentheses. Raises UserError."""
        texts = tuple("".join(part.split()) for part in split_dimensions(text))
        arguments = cls(texts, read_activation(activation), devices)
        given = [MATRICES[one] for one in texts if one in MATRICES]
        if devices:
            arguments._refuse_on_devices(given)
        elif len(texts) > _LONGEST or sorted(given) != ["A", "B", "C"]:
            raise UserError(
                f"--args {text[:60]!r} must name A, B and C once each (A.T, B.T: stored transposed; C=0: filled with "
                "zeros first; C=given: holds values to add to), beside sizes, constants, bias, alpha and beta, for "
                'example "M,N,K,1.0,A,B,0.0,C=0"'
            )
        for one in texts:
            if not arguments.is_array(one):
                arguments.number(one, (1, 1, 1))
        arguments._refuse_contradictions()
        return arguments

    def _refuse_on_devices(self, given: Sequence[str]) -> None:
        """Several devices take A, B and C as they are, C perhaps only by its table."""
        twice = [name for name in ("A", "B", "C") if given.count(name) > 1]
        missing = [name for name in ("A", "B", "C") if name not in given and f"{name}_of" not in self.texts]
        if len(self.texts) > _LONGEST or twice or missing:
            raise UserError(
                f"the arguments {','.join(self.texts)[:60]!r} of several devices must name A, B and C once each, or "
                'their tables such as C_of, for example "A,B,C_of,flags_of,M,N,K,rank,world"'
            )
        if odd := next((one for one in self.texts if {one, one.partition("=")[0]} & _NOT_ON_DEVICES), None):
            raise UserError(
                f"several devices make C = A·B and nothing else, with A, B and C as they are; leave out {odd}"
            )
        if self.activation != "none":
            raise UserError("several devices make C = A·B and nothing else; leave out the activation")

    def is_array(self, text: str) -> bool:
        """Whether the argument is an address in memory."""
        return text in ARRAYS or self.devices is not None and text in OF_DEVICES

    @property
    def names(self) -> tuple[tuple[str, int], ...]:
        """What is known beside M, N and K: rank and world, on several devices."""
        return (("rank", self.rank), ("world", self.devices.world)) if self.devices else ()

    def misfits(self, text: str, type_: str) -> bool:
        """Whether an argument that only several devices have is taken by a parameter of another type of C++."""
        return self.is_array(text) and text in OF_DEVICES and type_ not in TYPES_OF_DEVICES[text]

    def _refuse_contradictions(self) -> None:
        named = [text.partition("=")[0] for text in self.texts]
        twice = next((name for name in ("bias", *FACTORS) if named.count(name) > 1), None)
        if twice:
            raise UserError(f"--args names {twice} twice; give it once")
        if self.zeroes_C and "beta" in named:
            raise UserError("--args has C=0 and beta; write C, which then holds values wherever beta is not 0")

    @property
    def drawn(self) -> list[str]:
        """The factors that each case draws."""
        return [text for text in self.texts if text in FACTORS]

    def epilogue(self, batch: int = 1) -> Epilogue:
        """What these arguments say of the epilogue."""
        said = {name: value for name, _, value in (text.partition("=") for text in self.texts) if name in FACTORS}
        alpha, beta = (said[name].rstrip("fF") or DRAWN if name in said else "" for name in FACTORS)
        return Epilogue(alpha, beta, "bias" in self.texts, "C=given" in self.texts, self.activation, batch)

    @property
    def transposed(self) -> frozenset[str]:
        """Which of A and B are stored column by column."""
        return frozenset(text[0] for text in self.texts if text.endswith(".T"))

    @property
    def zeroes_C(self) -> bool:
        return "C=0" in self.texts

    def number(self, text: str, shape: tuple[int, int, int]) -> int | float:
        """The value of one that is no array, at a shape. A factor that each case draws has the one that changes nothing
        until then."""
        name, _, value = text.partition("=")
        if name in FACTORS:
            return _real(value) if value else FACTORS[name].value
        names = {**dict(zip("MNK", shape)), **dict(self.names)}
        return _real(text) if _REAL.fullmatch(text) else evaluate(text, names)

    def at(self, shape: tuple[int, int, int], types: Sequence[str | None]) -> tuple[Argument, ...]:
        """The arguments at a shape. `types` are those of C++ that numbers are converted to; None leaves an int an int
        and a float a float."""
        return tuple(self._argument(text, shape, type_) for text, type_ in zip(self.texts, types, strict=False))

    def _argument(self, text: str, shape: tuple[int, int, int], type_: str | None) -> Argument:
        if self.is_array(text):
            return Address(ARRAYS.get(text, text))
        value, name = scalar(self.number(text, shape), type_), text.partition("=")[0]
        return Factor(value.dtype, value.value, name) if name in FACTORS else value


def _real(text: str) -> float:
    """A number as C++ writes it. Raises UserError."""
    try:
        return float(text.rstrip("fF"))
    except ValueError:
        raise UserError(f"{text[:40]!r} is no number; write one such as 0.5") from None


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
    def epilogue(self) -> Epilogue:
        return self.given.epilogue(self.spec.layout.batch)

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


@dataclass(frozen=True)
class AskedLaunch(LaunchSpec):
    """A launch of a kernel that is asked for with other parameters than the course's six."""

    given: ArgumentList = ArgumentList(("A", "B", "C", "M", "N", "K"))

    @classmethod
    def of(cls, spec: LaunchSpec, args: str, activation: str = "none", devices: Devices | None = None) -> AskedLaunch:
        """The same launch with these arguments, of several `devices` on the first. Raises UserError where they cannot
        be read."""
        given = ArgumentList.parse(args, activation, devices)
        if given.zeroes_C or given.transposed:
            raise UserError(f"the arguments {args!r} of a kernel that is asked for take A, B and C as they are")
        return cls(**{field.name: getattr(spec, field.name) for field in fields(spec)}, given=given)

    @property
    def _types(self) -> tuple[str | None, ...]:
        texts = self.given.texts
        is_array = self.given.is_array
        return tuple(None if is_array(text) else _type_of(self.given.number(text, (1, 1, 1))) for text in texts)

    @property
    def epilogue(self) -> Epilogue:
        return self.given.epilogue(self.layout.batch)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What the kernel must take."""
        return tuple(_parameter(text, type_) for text, type_ in zip(self.given.texts, self._types, strict=True))

    def at(self, M: int, N: int, K: int) -> Launch:
        """The launch at one shape, with its arguments."""
        return replace(super().at(M, N, K), arguments=self.given.at((M, N, K), self._types))


def on_devices(spec: LaunchSpec, args: str, devices: Devices) -> OnDevices:
    """A launch of one kernel on each device, with these arguments. Raises UserError where they cannot be read."""
    return on_other_devices(AskedLaunch.of(spec, args, devices=devices), devices)


def on_other_devices(launch: AskedLaunch, devices: Devices) -> OnDevices:
    """The same launch of one kernel on each of these devices."""
    lists = [replace(launch.given, devices=devices, rank=rank) for rank in range(devices.world)]
    return OnDevices(tuple(replace(launch, names=given.names, given=given) for given in lists), devices)


def _type_of(value: int | float) -> str:
    return "float" if isinstance(value, float) else "int"


def _parameter(text: str, type_: str | None) -> Parameter:
    if text in OF_DEVICES and type_ is None:
        return Parameter(text, TYPES_OF_DEVICES[text])
    if text in ARRAYS:
        name = ARRAYS[text]
        return Parameter(name, ("float*",) if name == "C" else ("const float*", "float*"))
    return Parameter(text.partition("=")[0], ("int", "unsigned int") if type_ == "int" else ("float", "double"))


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
    return Fill(Address("C"), 4 * rows * cols * layout.batch, 0)
