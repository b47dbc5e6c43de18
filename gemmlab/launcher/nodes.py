"""Nodes of the syntax tree, as all readers of a launcher look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gemmlab.cuda.tree import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST_QUOTE = 60  # characters
BUILT_IN_TYPES = ("primitive_type", "sized_type_specifier")


@dataclass(frozen=True)
class Origin:
    """An expression of the file, which gave a value."""

    text: str
    line: int


def line_of(node: Node) -> int:
    return node.start_point.row + 1


def named(node: Node) -> list[Node]:
    """The children that mean something."""
    return [child for child in node.named_children if child.type != "comment"]


def shortened(text: str) -> str:
    """Code as it can stand in a sentence."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def origins_of(nodes: Sequence[Node]) -> list[Origin]:
    """Where the values of some expressions come from."""
    return [Origin(quoted(node), line_of(node)) for node in nodes]


def quoted(node: Node) -> str:
    """The node's code as it can stand in a sentence."""
    return shortened(text_of(node))
