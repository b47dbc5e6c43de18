"""Which element of C a thread computes, as the kernel's own store to C says it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gemmlab.cuda.arrays import constants_of
from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.preprocess import preprocess
from gemmlab.cuda.signature import function_name, functions
from gemmlab.cuda.tree import parse, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_BUILT_IN = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([xyz])\b")
Index = tuple[int, ...]


class OwnElement:
    """The element of C that each thread of a kernel stores, as its source says it."""

    def __init__(self, source: str, kernel: str) -> None:
        root = parse(preprocess(source))
        found = [node for node in functions(root) if function_name(node) == kernel]
        self._names = {**constants_of(root, None), **_variables(found[0])} if len(found) == 1 else {}
        self._stores = set(_stores(found[0])) if len(found) == 1 else set()

    def at(self, sizes: Mapping[str, int], **indices: Index) -> tuple[int, int] | None:
        """(row, column) of the element of one thread, whether it lies in C or not.

        `sizes` are M, N and K; `indices` are threadIdx, blockIdx, blockDim and gridDim as x, y, z. None where the
        source does not tell: there is no store `C[row * N + col]`, or its row or column changes while the thread runs.
        """
        names = {**self._names, **{name: str(size) for name, size in sizes.items()}}
        names |= {f"{name}_{axis}": str(value) for name, index in indices.items() for axis, value in zip("xyz", index)}
        elements = {tuple(evaluate(_plain(part), names) for part in parts) for parts in self._stores}
        row, column = elements.pop() if len(elements) == 1 else (None, None)
        return None if row is None or column is None else (row, column)


def _plain(expression: str) -> str:
    """The expression with threadIdx.x as one name."""
    return _BUILT_IN.sub(r"\1_\2", expression)


def _variables(function: Node) -> dict[str, str | None]:
    """The variables that get a value where they are declared, and no other one later."""
    declared = [node for node in walk(function) if node.type == "init_declarator"]
    changed = {text_of(node.child_by_field_name("left")) for node in walk(function) if "assign" in node.type}
    changed |= {text_of(node.child_by_field_name("argument")) for node in walk(function) if "update" in node.type}
    times = Counter(text_of(node.child_by_field_name("declarator")) for node in declared)
    return {
        name: None if name in changed or times[name] > 1 else _plain(text_of(node.child_by_field_name("value")))
        for node in declared
        if (name := text_of(node.child_by_field_name("declarator")))
    }


def _stores(function: Node) -> Iterator[tuple[str, str]]:
    """Row and column of each store to C, as the source writes them: of C[row * N + col] 'row' and 'col'."""
    for node in walk(function):
        left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
        match = re.fullmatch(r"C\s*\[(.*)\]", text_of(left), re.DOTALL) if left is not None else None
        if match:
            yield _row_and_column(_inner(left)) or ("", "")


def _inner(subscript: Node) -> Node | None:
    """The index of a subscript."""
    for node in walk(subscript):
        if node.type in ("binary_expression", "parenthesized_expression", "identifier", "number_literal"):
            if text_of(node) != "C":
                return node
    return None


def _row_and_column(index: Node | None) -> tuple[str, str] | None:
    """Of a sum of a product and a rest: the product's first factor, and the rest."""
    sides = _sides(index, "+")
    for product, rest in (sides, sides[::-1]) if sides else ():
        if factors := _sides(_without_parentheses(product), "*"):
            return text_of(factors[0]), text_of(rest)
    return None


def _sides(node: Node | None, operator: str) -> tuple[Node, ...]:
    """Left and right of that operator; nothing where the node is something else."""
    if node is None or node.type != "binary_expression" or text_of(node.child_by_field_name("operator")) != operator:
        return ()
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return (left, right) if left is not None and right is not None else ()


def _without_parentheses(node: Node) -> Node:
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node
