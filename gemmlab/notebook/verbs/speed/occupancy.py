"""lesson.occupancy()"""

from __future__ import annotations

from dataclasses import astuple
from math import prod

from gemmlab.models.occupancy import BlockUse
from gemmlab.notebook.arguments import TIMED_SHAPE, target
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def occupancy(
    desk: Desk,
    threads: int | None = None,
    registers: int | None = None,
    shared_bytes: int | None = None,
    arch: str | None = None,
) -> None:
    """Occupancy by registers and shared memory, by sliders. What is not given is that of your kernel.

    `arch` is such as "sm_86"; without it, that of this machine's GPU, or sm_90.
    """
    from gemmlab.panels.occupancy_controls import OccupancyControls
    from gemmlab.pictures.speed.occupancy import occupancy_picture

    arch = target(arch)
    given = (threads, registers, shared_bytes)
    own = _block_use(desk, arch) if None in given else None
    use = BlockUse(*(mine if value is None else value for value, mine in zip(given, own and astuple(own) or given)))
    name = "your kernel" if own == use else "this block"
    if desk.is_live:
        OccupancyControls(use, arch, name).show()
    else:
        show_picture(occupancy_picture(use, arch, name))


def _block_use(desk: Desk, arch: str) -> BlockUse:
    """What a block of the student's kernel takes, by the compiler's report."""
    from gemmlab.trials.variant import compiled

    kernel = desk.lesson.kernel
    resources = compiled(kernel, desk.source(), arch).resources[kernel.launch.kernel]
    launch = kernel.launch.at(*TIMED_SHAPE)
    return BlockUse(prod(launch.block), resources.registers, resources.shared_bytes + launch.smem)
