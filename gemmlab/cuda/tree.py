"""The syntax tree of a CUDA source (tree-sitter), and the few things that all its readers need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# The grammar has no place for these between a type and a name; they say nothing that is asked of the tree.
_ATTRIBUTE = re.compile(
    rb"\b(?:__align__|alignas|__attribute__|__cluster_dims__|__maxnreg__|__block_size__)\s*(?P<open>\()"
)
CLASSES = ("struct_specifier", "class_specifier", "union_specifier")
_SCOPES = (
    "translation_unit declaration_list namespace_definition linkage_specification "
    "preproc_if preproc_ifdef preproc_else preproc_elif"
).split()


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def parse(source: str) -> Node:
    """The root node. Its positions are those of `source` encoded as UTF-8."""
    return _parser().parse(_without_attributes(source.encode("utf-8", "surrogatepass"))).root_node


def _without_attributes(data: bytes) -> bytes:
    """The same bytes with alignment and other attributes made blank."""
    text = bytearray(data)
    for match in _ATTRIBUTE.finditer(data):
        end = _closing(data, match.start("open"))
        text[match.start() : end] = blank(data[match.start() : end])
    return bytes(text)


def _closing(data: bytes, start: int) -> int:
    """The end of the parenthesis that opens at `start`; the end of its line where none closes it."""
    depth = 0
    for match in re.compile(rb"[()\n]").finditer(data, start):
        depth += {b"(": 1, b")": -1, b"\n": 0}[match[0]]
        if depth == 0 or match[0] == b"\n":
            return match.end() if match[0] != b"\n" else match.start()
    return len(data)


def blank(data: bytes) -> bytes:
    """Spaces of the same length, with the line ends kept."""
    return re.sub(rb"[^\n]", b" ", data)


def is_text(source: str) -> bool:
    """Whether the source can be written as UTF-8 and holds no zero byte."""
    return "\0" not in source and not re.search("[\ud800-\udfff]", source)


def bytes_of(node: Node) -> bytes:
    return node.text or b""


def text_of(node: Node | None) -> str:
    return bytes_of(node).decode("utf-8", "replace") if node is not None else ""


class MissingPart(Exception):
    """A broken source: a node lacks the part that its kind always has."""

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        super().__init__(f"a {node.type} without its {name}")


def part(node: Node, name: str) -> Node:
    """The child of that field, which every node of this kind has. Raises MissingPart."""
    child = node.child_by_field_name(name)
    if child is None:
        raise MissingPart(node, name)
    return child


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the source. Takes trees of any depth."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children))


def outer_declarations(root: Node) -> Iterator[Node]:
    """What stands outside of functions and classes: functions, variables, types; in namespaces and extern "C" too."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _SCOPES and not _is_single_linkage(node):
            stack.extend(reversed(node.children))
        else:
            yield node


def _is_single_linkage(node: Node) -> bool:
    """`extern "C" void f();`, in contrast to a block in braces."""
    return node.type == "linkage_specification" and part(node, "body").type != "declaration_list"


def function_declarator(node: Node) -> Node | None:
    """The name with its parameters, of the node of a function, which may start with template<> or extern "C"."""
    for inner in walk(node):
        if inner.type == "function_declarator":
            return inner
        if inner.type in ("compound_statement", "initializer_list"):
            return None
    return None


def function_head(node: Node) -> str:
    """What stands before the name of a function: its specifiers and type; '' where the node is no function."""
    declarator = function_declarator(node)
    if declarator is None:
        return ""
    return bytes_of(node)[: declarator.start_byte - node.start_byte].decode("utf-8", "replace")


def member_functions(node: Node) -> Iterator[Node]:
    """The functions with a body that are defined inside of a class, each with its template<>."""
    if node.type in CLASSES or any(child.type in CLASSES for child in node.children):
        for inner in walk(node):
            if inner.type == "field_declaration_list":
                yield from (child for child in inner.children if _is_definition(child))


def _is_definition(node: Node) -> bool:
    return node.type == "function_definition" or (
        node.type == "template_declaration" and any(child.type == "function_definition" for child in node.children)
    )
