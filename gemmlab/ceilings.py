"""The ceilings of a machine as they were measured: of this machine's GPU, or those of the record of a named one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gemmlab.results import FOLDER, all_results

if TYPE_CHECKING:
    from gemmlab.views.roofline import Ceilings


def recorded_ceilings(folder: Path = FOLDER) -> Ceilings | None:
    """Those of the first recorded GPU, labelled with where and when; None where nothing was recorded."""
    from gemmlab.roofline import ceilings_of

    for results in all_results(folder):
        if "fma_tflops" in results.ceilings and "copy_gbs" in results.ceilings:
            return ceilings_of(results.ceilings, f"{results.label}; not your machine")
    return None
