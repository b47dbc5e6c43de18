"""Leaves the host's part out of a source. nvcc compiles it for the CPU; NVRTC, which knows only the GPU, refuses it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.cuda.signature import function_name
from gemmlab.cuda.tree import (
    CLASSES,
    blank,
    bytes_of,
    function_declarator,
    function_head,
    member_functions,
    outer_declarations,
    parse,
    text_of,
    walk,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_KEPT_FUNCTION = re.compile(r"\b(?:__global__|__device__|constexpr)\b")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t].*__(?:global|device)__", re.MULTILINE)
_KEPT_VARIABLE = re.compile(r"\b(?:__device__|__constant__|__shared__|__managed__|const|constexpr)\b")
_DEVICE_VARIABLE = re.compile(r"\b(?:__device__|__constant__|__shared__|__managed__)\b")
_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define\b((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_CALLED_MACRO = re.compile(r"([A-Z][A-Z0-9_]+)\s*\(")
_MACRO_NAME = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = ("function_definition", "declaration")
_DEVICE_FUNCTION = re.compile(r"\b(?:__global__|__device__)\b")


@dataclass(frozen=True)
class DevicePart:
    """The source with the host's functions and variables made blank (lines stay); their names with their lines, and all
    lines that they take.

    `has_constexpr` says that a constexpr function of the host is kept: nvcc lets device code use one in constants.
    """

    text: str
    removed: dict[str, int]
    removed_lines: frozenset[int]
    has_constexpr: bool


def without_host_code(source: str, instances: Sequence[str] = ()) -> DevicePart:
    """Blank the functions without __global__, __device__ or constexpr, the variables without memory space or const.

    So are statements outside of functions, which are macros of other libraries; functions that are members of a class,
    unless device code uses the class; explicit instantiations of what is blanked; and the classes, constants and names
    of types that neither other code nor one of the `instances` names.
    """
    device_words = set(_MACRO.findall(source))
    outer = list(outer_declarations(parse(source)))
    device_code = "\n".join(text_of(node) for node in outer if _DEVICE_FUNCTION.search(function_head(node)))
    members = [member for node in outer if not _is_used(node, device_code) for member in member_functions(node)]
    names = {node.id: name for node in outer + members if (name := _host_name(node))}
    host = [
        node
        for node in outer + members
        if node.id in names and device_words.isdisjoint(re.findall(r"\w+", function_head(node)))
    ]
    removed = {names[node.id]: node.start_point.row + 1 for node in host}
    rest = [node for node in outer if node not in host]
    macros = set(_MACRO_NAME.findall(source))
    host += [node for node in rest if _instantiated(node) in removed or _is_foreign_macro(node, macros)]
    for node in _unneeded([node for node in rest if node not in host], [*_DEFINITION.findall(source), *instances]):
        host.append(node)
        removed[_offered(node)] = node.start_point.row + 1
    return DevicePart(
        _blanked(source, host),
        removed,
        frozenset(row + 1 for node in host for row in range(node.start_point.row, node.end_point.row + 1)),
        any(_is_constexpr_function(node) for node in outer + members),
    )


def _blanked(source: str, nodes: list[Node]) -> str:
    data = bytearray(source.encode("utf-8", "surrogatepass"))
    for node in nodes:
        data[node.start_byte : node.end_byte] = blank(bytes_of(node))
    return data.decode("utf-8", "surrogatepass")


def _instantiated(node: Node) -> str:
    """The function that `template void launch<float>(...);` makes code of; '' of any other node."""
    return function_name(node) if node.type == "template_instantiation" else ""


def _is_foreign_macro(node: Node, macros: set[str]) -> bool:
    """Whether it is a library's macro outside of functions, such as one that registers an operator.

    A macro that the file itself defines may make a kernel.
    """
    called = _CALLED_MACRO.match(text_of(node)) if node.type == "expression_statement" else None
    return called is not None and called[1] not in macros


def _unneeded(nodes: list[Node], others: list[str]) -> list[Node]:
    """The classes, constants and names of types that neither other nodes nor the other texts name."""
    offers = {node.id: _offered(node) for node in nodes}
    needed = set(_WORD.findall("\n".join(others)))
    for node in nodes:
        if not offers[node.id] and not node.type.startswith(("preproc", "comment")):
            needed.update(_WORD.findall(text_of(node)))
    open_ = [node for node in nodes if offers[node.id]]
    while found := [node for node in open_ if offers[node.id] in needed]:
        open_ = [node for node in open_ if node not in found]
        for node in found:
            needed.update(_WORD.findall(text_of(node)))
    return open_


def _offered(node: Node) -> str:
    """The name under which other code would use it; '' of what stays in any case."""
    if node.type == "template_declaration":
        return next((name for child in node.children if (name := _offered(child))), "")
    if node.type in (*CLASSES, "alias_declaration"):
        return text_of(node.child_by_field_name("name"))
    if node.type == "using_declaration" and "namespace" not in text_of(node).split():
        return text_of(node).rstrip("; ").split("::")[-1]
    if node.type == "type_definition":
        names = [inner for inner in walk(node) if inner.type == "type_identifier"]
        return text_of(names[-1]) if names else ""
    if node.type == "declaration" and not _DEVICE_VARIABLE.search(text_of(node)) and function_declarator(node) is None:
        names = [inner for inner in walk(node) if inner.type == "identifier"]
        declared = node.children_by_field_name("declarator")
        return text_of(names[0]) if len(declared) == 1 and names else ""
    return ""


def _is_used(node: Node, device_code: str) -> bool:
    """Whether device code names the class."""
    class_ = next((inner for inner in (node, *node.children) if inner.type in CLASSES), None)
    name = text_of(class_.child_by_field_name("name")) if class_ is not None else ""
    return bool(name) and re.search(rf"\b{re.escape(name)}\b", device_code) is not None


def _is_constexpr_function(node: Node) -> bool:
    head = function_head(node)
    return "constexpr" in head and "__device__" not in head and "__global__" not in head


def _host_name(node: Node) -> str | None:
    """The name of what the node declares, where it belongs to the host."""
    declaration = next((inner for inner in walk(node) if inner.type in _FUNCTION), None)
    if declaration is None or node.type not in (*_FUNCTION, "template_declaration", "linkage_specification"):
        return None
    declarator = function_declarator(node)
    if declarator is not None:
        kept = _KEPT_FUNCTION.search(function_head(node))
        return None if kept else text_of(declarator.child_by_field_name("declarator"))
    if _KEPT_VARIABLE.search(text_of(node)):
        return None
    names = [inner for inner in walk(declaration) if inner.type == "identifier"]
    return text_of(names[0]) if names else None
