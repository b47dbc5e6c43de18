"""Every sentence of every `sentences.py` is used, and is given just the fields that it names.

Where a sentence is chosen first and filled in later, `Sentence` itself refuses wrong fields, in the test of that place.
"""

from __future__ import annotations

import ast
import importlib
import re
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


Use = ast.Call | None  # the call where a sentence is called at once


@cache
def uses() -> dict[tuple[str, str], list[Use]]:
    """(module, name) of each sentence or table of sentences -> the places where it is named."""
    found: dict[tuple[str, str], list[Use]] = {}
    for path in FILES:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        imported = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
                what = (".".join(imported[node.value.id]), node.attr)
            elif isinstance(node, ast.Name) and node.id in imported:
                what = imported[node.id]
            else:
                continue
            found.setdefault(what, []).append(calls.get(id(node)))
    return found


@cache
def words_of(room: Path) -> frozenset[object]:
    """The constants that the code of a room holds, without its sentences."""
    files = [path for path in room.glob("*.py") if path.name != "sentences.py"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text()))]
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant))


def test_there_are_sentences_in_several_rooms():
    assert len(MODULES) > 1 and len(CONSTANTS) > 20


@pytest.mark.parametrize(("module", "name"), CONSTANTS, ids=lambda value: value.rpartition(".")[2])
def test_a_sentence_is_used_with_its_fields(module: str, name: str):
    sentence = getattr(importlib.import_module(module), name)
    found = uses().get((module, name), [])
    assert found, f"nothing uses {name} of {module}"
    for call in filter(None, found):
        given = {keyword.arg for keyword in call.keywords}
        assert not call.args and (None in given or given == sentence.fields), f"line {call.lineno} gives {given}"


@pytest.mark.parametrize(("module", "table", "key"), TABLES)
def test_a_sentence_that_a_name_chooses_is_named(module: str, table: str, key: str):
    assert (module, table) in uses()
    room = ROOT.joinpath(*module.split(".")).parent
    assert key in words_of(room), f"nothing in {room.name} names {key}"


@pytest.mark.parametrize(("module", "name"), CONSTANTS, ids=lambda value: value.rpartition(".")[2])
def test_a_sentence_is_whole(module: str, name: str):
    text = getattr(importlib.import_module(module), name).text
    assert text == text.strip() and "  " not in text and text


OF_GRADING = [path for path in FILES if path.is_relative_to(ROOT / "grading")]


@pytest.mark.parametrize("path", OF_GRADING, ids=lambda path: path.name)
def test_grading_says_nothing_of_its_own(path: Path):
    """No error and no text with fields is written where it is said. What is between processes is for no reader."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UserError":
            assert not any(isinstance(one, ast.JoinedStr | ast.Constant) for one in node.args), f"line {node.lineno}"
        if isinstance(node, ast.JoinedStr) and path.parent.name != "sandbox":
            text = " ".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
            words = re.findall(r"\b[a-z]{3,}\b", re.sub("<.*", "", text))
            assert len(words) < 3, f"line {node.lineno}: {text}"


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
