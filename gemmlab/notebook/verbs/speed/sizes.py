"""lesson.sizes((64, 64, 16, 4, 4), (128, 128, 16, 8, 8))"""

from __future__ import annotations

from gemmlab.markdown import escape
from gemmlab.notebook import arguments
from gemmlab.notebook.arguments import TIMED_SHAPE, Shape, target
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def sizes(desk: Desk, *choices: tuple[int, ...], shape: Shape = TIMED_SHAPE, arch: str | None = None) -> None:
    """The kernel with other sizes (BM, BN, BK, TM, TN): registers, spills and occupancy.

    They are those on a GPU of this `arch`; without it, on this machine's, or on sm_90.
    """
    from gemmlab.pictures.speed.sizes import sizing_table
    from gemmlab.trials.sizing import sizing

    if desk.owes(*desk.lesson.predictions):
        return
    arch = target(arch)
    shape, kernel = arguments.sizes(shape), desk.lesson.kernel.launch.kernel
    source = desk.source() if desk.has_passed() else None
    wanted = [arguments.tile_sizes(choice) for choice in choices or [()]]
    entries = [sizing(choice, shape, source, kernel, arch) for choice in wanted]
    show(Markdown(sizing_table(entries, escape(arch))))
    if source is None:
        show(Markdown("Pass the check: then registers, shared memory and occupancy of your kernel stand here too."))
