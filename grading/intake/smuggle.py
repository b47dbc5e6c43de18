"""What a student's code may not hold, because it would reach beyond the blank or ask the compiler for a file.

The look is at tokens, as the compiler takes the text apart: what stands in a comment, in the text of a message or
behind `#if 0` is no reason. No reason here is about right or wrong code: the compiler and the emulator judge that. The
sandbox holds what is not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from gemmlab.compiler.nvrtc.headers import HEADERS
from gemmlab.sentence import Sentence
from grading.intake import assembly, sentences
from grading.intake.pieces import can_be_joined
from grading.intake.tokens import (
    Line,
    Token,
    are_conditionals_closed,
    code_of,
    compiled,
    directive,
    is_conditional,
    readings,
    scan,
    tokens,
)

_NVIDIA = re.compile(
    r"(?:cuda_\w+|mma|cooperative_groups|device_\w+|vector_\w+|math_constants|sm_\w+)\.h(?:pp)?"
    r"|cooperative_groups/\w+\.h|cuda/(?:std/)?\w+"
)
_INCLUDES = ("include", "include_next", "import", "embed")
_ASKS = ("__has_include", "__has_include_next", "__has_embed")
_PRAGMA = "_Pragma"
_FILE_PRAGMAS = {"dependency", "include_alias"}
_UNROLLS = ("unroll", "nounroll")
_CONTROL = {"if", "for", "while", "switch"}


def in_file(text: str) -> list[str]:
    """Why this file is not given to the compiler, a sentence each; empty where it may be."""
    found = (reason() for lines in readings(text) for reason in _reasons(lines))
    return list(dict.fromkeys(found))


def _reasons(lines: list[Line]) -> Iterator[Sentence]:
    directives = [(line, told) for line in lines if (told := directive(line))]
    everything = [token for line in lines for token in code_of(line)]
    words = {token.text for token in everything if token.kind in ("word", "number")}
    is_pasted = any(token.text == "##" for token in everything)
    if any(told[0] in _INCLUDES and not _may_include(line) for line, told in directives):
        yield sentences.INCLUDES_FILE
    if words & set(_ASKS) or is_pasted and any(can_be_joined(name, words) for name in _ASKS):
        yield sentences.ASKS_FOR_FILE
    if any(token.kind == "raw" for token in everything):
        yield sentences.RAW_STRING
    if any(told[0] == "line" or told[0][:1].isdecimal() for _, told in directives):
        yield sentences.RENAMES_LINES
    pragmas = list(_pragmas(everything))
    told_of = [set(told) for _, told in directives if told[0] == "pragma"]
    if any(_FILE_PRAGMAS & set(found) for found in [*told_of, *filter(None, pragmas)]):
        yield sentences.PRAGMA_FILE
    if None in pragmas or is_pasted and can_be_joined(_PRAGMA, words):
        yield sentences.HIDDEN_PRAGMA
    if assembly.names_a_file(lines):
        yield sentences.ASSEMBLY_FILE


def _may_include(line: Line) -> bool:
    """Whether the header is one of CUDA's. A comment within its name would be a part of the name."""
    after = [token for token in line if token.kind != "comment"][2:]
    if after and after[0].kind == "text":
        name = after[0].text[1:-1] if after[0].text[0] == after[0].text[-1] == '"' else ""
    else:
        name = _in_angles(line[line.index(after[0]) :]) if after else ""
    return name in HEADERS or _NVIDIA.fullmatch(name) is not None


def _in_angles(found: Sequence[Token]) -> str:
    texts = [token.text if token.kind != "comment" else "/**/" for token in found]
    return "".join(texts[1 : texts.index(">")]) if texts[0] == "<" and ">" in texts else ""


def _pragmas(found: Sequence[Token]) -> Iterator[list[str] | None]:
    """The tokens of each `_Pragma("…")`; None where its text is no plain string."""
    for place, token in enumerate(found):
        if token.text == _PRAGMA:
            after = found[place + 1 : place + 4]
            is_plain = [one.text for one in after[::2]] == ["(", ")"] and after[1].kind == "text"
            yield tokens(after[1].content) if is_plain else None


def in_body(name: str, body: str, starter: str, stub: str) -> list[str]:
    """Why the body of this blank may not go into the starter, a sentence each. `stub` is the line that it replaces."""
    lines = compiled(list(scan(body)))
    found = [token.text for line in lines for token in code_of(line)]
    checks = {
        sentences.CLOSES_BLOCK: _closes_too_much(found),
        sentences.STAYS_OPEN: _stays_open(body),
        sentences.CHANGES_GIVEN: _changes_given(body, lines, starter, stub),
        sentences.UNFINISHED: _is_unfinished(found),
    }
    return [reason(blank=name) for reason, holds in checks.items() if holds]


def _closes_too_much(found: Iterable[str]) -> bool:
    depth = 0
    for token in found:
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return True
    return False


def _stays_open(body: str) -> bool:
    comments = [token.text for line in scan(body) for token in line if token.kind == "comment"]
    is_open = any(one.startswith("/*") and not (one.endswith("*/") and len(one) > 3) for one in comments)
    return is_open or body.rstrip().endswith("\\")


def _changes_given(body: str, lines: Sequence[Line], starter: str, stub: str) -> bool:
    """Whether a line for the preprocessor can change the given code. Harmless are `#pragma unroll`, a `#define` or
    `#undef` of a name that the starter does not use, the directive that the stub has, such as `#define PAD`, and an
    `#if` that ends in the body and has whole blocks in each of its branches."""
    used, given = set(tokens(starter)), tokens(stub)[1:3]
    if not are_conditionals_closed(body) or not _has_whole_branches(lines):
        return True
    pragmas = _pragmas([token for line in lines for token in code_of(line)])
    if not all(found is not None and found[:1] and found[0] in _UNROLLS for found in pragmas):
        return True
    return any(not _is_harmless(line, used, given) for line in lines if directive(line))


def _is_harmless(line: Line, used: set[str], given: list[str]) -> bool:
    name, *rest = directive(line)
    if name in ("define", "undef"):
        return [name, *rest[:1]] == given or not used & set(rest[:1])
    return is_conditional(line) or (name == "pragma" and rest[:1] != [] and rest[0] in _UNROLLS)


def _has_whole_branches(lines: Sequence[Line]) -> bool:
    """Whether no branch of an `#if` opens or closes a block for the lines around it."""
    if not any(map(is_conditional, lines)):
        return True
    branches: list[list[str]] = [[]]
    for line in lines:
        if is_conditional(line):
            branches.append([])
        else:
            branches[-1] += [token.text for token in code_of(line)]
    return all(branch.count("{") == branch.count("}") and not _closes_too_much(branch) for branch in branches[1:-1])


def _is_unfinished(found: Sequence[str]) -> bool:
    """Whether the last statement is an `if`, a loop or an `else` whose own statement is still to come."""
    if not found or found[-1] in ("else", "do"):
        return bool(found)
    depth = 0
    for place in reversed(range(len(found))):
        depth += (found[place] == ")") - (found[place] == "(")
        if depth == 0:
            return found[-1] == ")" and place > 0 and _heads_statement(found, place)
    return False


def _heads_statement(found: Sequence[str], opening: int) -> bool:
    """Whether the parenthesis that opens there is that of an `if` or a loop."""
    before = list(found[max(opening - 2, 0) : opening])
    return before[-1] in _CONTROL or before == ["if", "constexpr"]
