"""Mutants of a right kernel: its source with one thing removed or changed. Each must fail the check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.cuda.tree import parse, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

Edit = tuple["Node", str]  # a node and the text that takes its place

_WAIT = re.compile(
    r"__sync(?:threads|warp)\w*\(|__pipeline_(?:wait_prior|commit)\(|(?:\w+(?:\.|::))?sync\(|wait\w*\(|meet\("
    r"|asm\b[^;]*\"(?:bar\.|cp\.async\.(?:wait|commit))"
)
_ZERO = re.compile(r"0(?:\.0?f?)?")
_NEIGHBOURS = {
    **{name: other for a, b in (("tx", "ty"), ("row", "col"), ("i", "j")) for name, other in ((a, (b,)), (b, (a,)))},
    "M": ("N", "K"),
    "N": ("M", "K"),
    "K": ("M", "N"),
}
_AXES = {"x": "y", "y": "x"}


@dataclass(frozen=True)
class Mutant:
    """`name` is the operator and the line before and after, unique among the mutants of a kernel."""

    operator: str
    name: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """All mutants of a source, in its order."""
    seen: Counter[str] = Counter()
    found = []
    for operator, node, replacement in _edits(parse(source)):
        name, mutated = _apply(source, operator, node, replacement)
        seen[name] += 1
        found.append(Mutant(operator, name if seen[name] == 1 else f"{name} ({seen[name]})", mutated))
    return found


def _edits(root: Node) -> Iterator[tuple[str, Node, str]]:
    for node in walk(root):
        for operator, find in OPERATORS.items():
            for edited, replacement in find(node):
                yield operator, edited, replacement


def _apply(source: str, operator: str, node: Node, replacement: str) -> tuple[str, str]:
    data = source.encode()
    mutated = data[: node.start_byte] + replacement.encode() + data[node.end_byte :]
    row = node.start_point[0]
    before, after = (text.decode().split("\n")[row].strip() for text in (data, mutated))
    return f"{operator}: {before} => {after}", mutated.decode()


# One operator a function: the edits that it makes at a node.


def _wait(node: Node) -> Iterator[Edit]:
    """A barrier, or a wait for copies, is removed."""
    if node.type == "expression_statement" and _WAIT.match(text_of(node)):
        yield node, ";"


def _guard(node: Node) -> Iterator[Edit]:
    """One of two conditions is dropped."""
    if node.type == "binary_expression" and _operator(node) in ("&&", "||"):
        yield node, text_of(node.child_by_field_name("left"))
        yield node, text_of(node.child_by_field_name("right"))


def _bound(node: Node) -> Iterator[Edit]:
    """A bound is off by one."""
    wider = {"<": "<=", ">=": ">"}
    if node.type == "binary_expression" and _operator(node) in wider:
        yield node.child_by_field_name("operator"), wider[_operator(node)]


def _index(node: Node) -> Iterator[Edit]:
    """A variable's neighbour stands in its place."""
    if node.type == "identifier" and not _is_declared(node):
        for other in _NEIGHBOURS.get(text_of(node), ()):
            yield node, other
    if node.type == "field_identifier" and text_of(node.parent).startswith(("threadIdx.", "blockIdx.")):
        if axis := _AXES.get(text_of(node)):
            yield node, axis


def _sum(node: Node) -> Iterator[Edit]:
    """A value replaces the sum to which it should be added."""
    if node.type == "assignment_expression" and _operator(node) == "+=" and node.parent.type != "for_statement":
        yield node.child_by_field_name("operator"), "="


def _fill(node: Node) -> Iterator[Edit]:
    """Where there is nothing to copy nothing is stored, not even 0."""
    if node.type != "assignment_expression" or _operator(node) != "=" or node.parent.type != "expression_statement":
        return
    right = node.child_by_field_name("right")
    if right.type != "conditional_expression" or not _ZERO.fullmatch(text_of(right.child_by_field_name("alternative"))):
        return
    condition, value = (text_of(right.child_by_field_name(name)) for name in ("condition", "consequence"))
    yield node.parent, f"if ({condition}) {text_of(node.child_by_field_name('left'))} = {value};"


def _extent(node: Node) -> Iterator[Edit]:
    """An array is one element shorter along one side."""
    size = node.child_by_field_name("size") if node.type == "array_declarator" else None
    if size is not None:
        yield size, f"{text_of(size)} - 1"


OPERATORS: dict[str, Callable[[Node], Iterator[Edit]]] = {
    "wait": _wait,
    "guard": _guard,
    "bound": _bound,
    "index": _index,
    "sum": _sum,
    "fill": _fill,
    "extent": _extent,
}


def _operator(node: Node) -> str:
    return text_of(node.child_by_field_name("operator"))


def _is_declared(node: Node) -> bool:
    """Whether an identifier stands where its variable is declared."""
    declarator = node.parent.child_by_field_name("declarator")
    return node.parent.type.endswith("declaration") or (declarator is not None and declarator.id == node.id)
