"""lesson.search(BK=16)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from gemmlab.markdown import escape
from gemmlab.models import autotune
from gemmlab.models.landscape import Cell, Found
from gemmlab.notebook.arguments import TIMED_SHAPE, Shape, sizes, target
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.text.prediction import as_sentence

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel

_CHECKED = 3  # of the best are run in the emulator, at a ragged shape


@verb
def search(desk: Desk, shape: Shape = TIMED_SHAPE, BK: int | Sequence[int] = 16) -> None:
    """Compile what the rules leave, rank it by time on a GPU or by the model's without one, and draw it."""
    depths = autotune.require_depths(BK)
    if desk.owes(*desk.lesson.predictions):
        return
    if not desk.has_passed() or not desk.last("space"):
        show(Markdown("Not attempted: pass the check and get the three rules right, then run this cell again."))
        return
    with desk.progress_bar(len(autotune.space(depths))) as tick:
        best = _search(desk.lesson.kernel, desk.source(), sizes(shape), depths, tick)
    if best:
        desk.note("search", shape=list(shape), sizes=list(astuple(best.sizes)), gflops=best.gflops)


def _search(kernel: Kernel, source: str, shape: Shape, depths: Sequence[int], tick: Callable[[], None]) -> Found | None:
    """Search, show the landscape and the table, check the best in the emulator. The best that is right."""
    from gemmlab import gpu
    from gemmlab.model import predict
    from gemmlab.model.machines import load
    from gemmlab.pictures.speed.landscape import landscape
    from gemmlab.pictures.speed.search import search_table
    from gemmlab.trials.search import Search, find, is_right, timed

    device = gpu.device() if gpu.available() else None
    look = Search(kernel, source, shape, target(), load().sms, predict)
    found = find(look, depths, tick)
    if device:
        found = timed(look, found, tick)
    model = f"predicted for an {load().gpu.replace('-', ' ')}; nothing was timed"
    title = f"M, N, K = {', '.join(map(str, shape))}, {f'measured on {device.name}' if device else model}"
    show_picture(landscape(title, {one.sizes: _cell(one) for one in found}))
    ranked = sorted((one for one in found if one.speed), key=lambda one: -one.speed)
    show(Markdown(search_table(ranked)))
    for sentence in _not_predicted(found):
        show(Markdown(sentence))
    best = next((one for one in ranked[:_CHECKED] if is_right(kernel, source, one.sizes)), None)
    show(Markdown(_conclusion(best)))
    return best


def _not_predicted(found: Sequence[Found]) -> list[str]:
    """Why the model gives no number, with the configurations that this is said of."""
    reasons = dict.fromkeys(one.unknown for one in found if one.unknown)
    named = {reason: "; ".join(str(one.sizes) for one in found if one.unknown == reason) for reason in reasons}
    return [escape(f"No time is predicted for {sizes}. {as_sentence(reason)}") for reason, sizes in named.items()]


def _cell(one: Found) -> Cell:
    if one.use is None or not one.speed:
        return Cell(0, one.left_out or "no prediction")
    return Cell(one.speed, f"{one.use.resources.registers} registers")


def _conclusion(best: Found | None) -> str:
    if best is None:
        return "None of the fastest is right at a ragged shape: a fast kernel that is wrong wins nothing."
    return f"The fastest that the emulator passes, at a ragged shape, is **{escape(str(best.sizes))}**."
