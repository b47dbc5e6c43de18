"""Reading front matter: blocks whose keys are taken one by one, and whose errors name the key."""

from __future__ import annotations

import re
from typing import Any

from gemmlab.errors import UserError

_MAX_ELEMENTS = 1 << 22
Shape = tuple[int, int, int]


class Block:
    """A block of the front matter: each key is taken once, and `finish` rejects the keys that nobody took.

    `where` is what errors call the block, such as 'gemmlab.cases'.
    """

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, dict):
            raise UserError(f"{where} must hold keys and values")
        self.where = where
        self._data: dict[str, Any] = dict(data)
        self._inner: list[Block] = []

    def __contains__(self, key: str) -> bool:
        return key in self._data

    @property
    def keys(self) -> list[str]:
        """The keys that nobody took so far."""
        return list(self._data)

    def take(self, key: str) -> Any:
        if key not in self._data:
            raise UserError(f"{self.where} lacks the key '{key}'")
        return self._data.pop(key)

    def text(self, key: str) -> str:
        return as_text(self.take(key), f"{self.where}.{key}")

    def number(self, key: str) -> float:
        return as_number(self.take(key), f"{self.where}.{key}")

    def positive_int(self, key: str) -> int:
        return as_positive_int(self.take(key), f"{self.where}.{key}")

    def shape(self, key: str) -> Shape:
        return as_shape(self.take(key), f"{self.where}.{key}")

    def block(self, key: str) -> Block:
        self._inner.append(Block(self.take(key), f"{self.where}.{key}"))
        return self._inner[-1]

    def items(self, key: str) -> list[Any]:
        value = self.take(key)
        if not isinstance(value, list):
            raise UserError(f"{self.where}.{key} must be a list")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(as_text(value, f"{self.where}.{key}") for value in self.items(key))

    def blocks(self, key: str, optional: bool = False) -> list[Block]:
        """The blocks of a list. Where the key is optional, none may be there."""
        if optional and key not in self:
            return []
        entries = [Block(value, f"{self.where}.{key}[{i}]") for i, value in enumerate(self.items(key))]
        self._inner += entries
        return entries

    def finish(self) -> None:
        """Raises UserError where a key of this block, or of one inside it, was not taken."""
        if self._data:
            raise UserError(f"{self.where} has the unknown key '{next(iter(self._data))}'")
        for block in self._inner:
            block.finish()


def front_matter(text: str) -> Block:
    """The gemmlab: block of a lesson's source. Raises UserError where there is none, or where it is not YAML."""
    import yaml

    parts = re.split(r"^---[ \t]*$", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise UserError("the file does not start with front matter between two lines of ---")
    try:
        data = yaml.load(parts[1], getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # libyaml is eight times as fast
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not readable"
        raise UserError(f"the front matter is not YAML{where}: {problem}") from None
    if not isinstance(data, dict) or "gemmlab" not in data:
        raise UserError("the front matter has no gemmlab: block")
    return Block(data["gemmlab"], "gemmlab")


def as_text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{where} must be text")
    return value.strip()


def as_number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise UserError(f"{where} must be a number that is not negative, not {value!r}")
    return value


def as_positive_int(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise UserError(f"{where} must be a whole number above 0, not {value!r}")
    return value


def as_shape(value: object, where: str) -> Shape:
    """M, N and K of a product that is small enough to be checked."""
    if not isinstance(value, list) or len(value) != 3:
        raise UserError(f"{where} must be a shape [M, N, K]")
    M, N, K = (as_positive_int(size, where) for size in value)
    if max(M * N, M * K, K * N) > _MAX_ELEMENTS:
        raise UserError(f"{where} has a matrix of more than {_MAX_ELEMENTS} elements, too much for a check")
    return M, N, K
