"""Boundary checks and barriers of the given code that a student took out or changed.

Both files are read as syntax trees, after the preprocessor: a check in a comment or behind `#if 0` is no check. Two
spellings of one check are the same: `col < N && M > row`, or two nested ifs in place of `row < M && col < N`.

Only the kernel that is launched counts, and what it calls: a check in a function that nobody runs checks nothing. What
the kernel that ran did with memory is counted as it runs (gemmlab/check/rules.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gemmlab.cuda.preprocess import preprocess
from gemmlab.cuda.tree import parse, text_of, walk
from gemmlab.sentence import Sentence
from grading.intake import sentences as say

if TYPE_CHECKING:
    from tree_sitter import Node

_BARRIER = re.compile(r"__sync\w+|__pipeline_wait_prior|__threadfence\w*")
_MIRRORED = {">": "<", ">=": "<="}
_KERNEL = "gemm"
_NAMES = ("identifier", "field_identifier", "type_identifier")
_LOOPS = ("for_statement", "while_statement", "do_statement")


def vetoes(given: str, handed_in: str) -> tuple[str, ...]:
    """A sentence for each check and barrier that `given` has and `handed_in` has not, in the order of `given`."""
    ours, theirs = _marks(given), Counter(_marks(handed_in))
    return tuple(gone(text=text) for gone, text, _ in _missing(ours, theirs))


_Mark = tuple[Sentence, str, tuple]


def _missing(ours: list[_Mark], theirs: Counter[_Mark]) -> Iterator[_Mark]:
    for mark in ours:
        standing = mark if theirs[mark] else _stronger(mark)
        theirs[standing] -= 1
        if theirs[standing] < 0:
            yield mark


def _stronger(mark: _Mark) -> _Mark:
    """The mark that may stand in this one's place: a barrier of the block orders a warp as well."""
    gone, text, surroundings = mark
    return (gone, "__syncthreads()", surroundings) if text.startswith("__syncwarp(") else mark


def _marks(text: str) -> list[_Mark]:
    """Each check and barrier: what is said where it is gone, its text, and what matters of its surroundings."""
    return [mark for part in _launched(parse(preprocess(text))) for node in walk(part) for mark in _marks_of(node)]


def _launched(root: Node) -> list[Node]:
    """The definitions of the kernel and of all that it calls, in their order; everything where there is no kernel."""
    functions: dict[str, list[Node]] = {}
    for node in walk(root):
        if node.type == "function_definition":
            functions.setdefault(_name(node), []).append(node)
    reached, waiting = set(), [_KERNEL]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached.add(name)
            waiting += [text_of(one) for node in functions[name] for one in walk(node) if one.type in _NAMES]
    return [node for name, nodes in functions.items() if name in reached for node in nodes] or [root]


def _name(function: Node) -> str:
    """What a function is called; '' where that cannot be told."""
    node = function.child_by_field_name("declarator")
    while node is not None and node.type not in _NAMES:
        node = node.child_by_field_name("declarator") or next(iter(node.named_children), None)
    return text_of(node) if node is not None else ""


def _marks_of(node: Node) -> Iterator[_Mark]:
    if node.type in ("if_statement", "conditional_expression"):
        guarded = _has_effect(node.child_by_field_name("consequence"))
        for part in _parts(node.child_by_field_name("condition")):
            yield say.CHECK_GONE, part, (guarded,)
    elif node.type == "call_expression" and _BARRIER.fullmatch(text_of(node.child_by_field_name("function"))):
        yield say.BARRIER_GONE, _plain(node), _surroundings(node)


def _has_effect(node: Node | None) -> bool:
    """Whether there is more to it than empty braces or a semicolon."""
    return node is not None and re.sub(r"[{};\s]", "", text_of(node)) != ""


def _parts(node: Node | None) -> Iterator[str]:
    """What a condition asks, one text each: the operands of its &&, without parentheses, with < in place of >."""
    waiting = [node]  # not by recursion: a student's condition may be as long as the file
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        if node.type in ("condition_clause", "parenthesized_expression") and node.named_child_count == 1:
            waiting.append(node.named_child(0))
        elif node.type == "binary_expression":
            left, right = (node.child_by_field_name(side) for side in ("left", "right"))
            operator = text_of(node.child_by_field_name("operator"))
            if operator == "&&":
                waiting += [right, left]
            elif operator in _MIRRORED:
                yield f"{_plain(right)} {_MIRRORED[operator]} {_plain(left)}"
            else:
                yield f"{_plain(left)} {operator} {_plain(right)}"
        else:
            yield _plain(node)


def _plain(node: Node | None) -> str:
    """Its text with one way of spacing, and without parentheses around all of it; '' of a part that is missing."""
    while node is not None and node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_child(0)
    text = re.sub(r"\s*([^\w\s])\s*", r"\1", text_of(node) if node is not None else "")
    return re.sub(r"([^\w\s()\[\].,&!~:]+)", r" \1 ", re.sub(r"\s+", " ", text))


def _surroundings(node: Node) -> tuple:
    """The conditions that a barrier stands under, and the number of loops around it."""
    conditions: list[str] = []
    loops, above = 0, node.parent
    while above is not None:
        loops += above.type in _LOOPS
        if above.type == "if_statement":
            conditions += sorted(_parts(above.child_by_field_name("condition")))
        above = above.parent
    return (*conditions, loops)
