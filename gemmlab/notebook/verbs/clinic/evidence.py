"""lesson.evidence("naive_bytes")"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.clinic import experiments
from gemmlab.notebook.verbs.clinic.diagnoses import claim_of
from gemmlab.notebook.verbs.work.reveal import show_revealed
from gemmlab.pictures.output import Markdown, show, show_picture


@verb
def evidence(desk: Desk, id: str) -> None:
    """The experiment on a claim, once its number is predicted: its numbers, without a conclusion."""
    prediction = desk.prediction(id)
    if desk.not_predicted([prediction]):
        show(Markdown(f"Predict first: there is no number yet for `{id}`. Then run this cell again."))
        return
    show_revealed(desk, [prediction])
    found = experiments.examine(claim_of(desk, id).id, desk.lesson)
    show(Markdown(found.text))
    if found.picture:
        show_picture(found.picture)
