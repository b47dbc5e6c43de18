"""What a student's code may not hold, because it would reach beyond the blank or ask the compiler for a file.

No reason here is about right or wrong code: the compiler and the emulator judge that. The sandbox holds what is not
seen here.
"""

from __future__ import annotations

import re

from gemmlab.compiler.nvrtc.headers import HEADERS
from grading.intake.tokens import comments, tokens, without_comments

_NVIDIA = re.compile(
    r"(?:cuda_\w+|mma|cooperative_groups|device_\w+|vector_\w+|math_constants|sm_\w+)\.h(?:pp)?"
    r"|cooperative_groups/\w+\.h|cuda/(?:std/)?\w+"
)
_INCLUDE = re.compile(
    r"(?:#|%:)\s*(?:include_next|include|import|embed)(?!\w)\s*(?:<(?P<one>[^>\n]*)>|\"(?P<two>[^\"\n]*)\")?"
)
_ASKS_FOR_FILES = re.compile(r"(?<!\w)__has_(?:include|include_next|embed)(?!\w)")
_RAW_TEXT = re.compile(r"R\"")
_ASSEMBLY = re.compile(r"(?<!\w)(?:asm|__asm|__asm__)(?!\w)")
_ASSEMBLER_FILE = re.compile(r"(?:\.|\\x2e|\\0?56|\\u002e)\s*(?:file|include|incbin|loc|section)(?!\w)", re.IGNORECASE)
_CONTROL = {"if", "for", "while", "switch"}


def in_file(text: str) -> list[str]:
    """Why this file is not given to the compiler, a sentence each; empty where it may be."""
    joined = re.sub(r"\\[ \t]*\n", "", text)
    plain = without_comments(joined)
    reasons = []
    if any(not _may_include(match) for seen in (joined, plain) for match in _INCLUDE.finditer(seen)):
        reasons.append("it includes a file that is none of CUDA's headers")
    if _ASKS_FOR_FILES.search(joined):
        reasons.append("it asks whether a file exists")
    if _RAW_TEXT.search(joined):
        reasons.append("it holds a raw string, which no kernel needs")
    if _ASSEMBLY.search(joined) and _ASSEMBLER_FILE.search(re.sub(r"\"\s*\"", "", plain)):
        reasons.append("its assembly names a file")
    return reasons


def _may_include(match: re.Match) -> bool:
    name = (match["one"] or match["two"] or "").strip()
    return name in HEADERS or _NVIDIA.fullmatch(name) is not None


def in_body(name: str, body: str, starter: str, stub: str) -> list[str]:
    """Why the body of this blank may not go into the starter, a sentence each. `stub` is the line that it replaces."""
    checks = {
        "closes a block that it did not open": _closes_too_much(body),
        "ends in an open comment or a backslash, which takes in the given lines below": _stays_open(body),
        "holds a line for the preprocessor that can change the given code": _has_directive(body, starter, stub),
        "ends in the middle of a statement, which takes in the given line below": _is_unfinished(body),
    }
    return [f"the blank {name} {reason}" for reason, found in checks.items() if found]


def _closes_too_much(body: str) -> bool:
    depth = 0
    for token in tokens(body):
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return True
    return False


def _stays_open(body: str) -> bool:
    is_open = any(one.startswith("/*") and not (one.endswith("*/") and len(one) > 3) for one in comments(body))
    return is_open or body.rstrip().endswith("\\")


def _has_directive(body: str, starter: str, stub: str) -> bool:
    """Whether a line for the preprocessor can change the given code. Harmless are `#pragma unroll`, a `#define` of a
    name that the starter does not use, and the directive that the stub has, such as `#define PAD`."""
    found, used, given = tokens(body), set(tokens(starter)), tokens(stub)[:3]

    def is_harmless(directive: list[str]) -> bool:
        if directive[:2] == ["#", "define"]:
            return directive == given or not used & set(directive[2:])
        return directive in (["#", "pragma", "unroll"], ["#", "pragma", "nounroll"])

    return any(token == "#" and not is_harmless(found[place : place + 3]) for place, token in enumerate(found))


def _is_unfinished(body: str) -> bool:
    """Whether the last statement is an `if`, a loop or an `else` whose own statement is still to come."""
    found = tokens(body)
    if not found or found[-1] in ("else", "do"):
        return bool(found)
    depth = 0
    for place in reversed(range(len(found))):
        depth += (found[place] == ")") - (found[place] == "(")
        if depth == 0:
            return found[-1] == ")" and place > 0 and _heads_statement(found, place)
    return False


def _heads_statement(found: list[str], opening: int) -> bool:
    """Whether the parenthesis that opens there is that of an `if` or a loop."""
    before = found[max(opening - 2, 0) : opening]
    return before[-1] in _CONTROL or before == ["if", "constexpr"]
