"""How a kernel is launched: block, grid and shared memory, as integer expressions of M, N and K."""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass
from functools import lru_cache

from gemmlab.errors import UserError
from gemmlab.kernel.layout import COURSE, Layout

_MAX_EXPRESSION_LENGTH = 200
_MAX_QUOTED = 60
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def cdiv(a: int, b: int) -> int:
    """a / b rounded up: how many tiles of b cover a."""
    return -(-a // b)


def evaluate(expression: str, names: dict[str, int]) -> int:
    """The value of an integer expression (+ - * // %, parentheses, cdiv(a, b)) over `names`.

    The text is parsed and walked, never given to `eval`. Raises UserError for anything else in it.
    """
    try:
        if len(expression) > _MAX_EXPRESSION_LENGTH:
            raise UserError(f"the expression is longer than {_MAX_EXPRESSION_LENGTH} characters")
        return _value(_parsed(expression.strip()), names)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UserError(
            f"cannot read the expression {expression!r}: write integer arithmetic such as cdiv(N,16)"
        ) from None
    except ZeroDivisionError:
        raise UserError(f"the expression {expression!r} divides by zero") from None
    except UserError as error:
        raise UserError(f"cannot use the expression {_shortened(expression)!r}: {error}") from None


@lru_cache(maxsize=256)
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."


def _value(node: ast.expr, names: dict[str, int]) -> int:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            result = value
        case ast.Name(id=name):
            if name not in names:
                raise UserError(f"{name!r} is not known here; use {', '.join(names)}")
            result = names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            result = -_value(operand, names)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            result = _value(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            result = _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id="cdiv"), args=[a, b], keywords=[]):
            result = cdiv(_value(a, names), _value(b, names))
        case _:
            known = ", ".join(names)
            raise UserError(f"only integers, {known}, + - * // %, parentheses and cdiv(a, b) may be used")
    if abs(result) > 2**63:
        raise UserError("a value in it is larger than 64 bits")
    return result


@dataclass(frozen=True)
class Address:
    """An argument that points `offset` bytes into an array: 'A', 'B', 'C', 'bias', or one that a launcher allocates; of
    several devices also 'flags', or 'C_of', a table of the C of each."""

    array: str
    offset: int = 0


@dataclass(frozen=True)
class Scalar:
    """An argument passed by value. `dtype` is NumPy's name of its type, such as 'int32' or 'float32'."""

    dtype: str
    value: int | float


@dataclass(frozen=True)
class Factor(Scalar):
    """alpha or beta: a number that each case gives anew. Until then it has the value that leaves the product as it
    is."""

    name: str = ""


ALPHA, BETA = Factor("float32", 1.0, "alpha"), Factor("float32", 0.0, "beta")
Argument = Address | Scalar


@dataclass(frozen=True)
class Launch:
    """A launch with its numbers. Sizes count threads (block), blocks (grid) and bytes (smem, dynamic shared memory).

    `arguments` None stands for those of the course: A, B, C, M, N, K. `layout` says what M, N and K mean. `line` is
    the line of the launch, where the file has one.
    """

    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    smem: int = 0
    smem_opt_in: bool = False
    kernel: str = "gemm"
    arguments: tuple[Argument, ...] | None = None
    layout: Layout = COURSE
    line: int | None = None

    def arguments_at(self, shape: tuple[int, int, int]) -> tuple[Argument, ...]:
        """The arguments at a shape (M, N, K)."""
        if self.arguments is not None:
            return self.arguments
        return (*map(Address, "ABC"), *(Scalar("int32", size) for size in shape))


@dataclass(frozen=True)
class LaunchSpec:
    """A launch still written as expressions of M, N and K, one a dimension."""

    block: tuple[str, ...]
    grid: tuple[str, ...]
    smem: str = "0"
    smem_opt_in: bool = False
    kernel: str = "gemm"
    layout: Layout = COURSE
    names: tuple[tuple[str, int], ...] = ()  # beside M, N and K: rank and world, of several devices

    @classmethod
    def parse(
        cls,
        block: str,
        grid: str,
        smem: str = "0",
        smem_opt_in: bool = False,
        kernel: str = "gemm",
        layout: Layout = COURSE,
    ) -> LaunchSpec:
        """From the command line's text: dimensions are separated by commas outside parentheses."""
        spec = cls(split_dimensions(block), split_dimensions(grid), str(smem), smem_opt_in, kernel, layout)
        for what, dims in (("block", spec.block), ("grid", spec.grid)):
            if not 1 <= len(dims) <= 3:
                raise UserError(f"the {what} has {len(dims)} dimensions; give one, two or three, such as 16,16")
        return spec

    def at(self, M: int, N: int, K: int) -> Launch:
        """The launch at one shape. Values that no GPU takes (0 blocks, 4096 threads) are kept: the check names them."""
        names = {"M": M, "N": N, "K": K, **dict(self.names)}
        block, grid = (_three([evaluate(e, names) for e in dims]) for dims in (self.block, self.grid))
        smem = evaluate(self.smem, names)
        return Launch(block, grid, smem, self.smem_opt_in, self.kernel, layout=self.layout)


def _three(sizes: list[int]) -> tuple[int, int, int]:
    x, y, z = sizes + [1] * (3 - len(sizes))
    return x, y, z


def split_dimensions(text: str) -> tuple[str, ...]:
    """'cdiv(N,16),cdiv(M,16)' -> ('cdiv(N,16)', 'cdiv(M,16)')."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return tuple(parts)
