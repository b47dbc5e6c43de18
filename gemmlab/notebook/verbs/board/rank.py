"""lesson.rank(80)"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.models.board import SHAPES, score
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture

NO_GPU = (
    "**Nothing is ranked: this machine has no NVIDIA GPU.** The check says whether your entry is right, and the "
    "profile what it moves. How fast it is, only a GPU can tell."
)


@verb
def rank(desk: Desk, predicted: float | None = None) -> None:
    """Your entry beside cuBLAS at every shape of the board, and its score. `predicted` is the score that you expect,
    in per cent of cuBLAS."""
    from gemmlab import gpu

    if not gpu.available():
        show(Markdown(NO_GPU))
        return
    if predicted is None:
        show(Markdown("Predict first: put the score that you expect in place of None, in per cent of cuBLAS."))
        return
    if isinstance(predicted, bool) or not isinstance(predicted, int | float) or not 0 < predicted < 1000:
        raise UserError(f"the score that you expect must be a number of per cent, such as 80, not {predicted!r}")
    if not desk.has_passed():
        show(Markdown("Pass the check first: an entry that is wrong has no time."))
        return
    _rank(desk, float(predicted))


def _rank(desk: Desk, predicted: float) -> None:
    from gemmlab.pictures.speed.board import ratios_picture, ratios_table
    from gemmlab.trials.candidate import Candidate
    from gemmlab.trials.entry import time_entry

    source, kernel = desk.source(), desk.lesson.kernel
    candidate = Candidate(source, kernel.path.name, kernel.launches_of(source))
    with desk.progress_bar(len(SHAPES)) as tick:
        timed = time_entry(candidate, lambda ratio: tick())
    ratios = {one.shape: one.ratio for one in timed}
    show(Markdown(ratios_table(timed, predicted)))
    show_picture(ratios_picture(ratios, f"your entry on {gpu_name()}"))
    desk.note("rank", score=score(ratios), predicted=predicted, gpu=gpu_name())


def gpu_name() -> str:
    from gemmlab import gpu

    return gpu.device().name
