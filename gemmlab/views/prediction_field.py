"""A field for a prediction, which is kept as soon as it is entered."""

from __future__ import annotations

from collections.abc import Callable

from gemmlab.views.controls import show_controls
from gemmlab.views.output import Markdown, Slots, show


def show_prediction_field(question: str, unit: str, known: float | None, keep: Callable[[str], Markdown]) -> None:
    """Ask the question with a field for its answer. `keep` takes what was entered and says what became of it."""
    from ipywidgets import HBox, Label, Layout, Text

    field = Text(
        value="" if known is None else f"{known:g}",
        placeholder="your number",
        tooltip=f"your prediction in {unit}",
        continuous_update=False,
        layout=Layout(width="12em"),
    )
    show(Markdown(question))
    show_controls(HBox([field, Label(f"{unit}, then Enter")]), "Your prediction:")
    said = Slots(1)
    if known is not None:
        said.put(keep(field.value))
    field.observe(lambda change: said.put(keep(change["new"])), names="value")
