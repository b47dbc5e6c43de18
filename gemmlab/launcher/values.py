"""What the variables of a host launcher hold while it is read: numbers, dim3, addresses on the GPU, kernels, and what
is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gemmlab.cuda.constants import SIZES
from gemmlab.cuda.numbers import Number, number_type
from gemmlab.launcher.faults import NotRead
from gemmlab.launcher.functions import Function
from gemmlab.launcher.nodes import Origin

if TYPE_CHECKING:
    from tree_sitter import Node

AXES = ("x", "y", "z")
UNSIGNED = "unsigned int"


@dataclass
class Dim3:
    """A dim3, which can be changed member by member. A member may be Unknown until a launch needs it.

    `origins` say for each axis, as far as known, from which expression in which line it has its value.
    """

    x: Number | Unknown
    y: Number | Unknown = Number(UNSIGNED, 1)
    z: Number | Unknown = Number(UNSIGNED, 1)
    origins: tuple[Origin, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, numbers: Sequence[Number], origins: Sequence[Origin] = ()) -> Dim3:
        axes = [number.to(UNSIGNED) for number in numbers]
        x, y, z = axes + [Number(UNSIGNED, 1)] * (3 - len(axes))
        return cls(x, y, z, tuple(origins))

    @property
    def axes(self) -> tuple[Number | Unknown, Number | Unknown, Number | Unknown]:
        return self.x, self.y, self.z

    def copy(self) -> Dim3:
        return Dim3(*self.axes, self.origins)


@dataclass(frozen=True)
class Pointer:
    """`offset` bytes into an array of the GPU with elements of that type; the null pointer where `array` is None."""

    array: str | None
    offset: int = 0
    element: str = "float"

    def as_type(self, pointer_type: str) -> Pointer:
        """The same address as a 'const float4*', say; void keeps what it was."""
        element = pointed_to(pointer_type)
        return self if self.array is None or element == "void" else Pointer(self.array, self.offset, element)

    def moved(self, elements: int) -> Pointer | None:
        """Some elements further; None where that is not known."""
        size = SIZES.get(self.element)
        if self.array is None or size is None:
            return None
        return Pointer(self.array, self.offset + elements * size, self.element)


@dataclass(frozen=True)
class Stream:
    """A stream; the default one where `name` is None. It and one that is `blocking` wait for each other."""

    name: str | None = None
    blocking: bool = True


@dataclass(frozen=True)
class Unknown:
    """A value that the reader does not have, such as a time. `what` names it."""

    what: str


@dataclass(frozen=True)
class TypeName:
    """A type that a template parameter or an alias stands for."""

    text: str


@dataclass(frozen=True)
class Output:
    """std::cout and its like."""


@dataclass(frozen=True)
class FunctionName:
    """A function of the file, with the template arguments that were given."""

    functions: tuple[Function, ...]
    template_arguments: tuple[Number | TypeName, ...] = ()

    @property
    def name(self) -> str:
        return self.functions[0].name


@dataclass(frozen=True)
class Closure:
    """A lambda with the scopes it was made in."""

    node: Node
    scopes: list[dict[str, Cell | Member]]


@dataclass
class HostArray:
    """A small array of the host, such as the arguments of cudaLaunchKernel."""

    cells: list[Cell]


@dataclass
class Struct:
    """An object of a class of the file that has data members only, by name."""

    members: dict[str, Cell]

    def copy(self) -> Struct:
        return Struct({name: Cell(cell.value, cell.type, cell.name) for name, cell in self.members.items()})


@dataclass
class Cell:
    """A variable. Numbers that are put into it take its `type`, where that is an arithmetic one. A `constant` is known
    to the compiler, so that it can be a template's argument."""

    value: Value | None
    type: str | None = None
    name: str = ""
    constant: bool = False

    def put(self, value: Value) -> Value:
        """Store the value; what is stored is returned."""
        self.value = kept = converted(value, self.type)
        return kept


@dataclass
class Member:
    """One member of a dim3, as a place to read and write."""

    of: Dim3
    axis: str
    type: str = UNSIGNED
    name: str = ""
    constant: bool = False

    @property
    def value(self) -> Number | Unknown:
        return getattr(self.of, self.axis)

    def put(self, value: Value) -> Value:
        """Store the value; what is stored is returned."""
        kept = converted(value, self.type)
        setattr(self.of, self.axis, kept)
        self.of.origins = ()
        return kept


@dataclass(frozen=True)
class Reference:
    """&x."""

    place: Cell | Member


Value = (
    Number
    | Dim3
    | Pointer
    | Stream
    | Unknown
    | TypeName
    | Output
    | FunctionName
    | Closure
    | HostArray
    | Reference
    | Struct
)


def converted(value: Value, type_: str | None) -> Value:
    """The value as a variable of that type holds it. Aggregates are copied."""
    if isinstance(value, (Dim3, Struct)):
        return value.copy()
    if type_ and type_.endswith("*") and isinstance(value, Pointer):
        return value.as_type(type_)
    if isinstance(value, Number):
        number = number_type(type_ or "")
        if type_ == "dim3":
            return Dim3.of([value])
        if type_ == "cudaStream_t":
            return Stream()
        return value.to(number) if number else value
    if type_ == "cudaStream_t" and value == Pointer(None):
        return Stream()
    return value


def pointed_to(pointer_type: str) -> str:
    """'float4' of 'const float4*'."""
    return pointer_type.removesuffix("*").replace("const ", "").strip()


def as_size(value: Value, line: int) -> int:
    """A number of bytes."""
    if isinstance(value, Number) and value.is_integer:
        return value.to("unsigned long long").whole
    what = f"depends on {value.what}, which is not known here" if isinstance(value, Unknown) else "is no whole number"
    raise NotRead(line, f"a size {what}")


def as_stream(value: Value, line: int) -> Stream:
    if isinstance(value, Stream):
        return value
    if value == Pointer(None) or isinstance(value, Number) and value.value == 0:
        return Stream()
    raise NotRead(line, "the stream is not known")


def as_dim3(values: Sequence[Value | None], line: int, origins: Sequence[Origin] = ()) -> Dim3:
    """A dim3 of up to three numbers, or a copy of one."""
    copied = values[0] if len(values) == 1 else None
    members: Sequence[Value | None] = values
    if isinstance(copied, Dim3):
        members, origins = copied.axes, copied.origins
    unknown = next((member for member in members if isinstance(member, Unknown)), None)
    if unknown is not None:
        raise NotRead(line, f"a dim3 depends on {unknown.what}, which is not known here")
    numbers = [member for member in members if isinstance(member, Number)]
    if len(members) > 3 or len(numbers) < len(members):
        raise NotRead(line, "a dim3 is made of something that is no number")
    return Dim3.of(numbers, origins)


def sizes_of(dim3: Dim3) -> tuple[int, int, int]:
    """A grid or block as three numbers."""
    x, y, z = (axis.whole if isinstance(axis, Number) else 0 for axis in dim3.axes)
    return x, y, z
