"""What is compiled: the machine code on disk is thrown away when, and only when, a source of it changes."""

from __future__ import annotations

import ast

from gemmlab.emulator.store import compiled_sources


def test_compiled_code_imports_nothing_that_its_folder_name_does_not_count():
    sources = compiled_sources()
    names = {".".join(path.with_suffix("").parts[path.parts.index("gemmlab") :]) for path in sources}
    found = set()
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gemmlab"):
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)} & _modules(node)
    assert "gemmlab.emulator.machine.memory.loads" in found
    assert found <= names


def _modules(node: ast.ImportFrom) -> set[str]:
    """The modules that an import names: the one that it imports from, or those in it."""
    from importlib.util import find_spec

    inside = {f"{node.module}.{alias.name}" for alias in node.names if _is_package(node.module)}
    return {name for name in inside if find_spec(name)} or {node.module or ""}


def _is_package(name: str | None) -> bool:
    from importlib.util import find_spec

    spec = find_spec(name or "")
    return spec is not None and spec.submodule_search_locations is not None
