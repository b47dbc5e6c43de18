"""The capstone's board: its shapes with what bounds them, and an entry's ratios to cuBLAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gemmlab.errors import UserError
from gemmlab.kernel.timing import Ratio
from gemmlab.models.board import SHAPES, Bound, named, score
from gemmlab.pictures.picture import COLOR, FAINT, INK, Picture, new_figure
from gemmlab.records.boards import RecordedBoard

Shape = tuple[int, int, int]


def board_table(bounds: Sequence[Bound], recorded: RecordedBoard) -> str:
    """Markdown: a row a shape, with the least time, cuBLAS and the course's own entry where they were recorded."""
    rows = [
        "| M×N×K | what it is | FLOP/B | bound by | least time | cuBLAS | this course's entry |",
        "|:--|:--|--:|:--|--:|--:|--:|",
        *(_row(one, recorded.ratios.get(one.shape)) for one in bounds),
    ]
    ratios = {shape: one.ratio for shape, one in recorded.ratios.items()}
    return "\n".join([*rows, "", f"{_scored(ratios)} {recorded.label[:1].upper()}{recorded.label[1:]}; cold caches."])


def _row(one: Bound, recorded: Ratio | None) -> str:
    cublas, entry = "–", "–"
    if recorded:
        cublas, entry = _time(recorded.cublas_ms), f"{_time(recorded.kernel_ms)}, {100 * recorded.ratio:.1f} %"
    return (
        f"| {named(one.shape)} | {SHAPES[one.shape]} | {one.intensity:.3g} | {one.limit} | {_time(one.least_ms)} "
        f"| {cublas} | {entry} |"
    )


def _scored(ratios: Mapping[Shape, float]) -> str:
    try:
        return f"The entry's score, the geometric mean of its ratios, is {100 * score(ratios):.1f} % of cuBLAS."
    except UserError:
        return "The entry has no recorded score: it was not recorded at every shape."


def _time(ms: float) -> str:
    return f"{ms:.2f} ms" if ms >= 1 else f"{1000 * ms:.1f} µs"


def ratios_table(ratios: Sequence[Ratio], predicted: float | None) -> str:
    """Markdown: an entry's time beside cuBLAS's at every shape, and its score."""
    rows = [
        "| M×N×K | yours | cuBLAS | of cuBLAS | from 10 % to 90 % of the pairs |",
        "|:--|--:|--:|--:|:--|",
        *(
            f"| {named(one.shape)} | {_time(one.kernel_ms)} | {_time(one.cublas_ms)} | **{100 * one.ratio:.1f} %** "
            f"| {100 * one.spread[0]:.1f} % to {100 * one.spread[1]:.1f} % |"
            for one in ratios
        ),
    ]
    reached = 100 * score({one.shape: one.ratio for one in ratios})
    expected = "" if predicted is None else f" You expected {predicted:g} %."
    return "\n".join([*rows, "", f"**Your score is {reached:.1f} % of cuBLAS.**{expected}"])


def ratios_picture(ratios: Mapping[Shape, float], title: str) -> Picture:
    """A bar a shape, and a line where cuBLAS is."""
    figure = new_figure(8.4, 3.2)
    axes = figure.subplots()
    names, shares = [named(shape) for shape in ratios], [100 * ratio for ratio in ratios.values()]
    axes.barh(names, shares, color=COLOR["C"], height=0.6)
    axes.axvline(100, color=INK, linewidth=1.2, linestyle=":")
    for place, share in enumerate(shares):
        axes.text(share, place, f" {share:.1f}", va="center", color=INK, fontsize=8.5)
    axes.invert_yaxis()
    axes.set_xlabel("% of cuBLAS", color=INK)
    axes.set_xlim(0, 1.15 * max(100, *shares))
    axes.grid(True, axis="x", color=FAINT, alpha=0.3)
    axes.tick_params(colors=INK)
    axes.set_title(title, fontsize=9, color=INK)
    parts = ", ".join(f"{name} {share:.1f} %" for name, share in zip(names, shares))
    return Picture(figure, f"Bars, {title}: {parts} of cuBLAS, which is a line at 100 %.")
