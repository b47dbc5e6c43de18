"""The expressions of a host launcher and what they come to; one half of gemmlab.launcher.reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gemmlab.cuda import numbers as c_numbers
from gemmlab.cuda.constants import evaluate
from gemmlab.cuda.numbers import ArithmeticFault, Number, number_type
from gemmlab.cuda.signature import canonical_type
from gemmlab.cuda.tree import text_of, walk
from gemmlab.launcher import library as host_library
from gemmlab.launcher.calls import call
from gemmlab.launcher.values import (
    AXES,
    Cell,
    Closure,
    Dim3,
    FunctionName,
    HostArray,
    HostFault,
    Member,
    NotRead,
    Output,
    Pointer,
    Reference,
    Stream,
    TypeName,
    Unknown,
    Value,
    as_dim3,
    converted,
    line_of,
    named,
    shortened,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from gemmlab.launcher.device import Device
    from gemmlab.launcher.file import HostFile

MOST_STEPS = 100_000  # nodes of the syntax tree
TRUE, FALSE = Number("bool", 1), Number("bool", 0)
_WITHOUT_SCOPE = ("template_function", "qualified_identifier")


class Expressions:
    """The names that are known at some point of a launcher, and the values of expressions over them."""

    def __init__(self, file: HostFile, device: Device) -> None:
        self.file, self.device = file, device
        self.globals: dict[str, Cell] = {}
        self.scopes: list[dict[str, Cell]] = [self.globals]
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
        return NotRead(line_of(node), f"'{shortened(text_of(node))}' {what}")

    # ---- names

    def find(self, name: str) -> Cell | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def is_own(self, name: str) -> bool:
        """Whether the file has a variable or function of that name."""
        return self.find(name) is not None or self._functions(name) is not None or name in self.file.variables

    def _functions(self, name: str) -> FunctionName | None:
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
        cell = self.find(name) or self._global(name)
        if cell is not None:
            return self._set_value(cell, node)
        value = evaluate(self.file.constants.get(name) or "", self.file.constants)
        if value is not None:
            return Number("int" if abs(value) < 1 << 31 else "long long", value)
        found = self._functions(name) or host_library.constant(name)
        if found is None:
            raise NotRead(line_of(node), f"'{shortened(name)}' is not known")
        return found

    def _set_value(self, place: Cell | Member, node: Node) -> Value:
        if place.value is None:
            line = line_of(node)
            message = f"Line {line} uses '{shortened(text_of(node))}', which has no value yet."
            raise HostFault("uninitialized", line, message)
        return place.value

    def _global(self, name: str) -> Cell | None:
        """A variable outside of functions; its declaration is read when it is first used."""
        if name not in self.globals and name in self.file.variables:
            declaration, declarator = self.file.variables[name]
            before, self.scopes = self.scopes, [self.globals]
            self.globals[name] = Cell(None, None, name)
            try:
                self.declare(declaration, declarator)
            finally:
                self.scopes = before
        return self.globals.get(name)

    def place(self, node: Node) -> Cell | Member:
        """The variable that an expression names."""
        found: Cell | Member | None = None
        if node.type == "identifier":
            found = self.find(text_of(node)) or self._global(text_of(node))
        elif node.type == "parenthesized_expression":
            found = self.place(named(node)[0])
        elif node.type == "field_expression":
            owner, name = self.value(node.child_by_field_name("argument")), text_of(node.child_by_field_name("field"))
            found = Member(owner, name) if isinstance(owner, Dim3) and name in AXES else None
        elif node.type == "pointer_expression" and node.children[0].type == "*":
            target = self.value(node.child_by_field_name("argument"))
            found = target.place if isinstance(target, Reference) else None
        elif node.type == "subscript_expression":
            found = self._element(node)
        if found is None:
            raise self.not_read(node, "is not a variable of the launcher")
        return found

    def _element(self, node: Node) -> Cell:
        array = self.value(node.child_by_field_name("argument"))
        index = self._number(named(node.child_by_field_name("indices"))[0])
        if isinstance(array, Pointer):
            raise self.not_read(node, "reads the GPU's memory on the host")
        if not isinstance(array, HostArray) or not index.is_integer or not 0 <= index.value < len(array.cells):
            raise self.not_read(node, "is no element of a known array")
        return array.cells[index.value]

    # ---- values

    def value(self, node: Node) -> Value:
        """The value of an expression, with all that it does."""
        self.count(node)
        handler = _EXPRESSIONS.get(node.type)
        if handler is None:
            raise self.not_read(node)
        with self.arithmetic_in(node):
            return handler(self, node)

    @contextmanager
    def arithmetic_in(self, node: Node) -> Iterator[None]:
        """Names the innermost code in which a number goes wrong."""
        try:
            yield
        except ArithmeticFault as fault:
            line = line_of(node)
            message = f"In line {line}, '{shortened(text_of(node))}' {fault}."
            raise HostFault("launch_error", line, message) from None

    def truth(self, value: Value, node: Node) -> bool:
        if isinstance(value, Number):
            return bool(value.value)
        if isinstance(value, Pointer):
            return value.array is not None
        if isinstance(value, Stream):
            return value.name is not None
        what = f"on {value.what}, which is not known here" if isinstance(value, Unknown) else "on what is no number"
        raise self.not_read(node, f"depends {what}")

    def _number(self, node: Node) -> Number:
        value = self.value(node)
        if isinstance(value, Number):
            return value
        raise self.not_read(node, f"depends on {value.what}" if isinstance(value, Unknown) else "is no number")

    def _literal(self, node: Node) -> Value:
        value = c_numbers.literal(text_of(node))
        if value is None:
            raise self.not_read(node)
        return value

    def _truth_value(self, node: Node) -> Value:
        return TRUE if node.type == "true" else FALSE

    def _null(self, node: Node) -> Value:
        return Pointer(None)

    def _text(self, node: Node) -> Value:
        return Unknown("a text")

    def _name(self, node: Node) -> Value:
        name = "".join(text_of(node).split()).removeprefix("::")
        scope, _, member = name.rpartition("::")
        cell = self.find(scope) if scope else None
        if cell is not None and isinstance(cell.value, TypeName):  # T::member, T being a template's parameter
            name = f"{cell.value.text}::{member}"
        return self.named_value(name, node)

    def _name_or_template(self, node: Node) -> Value:
        return self._name(node) if _template_parts(node) is None else self._template(node)

    def _template(self, node: Node) -> Value:
        """kernel<64, float>."""
        name, arguments = _template_parts(node)
        found = self.named_value(name, node)
        if not isinstance(found, FunctionName):
            raise self.not_read(node, "is no template of this file")
        return FunctionName(found.functions, tuple(self.template_argument(argument) for argument in arguments))

    def template_argument(self, node: Node) -> Number | TypeName:
        """What stands between < and >: a number, or a type. A name alone may be either."""
        text = "".join(text_of(node).split()) if node.type == "type_descriptor" else ""
        resolved = self.resolve_type(text_of(node))
        if number_type(resolved) or resolved.endswith("*") or resolved in host_library.DEVICE_TYPES:
            return TypeName(resolved)
        try:
            value = self.named_value(text, node) if text else self.value(node)
        except NotRead:
            if not text:
                raise
            return TypeName(resolved)  # a class of the file: whether it is there, the compiler will say
        if not isinstance(value, (Number, TypeName)):
            raise self.not_read(node, "is no number and no type")
        if not self.is_constant(node):
            line = line_of(node)
            message = (
                f"In line {line}, the template argument '{shortened(text_of(node))}' is no constant; make it constexpr."
            )
            raise HostFault("compile_error", line, message)
        return value

    def is_constant(self, node: Node) -> bool:
        """Whether the compiler knows the value: no name in it is that of a variable that changes."""
        names = [inner for inner in walk(node) if inner.type in ("identifier", "type_identifier")]
        plain = {text_of(name) for name in names if name.parent.type != "qualified_identifier"}
        return all(cell is None or cell.constant for cell in map(self.find, plain))

    def _inner(self, node: Node) -> Value:
        return self.value(named(node)[0])

    def _last(self, node: Node) -> Value:
        return [self.value(child) for child in named(node)][-1]

    def _conditional(self, node: Node) -> Value:
        condition = node.child_by_field_name("condition")
        holds = self.truth(self.value(condition), condition)
        return self.value(node.child_by_field_name("consequence" if holds else "alternative"))

    def _binary(self, node: Node) -> Value:
        sign = text_of(node.child_by_field_name("operator"))
        left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
        left = self.value(left_node)
        if isinstance(left, Output):
            return left
        if sign in ("&&", "and", "||", "or"):
            decided = sign in ("||", "or")
            holds = self.truth(left, left_node)
            return TRUE if (holds if holds == decided else self.truth(self.value(right_node), right_node)) else FALSE
        return self.operation(sign, left, self.value(right_node), node)

    def operation(self, sign: str, left: Value, right: Value, node: Node) -> Value:
        """left sign right."""
        result: Value | None = None
        if isinstance(left, Number) and isinstance(right, Number):
            result = c_numbers.binary(sign, left, right)
        elif isinstance(left, Unknown) or isinstance(right, Unknown):
            result = left if isinstance(left, Unknown) else right
        elif sign in ("==", "!="):
            same = left == right or _is_null(left) and _is_null(right)
            result = TRUE if same == (sign == "==") else FALSE
        elif isinstance(left, Pointer) and isinstance(right, Number) and sign in ("+", "-") and right.is_integer:
            result = left.moved(right.value if sign == "+" else -right.value)
        elif isinstance(left, Number) and isinstance(right, Pointer) and sign == "+" and left.is_integer:
            result = right.moved(left.value)
        if result is None:
            raise self.not_read(node)
        return result

    def _unary(self, node: Node) -> Value:
        sign = text_of(node.child_by_field_name("operator"))
        argument = node.child_by_field_name("argument")
        value = self.value(argument)
        if sign in ("!", "not"):
            return FALSE if self.truth(value, argument) else TRUE
        result = c_numbers.unary(sign, value) if isinstance(value, Number) else None
        if result is None and not isinstance(value, Unknown):
            raise self.not_read(node)
        return result or value

    def _update(self, node: Node) -> Value:
        """++i, i++, --i, i--."""
        argument = node.child_by_field_name("argument")
        place = self.place(argument)
        before = self._set_value(place, argument)
        sign = text_of(node.child_by_field_name("operator"))[0]
        place.put(self.operation(sign, before, Number("int", 1), node))
        return place.value if node.children[0].type in ("++", "--") else before

    def _assignment(self, node: Node) -> Value:
        left = node.child_by_field_name("left")
        place, value = self.place(left), self.value(node.child_by_field_name("right"))
        sign = text_of(node.child_by_field_name("operator"))
        if sign != "=":
            value = self.operation(sign[:-1], self._set_value(place, left), value, node)
        if isinstance(place.value, Dim3):
            members = [cell.value for cell in value.cells] if isinstance(value, HostArray) else [value]
            value = as_dim3(members, line_of(node))
        place.put(value)
        return place.value

    def _cast(self, node: Node) -> Value:
        return self.cast(text_of(node.child_by_field_name("type")), node.child_by_field_name("value"))

    def cast(self, type_: str, argument: Node) -> Value:
        """(type)argument. A cast of an address changes only what arithmetic on it counts in."""
        value, resolved = self.value(argument), self.resolve_type(type_)
        if resolved.endswith("*") and isinstance(value, Number) and value.value == 0:
            return Pointer(None)
        return converted(value, resolved)

    def _pointer(self, node: Node) -> Value:
        """*x or &x."""
        argument = node.child_by_field_name("argument")
        if node.children[0].type == "*":
            return self._read(node)
        if argument.type in _WITHOUT_SCOPE or argument.type == "identifier" and self._is_function(text_of(argument)):
            return self.value(argument)
        if argument.type == "subscript_expression" and (moved := self._pointer_to_element(argument)):
            return moved
        return Reference(self.place(argument))

    def _pointer_to_element(self, node: Node) -> Pointer | None:
        """&A[i], which reads nothing."""
        array = self.value(node.child_by_field_name("argument"))
        if not isinstance(array, Pointer):
            return None
        return self.operation("+", array, self._number(named(node.child_by_field_name("indices"))[0]), node)

    def _is_function(self, name: str) -> bool:
        return self.find(name) is None and self._functions(name) is not None

    def _sizeof(self, node: Node) -> Value:
        type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        text = text_of(type_) if type_ is not None else text_of(value).strip("()")
        resolved = self.resolve_type(text)
        size = 8 if resolved.endswith("*") else host_library.SIZES.get(resolved)
        if size is None and value is not None:
            found = self.value(value)
            if isinstance(found, Number):
                size = c_numbers.size_of(found.type)
            size = {Pointer: 8, Dim3: 12}.get(type(found), size)
        if size is None:
            raise self.not_read(node, "has a size that is not known")
        return Number("unsigned long long", size)

    def _member(self, node: Node) -> Value:
        owner = self.value(node.child_by_field_name("argument"))
        return owner if isinstance(owner, Unknown) else self._read(node)

    def _read(self, node: Node) -> Value:
        return self._set_value(self.place(node), node)

    def _list(self, node: Node) -> Value:
        return HostArray([Cell(self.value(child)) for child in named(node)])

    def _made(self, node: Node) -> Value:
        """dim3{16, 16} or int{3}."""
        return self.make(node.child_by_field_name("type"), named(node.child_by_field_name("value")), node)

    def make(self, type_: Node, arguments: list[Node], node: Node) -> Value:
        """type(arguments)."""
        resolved = self.resolve_type(text_of(type_))
        if resolved == "dim3":
            return as_dim3([self.value(argument) for argument in arguments], line_of(node))
        if len(arguments) == 1:
            return self.cast(resolved, arguments[0])
        if not arguments and number_type(resolved):
            return Number("int", 0).to(number_type(resolved))
        raise self.not_read(node)

    def _lambda(self, node: Node) -> Value:
        return Closure(node, list(self.scopes))

    def _call(self, node: Node) -> Value:
        return call(self, node)


def _is_null(value: Value) -> bool:
    return value in (Pointer(None), Stream(None)) or isinstance(value, Number) and value.value == 0


def _template_parts(node: Node) -> tuple[str, list[Node]] | None:
    """The name, with its namespaces, and the arguments of name<arguments>."""
    scopes = []
    while node.type == "qualified_identifier":
        scopes.append(text_of(node.child_by_field_name("scope")))
        node = node.child_by_field_name("name")
    if node.type != "template_function":
        return None
    name = "::".join([*scopes, text_of(node.child_by_field_name("name"))])
    return name, named(node.child_by_field_name("arguments"))


_EXPRESSIONS: dict[str, Callable[[Expressions, Node], Value]] = {
    "number_literal": Expressions._literal,
    "true": Expressions._truth_value,
    "false": Expressions._truth_value,
    "null": Expressions._null,
    **dict.fromkeys(("string_literal", "raw_string_literal", "concatenated_string", "char_literal"), Expressions._text),
    "identifier": Expressions._name,
    "qualified_identifier": Expressions._name_or_template,
    "template_function": Expressions._template,
    "parenthesized_expression": Expressions._inner,
    "comma_expression": Expressions._last,
    "conditional_expression": Expressions._conditional,
    "binary_expression": Expressions._binary,
    "unary_expression": Expressions._unary,
    "update_expression": Expressions._update,
    "assignment_expression": Expressions._assignment,
    "cast_expression": Expressions._cast,
    "pointer_expression": Expressions._pointer,
    "subscript_expression": Expressions._read,
    "sizeof_expression": Expressions._sizeof,
    "field_expression": Expressions._member,
    "initializer_list": Expressions._list,
    "compound_literal_expression": Expressions._made,
    "lambda_expression": Expressions._lambda,
    "call_expression": Expressions._call,
}
