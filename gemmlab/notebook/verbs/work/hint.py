"""lesson.hint("fma", 1)"""

from __future__ import annotations

from gemmlab.course.lesson import Blank
from gemmlab.errors import UserError
from gemmlab.markdown import sentence
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def hint(desk: Desk, blank: str, level: int = 1) -> None:
    """The hints of a blank up to a level: 1 area, 2 direction, 3 key spot, 4 the answer, after a first try."""
    hints = desk.blank(blank).hints
    if level not in range(len(hints) + 2):
        raise UserError(f"there are hints of level 1 to {len(hints) + 1}; {level!r} is none of them")
    words = f"Stuck at **{blank}**? Put 1 in place of 0 for a hint. 2 and 3 say more; 4 is the answer."
    if level > 0:
        show(_hints(desk, blank, level))
    elif desk.is_live:
        from gemmlab.panels.check_panel import show_hint_bar

        show(Markdown(f"Stuck at **{blank}**?"))
        show_hint_bar(blank, lambda name, level: told_hints(desk, name, level), words)
    else:
        show(Markdown(words))


def told_hints(desk: Desk, blank: str, level: int) -> Markdown:
    """The hints up to a level, or in one sentence why there are none."""
    try:
        return _hints(desk, blank, level)
    except UserError as error:
        return Markdown(sentence(str(error)))


def _hints(desk: Desk, blank: str, level: int) -> Markdown:
    """The hints up to the level, the answer last."""
    entry = desk.blank(blank)
    said = [f"{number}. {text}" for number, text in enumerate(entry.hints[:level], 1)]
    if level > len(entry.hints):
        patient = {"patient": blank} if desk.lesson.claims else {}
        said += ["", _answer(desk, entry, **patient)]
    desk.note("hint", blank=blank, level=level)
    return Markdown("\n".join(said))


def _answer(desk: Desk, blank: Blank, **patient: str) -> str:
    if not desk.last("attempt", **patient):
        return "The answer comes after a first try: write your best guess, run the check, then ask again."
    if blank.answer is None:
        (name,) = [kernel.name for kernel in desk.lesson.kernels if blank in kernel.blanks]
        return (
            "The answer is not in this copy of the course; ask your instructor. Once you are given "
            f"`solutions/{name}.cu`, put it there, beside lessons and kernels, and run this cell again."
        )
    return f"The answer:\n\n```{'diff' if patient else 'cpp'}\n{blank.answer}\n```"
