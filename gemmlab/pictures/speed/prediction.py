"""What the model says of a kernel's time: the reasons as bars, the one that decides on top, and their lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gemmlab.markdown import escape
from gemmlab.pictures.picture import COLOR, INK, PAPER, Picture, new_figure
from gemmlab.pictures.speed.profile import in_code
from gemmlab.text.prediction import time_of, told

if TYPE_CHECKING:
    from gemmlab.model import Prediction

_LEAST = 0.02  # of the time: lines with less are left out

_SPENT_ON = {
    "issue": "issuing",
    "shared": "waiting for shared memory",
    "memory": "waiting for global memory",
    "barrier": "waiting at a barrier",
    "pause": "waiting for the instruction before",
    "busy": "waiting for what executes it",
    "turn": "waiting for other warps' turns",
}


def prediction_text(prediction: Prediction) -> str:
    """The time, its range and the reasons in Markdown, or why there is no number."""
    return " ".join(escape(sentence) for sentence in told(prediction))


def reasons_picture(prediction: Prediction) -> Picture | None:
    """A bar a reason: its share of the predicted time. None where there is no number."""
    if prediction.ms is None or not prediction.reasons:
        return None
    reasons = prediction.reasons
    figure = new_figure(8.4, 1.1 + 0.3 * len(reasons))
    axes = figure.subplots()
    for row, reason in enumerate(reasons):
        decides = reason.name == prediction.bottleneck
        style = {"color": COLOR["wrong"] if decides else PAPER, "edgecolor": COLOR["wrong"]}
        axes.barh(row, 100 * reason.share, height=0.6, linewidth=1.2, **style)
        axes.text(100 * reason.share, row, f" {100 * reason.share:.0f} %", va="center", fontsize=8.5, color=INK)
    axes.set_yticks(range(len(reasons)), [reason.name for reason in reasons])
    axes.set_ylim(len(reasons) - 0.5, -0.5)
    axes.set_xlim(0, 112 * max(1, *(reason.share for reason in reasons)))
    axes.set_xlabel("% of the predicted time, busy or waited for; filled: it decides", color=INK, fontsize=8.5)
    axes.tick_params(colors=INK, labelsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    gpu, size = prediction.gpu.replace("-", " "), "×".join(map(str, prediction.shape))
    figure.suptitle(f"Predicted for an {gpu} at {size}; nothing was timed", fontsize=10, color=INK)
    return Picture(figure, describe_reasons(prediction))


def describe_reasons(prediction: Prediction) -> str:
    """The picture in words."""
    gpu, size = prediction.gpu.replace("-", " "), "×".join(map(str, prediction.shape))
    every = " ".join(f"{one.name} {100 * one.share:.0f} %: {one.what.rstrip('.')}." for one in prediction.reasons)
    return f"Predicted for an {gpu} at {size}, nothing was timed. {prediction.bottleneck} decides. {every}"


def lines_table(source: str, prediction: Prediction) -> str:
    """Which part of their time the warps spend in which line, and on what, as a Markdown table; "" where that is not
    known. Lines with little are left out."""
    text, times = source.splitlines(), time_of(prediction)
    rows = [
        f"| {line} | {in_code(text[line - 1])} | {100 * share:.0f} % | {_in_words(prediction.lines[line])} |"
        for line, share in times.items()
        if share >= _LEAST and 0 < line <= len(text)
    ]
    head = ["| line | predicted | of the warps' time | on |", "| --: | :-- | --: | :-- |"]
    return "\n".join([*head, *rows]) if rows else ""


def _in_words(shares: Mapping[str, float]) -> str:
    """'shared memory 20 %, issuing 12 %': the largest first."""
    ranked = sorted(shares.items(), key=lambda one: -one[1])
    told = [f"{escape(_SPENT_ON.get(name, name))} {100 * share:.0f} %" for name, share in ranked if share >= _LEAST / 2]
    return ", ".join(told)
