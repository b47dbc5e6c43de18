"""The ceilings of a machine as they were measured, from the recorded files of named GPUs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemmlab.views.roofline import Ceilings

RECORDED = Path(__file__).with_name("recorded")


def recorded_ceilings(folder: Path = RECORDED) -> Ceilings | None:
    """Those of the first recorded GPU, labelled with where and when; None where nothing was recorded."""
    from gemmlab.views.roofline import Ceilings

    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        machine, ceilings = data.get("machine", {}), data.get("ceilings", {})
        if "fma_tflops" in ceilings and "copy_gbs" in ceilings:
            label = f"recorded on {machine.get('gpu')}, driver {machine.get('driver')}, {machine.get('date')}"
            source = f"{label}, commit {str(machine.get('commit'))[:10]}; not your machine"
            return Ceilings(1000 * ceilings["fma_tflops"], ceilings["copy_gbs"], source)
    return None
