"""lesson.reveal("bytes")"""

from __future__ import annotations

from collections.abc import Sequence

from gemmlab.course import predictions
from gemmlab.course.lesson import Prediction
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.work.predict import with_unit
from gemmlab.pictures.output import Markdown, show


@verb
def reveal(desk: Desk, *ids: str) -> None:
    """Show the computed numbers, of all predictions unless some are named, and how close the predictions came."""
    chosen = [desk.prediction(id) for id in ids] or desk.lesson.predictions
    missing = desk.not_predicted(chosen)
    ready = [prediction for prediction in chosen if prediction not in missing]
    if missing:
        names = ", ".join(f"`{prediction.id}`" for prediction in missing)
        show(Markdown(f"Predict first: there is no number yet for {names}. Then run this cell again."))
    if ready:
        show_revealed(desk, ready)


def show_revealed(desk: Desk, chosen: Sequence[Prediction]) -> None:
    """The table of these predictions, and what follows from the numbers."""
    head = ["| question | answer | your prediction |", "|:--|:--|:--|"]
    show(Markdown("\n".join(head + [_row(desk, prediction) for prediction in chosen])))
    if follows := [f"- **{prediction.id}**: {prediction.follows}" for prediction in chosen if prediction.follows]:
        show(Markdown("\n".join(follows)))


def _row(desk: Desk, prediction: Prediction) -> str:
    """One row of the table; the first time, it goes into the progress."""
    value, said = desk.predicted(prediction.id), "none"
    if value is not None:
        tile = desk.lesson.kernels[0].tile
        said = f"{with_unit(value, prediction)}: {predictions.remark(prediction, value, tile)}"
        if not desk.last("reveal", id=prediction.id):
            desk.record("reveal", id=prediction.id, value=value, right=predictions.is_right(prediction, value))
    return f"| {prediction.text} | **{with_unit(prediction.answer, prediction)}** | {said} |"
