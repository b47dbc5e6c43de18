"""The values of C's integer constant expressions, as in `__shared__ float As[2 * TILE][TILE + 1];`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

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

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*(?![\d.eE]))(?P<suffix>[uUlLzZ]*)(?![\w.])"
    r"|(?P<name>[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)"
    r"|(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^!~()?:,]))"
)


class _Unknown(Exception):
    """Not an integer constant expression, or one with a name whose value is not known."""


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise _Unknown
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _shift_left(a: int, b: int) -> int:
    if not 0 <= b < 64:
        raise _Unknown
    return a << b


def _shift_right(a: int, b: int) -> int:
    if not 0 <= b < 64:
        raise _Unknown
    return a >> b


_BINARY: list[dict[str, Callable[[int, int], int]]] = [  # from the loosest to the tightest
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": _shift_left, ">>": _shift_right},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": _divide, "%": lambda a, b: a - b * _divide(a, b)},
]
_UNARY = {"+": operator.pos, "-": operator.neg, "!": lambda a: int(not a), "~": operator.invert}


def evaluate(expression: str, names: Mapping[str, str | None]) -> int | None:
    """The value, or None where it is not an integer known from `names`, which gives a name's own expression.

    Knows the operators of C, casts between integers, and sizeof of the types in SIZES. Sizes of integers are ignored.
    """
    try:
        return _Expression(expression, names, 0).value()
    except (_Unknown, RecursionError):
        return None


class _Expression:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str, names: Mapping[str, str | None], depth: int) -> None:
        if len(text) > _MAX_LENGTH or depth > _MAX_DEPTH:
            raise _Unknown
        self.names = names
        self.depth = depth
        self.tokens = _tokens(text)
        self.at = 0

    def value(self) -> int:
        result = self._conditional()
        if self.at < len(self.tokens):
            raise _Unknown
        return result

    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self, expected: str = "") -> str:
        token = self._next()
        if not token or (expected and token != expected):
            raise _Unknown
        self.at += 1
        return token

    def _conditional(self) -> int:
        condition = self._binary(0)
        if self._next() != "?":
            return condition
        self._take("?")
        yes = self._conditional()
        self._take(":")
        no = self._conditional()
        return yes if condition else no

    def _binary(self, level: int) -> int:
        if level == len(_BINARY):
            return self._unary()
        left = self._binary(level + 1)
        while self._next() in _BINARY[level]:
            combine = _BINARY[level][self._take()]
            left = combine(left, self._binary(level + 1))
            if abs(left) >= 1 << 64:
                raise _Unknown
        return left

    def _unary(self) -> int:
        if self._next() in _UNARY:
            return _UNARY[self._take()](self._unary())
        if self._is_cast():
            self._type()
            return self._unary()
        return self._primary()

    def _primary(self) -> int:
        token = self._take()
        if token == "(":
            result = self._conditional()
            self._take(")")
            return result
        if token == "sizeof":
            return self._size()
        if token in ("static_cast", "int", "unsigned", "size_t"):  # static_cast<int>(x), int(x)
            while token == "static_cast" and self._take() != ">":
                pass
            self._take("(")
            self.at -= 1
            return self._primary()
        if token[0].isdigit():
            return _number(token)
        return self._named(token)

    def _named(self, name: str) -> int:
        text = {"true": "1", "false": "0"}.get(name) or self.names.get(name)
        if text is None:
            raise _Unknown
        return _Expression(text, self.names, self.depth + 1).value()

    def _is_cast(self) -> bool:
        end = self.at + 1
        while end < len(self.tokens) and _is_type_word(self.tokens[end]):
            end += 1
        return self._next() == "(" and end > self.at + 1 and self.tokens[end : end + 1] == [")"]

    def _type(self) -> str:
        """Take a type in parentheses."""
        self._take("(")
        words = []
        while self._next() != ")":
            words.append(self._take())
        self._take(")")
        return " ".join(words)

    def _size(self) -> int:
        size = SIZES.get(self._type())
        if size is None:
            raise _Unknown
        return size


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise _Unknown
        tokens.append(re.sub(r"\s", "", match["number"] or match["name"] or match["sign"]))
        at = match.end()
    return tokens


def _number(token: str) -> int:
    digits = token.replace("'", "")
    if digits.isdigit() and len(digits) > 1 and digits[0] == "0":
        digits = "0o" + digits.lstrip("0").zfill(1)
    try:
        return int(digits, 0)
    except ValueError:
        raise _Unknown from None


def _is_type_word(token: str) -> bool:
    return token in SIZES or token in ("signed", "long")
