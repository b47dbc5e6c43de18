"""lesson.requests()"""

from __future__ import annotations

from gemmlab.course import lesson as lessons
from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture


@verb
def requests(desk: Desk, shape: Shape = (64, 64, 64), of: str | None = None) -> None:
    """What one warp asks of memory at a time: of this lesson's kernel, or of that of another lesson."""
    from gemmlab.pictures.warps.warp import request_table, warp_picture
    from gemmlab.trials.variant import compiled
    from gemmlab.trials.warp_lines import requests_of

    lesson = lessons.load(of, desk.lesson.root) if of else desk.lesson
    kernel, source = lesson.kernel, desk.source_of(lesson) if of else desk.source()
    shape = sizes(shape)
    found = requests_of(compiled(kernel, source), kernel.launch.at(*shape), shape)
    title = f"Warp 0 of block (0, 0) of {kernel.name}, one request each, at M, N, K = {', '.join(map(str, shape))}"
    show_picture(warp_picture(found, title))
    show(Markdown(request_table(found)))
