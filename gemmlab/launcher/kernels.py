"""Launches of kernels in a host launcher: which overload, which template arguments, and what each argument becomes."""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.cuda.numbers import Number, number_type
from gemmlab.cuda.signature import canonical_type
from gemmlab.kernel.arguments import scalar
from gemmlab.kernel.launch import Address, Argument, Scalar
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.functions import Function, Parameter
from gemmlab.launcher.nodes import Origin
from gemmlab.launcher.reading import Reading, Scope
from gemmlab.launcher.values import (
    Cell,
    Dim3,
    FunctionName,
    HostArray,
    Member,
    Pointer,
    Reference,
    Stream,
    TypeName,
    Unknown,
    Value,
    as_dim3,
    as_size,
    as_stream,
    pointed_to,
    sizes_of,
)

_UNITS = {"grid": "blocks", "block": "threads"}
_NOTHING = (
    "Line {line} launches '{kernel}' with a {what} of {sizes} {unit}: '{text}' (line {origin}) is 0 at this shape, so "
    "nothing runs. Round the division up instead of down."
)


def launch(
    reader: Reading,
    line: int,
    kernel: Value,
    config: Sequence[Value],
    values: Sequence[Value],
    origins: Sequence[Origin] = (),
) -> None:
    """Launch a kernel with its configuration (grid, block, shared memory, stream) and arguments.

    `origins` are the expressions of the configuration.
    """
    if not isinstance(kernel, FunctionName):
        raise NotRead(line, "what is launched is not a kernel of this file")
    function = fitting(kernel, len(values), line)
    if not function.is_kernel:
        raise HostFault("compile_error", line, f"Line {line} launches '{function.name}', which is not __global__.")
    if not 2 <= len(config) <= 4:
        raise HostFault("compile_error", line, f"Line {line} gives <<<...>>> {len(config)} values; it takes 2 to 4.")
    template = template_scope(reader, function, kernel.template_arguments, values)
    defaults = [parameter.default for parameter in function.parameters[len(values) :]]
    missing = [reader.value(default) for default in defaults if default is not None]
    arguments = [
        _argument(parameter, value, template, line)
        for parameter, value in zip(function.parameters, [*values, *missing])
    ]
    sizes = [as_dim3([size], line, origins[place : place + 1]) for place, size in enumerate(config[:2])]
    for what, size in zip(("grid", "block"), sizes):
        _refuse_nothing(line, function.name, what, size)
    grid, block = map(sizes_of, sizes)
    smem = as_size(config[2], line) if len(config) > 2 else 0
    stream = as_stream(config[3], line) if len(config) > 3 else Stream()
    reader.device.launch(line, instance(function, template), (grid, block, smem, stream), arguments)


def _refuse_nothing(line: int, kernel: str, what: str, size: Dim3) -> None:
    """HostFault where a dimension is 0 and it is known which expression makes it so."""
    axis = next((place for place, number in enumerate(sizes_of(size)) if number == 0), None)
    if axis is not None and axis < len(size.origins):
        origin, across = size.origins[axis], " × ".join(map(str, sizes_of(size)))
        message = _NOTHING.format(
            line=line, kernel=kernel, what=what, sizes=across, text=origin.text, origin=origin.line, unit=_UNITS[what]
        )
        raise HostFault("launch_error", line, message)


def launch_by_address(reader: Reading, line: int, values: Sequence[Value]) -> None:
    """cudaLaunchKernel(kernel, grid, block, addresses of the arguments, smem, stream)."""
    kernel, grid, block, addresses = values[:4]
    cells = addresses.cells if isinstance(addresses, HostArray) else []
    places = [cell.value.place for cell in cells if isinstance(cell.value, Reference)]
    arguments = [place.value for place in places if place.value is not None]
    if len(arguments) != len(cells):
        raise NotRead(line, "the arguments of cudaLaunchKernel are not understood")
    launch(reader, line, kernel, [grid, block, *values[4:6]], arguments)


def instance(function: Function, template: Scope) -> str:
    """The kernel's name for the compiler: 'gemm', or 'gemm<64, float>' of a template."""
    if not function.template:
        return function.name
    return f"{function.qualified}<{', '.join(_spelled(p, template[p.name].value) for p in function.template)}>"


def _spelled(parameter: Parameter, value: Value | None) -> str:
    if isinstance(value, TypeName):
        return value.text
    number, type_ = value.value if isinstance(value, Number) else 0, number_type(parameter.type)
    if type_ == "bool":
        return "true" if number else "false"
    return str(number) if type_ or parameter.type == "auto" else f"({parameter.type}){number}"


def type_words(template: Scope) -> dict[str, str]:
    """The types among a template's parameters."""
    return {name: cell.value.text for name, cell in template.items() if isinstance(cell.value, TypeName)}


def _argument(parameter: Parameter, value: Value, template: Scope, line: int) -> Argument:
    type_ = canonical_type(parameter.type, type_words(template))
    number = number_type(type_)
    if type_.endswith("*"):
        if isinstance(value, Pointer) and value.array is not None:
            return Address(value.array, value.offset)
        if value == Pointer(None) or isinstance(value, Number) and value.value == 0:
            return Scalar("uint64", 0)
    elif number and isinstance(value, Number):
        return scalar(value.to(number).value, number)
    known = f"depends on {value.what}" if isinstance(value, Unknown) else f"of type '{type_}' is not understood"
    raise NotRead(line, f"the kernel's argument '{parameter.name}' {known}")


def fitting(found: FunctionName, count: int, line: int) -> Function:
    """The overload that takes so many arguments, a template where template arguments are given."""
    candidates = [function for function in found.functions if function.fewest <= count <= len(function.parameters)]
    if not candidates:
        function, plural = found.functions[0], "s" * (count != 1)
        message = f"Line {line} gives '{function.name}' {count} argument{plural}; it takes {len(function.parameters)}."
        raise HostFault("compile_error", line, message)
    templates = [function for function in candidates if function.template]
    return templates[0] if found.template_arguments and templates else candidates[0]


def template_scope(
    reader: Reading, function: Function, given: Sequence[Number | TypeName], values: Sequence[Value | None]
) -> dict[str, Cell | Member]:
    """The template's parameters as names: what was given between < and >, then deduced, then the defaults."""
    scope: dict[str, Cell | Member] = {}
    before, reader.scopes = reader.scopes, [reader.globals, scope]
    try:
        for position, parameter in enumerate(function.template):
            value: Value | None
            value = given[position] if position < len(given) else _deduced(parameter, function, values)
            if value is None and parameter.default is not None:
                value = reader.template_argument(parameter.default)
            if value is None:
                what = f"the template argument '{parameter.name}' of '{function.name}' is not given"
                raise NotRead(reader.line, what)
            type_ = number_type(parameter.type)
            converted = value.to(type_) if type_ and isinstance(value, Number) else value
            scope[parameter.name] = Cell(converted, constant=True)
    finally:
        reader.scopes = before
    return scope


def _deduced(parameter: Parameter, function: Function, values: Sequence[Value | None]) -> TypeName | None:
    """The type that T stands for, from the argument of a parameter T, T* or const T*."""
    for declared, value in zip(function.parameters, values):
        if parameter.type == "typename" and pointed_to(declared.type) == parameter.name:
            if isinstance(value, Pointer) and value.array is not None and declared.type.endswith("*"):
                return TypeName(value.element)
            if isinstance(value, Number) and not declared.type.endswith("*"):
                return TypeName(value.type)
            if isinstance(value, FunctionName):
                return TypeName("a kernel")
    return None
