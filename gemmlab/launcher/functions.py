"""The functions of a file, kernels and others, as a launcher may call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function or template. `type` is in one spelling, 'typename' where a type is asked for."""

    type: str
    name: str
    default: Node | None = None

    @property
    def is_reference(self) -> bool:
        """Whether the function may change the caller's variable."""
        return self.type.endswith("&") and "const" not in self.type and not self.type.endswith("&&")


@dataclass(frozen=True)
class Function:
    """A function with its body. `qualified` is its name with its namespaces; `returns` is its type."""

    name: str
    qualified: str
    line: int
    parameters: tuple[Parameter, ...]
    template: tuple[Parameter, ...]
    returns: str
    body: Node
    is_kernel: bool

    @property
    def fewest(self) -> int:
        """How many arguments a call must give."""
        return sum(parameter.default is None for parameter in self.parameters)
