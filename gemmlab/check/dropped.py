"""What a source asks for and the optimised code no longer does, seen by comparing it with code without optimisation."""

from __future__ import annotations

import re

from gemmlab.kernel import sentences as say
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Finding

MOST_LOCAL_BYTES = 1 << 19  # of a thread, on every GPU
_MUCH = {"shared": 48 << 10, "local": MOST_LOCAL_BYTES // 2, "const": 32 << 10}  # bytes that the assembler takes
_ARRAY = re.compile(r"\.(shared|local|const)\b[^;\n]*\.[a-z](\d+)\s+[\w$]+\[(\d+)\]")
_FUNCTION = re.compile(r"^[^\n/]*\.(?:func|entry)\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)
_CALL = re.compile(r"^\s*(?:@!?%\w+\s+)?call\b[^;]*;", re.MULTILINE)
_NO_STACK_SIZE = re.compile(r"Stack size for entry function '.*' cannot be statically determined")


def dropped_by_optimiser(program: Program, unoptimised: Program) -> list[Finding]:
    """Warnings on what only the unoptimised code of the same source would need."""
    reasons = [text for text in unoptimised.ptxas_errors if text not in program.ptxas_errors]
    messages = [say.DROPPED_RESOURCES(reason=reason) for reason in reasons]
    for kernel, used in unoptimised.resources.items():
        optimised = program.resources.get(kernel)
        if used.local_bytes > MOST_LOCAL_BYTES and (optimised is None or optimised.local_bytes <= MOST_LOCAL_BYTES):
            messages.append(say.DROPPED_LOCAL_ARRAYS(kernel=kernel, bytes=used.local_bytes, most=MOST_LOCAL_BYTES))
    if _has_no_stack_size(unoptimised) and not _has_no_stack_size(program):
        messages.append(say.DROPPED_RECURSION())
    return [Finding("launch_error", message, "warning") for message in messages]


def asks_much(ptx: str) -> bool:
    """Whether code asks for so much memory, or calls in such a way, that the assembler may have something to say of it:
    by the sizes of all its arrays, and by functions that call themselves in the end or by a pointer."""
    asked = dict.fromkeys(_MUCH, 0)
    for space, bits, count in _ARRAY.findall(ptx):
        asked[space] += int(count) * int(bits) // 8
    return any(asked[space] > most for space, most in _MUCH.items()) or ".callprototype" in ptx or _is_recursive(ptx)


def _is_recursive(ptx: str) -> bool:
    """Whether a function of the code is called while it runs: what has no callees left is taken away, over and over."""
    pieces = _FUNCTION.split(ptx)[1:]
    calls: dict[str, set[str]] = {}
    for name, body in zip(pieces[::2], pieces[1::2]):
        called = {word for call in _CALL.findall(body) for word in re.findall(r"[\w$]+", call)}
        calls.setdefault(name, set()).update(called)
    calls = {name: called & calls.keys() for name, called in calls.items()}
    while leaves := {name for name, called in calls.items() if not called}:
        calls = {name: called - leaves for name, called in calls.items() if name not in leaves}
    return bool(calls)


def _has_no_stack_size(program: Program) -> bool:
    return any(_NO_STACK_SIZE.search(remark.message) for remark in program.warnings)
