"""The check as a panel: buttons for the check and for the hints above what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gemmlab.panels.stage import Stage
from gemmlab.panels.work import Stopped, Work
from gemmlab.pictures.output import Markdown

if TYPE_CHECKING:
    from ipywidgets import Widget

Check = Callable[[Callable[[], None]], Sequence[object]]
Hint = Callable[[str, int], Markdown]
LEVELS = ("the area", "a direction", "the key spot", "the answer")
_MOST_OUTPUTS = 4  # hints, report, picture, caption
_STOPPED = Markdown("Stopped: this check did not end, and says nothing.")


class CheckPanel:
    """`check` gives what to show, and calls its argument after each of about `steps` launches. `hint` gives the hints
    of a blank up to a level."""

    def __init__(self, check: Check, steps: int, hint: Hint, blanks: Sequence[str]) -> None:
        from ipywidgets import Button, HBox, VBox

        self._check, self._hint, self.stage = check, hint, Stage(_MOST_OUTPUTS)
        self.work = Work(steps)
        self.button = Button(description="Check again", icon="check", button_style="primary", tooltip="check the file")
        self.button.on_click(lambda _: self.work.run_in_background(self.check))
        self.hints = HintBar(blanks, self.say_hint)
        self.widget: Widget = VBox([HBox([self.button, self.work.widget]), self.hints.widget])
        self._said: list[object] = []
        self._found: Sequence[object] = []

    def show(self) -> None:
        """Display the panel and check."""
        self.stage.show(self.widget, "Run this cell again to check again.")
        self.work.run(self.check)

    def check(self) -> None:
        """Check, and show what was found in place of what stood there."""
        self._said = []
        try:
            self._found = self._check(self.work.tick)
        except (Stopped, KeyboardInterrupt):
            self._found = [_STOPPED]
        self._draw()

    def say_hint(self, blank: str, level: int) -> None:
        """Show hints above what was found."""
        self._said = [self._hint(blank, level)]
        self._draw()

    def _draw(self) -> None:
        self.stage.put(*self._said, *self._found)


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
        choice = [self.blank] if len(blanks) > 1 else [Label(f"for {blanks[0]}")] if blanks else []
        self.widget: Widget = HBox([Label("Hint"), *choice, *self.buttons] if blanks else [])


def show_hint_bar(blank: str, hint: Hint, words: str) -> None:
    """Display the buttons of one blank; `words` stand there on paper."""
    from ipywidgets import HTML, VBox

    from gemmlab.panels.stage import as_html, show_widget

    said = HTML()

    def say(name: str, level: int) -> None:
        said.value = as_html(hint(name, level))

    show_widget(VBox([HintBar([blank], say).widget, said]), words)
