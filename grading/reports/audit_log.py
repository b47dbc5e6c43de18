"""audit.jsonl: one object for each kernel that was executed, with what the child process said. Not for students."""

from __future__ import annotations

import json
from collections.abc import Sequence


def text(audit: Sequence[dict]) -> str:
    """One JSON object a line, in the order of the batch, in ASCII."""
    return "".join(f"{json.dumps(one, sort_keys=True)}\n" for one in audit)
