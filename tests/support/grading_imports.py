"""What a module's source imports, wherever it stands in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path


def imports_of(path: Path) -> set[str]:
    """The modules, and the names taken from them, which may be modules too; not those that types alone need."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(below)
        for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for below in ast.walk(node)
    }  # fmt: skip
    return {name for node in ast.walk(tree) if id(node) not in for_types for name in _imported(node)}


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_module(name: str) -> bool:
    """Whether there is a module of that name, and not only a name inside of one."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
