"""lesson.judge("naive_bytes", False)"""

from __future__ import annotations

from gemmlab.course.lesson import Claim
from gemmlab.errors import UserError
from gemmlab.markdown import escape
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.notebook.verbs.clinic import experiments
from gemmlab.notebook.verbs.clinic.diagnoses import claim_of, first_judgement
from gemmlab.pictures.output import Markdown, show


@verb
def judge(desk: Desk, id: str, holds: bool | None = None) -> None:
    """Say whether a claim holds, once its evidence is on the table."""
    from gemmlab.panels.controls import there_are_widgets

    if desk.not_predicted([desk.prediction(id)]):
        show(Markdown("Look at the evidence first: predict the number, then run the cell above."))
        return
    claim = claim_of(desk, id)
    if holds is not None or desk.solved:
        show(_judged(desk, claim, holds))
        return
    words = f"**{id}**: “{escape(claim.text)}” Write `True` if it holds, `False` if not, for `None`."
    if not there_are_widgets():
        show(Markdown(words))
        return
    from gemmlab.panels.quiz import show_choice

    answers = {"It holds": True, "It does not hold": False}
    show_choice(Markdown(words), answers, lambda holds: [_judged(desk, claim, holds)])


def _judged(desk: Desk, claim: Claim, holds: bool | None) -> Markdown:
    """Keep the judgement if it is the first, and say what the experiment says."""
    if holds is not None and not isinstance(holds, bool):
        raise UserError(f"{holds!r} is no judgement: write True or False")
    evidence = experiments.examine(claim.id, desk.lesson)
    truth = evidence.holds
    if holds is not None and first_judgement(desk, claim.id) is None:
        desk.record("judgement", id=claim.id, value=holds, right=holds == truth)
    said = "" if holds is None else f" You said {holds}: {'right' if holds == truth else 'wrong'}."
    state = "holds" if truth else "does not hold"
    return Markdown(f"“{escape(claim.text)}” **{state}.**{said} {escape(claim.truth)} {evidence.follows}".rstrip())
