"""Questions with a choice, answered in the cell: what is chosen is kept, and what is said of it comes under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gemmlab.errors import UserError
from gemmlab.markdown import escape
from gemmlab.panels.stage import Stage
from gemmlab.pictures.output import Markdown

Outputs = Sequence[object]


def show_choice(question: Markdown, answers: Mapping[str, object], answer: Callable[[object], Outputs]) -> None:
    """Ask with one button an answer; `answer` gives what to show for the one that is pressed."""
    from ipywidgets import Button, HBox, Layout

    stage = Stage(2)
    buttons = [Button(description=words, tooltip=words, layout=Layout(width="auto")) for words in answers]
    for button in buttons:
        button.on_click(lambda pressed: _put(stage, question, lambda: answer(answers[pressed.description])))
    stage.show(HBox(buttons), " or ".join(answers))
    stage.put(question)


def show_fault_field(
    question: Markdown, kinds: Sequence[str], lines: int, answer: Callable[[str, int], Outputs]
) -> None:
    """Ask for a kind of fault and one of `lines` lines; `answer` gives what to show for them."""
    from ipywidgets import BoundedIntText, Button, Dropdown, HBox, Layout

    stage = Stage(2)
    kind = Dropdown(options=["kind of fault …", *kinds], tooltip="kind of fault", layout=Layout(width="15em"))
    line = BoundedIntText(
        1, 1, lines, description="line", tooltip="line", layout=Layout(width="9em"), style={"description_width": "3em"}
    )
    button = Button(description="That is it", tooltip="keep this diagnosis and see what the check finds")
    button.on_click(lambda _: _put(stage, question, lambda: answer(kind.value, line.value)))
    stage.show(HBox([kind, line, button]), f"kinds: {', '.join(kinds)}; lines 1 to {lines}")
    stage.put(question)


def _put(stage: Stage, question: Markdown, answer: Callable[[], Outputs]) -> None:
    """Show the answer in place of the question, or in one sentence under it why there is none."""
    try:
        stage.put(*answer())
    except UserError as error:
        stage.put(question, Markdown(escape(str(error)[:1].upper() + str(error)[1:]) + "."))
