"""lesson.predict("bytes", 12.5)"""

from __future__ import annotations

from collections.abc import Callable

from gemmlab.course import predictions
from gemmlab.course.lesson import Prediction
from gemmlab.errors import UserError
from gemmlab.markdown import NO_BREAK, plain, sentence
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def predict(desk: Desk, id: str, value: float | None = None) -> None:
    """Note a prediction; None asks for it. The computed number is not shown before `reveal`."""
    prediction = desk.prediction(id)
    if value is not None:
        show(_kept(desk, prediction, value))
    elif desk.is_live and not desk.last("reveal", id=id):
        from gemmlab.panels.prediction_field import show_prediction_field

        question = f"**{id}**: {prediction.text} Write a number, in {prediction.unit}."
        show_prediction_field(question, prediction.unit, desk.predicted(id), _keeper(desk, prediction))
    else:
        text = f"**{id}**: {prediction.text} Write a number, in {prediction.unit}, in place of `None`."
        show(Markdown(text))


def _kept(desk: Desk, prediction: Prediction, value: object) -> Markdown:
    """Note the prediction, and say so."""
    number = predictions.as_number(value)
    if desk.last("reveal", id=prediction.id):
        text = f"**{prediction.id}** is revealed already; the prediction that you made before stands."
        return Markdown(text)
    if desk.predicted(prediction.id) != number:
        desk.record("prediction", id=prediction.id, value=number)
    return Markdown(f"**{prediction.id}**: you predict {with_unit(number, prediction)}.")


def _keeper(desk: Desk, prediction: Prediction) -> Callable[[str], Markdown]:
    def keep(text: str) -> Markdown:
        try:
            return _kept(desk, prediction, predictions.read_number(text))
        except UserError as error:
            return Markdown(sentence(str(error)))

    return keep


def with_unit(value: float, prediction: Prediction) -> str:
    """The number for reading, with the prediction's unit."""
    return f"{plain(value)}{NO_BREAK}{prediction.unit}"
