"""Calls in a host launcher: launches of kernels, the file's own functions and lambdas, casts, and the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gemmlab.cuda.numbers import Number, number_type
from gemmlab.cuda.signature import canonical_type, parameters_of
from gemmlab.cuda.tree import part, text_of
from gemmlab.launcher import library as host_library
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.file import check_syntax
from gemmlab.launcher.functions import Parameter
from gemmlab.launcher.kernels import fitting, launch, template_scope, type_words
from gemmlab.launcher.nodes import BUILT_IN_TYPES, line_of, named, origins_of, quoted
from gemmlab.launcher.reading import Reading, Scope
from gemmlab.launcher.values import Cell, Closure, FunctionName, Member, Unknown, Value

if TYPE_CHECKING:
    from tree_sitter import Node

_CASTS = ("static_cast", "reinterpret_cast", "const_cast")


class Return(Exception):
    """A function returns."""

    def __init__(self, value: Value | None) -> None:
        self.value = value


def call(reader: Reading, node: Node) -> Value:
    """A call, whatever it is of."""
    config = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
    if config is not None:
        return _launch(reader, node, config)
    callee, arguments = part(node, "function"), named(part(node, "arguments"))
    if callee.type in BUILT_IN_TYPES:
        return reader.make(callee, arguments, node)
    if callee.type == "field_expression":
        return _method(reader, callee)
    name = "".join(text_of(callee).split()).split("<")[0]
    if name in _CASTS and callee.type == "template_function" and len(arguments) == 1:
        return reader.cast(text_of(part(callee, "arguments"))[1:-1], arguments[0])
    if callee.type == "lambda_expression" or reader.is_own(name):
        return _own(reader, reader.value(callee), node, arguments)
    resolved = reader.resolve_type(text_of(callee))
    if resolved == "dim3" or number_type(resolved):
        return reader.make(callee, arguments, node)
    return host_library.call(reader, name, node, arguments)


def _launch(reader: Reading, node: Node, config: Node) -> Value:
    """kernel<<<grid, block, smem, stream>>>(arguments)."""
    kernel = reader.value(part(node, "function"))
    given = named(config)
    sizes = [reader.value(child) for child in given]
    values = [reader.value(argument) for argument in named(part(node, "arguments"))]
    launch(reader, line_of(node), kernel, sizes, values, origins_of(given))
    return Unknown("the result of a launch")


def _method(reader: Reading, callee: Node) -> Value:
    owner = reader.value(part(callee, "argument"))
    if isinstance(owner, Unknown):
        return owner
    raise NotRead(line_of(callee), f"'{quoted(callee)}' is not understood")


def _own(reader: Reading, found: Value, node: Node, arguments: list[Node]) -> Value:
    """A function or lambda of the file."""
    line = line_of(node)
    if isinstance(found, Closure):
        declarator = found.node.child_by_field_name("declarator")
        pairs = parameters_of(declarator, reader.aliases) if declarator is not None else ()
        parameters = [Parameter(*pair) for pair in pairs]
        scope = _typed(reader, parameters, _given(reader, parameters, arguments, node), {})
        return _run(reader, [*found.scopes, scope], part(found.node, "body"), "")
    if not isinstance(found, FunctionName):
        raise NotRead(line, f"'{quoted(node)}' is no call of a function")
    function = fitting(found, len(arguments), line)
    if function.is_kernel:
        message = f"Line {line} calls the kernel '{function.name}' like a function; launch it with <<<grid, block>>>."
        raise HostFault("compile_error", line, message)
    given = _given(reader, function.parameters, arguments, node)
    template = template_scope(
        reader, function, found.template_arguments, [place.value for place in given if place.value is not None]
    )
    scope = _typed(reader, function.parameters, given, template)
    return _run(reader, [reader.globals, template, scope], function.body, function.returns)


def _given(reader: Reading, parameters: Sequence[Parameter], arguments: list[Node], node: Node) -> list[Cell | Member]:
    """For each parameter a variable of its own, or the caller's where the parameter is a reference."""
    fewest = sum(parameter.default is None for parameter in parameters)
    if not fewest <= len(arguments) <= len(parameters):
        raise NotRead(line_of(node), f"'{quoted(node)}' has {len(arguments)} arguments")
    defaults = (parameter.default for parameter in parameters[len(arguments) :])
    nodes = [*arguments, *(default for default in defaults if default is not None)]
    return [
        reader.place(given) if parameter.is_reference else Cell(reader.value(given))
        for parameter, given in zip(parameters, nodes)
    ]


def _typed(
    reader: Reading, parameters: Sequence[Parameter], given: list[Cell | Member], template: Scope
) -> dict[str, Cell | Member]:
    """The parameters by name. Those that are no references take the type of the parameter."""
    for parameter, place in zip(parameters, given):
        if not parameter.is_reference:
            place.type = reader.resolve_type(canonical_type(parameter.type.rstrip("&"), type_words(template)))
            if place.value is not None:
                place.put(place.value)
    return {parameter.name: place for parameter, place in zip(parameters, given)}


def _run(reader: Reading, scopes: list[dict[str, Cell | Member]], body: Node, returns: str) -> Value:
    """The body of a function with its names; the value that it returns."""
    check_syntax(body)
    before, reader.scopes = reader.scopes, scopes
    try:
        reader.run(body)
    except Return as returned:
        type_, value = number_type(reader.resolve_type(returns)), returned.value
        if value is not None:
            return value.to(type_) if type_ and isinstance(value, Number) else value
    finally:
        reader.scopes = before
    return Unknown("the result of a function that returns nothing")
