"""The values of C's integer constant expressions, as in `__shared__ float As[2 * TILE][TILE + 1];`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from gemmlab.cuda import numbers as c_numbers
from gemmlab.cuda.numbers import ArithmeticFault, Number, number_type
from gemmlab.cuda.tree import MissingPart, parse, part, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_T = TypeVar("_T")
_MAX_LENGTH = 2000
_MAX_DEPTH = 40

_SCALARS = {
    1: ("char", "signed char", "unsigned char", "bool", "int8_t", "uint8_t"),
    2: ("short", "unsigned short", "int16_t", "uint16_t", "half", "__half", "nv_bfloat16", "__nv_bfloat16"),
    4: ("int", "unsigned", "unsigned int", "float", "int32_t", "uint32_t", "half2", "__half2", "__nv_bfloat162"),
    8: ("long long", "unsigned long long", "double", "int64_t", "uint64_t", "size_t"),
}
_VECTORS = {1: ("char", "uchar"), 2: ("short", "ushort"), 4: ("float", "int", "uint"), 8: ("double",)}
SIZES = {
    **{name: size for size, names in _SCALARS.items() for name in names},
    **{f"{name}{n}": size * n for size, names in _VECTORS.items() for name in names for n in (2, 3, 4)},
}
_TRUTH = {"true": Number("bool", 1), "false": Number("bool", 0)}


class _Unknown(Exception):
    """Not an integer constant expression, or one with a name whose value is not known."""


def evaluate(expression: str, names: Mapping[str, str | None]) -> int | None:
    """The value, or None where it is not an integer known from `names`, which gives a name's own expression.

    Knows the operators of C, casts between numbers, and sizeof of the types in SIZES.
    """
    try:
        found = _value_of(expression, names, 0)
    except (_Unknown, ArithmeticFault, MissingPart, RecursionError):
        return None
    return found.whole if found.is_integer else None


def _value_of(text: str, names: Mapping[str, str | None], depth: int) -> Number:
    if len(text) > _MAX_LENGTH or depth > _MAX_DEPTH:
        raise _Unknown
    root = parse(f"auto value = {text.strip()};")
    whole = root.named_children[0] if root.named_child_count == 1 and not root.has_error else None
    declared = whole.children_by_field_name("declarator") if whole is not None else []
    if len(declared) != 1 or declared[0].type != "init_declarator":
        raise _Unknown
    return _Constant(names, depth).value(part(declared[0], "value"))


class _Constant:
    """The value of a tree, whose names have expressions of their own."""

    def __init__(self, names: Mapping[str, str | None], depth: int) -> None:
        self.names, self.depth = names, depth

    def value(self, node: Node) -> Number:
        handler = _KINDS.get(node.type)
        if handler is None:
            raise _Unknown
        return handler(self, node)

    def _literal(self, node: Node) -> Number:
        """Integers are wide here, as in #if: a size is not to overflow, whatever type it is computed in."""
        found = _known(c_numbers.literal(text_of(node)))
        return found.to("long long") if found.is_integer and found.value < 1 << 63 else found

    def _truth(self, node: Node) -> Number:
        return _TRUTH[node.type]

    def _name(self, node: Node) -> Number:
        text = self.names.get("".join(text_of(node).split()))
        if text is None:
            raise _Unknown
        return _value_of(text, self.names, self.depth + 1)

    def _inner(self, node: Node) -> Number:
        if node.named_child_count != 1:
            raise _Unknown
        return self.value(node.named_children[0])

    def _conditional(self, node: Node) -> Number:
        holds = self.value(part(node, "condition")).value
        return self.value(part(node, "consequence" if holds else "alternative"))

    def _binary(self, node: Node) -> Number:
        """Sums go down on the left as deep as they are long, so that side is taken in a loop."""
        rights = []
        while node.type == "binary_expression":
            rights.append((text_of(part(node, "operator")), part(node, "right")))
            node = part(node, "left")
        value = self.value(node)
        for sign, right in reversed(rights):
            value = self._combined(sign, value, self.value(right))
        return value

    def _combined(self, sign: str, left: Number, right: Number) -> Number:
        if sign in ("&&", "and"):
            return Number("bool", int(bool(left.value and right.value)))
        if sign in ("||", "or"):
            return Number("bool", int(bool(left.value or right.value)))
        return _known(c_numbers.binary(sign, left, right))

    def _unary(self, node: Node) -> Number:
        return _known(c_numbers.unary(text_of(part(node, "operator")), self.value(part(node, "argument"))))

    def _cast(self, node: Node) -> Number:
        return self._converted(text_of(part(node, "type")), part(node, "value"))

    def _converted(self, type_: str, node: Node) -> Number:
        return self.value(node).to(_known(number_type(type_)))

    def _call(self, node: Node) -> Number:
        """int(x) or static_cast<int>(x)."""
        function, arguments = part(node, "function"), part(node, "arguments").named_children
        if len(arguments) != 1:
            raise _Unknown
        if function.type == "template_function" and text_of(part(function, "name")) == "static_cast":
            return self._converted(text_of(part(function, "arguments"))[1:-1], arguments[0])
        return self._converted(text_of(function), arguments[0])

    def _size(self, node: Node) -> Number:
        inside = text_of(node).removeprefix("sizeof").strip().removeprefix("(").removesuffix(")")
        return Number("unsigned long long", _known(SIZES.get(" ".join(inside.split()))))


def _known(found: _T | None) -> _T:
    if found is None:
        raise _Unknown
    return found


_KINDS: dict[str, Callable[[_Constant, Node], Number]] = {
    "number_literal": _Constant._literal,
    "true": _Constant._truth,
    "false": _Constant._truth,
    "identifier": _Constant._name,
    "qualified_identifier": _Constant._name,
    "parenthesized_expression": _Constant._inner,
    "initializer_list": _Constant._inner,
    "conditional_expression": _Constant._conditional,
    "binary_expression": _Constant._binary,
    "unary_expression": _Constant._unary,
    "cast_expression": _Constant._cast,
    "call_expression": _Constant._call,
    "sizeof_expression": _Constant._size,
}
