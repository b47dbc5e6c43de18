"""A source as the host's compiler sees it: its functions, variables, constants and types, found but not yet read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gemmlab.cuda.arrays import constants_of
from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.preprocess import preprocess
from gemmlab.cuda.signature import canonical_type, function_name, functions, is_kernel, parameters_of, type_aliases
from gemmlab.cuda.tree import (
    CLASSES,
    function_declarator,
    function_head,
    member_functions,
    outer_declarations,
    parse,
    part,
    text_of,
    walk,
)
from gemmlab.launcher.faults import NotRead
from gemmlab.launcher.functions import Function, Parameter
from gemmlab.launcher.nodes import line_of, quoted

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTION_MEMBERS = ("function_definition", "template_declaration", "declaration", "function_declarator")
_UNSIGNED_CAST = re.compile(r"\bunsigned\s*\((?!\s*[*&])")  # the grammar takes `unsigned(x` for a declaration


@dataclass(frozen=True)
class HostClass:
    """A class, with the names of its template's parameters and its data members: name, type, default."""

    qualified: str
    parameters: tuple[str, ...] = ()
    members: tuple[tuple[str, str, Node | None], ...] = ()


@dataclass
class HostFile:
    """`variables` are the declarations outside of functions by name, `constants` the expressions of enumerators and of
    constant members by name; `functions` has all overloads of a name, `classes` each class by its plain name. `error`
    is the first place that is no C++."""

    functions: dict[str, list[Function]] = field(default_factory=dict)
    variables: dict[str, tuple[Node, Node]] = field(default_factory=dict)
    constants: dict[str, str | None] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    classes: dict[str, HostClass] = field(default_factory=dict)
    error: NotRead | None = None

    @classmethod
    def read(cls, source: str) -> HostFile:
        root = parse(_UNSIGNED_CAST.sub("uint(", preprocess(source, host=True)))
        file = cls(aliases=type_aliases(root), constants=constants_of(root, None))
        static = (node for outer in outer_declarations(root) for node in member_functions(outer) if _is_static(node))
        for node in (*functions(root), *static):
            function = _function(node, file.aliases)
            if function is not None:
                file.functions.setdefault(function.name, []).append(function)
        for node in outer_declarations(root):
            if (found := _class(node)) is not None:
                file.classes[found.qualified.split("::")[-1]] = found
            if node.type == "declaration":
                for declarator in node.children_by_field_name("declarator"):
                    name = _declared_name(declarator)
                    if declarator.type != "function_declarator" or name not in file.functions:  # no prototype
                        file.variables[name] = node, declarator
        try:
            check_syntax(root)
        except NotRead as error:
            file.error = error
        return file

    def qualified(self, type_: str) -> str:
        """The name of a type with the namespaces that its class stands in."""
        name = type_.split("<")[0]
        return type_.replace(name, self.classes[name].qualified, 1) if name in self.classes else type_

    def constant(self, name: str) -> int | None:
        """An enumerator or a constant member, with all of its namespaces or without."""
        ends = [full for full in self.constants if full == name or full.endswith(f"::{name}")]
        return evaluate(self.constants[ends[0]] or "", self.constants) if len(ends) == 1 else None

    def member(self, class_: str, arguments: Sequence[str], name: str) -> int | None:
        """A constant member of a class template, with the arguments given to that."""
        found = self.classes.get(class_)
        if found is None:
            return None
        own = f"{found.qualified}::"
        siblings = {full.removeprefix(own): text for full, text in self.constants.items() if full.startswith(own)}
        names = {**self.constants, **siblings, **dict(zip(found.parameters, arguments))}
        return evaluate(siblings.get(name) or "", names)

    @property
    def kernels(self) -> list[Function]:
        return [function for group in self.functions.values() for function in group if function.is_kernel]

    @property
    def launchers(self) -> list[Function]:
        """The functions in which a kernel is launched."""
        every = (function for group in self.functions.values() for function in group)
        return [function for function in every if not function.is_kernel and launches(function.body)]


def _is_static(member: Node) -> bool:
    return "static" in function_head(member).split()


def check_syntax(body: Node) -> None:
    """Raise NotRead where something is no C++ that this reader knows."""
    if body.has_error:
        wrong = _wrong(body)
        near = f"near '{quoted(wrong)}' something is missing or too much"
        raise NotRead(line_of(wrong), f"'{wrong.type}' is missing" if wrong.is_missing else near)


def _wrong(body: Node) -> Node:
    """The first node that is an error or is missing; where the grammar hides that one, the smallest node around it."""
    around = body
    for node in walk(body):
        if node.type == "ERROR" or node.is_missing:
            return node
        around = node if node.has_error else around
    return around


def launches(body: Node) -> bool:
    return any(node.type == "kernel_call_syntax" for node in walk(body))


def _function(node: Node, aliases: dict[str, str]) -> Function | None:
    definition = next((inner for inner in walk(node) if inner.type == "function_definition"), None)
    body = definition.child_by_field_name("body") if definition is not None else None
    declarator = function_declarator(node)
    if (
        definition is None or body is None or declarator is None
    ):  # = default, or a function that the grammar cannot place
        return None
    defaults = {}
    for parameter in part(declarator, "parameters").named_children:
        default = parameter.child_by_field_name("default_value")
        names = [text_of(inner) for inner in walk(parameter) if inner.type == "identifier"]
        if default is not None and names:
            defaults[names[0]] = default
    return Function(
        name=function_name(node).split("::")[-1],
        qualified="::".join([*_namespaces(node), function_name(node)]),
        line=declarator.start_point.row + 1,
        parameters=tuple(
            Parameter(type_, name, defaults.get(name)) for type_, name in parameters_of(declarator, aliases)
        ),
        template=_template_parameters(node, aliases),
        returns=canonical_type(text_of(definition.child_by_field_name("type")), aliases),
        body=body,
        is_kernel=is_kernel(node),
    )


def _class(node: Node) -> HostClass | None:
    class_ = next((inner for inner in (node, *node.children) if inner.type in CLASSES), None)
    name = class_.child_by_field_name("name") if class_ is not None else None
    if name is None:
        return None
    parameters = tuple(parameter.name for parameter in _template_parameters(node, {}))
    members = tuple(_data_members(class_)) if class_ is not None else ()
    return HostClass("::".join([*_namespaces(node), text_of(name)]), parameters, members)


def _declared_types(member: Node) -> list[str]:
    return [declarator.type for declarator in member.children_by_field_name("declarator")]


def _data_members(class_: Node) -> Iterator[tuple[str, str, Node | None]]:
    """The data of a class without functions of its own: of one with functions nothing is known."""
    body = class_.child_by_field_name("body")
    children = body.named_children if body is not None else []
    if any(kind in _FUNCTION_MEMBERS for child in children for kind in (child.type, *_declared_types(child))):
        return
    for field_ in children:
        words = [text_of(child) for child in field_.children]
        if field_.type != "field_declaration" or "static" in words:
            continue
        declarators = field_.children_by_field_name("declarator")
        values = field_.children_by_field_name("default_value")
        for place, declarator in enumerate(declarators):
            names = [text_of(inner) for inner in walk(declarator) if inner.type == "field_identifier"]
            type_ = text_of(part(field_, "type")) + "*" * text_of(declarator).count("*")
            default = values[place] if len(values) == len(declarators) else None
            yield names[0] if names else "", type_, default


def _namespaces(node: Node) -> list[str]:
    names, around = [], node.parent
    while around is not None:
        name = around.child_by_field_name("name") if around.type == "namespace_definition" else None
        names += [text_of(name)] if name is not None else []
        around = around.parent
    return names[::-1]


def _template_parameters(node: Node, aliases: dict[str, str]) -> tuple[Parameter, ...]:
    """The parameters of template<...>; none where the function is no template."""
    if node.type != "template_declaration":
        return ()
    found = []
    for parameter in part(node, "parameters").named_children:
        names = [text_of(inner) for inner in walk(parameter) if inner.type in ("identifier", "type_identifier")]
        is_type = "type_parameter" in parameter.type
        if is_type:
            default = parameter.child_by_field_name("default_type")
            found.append(Parameter("typename", names[0] if names else "", default))
        elif parameter.type in ("parameter_declaration", "optional_parameter_declaration"):
            default = parameter.child_by_field_name("default_value")
            declarator = parameter.child_by_field_name("declarator")
            type_ = canonical_type(text_of(parameter.child_by_field_name("type")), aliases)
            found.append(Parameter(type_, text_of(declarator), default))
    return tuple(found)


def _declared_name(declarator: Node) -> str:
    while (inner := declarator.child_by_field_name("declarator")) is not None:
        declarator = inner
    return text_of(declarator)
