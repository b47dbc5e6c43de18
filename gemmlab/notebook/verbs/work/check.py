"""lesson.check()"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from gemmlab.course.lesson import Kernel
from gemmlab.course.patients import changed_lines
from gemmlab.errors import UserError
from gemmlab.markdown import sentence
from gemmlab.notebook.desk import Desk, digest
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.work.hint import told_hints
from gemmlab.pictures.output import Markdown, caption, show

if TYPE_CHECKING:
    from gemmlab.kernel.verdict import Verdict
    from gemmlab.pictures.picture import Picture

_SEE_ORDER = "To see an order of the warps in which the race makes C wrong, step by step, call `lesson.warp_order()`."


@verb
def check(desk: Desk, patient: str | None = None) -> None:
    """Check the kernel over the public cases: what was found, at which line, and where C is wrong."""
    kernel = desk.lesson.kernel_named(patient)
    if not desk.is_live:
        show(*_checked(desk, kernel))
        return
    from gemmlab.panels.check_panel import CheckPanel

    blanks = [patient] if patient else [blank.name for blank in desk.lesson.blanks]
    panel = CheckPanel(
        lambda tick: _told_check(desk, kernel, tick),
        len(kernel.cases),
        lambda blank, level: told_hints(desk, blank, level),
        blanks,
    )
    panel.show()


def _told_check(desk: Desk, kernel: Kernel, tick: Callable[[], None]) -> list[object]:
    try:
        return _checked(desk, kernel, tick)
    except UserError as error:
        return [Markdown(sentence(str(error)))]


def _checked(desk: Desk, kernel: Kernel, tick: Callable[[], None] | None = None) -> list[object]:
    """Check, keep the attempt, and give what there is to show."""
    from gemmlab.check.as_graded import check_work
    from gemmlab.pictures.verdict import VerdictReport

    source = desk.source(kernel)
    verdict = check_work(kernel, source, kernel.path.name, tick=tick)
    if verdict.status != "unattempted":
        _keep(desk, verdict, source, kernel)
    picture = where_wrong(verdict, kernel, source)
    shown = [VerdictReport(verdict, source, _stamp(desk, kernel)), *([picture, caption(picture)] if picture else [])]
    return [*shown, Markdown(_SEE_ORDER)] if verdict.has_race and not kernel.patient else shown


def _stamp(desk: Desk, kernel: Kernel) -> str:
    """Which file it is, and when it was checked: what stands in a cell may be old. A solved notebook is made once."""
    if desk.solved:
        return ""
    return f"The file is kernels/{kernel.name}.cu, checked on {datetime.now():%Y-%m-%d at %H:%M:%S}."


def _keep(desk: Desk, verdict: Verdict, source: str, kernel: Kernel) -> None:
    """A progress file that cannot be written must not hide the verdict: it becomes a notice."""
    kinds = sorted({finding.kind for finding in verdict.findings if finding.is_error})
    changed = sorted(changed_lines(kernel.starter, source)) if kernel.patient else []
    more = {"patient": kernel.patient, "changed": changed} if kernel.patient else {}
    desk.note("attempt", status=verdict.status, backend=verdict.backend, findings=kinds, source=digest(source), **more)


def where_wrong(verdict: Verdict, kernel: Kernel, source: str) -> Picture | None:
    """The wrong elements of the case that the finding tells of; else of the wrong case in which they are fewest."""
    from gemmlab.check.diagnosis.wrong_result import output_tile
    from gemmlab.pictures.tiles.wrong import wrong_elements

    wrong = [case for case in verdict.cases if case.wrong is not None and case.wrong.any()]
    if not wrong:
        return None
    told = [finding.details["shape"] for finding in verdict.findings if "pattern" in finding.details]
    case = min(wrong, key=lambda case: (list(case.shape) not in told, case.wrong.mean()))
    return wrong_elements(case.wrong, case.shape, output_tile(kernel.launches_of(source)))
