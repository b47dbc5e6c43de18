"""Leaves the host's part out of a source. nvcc compiles it for the CPU; NVRTC, which knows only the GPU, refuses it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
_FUNCTION = ("function_definition", "declaration")
_DEVICE_FUNCTION = re.compile(r"\b(?:__global__|__device__)\b")


@dataclass(frozen=True)
class DevicePart:
    """The source with the host's functions and variables made blank (lines stay); their names with their lines.

    `has_constexpr` says that a constexpr function of the host is kept: nvcc lets device code use one in constants.
    """

    text: str
    removed: dict[str, int]
    has_constexpr: bool


def without_host_code(source: str) -> DevicePart:
    """Blank the functions without __global__, __device__ or constexpr, the variables without memory space or const.

    So are functions that are members of a class, unless device code uses the class.
    """
    data = bytearray(source.encode("utf-8", "surrogatepass"))
    removed, has_constexpr = {}, False
    device_words = set(_MACRO.findall(source))
    outer = list(outer_declarations(parse(source)))
    device_code = "\n".join(text_of(node) for node in outer if _DEVICE_FUNCTION.search(function_head(node)))
    members = [member for node in outer if not _is_used(node, device_code) for member in member_functions(node)]
    for node in outer + members:
        has_constexpr = has_constexpr or _is_constexpr_function(node)
        name = _host_name(node)
        if name and device_words.isdisjoint(re.findall(r"\w+", function_head(node))):
            removed[name] = node.start_point.row + 1
            data[node.start_byte : node.end_byte] = blank(bytes_of(node))
    return DevicePart(data.decode("utf-8", "surrogatepass"), removed, has_constexpr)


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
