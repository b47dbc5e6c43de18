"""lesson.timeline(first_barrier="")"""

from __future__ import annotations

from gemmlab.notebook.bodies import in_words
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.trials.variant import compiled, variant

_K_TILES = 3  # that are drawn


@verb
def timeline(desk: Desk, **bodies: str) -> None:
    """Draw when the warps fill and use the tiles, with other code in some blanks where it is given."""
    from gemmlab.models.tile_loop import play
    from gemmlab.pictures.warps import timeline as pictures
    from gemmlab.trials.tile_loop import loop_parts

    kernel = desk.lesson.kernel
    changed = variant(kernel.starter, desk.source_beside(bodies), bodies)
    parts = loop_parts(compiled(kernel, changed), kernel.launch.kernel)
    show(Markdown(f"Your kernel, {in_words(bodies)}: {pictures.part_names(parts)}, and again."))
    show_picture(pictures.timeline(play(parts, kernel.tile, _K_TILES)))
