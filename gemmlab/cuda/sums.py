"""The running sum of a kernel: the variable that is stored to C, where it is declared and where it grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.cuda.preprocess import preprocess
from gemmlab.cuda.tree import parse, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOPS = ("for_statement", "while_statement", "do_statement")


@dataclass(frozen=True)
class SumLines:
    """Lines of the source, from 1, None where there is no one such line: the declaration of the sum, with its `type`,
    and the innermost statement of a loop that gives it a new value."""

    declared: int | None
    grows: int | None
    type: str = ""


def sum_lines(source: str) -> SumLines:
    """Where the running sum of the one kernel that stores to C is declared and grows."""
    root = parse(preprocess(source))
    names = {name for node in walk(root) for name in _stored(node)}
    if len(names) != 1:
        return SumLines(None, None)
    (name,) = names
    declared = {_line(node): text_of(node.child_by_field_name("type")) for node in walk(root) if _declares(node, name)}
    grows: dict[int, int] = {}  # line -> how many loops are around
    for node in walk(root):
        if node.type == "assignment_expression" and _base(node.child_by_field_name("left")) == name:
            grows[_line(node)] = max(grows.get(_line(node), 0), _loops_around(node))
    deepest = [line for line, loops in grows.items() if loops and loops == max(grows.values())]
    line = _only(list(declared))
    return SumLines(line, _only(deepest), declared.get(line or 0, ""))


def _stored(node: Node) -> Iterator[str]:
    """The variable whose value an assignment stores to C, where it is one alone: `C[row * N + col] = acc`."""
    if node.type == "assignment_expression" and text_of(node.child_by_field_name("left")).replace(" ", "")[:2] == "C[":
        yield _base(node.child_by_field_name("right"))


def _base(node: Node | None) -> str:
    """acc of acc, acc[m][n] and (float)acc; '' of anything else."""
    while node is not None and node.type in ("subscript_expression", "cast_expression", "parenthesized_expression"):
        node = node.child_by_field_name("argument") or node.child_by_field_name("value") or node.named_children[0]
    return text_of(node) if node is not None and node.type == "identifier" else ""


def _declares(node: Node, name: str) -> bool:
    return node.type == "declaration" and any(
        _base_of_declarator(child) == name for child in node.children_by_field_name("declarator")
    )


def _base_of_declarator(node: Node | None) -> str:
    while node is not None and node.type in ("array_declarator", "init_declarator"):
        node = node.child_by_field_name("declarator")
    return text_of(node) if node is not None and node.type == "identifier" else ""


def _loops_around(node: Node) -> int:
    count, above = 0, node.parent
    while above is not None:
        count += above.type in _LOOPS
        above = above.parent
    return count


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _only(lines: list[int]) -> int | None:
    return lines[0] if len(lines) == 1 else None
