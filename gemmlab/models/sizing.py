"""What a kernel becomes with other tile sizes."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.cuda.sizes import Sizes
from gemmlab.kernel.limits import Occupancy
from gemmlab.kernel.program import Resources
from gemmlab.models.simulator import Traffic


@dataclass(frozen=True)
class Sizing:
    """One choice of sizes. `resources` and `occupancy` are None where there is no kernel to compile, or where the
    compiler found no room for it; `traffic` is that of the shape asked for."""

    sizes: Sizes
    traffic: Traffic
    resources: Resources | None = None
    occupancy: Occupancy | None = None
