"""lesson.what_if(store="C[row * N + col] = acc;")"""

from __future__ import annotations

from gemmlab.notebook.bodies import in_words
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.work.check import where_wrong
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.trials.variant import Body, variant


@verb
def what_if(desk: Desk, **bodies: Body) -> None:
    """Check the kernel with other code in some blanks, such as store="C[0] = acc;", or "" to leave one out. In it
    ______ stands for your own code; ("0.0f", "1.0f") is your own with the first text replaced by the second."""
    from gemmlab.check.check import check_kernel
    from gemmlab.pictures.verdict import VerdictReport

    kernel = desk.lesson.kernel
    changed = variant(kernel.starter, desk.source_beside(bodies), bodies)
    verdict = check_kernel(kernel, changed, kernel.path.name)
    show(Markdown(f"Your kernel, {in_words(bodies)}. Your file stays as it is."))
    show(VerdictReport(verdict, changed))
    if picture := where_wrong(verdict, kernel, changed):
        show_picture(picture)
