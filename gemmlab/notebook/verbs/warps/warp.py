"""lesson.warp(line="As[c + 0][r]", pad="#define PAD 0")"""

from __future__ import annotations

from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture


@verb
def warp(
    desk: Desk,
    shape: Shape = (64, 64, 64),
    line: int | str | None = None,
    warp: int = 0,
    request: int = 0,
    **bodies: str,
) -> None:
    """What one warp asks of memory in a line of your kernel, and beside it with other code in some blanks.

    `line` is the line's number, or a part of its text.
    """
    from gemmlab.pictures.warps.warp_lines import line_picture, lines_table
    from gemmlab.trials import warp_view

    view = warp_view.warp_view_of(desk.lesson.kernel, desk.source(), bodies, sizes(shape))
    place = view.find(line, warp)
    if desk.is_live:
        from gemmlab.panels.warp_controls import WarpControls

        WarpControls(view, place, request, warp).show()
    else:
        show_picture(line_picture(view.versions(place, warp), request))
        show(Markdown(lines_table(view.source, *view.both(warp))))
