"""Reads the body of a host launcher: statement by statement, as C++ would run it, but nothing of it is compiled or run.

It knows what launchers are made of: numbers, dim3, addresses on the GPU, if, loops, switch, functions, lambdas and
templates of the file, and `kernel<<<...>>>(...)`. What it does not know ends the reading with NotRead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gemmlab.cuda.numbers import Number, number_type
from gemmlab.cuda.tree import parse, part, text_of, walk
from gemmlab.launcher.calls import Return
from gemmlab.launcher.expressions import Expressions
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.file import HostClass
from gemmlab.launcher.nodes import BUILT_IN_TYPES, line_of, named, origins_of, shortened
from gemmlab.launcher.values import Cell, HostArray, Struct, TypeName, Unknown, Value, as_dim3

if TYPE_CHECKING:
    from tree_sitter import Node

_PASSED_OVER = frozenset(
    "comment ; using_declaration static_assert_declaration struct_specifier class_specifier "
    "attribute_declaration type_definition".split()
)
_LARGEST_ARRAY = 1024


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Reader(Expressions):
    """One reading of a file's launcher. What it does to the GPU is kept by `device`."""

    def run(self, node: Node) -> None:
        """Carry out one statement."""
        self.count(node)
        if node.type not in _PASSED_OVER:
            with self.arithmetic_in(node):
                _STATEMENTS.get(node.type, Reader.value)(self, node)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self.scopes.append({})
        try:
            yield
        finally:
            self.scopes.pop()

    # ---- statements

    def _block(self, node: Node) -> None:
        with self._scope():
            self._all(node)

    def _all(self, node: Node) -> None:
        for child in named(node):
            self.run(child)

    def _if(self, node: Node) -> None:
        with self._scope():
            if self._condition(part(node, "condition")):
                self.run(part(node, "consequence"))
            elif (otherwise := node.child_by_field_name("alternative")) is not None:
                self._all(otherwise)

    def _condition(self, node: Node) -> bool:
        """A condition, which may declare a variable first."""
        if node.type == "condition_clause":
            if (first := node.child_by_field_name("initializer")) is not None:
                self._all(first)
            node = part(node, "value")
        if node.type == "declaration":
            self.run(node)
            node = next(inner for inner in walk(node) if inner.type == "identifier")
        return self.truth(self.value(node), node)

    def _for(self, node: Node) -> None:
        with self._scope():
            if (first := node.child_by_field_name("initializer")) is not None:
                self.run(first)
            self._loop(node)

    def _loop(self, node: Node) -> None:
        """while and do, and for without its first part."""
        condition, update = node.child_by_field_name("condition"), node.child_by_field_name("update")
        body, first = part(node, "body"), node.type == "do_statement"
        while first or condition is None or self._condition(condition):
            first = False
            self.count(node)
            try:
                self.run(body)
            except _Break:
                return
            except _Continue:
                pass
            if update is not None:
                self.value(update)

    def _switch(self, node: Node) -> None:
        wanted = self.value(part(part(node, "condition"), "value"))
        cases = [child for child in named(part(node, "body")) if child.type == "case_statement"]
        labels = [case.child_by_field_name("value") for case in cases]
        hits = [place for place, label in enumerate(labels) if label is not None and self._is(wanted, label)]
        default = [place for place, label in enumerate(labels) if label is None]
        first = (hits + default + [len(cases)])[0]
        with self._scope():
            try:
                for case, label in zip(cases[first:], labels[first:]):
                    for child in named(case):
                        if child != label:
                            self.run(child)
            except _Break:
                pass

    def _is(self, wanted: Value, label: Node) -> bool:
        return self.truth(self.operation("==", wanted, self.value(label), label), label)

    def _return(self, node: Node) -> None:
        given = named(node)
        raise Return(self.value(given[0]) if given else None)

    def _break(self, node: Node) -> None:
        raise _Break

    def _continue(self, node: Node) -> None:
        raise _Continue

    def _try(self, node: Node) -> None:
        self.run(part(node, "body"))

    def _throw(self, node: Node) -> None:
        line = line_of(node)
        raise HostFault("launch_error", line, f"The launcher gives up with an exception in line {line}.")

    # ---- declarations

    def _declaration(self, node: Node) -> None:
        for declarator in node.children_by_field_name("declarator"):
            self.declare(node, declarator)

    def _alias(self, node: Node) -> None:
        text = self.file.qualified(self.spelled_out(self.resolve_type(text_of(part(node, "type")))))
        self.scopes[-1][text_of(part(node, "name"))] = Cell(TypeName(text), constant=True)

    def _enum(self, node: Node) -> None:
        """Enumerators count on from the one before."""
        enumerators = node.child_by_field_name("body")
        last = Number("int", -1)
        for enumerator in named(enumerators) if enumerators is not None else []:
            value = enumerator.child_by_field_name("value")
            last = self._number(value) if value is not None else Number("int", last.whole + 1)
            self.scopes[-1][text_of(part(enumerator, "name"))] = Cell(last, constant=True)

    def declare(self, declaration: Node, declarator: Node) -> None:
        """One variable of a declaration, with its first value."""
        type_, value = text_of(part(declaration, "type")), declaration.child_by_field_name("value")
        if declarator.type == "init_declarator":
            value = declarator.child_by_field_name("value")
            declarator = part(declarator, "declarator")
        while declarator.type in ("pointer_declarator", "parenthesized_declarator"):
            type_ += "*" * (declarator.type == "pointer_declarator")
            declarator = named(declarator)[-1]
        if declarator.type == "reference_declarator" and value is not None:
            self._reference(named(declarator)[-1], value)
        elif declarator.type == "structured_binding_declarator" and value is not None:
            self._binding(declarator, value)
        elif declarator.type == "array_declarator":
            self._array(declarator, value)
        elif declarator.type == "function_declarator" and value is None:
            self._variable_or_prototype(type_, declarator)
        elif declarator.type in ("identifier", "function_declarator"):
            self._variable(type_, _name_in(declarator), _values(value))
        else:
            raise self.not_read(declarator)
        cell, words = self.scopes[-1].get(_name_in(declarator)), [text_of(child) for child in declaration.children]
        if cell is not None and value is not None and ("const" in words or "constexpr" in words):
            cell.constant = self.is_constant(value)

    def _variable_or_prototype(self, type_: str, declarator: Node) -> None:
        """`dim3 grid(cols, rows);` reads like the declaration of a function; it is one where it names types."""
        parameters = part(declarator, "parameters")
        if not named(parameters) or any(node.type in BUILT_IN_TYPES for node in walk(parameters)):
            return
        row = parameters.start_point.row
        again = parse("\n" * row + f"auto x = f{text_of(parameters)};")
        arguments = next((node for node in walk(again) if node.type == "argument_list"), None)
        if arguments is None or again.has_error:
            raise self.not_read(declarator)
        self._variable(type_, _name_in(declarator), named(arguments))

    def _variable(self, type_: str, name: str, given: list[Node]) -> None:
        values = [self.value(node) for node in given]
        resolved = "" if type_.split()[-1:] == ["auto"] else self.resolve_type(type_)
        cell = Cell(None, resolved or None, name)
        class_ = self.file.classes.get(resolved)
        if class_ is not None and class_.members and not isinstance(next(iter(values), None), Struct):
            cell.value = self._struct(class_, values)
        elif resolved == "dim3":
            cell.value = as_dim3(values, self.line, origins_of(given))
        elif len(values) == 1:
            cell.put(values[0])
        elif values:
            raise NotRead(self.line, f"'{name}' of type {shortened(type_)} is given {len(values)} values")
        elif not resolved.endswith("*") and number_type(resolved) is None:
            known = resolved.startswith("cuda") and resolved != "cudaDeviceProp"
            cell.value = None if known else Unknown(f"'{name}' of type {shortened(type_)}")
        self.scopes[-1][name] = cell

    def _struct(self, class_: HostClass, values: list[Value]) -> Value:
        """An object whose data members get these values in order, then their defaults."""
        if len(values) == 1 and isinstance(values[0], HostArray):
            values = [cell.value for cell in values[0].cells if cell.value is not None]
        members = {}
        for place, (name, type_, default) in enumerate(class_.members):
            members[name] = Cell(None, self.resolve_type(type_), name)
            if place < len(values):
                members[name].put(values[place])
            elif default is not None:
                members[name].put(self.value(default))
        return Struct(members)

    def _reference(self, name: Node, value: Node) -> None:
        """`int& x = y;`: another name for the same variable."""
        given = _values(value)[0]
        is_place = given.type in ("identifier", "field_expression")
        self.scopes[-1][text_of(name)] = self.place(given) if is_place else Cell(self.value(given))

    def _binding(self, declarator: Node, value: Node) -> None:
        """auto [rows, cols] = ...;"""
        given, names = self.value(value), [text_of(name) for name in named(declarator)]
        cells = given.cells if isinstance(given, HostArray) else []
        cells = list(given.members.values()) if isinstance(given, Struct) else cells
        if len(cells) != len(names):
            raise self.not_read(declarator)
        self.scopes[-1].update(zip(names, cells))

    def _array(self, declarator: Node, value: Node | None) -> None:
        size, cells = declarator.child_by_field_name("size"), [Cell(self.value(node)) for node in _values(value)]
        if size is not None:
            count = self._number(size)
            if not count.is_integer or not len(cells) <= count.value <= _LARGEST_ARRAY:
                raise self.not_read(declarator)
            cells += [Cell(None) for _ in range(count.whole - len(cells))]
        self.scopes[-1][_name_in(declarator)] = Cell(HostArray(cells))


def _name_in(declarator: Node) -> str:
    return text_of(next((node for node in walk(declarator) if node.type == "identifier"), declarator))


def _values(node: Node | None) -> list[Node]:
    """The expressions of `= value`, `(values)` or `{values}`."""
    if node is None:
        return []
    return named(node) if node.type in ("argument_list", "initializer_list") else [node]


_STATEMENTS: dict[str, Callable[[Reader, Node], object]] = {
    "compound_statement": Reader._block,
    "expression_statement": Reader._all,
    "declaration": Reader._declaration,
    "alias_declaration": Reader._alias,
    "enum_specifier": Reader._enum,
    "if_statement": Reader._if,
    "for_statement": Reader._for,
    "while_statement": Reader._loop,
    "do_statement": Reader._loop,
    "switch_statement": Reader._switch,
    "return_statement": Reader._return,
    "break_statement": Reader._break,
    "continue_statement": Reader._continue,
    "try_statement": Reader._try,
    "throw_statement": Reader._throw,
}
