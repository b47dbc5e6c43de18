"""What the parts of the reader need of each other: calls, kernels and the library see the whole only as this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from gemmlab.launcher.device import Device
from gemmlab.launcher.values import Cell, Member, Number, TypeName, Value

if TYPE_CHECKING:
    from tree_sitter import Node

Scope = Mapping[str, "Cell | Member"]


class Reading(Protocol):
    """A reading that is under way: the names that are known now, and what is done on the device."""

    device: Device
    globals: dict[str, Cell | Member]
    scopes: list[dict[str, Cell | Member]]
    line: int

    @property
    def aliases(self) -> Mapping[str, str]:
        """The file's own names of types."""

    def run(self, node: Node) -> None:
        """Carry out one statement."""

    def value(self, node: Node) -> Value:
        """The value of an expression, with all that it does."""

    def place(self, node: Node) -> Cell | Member:
        """The variable that an expression names."""

    def is_own(self, name: str) -> bool:
        """Whether the file has a variable or function of that name."""

    def resolve_type(self, text: str) -> str:
        """A type in one spelling, with aliases and template parameters replaced."""

    def template_argument(self, node: Node) -> Number | TypeName:
        """What stands between < and >."""

    def cast(self, type_: str, argument: Node) -> Value:
        """(type)argument."""

    def make(self, type_: Node, arguments: list[Node], node: Node) -> Value:
        """type(arguments)."""
