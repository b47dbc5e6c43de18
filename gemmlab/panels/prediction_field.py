"""A field for a prediction, which is kept as soon as it is entered."""

from __future__ import annotations

from collections.abc import Callable

from gemmlab.panels.stage import as_html, show_widget
from gemmlab.pictures.output import Markdown, show


def show_prediction_field(question: str, unit: str, known: float | None, keep: Callable[[str], Markdown]) -> None:
    """Ask the question with a field for its answer. `keep` takes what was entered and says what became of it."""
    from ipywidgets import HTML, HBox, Label, Layout, Text

    field = Text(
        value="" if known is None else f"{known:.15g}",
        placeholder="your number",
        tooltip=f"your prediction in {unit}",
        continuous_update=False,
        layout=Layout(width="10em"),
    )
    said = HTML("" if known is None else as_html(keep(f"{known:.15g}")))

    def entered(change: dict) -> None:
        said.value = as_html(keep(change["new"]))

    field.observe(entered, names="value")
    show(Markdown(question))
    show_widget(HBox([field, Label(f"{unit}, then Enter"), said]), "")
