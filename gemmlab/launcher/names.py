"""The names that are known at some point of a launcher, and what they stand for."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gemmlab.cuda.numbers import Number
from gemmlab.cuda.signature import canonical_type
from gemmlab.kernel.launch import split_dimensions
from gemmlab.launcher import library as host_library
from gemmlab.launcher.device import Device
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.file import HostFile
from gemmlab.launcher.nodes import line_of, quoted, shortened
from gemmlab.launcher.values import Cell, FunctionName, Member, TypeName, Value

if TYPE_CHECKING:
    from tree_sitter import Node

_MEMBER = re.compile(r"(?:\w+::)*(\w+)<(.*)>::(\w+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
MOST_STEPS = 100_000  # nodes of the syntax tree


class Names(ABC):
    """Scopes with their variables, and what the file declares outside of functions."""

    def __init__(self, file: HostFile, device: Device) -> None:
        self.file, self.device = file, device
        self.globals: dict[str, Cell | Member] = {}
        self.scopes: list[dict[str, Cell | Member]] = [self.globals]
        self.line = 0
        self._left = MOST_STEPS

    def count(self, node: Node) -> None:
        """One more step; HostFault where there are too many."""
        self._left -= 1
        self.line = line_of(node)
        if self._left < 0:
            message = f"The launcher takes too many steps (it was at line {self.line}): look for an endless loop."
            raise HostFault("timeout", self.line, message)

    def not_read(self, node: Node, what: str = "is not understood") -> NotRead:
        return NotRead(line_of(node), f"'{quoted(node)}' {what}")

    @property
    def aliases(self) -> Mapping[str, str]:
        """The file's own names of types."""
        return self.file.aliases

    @abstractmethod
    def declare(self, declaration: Node, declarator: Node) -> None:
        """Read the declaration of one variable."""

    def find(self, name: str) -> Cell | Member | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def is_own(self, name: str) -> bool:
        """Whether the file has a variable or function of that name."""
        return self.find(name) is not None or self.functions(name) is not None or name in self.file.variables

    def functions(self, name: str) -> FunctionName | None:
        scope, _, plain = name.rpartition("::")
        functions = () if scope == "std" else self.file.functions.get(plain, ())
        return FunctionName(tuple(functions)) if functions else None

    def resolve_type(self, text: str) -> str:
        """A type in one spelling, with aliases and template parameters replaced."""
        cells = (item for scope in self.scopes for item in scope.items())
        words = {name: cell.value.text for name, cell in cells if isinstance(cell.value, TypeName)}
        return canonical_type(text, {**self.file.aliases, **words})

    def named_value(self, name: str, node: Node) -> Value:
        """What a name stands for: a variable, a constant of the file, a function, or something of CUDA's."""
        cell = self.variable(name)
        if cell is not None:
            return self.set_value(cell, node)
        value = self.file.constant(name)
        value = self._class_member(name) if value is None else value
        if value is not None:
            return Number("int" if abs(value) < 1 << 31 else "long long", value)
        found = self.functions(name) or host_library.constant(name)
        if found is None:
            raise NotRead(line_of(node), f"'{shortened(name)}' is not known")
        return found

    def _class_member(self, name: str) -> int | None:
        """Config<64, 32>::BM."""
        match = _MEMBER.fullmatch(name)
        arguments = [self.spelled_out(text) for text in split_dimensions(match[2])] if match else []
        return self.file.member(match[1], arguments, match[3]) if match else None

    def spelled_out(self, text: str) -> str:
        """A text with the numbers of variables in place of their names."""

        def number(word: re.Match[str]) -> str:
            cell = self.find(word[0])
            return str(cell.value.value) if cell and isinstance(cell.value, Number) else word[0]

        return _WORD.sub(number, text)

    def set_value(self, place: Cell | Member, node: Node) -> Value:
        if place.value is None:
            line = line_of(node)
            message = f"Line {line} uses '{quoted(node)}', which has no value yet."
            raise HostFault("uninitialized", line, message)
        return place.value

    def variable(self, name: str) -> Cell | Member | None:
        """A variable. The declaration of one outside of functions is read when it is first used."""
        if (found := self.find(name)) is not None:
            return found
        if name not in self.globals and name in self.file.variables:
            declaration, declarator = self.file.variables[name]
            before, self.scopes = self.scopes, [self.globals]
            self.globals[name] = Cell(None, None, name)
            try:
                self.declare(declaration, declarator)
            finally:
                self.scopes = before
        return self.globals.get(name)
