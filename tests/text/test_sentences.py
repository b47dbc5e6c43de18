"""Every sentence of every `sentences.py` is used, and is given just the fields that it names.

Where a sentence is chosen first and filled in later, `Sentence` itself refuses wrong fields, in the test of that place.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import gemmlab
from gemmlab.sentence import Sentence

ROOT = Path(gemmlab.__file__).parents[1]
FILES = sorted(path for room in ("gemmlab", "grading") for path in (ROOT / room).rglob("*.py"))
MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES if path.name == "sentences.py"]
CONSTANTS = [
    (module, name) for module in MODULES for name, value in vars(importlib.import_module(module)).items()
    if isinstance(value, Sentence)
]  # fmt: skip
TABLES = [
    (module, name, key) for module in MODULES for name, value in vars(importlib.import_module(module)).items()
    if isinstance(value, dict) and value and all(isinstance(one, Sentence) for one in value.values()) for key in value
]  # fmt: skip


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def uses(module: str, name: str) -> Iterator[ast.Call | None]:
    """Each place where a sentence of that module is named: the call, None where it is not called at once."""
    for path in FILES:
        tree = tree_of(path)
        aliases = {
            (alias.asname or alias.name, f"{node.module}.{alias.name}")
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        short = {known for known, full in aliases if full == module}
        direct = {known for known, full in aliases if full == f"{module}.{name}"}
        calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            by_module = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.value, ast.Name)
            if by_module and node.value.id in short or isinstance(node, ast.Name) and node.id in direct:
                yield calls.get(id(node))


def test_there_are_sentences_in_several_rooms():
    assert len(MODULES) > 1 and len(CONSTANTS) > 20


@pytest.mark.parametrize(("module", "name"), CONSTANTS, ids=lambda value: value.rpartition(".")[2])
def test_a_sentence_is_used_with_its_fields(module: str, name: str):
    sentence = getattr(importlib.import_module(module), name)
    found = list(uses(module, name))
    assert found, f"nothing uses {name} of {module}"
    for call in filter(None, found):
        given = {keyword.arg for keyword in call.keywords}
        assert not call.args and given == sentence.fields, f"line {call.lineno} gives {given}"


@pytest.mark.parametrize(("module", "table", "key"), TABLES)
def test_a_sentence_that_a_name_chooses_is_named(module: str, table: str, key: str):
    assert any(uses(module, table))
    room = ROOT.joinpath(*module.split(".")).parent
    texts = {
        node.value
        for path in room.glob("*.py")
        if path.name != "sentences.py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant)
    }
    assert key in texts, f"nothing in {room.name} names {key}"


@pytest.mark.parametrize(("module", "name"), CONSTANTS, ids=lambda value: value.rpartition(".")[2])
def test_a_sentence_is_whole(module: str, name: str):
    text = getattr(importlib.import_module(module), name).text
    assert text == text.strip() and "  " not in text and text


def test_wrong_fields_are_named():
    sentence = Sentence("{thread} reads {element}")
    assert sentence(thread="thread 1", element="As[0]") == "thread 1 reads As[0]"
    with pytest.raises(TypeError, match="lacks the fields: element; and has no place for: array$"):
        sentence(thread="thread 1", array="As")
    with pytest.raises(TypeError, match="lacks the fields: element; and has no place for: none$"):
        sentence(thread="thread 1")


@pytest.mark.parametrize("text", ["{}", "{0}", "{event.thread}", "{list[0]}"])
def test_a_field_has_a_name(text):
    with pytest.raises(ValueError, match="each field of a sentence has a name alone"):
        Sentence(text)
