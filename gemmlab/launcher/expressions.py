"""The expressions of a host launcher and what they come to."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gemmlab.cuda import numbers as c_numbers
from gemmlab.cuda.numbers import ArithmeticFault, Number, number_type
from gemmlab.cuda.tree import part, text_of, walk
from gemmlab.launcher import library as host_library
from gemmlab.launcher.calls import call
from gemmlab.launcher.faults import HostFault, NotRead
from gemmlab.launcher.names import Names
from gemmlab.launcher.nodes import line_of, named, origins_of, quoted
from gemmlab.launcher.values import (
    AXES,
    Cell,
    Closure,
    Dim3,
    FunctionName,
    HostArray,
    Member,
    Output,
    Pointer,
    Reference,
    Stream,
    Struct,
    TypeName,
    Unknown,
    Value,
    as_dim3,
    converted,
)

if TYPE_CHECKING:
    from tree_sitter import Node

TRUE, FALSE = Number("bool", 1), Number("bool", 0)
_WITHOUT_SCOPE = ("template_function", "qualified_identifier")


class Expressions(Names):
    """The values of expressions over the names that are known."""

    @abstractmethod
    def run(self, node: Node) -> None:
        """Carry out one statement, as functions that are called need."""

    def place(self, node: Node) -> Cell | Member:
        """The variable that an expression names."""
        found: Cell | Member | None = None
        if node.type == "identifier":
            found = self.variable(text_of(node))
        elif node.type == "parenthesized_expression":
            found = self.place(named(node)[0])
        elif node.type == "field_expression":
            owner, name = self.value(part(node, "argument")), text_of(part(node, "field"))
            found = _member_place(owner, name)
        elif node.type == "pointer_expression" and node.children[0].type == "*":
            target = self.value(part(node, "argument"))
            found = target.place if isinstance(target, Reference) else None
        elif node.type == "subscript_expression":
            found = self._element(node)
        if found is None:
            raise self.not_read(node, "is not a variable of the launcher")
        return found

    def _element(self, node: Node) -> Cell:
        array = self.value(part(node, "argument"))
        index = self._number(named(part(node, "indices"))[0])
        if isinstance(array, Pointer):
            raise self.not_read(node, "reads the GPU's memory on the host")
        if not isinstance(array, HostArray) or not index.is_integer or not 0 <= index.value < len(array.cells):
            raise self.not_read(node, "is no element of a known array")
        return array.cells[index.whole]

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
            message = f"In line {line}, '{quoted(node)}' {fault}."
            raise HostFault("launch_error", line, message) from None

    def truth(self, value: Value, node: Node) -> bool:
        if isinstance(value, Number):
            return bool(value.value)
        if isinstance(value, Pointer):
            return value.array is not None
        if isinstance(value, Stream):
            return value.name is not None
        if value == host_library.TEXT:  # as in assert(x && "why")
            return True
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
        return host_library.TEXT

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
        name, arguments = _template_parts(node) or ("", [])
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
            # A class of the file: whether it is there, the compiler will say.
            return TypeName(self.file.qualified(self.spelled_out(resolved)))
        if not isinstance(value, (Number, TypeName)):
            raise self.not_read(node, "is no number and no type")
        if not self.is_constant(node):
            line = line_of(node)
            message = f"In line {line}, the template argument '{quoted(node)}' is no constant; make it constexpr."
            raise HostFault("compile_error", line, message)
        return value

    def is_constant(self, node: Node) -> bool:
        """Whether the compiler knows the value: no name in it is that of a variable that changes."""
        names = [inner for inner in walk(node) if inner.type in ("identifier", "type_identifier")]
        plain = {text_of(name) for name in names if not _is_qualified(name)}
        return all(cell is None or cell.constant for cell in map(self.find, plain))

    def _inner(self, node: Node) -> Value:
        return self.value(named(node)[0])

    def _last(self, node: Node) -> Value:
        return [self.value(child) for child in named(node)][-1]

    def _conditional(self, node: Node) -> Value:
        condition = part(node, "condition")
        holds = self.truth(self.value(condition), condition)
        return self.value(part(node, "consequence" if holds else "alternative"))

    def _binary(self, node: Node) -> Value:
        sign = text_of(part(node, "operator"))
        left_node, right_node = part(node, "left"), part(node, "right")
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
            result = left.moved(right.whole if sign == "+" else -right.whole)
        elif isinstance(left, Number) and isinstance(right, Pointer) and sign == "+" and left.is_integer:
            result = right.moved(left.whole)
        if result is None:
            raise self.not_read(node)
        return result

    def _unary(self, node: Node) -> Value:
        sign = text_of(part(node, "operator"))
        argument = part(node, "argument")
        value = self.value(argument)
        if sign in ("!", "not"):
            return FALSE if self.truth(value, argument) else TRUE
        result = c_numbers.unary(sign, value) if isinstance(value, Number) else None
        if result is None and not isinstance(value, Unknown):
            raise self.not_read(node)
        return result or value

    def _update(self, node: Node) -> Value:
        """++i, i++, --i, i--."""
        argument = part(node, "argument")
        place = self.place(argument)
        before = self.set_value(place, argument)
        sign = text_of(part(node, "operator"))[0]
        after = place.put(self.operation(sign, before, Number("int", 1), node))
        return after if node.children[0].type in ("++", "--") else before

    def _assignment(self, node: Node) -> Value:
        left = part(node, "left")
        place, value = self.place(left), self.value(part(node, "right"))
        sign = text_of(part(node, "operator"))
        if sign != "=":
            value = self.operation(sign[:-1], self.set_value(place, left), value, node)
        if isinstance(place.value, Dim3):
            members = [cell.value for cell in value.cells] if isinstance(value, HostArray) else [value]
            value = as_dim3(members, line_of(node))
        return place.put(value)

    def _cast(self, node: Node) -> Value:
        return self.cast(text_of(part(node, "type")), part(node, "value"))

    def cast(self, type_: str, argument: Node) -> Value:
        """(type)argument. A cast of an address changes only what arithmetic on it counts in."""
        value, resolved = self.value(argument), self.resolve_type(type_)
        if resolved.endswith("*") and isinstance(value, Number) and value.value == 0:
            return Pointer(None)
        return converted(value, resolved)

    def _pointer(self, node: Node) -> Value:
        """*x or &x."""
        argument = part(node, "argument")
        if node.children[0].type == "*":
            return self._read(node)
        if argument.type in _WITHOUT_SCOPE or argument.type == "identifier" and self._is_function(text_of(argument)):
            return self.value(argument)
        if argument.type == "subscript_expression" and (moved := self._pointer_to_element(argument)):
            return moved
        return Reference(self.place(argument))

    def _pointer_to_element(self, node: Node) -> Value | None:
        """&A[i], which reads nothing."""
        array = self.value(part(node, "argument"))
        if not isinstance(array, Pointer):
            return None
        return self.operation("+", array, self._number(named(part(node, "indices"))[0]), node)

    def _is_function(self, name: str) -> bool:
        return self.find(name) is None and self.functions(name) is not None

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
        owner = self.value(part(node, "argument"))
        return owner if isinstance(owner, Unknown) else self._read(node)

    def _read(self, node: Node) -> Value:
        return self.set_value(self.place(node), node)

    def _list(self, node: Node) -> Value:
        return HostArray([Cell(self.value(child)) for child in named(node)])

    def _made(self, node: Node) -> Value:
        """dim3{16, 16} or int{3}."""
        return self.make(part(node, "type"), named(part(node, "value")), node)

    def make(self, type_: Node, arguments: list[Node], node: Node) -> Value:
        """type(arguments)."""
        resolved = self.resolve_type(text_of(type_))
        if resolved == "dim3":
            values = [self.value(argument) for argument in arguments]
            return as_dim3(values, line_of(node), origins_of(arguments))
        if len(arguments) == 1:
            return self.cast(resolved, arguments[0])
        if not arguments and (type_name := number_type(resolved)):
            return Number("int", 0).to(type_name)
        raise self.not_read(node)

    def _lambda(self, node: Node) -> Value:
        return Closure(node, list(self.scopes))

    def _call(self, node: Node) -> Value:
        return call(self, node)


def _member_place(owner: Value, name: str) -> Cell | Member | None:
    """owner.name, and owner->name."""
    owner = owner.place.value if isinstance(owner, Reference) and owner.place.value is not None else owner
    if isinstance(owner, Struct):
        return owner.members.get(name)
    return Member(owner, name) if isinstance(owner, Dim3) and name in AXES else None


def _is_null(value: Value) -> bool:
    return value in (Pointer(None), Stream(None)) or isinstance(value, Number) and value.value == 0


def _is_qualified(name: Node) -> bool:
    """Whether it is a part of scope::name."""
    return name.parent is not None and name.parent.type == "qualified_identifier"


def _template_parts(node: Node) -> tuple[str, list[Node]] | None:
    """The name, with its namespaces, and the arguments of name<arguments>."""
    scopes = []
    while node.type == "qualified_identifier":
        scopes.append(text_of(node.child_by_field_name("scope")))
        node = part(node, "name")
    if node.type != "template_function":
        return None
    name = "::".join([*scopes, text_of(part(node, "name"))])
    return name, named(part(node, "arguments"))


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
