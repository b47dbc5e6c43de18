"""What a source asks for and the optimised code no longer does, seen by comparing it with code without optimisation."""

from __future__ import annotations

import re

from gemmlab.kernel import sentences as say
from gemmlab.kernel.program import Program
from gemmlab.kernel.verdict import Finding

MOST_LOCAL_BYTES = 1 << 19  # of a thread, on every GPU
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


def _has_no_stack_size(program: Program) -> bool:
    return any(_NO_STACK_SIZE.search(remark.message) for remark in program.warnings)
