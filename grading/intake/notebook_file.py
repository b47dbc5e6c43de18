"""What a student wrote in a notebook: kernels, answers and predictions. The notebook is read as JSON and never
executed."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from gemmlab.course.parts import ANSWER_PLACEHOLDER
from gemmlab.errors import UserError
from grading.intake import sentences as say

_WRITES = re.compile(r"\s*%%(?:writefile|file)[ \t]+(?:-a[ \t]+)?(?P<path>[^\n]*?)[ \t\r]*(?:\n|\Z)")
_OPENS = re.compile(r"notebook\s*\.\s*open\(\s*[\"'](\w{1,60})[\"']")
_PREDICTS = re.compile(r"^[ \t]*\w+\.predict\(\s*[\"'](\w{1,60})[\"']\s*,([^\n]{1,200})", re.MULTILINE)
_QUESTION = re.compile(r"[A-Za-z0-9_]{1,60}")
_LONGEST_ANSWER = 20_000
_MOST_CELLS = 5_000
_EXERCISE = "exercise"


@dataclass(frozen=True)
class Written:
    """`kernels` has a pair for each cell that writes one: what its file is called ('' where the first line was taken
    out) and the text. `lesson` is what the notebook opens, '' where it opens none."""

    kernels: tuple[tuple[str, str], ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    predictions: dict[str, float] = field(default_factory=dict)
    lesson: str = ""


def read(text: str) -> Written:
    """Raises UserError, with the end of a sentence about the file, where this is no notebook."""
    cells = list(_cells(text))
    code = [source for kind, source, _ in cells if kind == "code"]
    opened = [match[1] for source in code if (match := _OPENS.search(source))]
    return Written(
        tuple(found for kind, source, cell in cells if kind == "code" and (found := _kernel(source, cell))),
        _answers(cells),
        {name: value for source in code for name, value in _predictions(source)},
        opened[0] if opened else "",
    )


def _cells(text: str) -> Iterator[tuple[str, str, dict]]:
    """The type, text and JSON of each cell; what is no cell is passed over."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        raise UserError(say.NOT_JSON()) from None
    cells = _all_cells(data)
    if not isinstance(cells, list):
        raise UserError(say.NO_CELLS())
    for cell in cells[:_MOST_CELLS]:
        if isinstance(cell, dict):
            source = cell.get("source", cell.get("input", ""))
            lines = source if isinstance(source, list) else [source]
            text = "".join(line for line in lines if isinstance(line, str))
            yield str(cell.get("cell_type")), text.encode("utf-8", "replace").decode(), cell


def _all_cells(data: Any) -> Any:
    """Those of the format in use, or those of the one before, which kept them in worksheets."""
    if not isinstance(data, dict):
        return None
    sheets = data.get("worksheets")
    if "cells" not in data and isinstance(sheets, list) and sheets and isinstance(sheets[0], dict):
        return sheets[0].get("cells")
    return data.get("cells")


def _metadata(cell: dict) -> dict:
    metadata = cell.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _kernel(source: str, cell: dict) -> tuple[str, str] | None:
    """What the cell writes: the name of the kernel file, without .cu, and its text; None where it writes none."""
    first = _WRITES.match(source)
    if first:
        name = PurePosixPath(first["path"].strip("\"'").replace("\\", "/")).name
        return (name.removesuffix(".cu"), source[first.end() :]) if name.endswith(".cu") else None
    tags = _metadata(cell).get("tags")
    is_exercise = str(cell.get("id", "")).startswith(_EXERCISE) or (isinstance(tags, list) and _EXERCISE in tags)
    if not is_exercise or "__global__" not in source:
        return None
    patient = _metadata(cell).get("patient")
    return (patient if isinstance(patient, str) else ""), source


def _answers(cells: list[tuple[str, str, dict]]) -> dict[str, str]:
    """The answers by question. Where a cell was doubled, all its texts, one below the other."""
    found: dict[str, str] = {}
    for kind, source, cell in cells:
        question = _metadata(cell).get("question")
        answer = source.replace(ANSWER_PLACEHOLDER, "", 1).strip()
        if kind in ("markdown", "raw") and isinstance(question, str) and _QUESTION.fullmatch(question) and answer:
            found[question] = "\n\n".join(filter(None, (found.get(question), answer)))[:_LONGEST_ANSWER]
    return found


def _predictions(source: str) -> Iterator[tuple[str, float]]:
    for match in _PREDICTS.finditer(source):
        value = _number(match[2].split("#")[0].strip().removesuffix(")"))
        if value is not None:
            yield match[1], value


def _number(text: str) -> float | None:
    """The value of a number, or of + - * / ** over numbers; None for anything else."""
    try:
        value = _value(ast.parse(text.strip().removeprefix("value=").strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, float) and abs(value) < float("inf") else None


_OPERATORS: dict[type[ast.operator], Callable[[float, float], Any]] = {
    ast.Add: float.__add__, ast.Sub: float.__sub__, ast.Mult: float.__mul__, ast.Div: float.__truediv__,
    ast.Pow: float.__pow__,
}  # fmt: skip


def _value(node: ast.AST) -> Any:
    """Raises ValueError for what is no sum. All of it is done in floats, so that no number grows without end."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError
