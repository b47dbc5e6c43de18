"""lesson.sizes((64, 64, 16, 4, 4), (128, 128, 16, 8, 8))"""

from __future__ import annotations

from gemmlab.cuda.sizes import Sizes
from gemmlab.errors import UserError
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
    misfit = next((choice for choice in choices if not isinstance(choice, tuple) or len(choice) != 5), None)
    if not choices or misfit is not None:
        raise UserError(f"{misfit or choices!r} does not fit: write BM, BN, BK, TM and TN, such as (64, 64, 16, 4, 4)")
    entries = [sizing(Sizes(*choice), shape, source, kernel, arch) for choice in choices]
    show(Markdown(sizing_table(entries, escape(arch))))
    if source is None:
        show(Markdown("Pass the check: then registers, shared memory and occupancy of your kernel stand here too."))
