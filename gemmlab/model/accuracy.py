"""How far the model's times were off, as `tools/validate_model.py` recorded it for a GPU."""

from __future__ import annotations

import json
from functools import lru_cache

from gemmlab.model.machines import RECORDED

_UNRECORDED = 50.0  # per cent, where nobody compared


@lru_cache
def percent(gpu: str) -> float:
    """The ± in per cent within which nine in ten times of the table's half `blind` lay."""
    path = RECORDED / f"model-{gpu}.json"
    if not path.exists():
        return _UNRECORDED
    return float(json.loads(path.read_text(encoding="utf-8"))["within_percent"])
