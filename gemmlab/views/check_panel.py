"""The check as a panel: buttons for the check and for the hints above what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gemmlab.views.controls import show_controls
from gemmlab.views.output import Markdown, Slots
from gemmlab.views.work import Stopped, Work

if TYPE_CHECKING:
    from ipywidgets import Widget

Check = Callable[[Callable[[], None]], Sequence[object]]
Hint = Callable[[str, int], Markdown]
LEVELS = ("the area", "a direction", "the key spot", "the answer")
_MOST_OUTPUTS = 3  # report, picture, caption
_PATIENCE = "Stopped: this check did not end, and says nothing."


class CheckPanel:
    """`check` gives what to show, and calls its argument after each of about `steps` launches. `hint` gives the hints
    of a blank up to a level."""

    def __init__(self, check: Check, steps: int, hint: Hint, blanks: Sequence[str]) -> None:
        from ipywidgets import Button, HBox, VBox

        self._check = check
        self.work = Work(steps)
        self.button = Button(description="Check again", icon="check", button_style="primary", tooltip="check the file")
        self.button.on_click(lambda _: self.work.run_in_background(self.check))
        self.hints = HintBar(blanks, self._say_hint)
        self._hint = hint
        self.widget: Widget = VBox([HBox([self.button, self.work.widget]), self.hints.widget])

    def show(self) -> None:
        """Display the panel and check."""
        show_controls(self.widget, "Run this cell again to check again.")
        self.results, self.said = Slots(_MOST_OUTPUTS), Slots(1)
        self.work.run(self.check)

    def check(self) -> None:
        """Check, and show what was found in place of what stood there."""
        try:
            self.results.put(*self._check(self.work.tick))
        except (Stopped, KeyboardInterrupt):
            self.results.put(Markdown(_PATIENCE))

    def _say_hint(self, blank: str, level: int) -> None:
        self.said.put(self._hint(blank, level))


class HintBar:
    """A button for each level of hints, and a choice of the blank where there are several."""

    def __init__(self, blanks: Sequence[str], say: Callable[[str, int], None]) -> None:
        from ipywidgets import Button, Dropdown, HBox, Label, Layout

        self.blank = Dropdown(options=list(blanks), layout=Layout(width="13em"), tooltip="which blank")
        self.buttons = [
            Button(description=f"{level} {name}", tooltip=f"hint {level}: {name}", layout=Layout(width="auto"))
            for level, name in enumerate(LEVELS, 1)
        ]
        for level, button in enumerate(self.buttons, 1):
            button.on_click(lambda _, level=level: say(self.blank.value, level))
        choice = [self.blank] if len(blanks) > 1 else []
        self.widget: Widget = HBox([Label("Hint"), *choice, *self.buttons] if blanks else [])


def show_hint_bar(blank: str, hint: Hint, words: str) -> None:
    """Display the buttons of one blank; `words` stand there on paper."""
    bar = HintBar([blank], lambda name, level: said.put(hint(name, level)))
    show_controls(bar.widget, words)
    said = Slots(1)
