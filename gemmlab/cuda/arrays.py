"""The arrays that a source declares in shared and local memory, so that a byte offset can be named `As[1][0]`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from gemmlab.cuda.constants import SIZES, evaluate
from gemmlab.cuda.preprocess import preprocess
from gemmlab.cuda.signature import canonical_type, type_aliases
from gemmlab.cuda.tree import function_declarator, parse, part, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

FILE_SCOPE = ""  # the key of what is declared outside of functions
_SPACES = {"__shared__": "shared", "__constant__": "constant", "__device__": "global", "__managed__": "global"}


@dataclass(frozen=True)
class ArrayDeclaration:
    """One array. `extents` are in elements, None where not known; `element` is the type.

    `space` is 'shared', 'global', 'constant' or 'local'. `dynamic` is extern __shared__, whose size the launch gives.
    """

    name: str
    extents: tuple[int | None, ...]
    element: str
    space: str
    line: int
    dynamic: bool = False

    @property
    def element_bytes(self) -> int | None:
        return SIZES.get(self.element)

    def element_at(self, offset: int) -> str | None:
        """The element that byte `offset` of the array lies in, as 'As[1][0]'; None where an extent is missing for it.

        An offset outside of the array is named by running on in the first index, as C does: As[16][0], As[-1][15].
        """
        inner = [extent for extent in self.extents[1:] if extent]
        if self.element_bytes is None or not self.extents or len(inner) + 1 < len(self.extents):
            return None
        index, indices = offset // self.element_bytes, []
        for stride in (math.prod(inner[i:]) for i in range(len(self.extents))):
            indices.append(index // stride)
            index %= stride
        return self.name + "".join(f"[{i}]" for i in indices)


def array_extents(source: str, options: Sequence[str] = ()) -> dict[str, dict[str, ArrayDeclaration]]:
    """Function name -> array name -> declaration, for kernels and device functions; FILE_SCOPE for the file's own.

    Extents are evaluated from literals, #define, -D, constexpr and const integers and enums; template parameters are
    not known. A name that one function declares twice with different extents keeps none of them. Arrays inside of
    structs are left out.
    """
    root = parse(preprocess(source, options))
    aliases = type_aliases(root)
    constants = cache(lambda function: constants_of(root, function))
    found: dict[str, dict[str, ArrayDeclaration]] = {}
    for function, node in _with_functions(root):
        if node.type == "declaration":
            for declaration in _arrays(node, {**constants(None), **constants(function)}, aliases):
                _add(found.setdefault(_function_name(function), {}), declaration)
    return found


def _add(scope: dict[str, ArrayDeclaration], declaration: ArrayDeclaration) -> None:
    known = scope.setdefault(declaration.name, declaration)
    if known.extents != declaration.extents:
        scope[declaration.name] = replace(known, extents=(None,) * len(known.extents))


def _with_functions(root: Node) -> Iterator[tuple[Node | None, Node]]:
    """Every node with the definition of the function that it stands in; None outside of functions."""
    stack: list[tuple[Node | None, Node]] = [(None, root)]
    while stack:
        function, node = stack.pop()
        yield function, node
        inner = node if node.type == "function_definition" else function
        stack.extend((inner, child) for child in reversed(node.children))


def _function_name(function: Node | None) -> str:
    declarator = function_declarator(function) if function is not None else None
    return text_of(declarator.child_by_field_name("declarator")) if declarator is not None else FILE_SCOPE


def constants_of(root: Node, scope: Node | None) -> dict[str, str | None]:
    """The integer constants that are declared in that function (or outside of all), each with its expression."""
    names: dict[str, str | None] = {}
    for function, node in _with_functions(root):
        if function != scope:
            continue
        if node.type == "enumerator_list":
            names.update(_enumerators(node))
            continue
        if node.type == "init_declarator" and _is_const(node.parent):
            names[_qualified(part(node, "declarator"))] = text_of(node.child_by_field_name("value")).strip("{}")
        if node.type == "field_declaration" and _is_const(node):
            values = node.children_by_field_name("default_value")
            for declarator, value in zip(node.children_by_field_name("declarator"), values):
                names[_qualified(declarator)] = text_of(value).strip("{}")
    return {**names, **dict.fromkeys(_template_parameters(scope))}


def _is_const(declaration: Node | None) -> bool:
    children = declaration.children if declaration is not None else ()
    return any(text_of(child) in ("const", "constexpr") for child in children)


def _qualified(name: Node) -> str:
    """The name as code outside of its class writes it: Config::BM."""
    parts, node = [text_of(name)], name.parent
    while node is not None:
        if node.type in ("struct_specifier", "class_specifier", "namespace_definition"):
            parts += [text_of(child) for child in node.children_by_field_name("name")]
        node = node.parent
    return "::".join(reversed(parts))


def _enumerators(enumerators: Node) -> dict[str, str | None]:
    names: dict[str, str | None] = {}
    previous = "-1"
    for node in enumerators.named_children:
        if node.type == "enumerator":
            name, value = part(node, "name"), node.child_by_field_name("value")
            previous = text_of(value) if value is not None else f"({previous}) + 1"
            names[_qualified(name)] = previous
    return names


def _template_parameters(function: Node | None) -> list[str]:
    """The names that a function's template<> leaves open."""
    template = function.parent if function is not None else None
    if template is None or template.type != "template_declaration":
        return []
    return [text_of(node) for node in walk(part(template, "parameters")) if node.type.endswith("identifier")]


def _arrays(node: Node, names: dict[str, str | None], aliases: dict[str, str]) -> Iterator[ArrayDeclaration]:
    """The arrays of one declaration, which may declare several names."""
    specifiers = {text_of(child) for child in node.children if child != node.child_by_field_name("type")}
    space = next((name for word, name in _SPACES.items() if word in specifiers), "local")
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type == "init_declarator":
            declarator = part(declarator, "declarator")
        pointers = 0
        while declarator.type == "pointer_declarator":
            pointers, declarator = pointers + 1, part(declarator, "declarator")
        sizes = []
        while declarator.type == "array_declarator":
            sizes.append(text_of(declarator.child_by_field_name("size")))
            declarator = part(declarator, "declarator")
        if sizes and declarator.type == "identifier":
            yield ArrayDeclaration(
                name=text_of(declarator),
                extents=tuple(evaluate(size, names) for size in reversed(sizes)),
                element=canonical_type(text_of(node.child_by_field_name("type")), aliases) + "*" * pointers,
                space=space,
                line=declarator.start_point.row + 1,
                dynamic="extern" in specifiers,
            )
