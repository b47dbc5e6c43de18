"""The words of one warp request over the 32 banks: a bank with several words is a conflict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gemmlab.kernel.warp import BANKS
from gemmlab.markdown import plain
from gemmlab.models.banks import BankRequest
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bank_picture(requests: Mapping[str, BankRequest]) -> Picture:
    """One panel for each request, by what it is called: the words in each bank, with the lanes that want them.

    Where lanes go in groups, the first group is drawn.
    """
    heights = [max(map(len, _first_group(request).values())) for request in requests.values()]
    figure = new_figure(10.5, 0.5 + sum(0.95 + 0.3 * height for height in heights))
    panels = figure.subplots(len(requests), 1, squeeze=False, height_ratios=[1.6 + 0.5 * h for h in heights])[:, 0]
    for axes, (name, request) in zip(panels, requests.items(), strict=True):
        _draw(axes, name, request)
    panels[-1].set_xlabel("bank (in the boxes: lanes of the warp)", color=INK, fontsize=9)
    return Picture(figure, describe_banks(requests))


def describe_banks(requests: Mapping[str, BankRequest]) -> str:
    """The picture in words."""
    return " ".join(f"{name}: {_busiest(request)}." for name, request in requests.items())


def _first_group(request: BankRequest) -> dict[int, dict[int, list[int]]]:
    return request.in_banks(request.groups[0])


def _busiest(request: BankRequest) -> str:
    banks = _first_group(request)
    bank, words = max(banks.items(), key=lambda entry: len(entry[1]))
    each = f"in each group of {len(request.groups[0])} lanes " if len(request.groups) > 1 else ""
    used = f"{len(banks)} of {BANKS} banks are in use"
    if len(words) == 1:
        return f"{each}{used}, no bank has more than one word, no conflict"
    return f"{each}{used}, bank {bank} has {len(words)} words, a {plain(request.degree)}-way conflict"


def _draw(axes: Axes, name: str, request: BankRequest) -> None:
    banks = _first_group(request)
    deepest = max(map(len, banks.values()))
    for bank, words in banks.items():
        for place, (_, lanes) in enumerate(sorted(words.items())):
            color = COLOR["C"] if len(words) == 1 else COLOR["wrong"]
            axes.bar(bank, 0.92, bottom=place, width=0.92, color=color)
            label = _lane_names(lanes)
            size = 7 if len(label) < 5 else 6
            axes.text(bank, place + 0.46, label, ha="center", va="center", color=PAPER, fontsize=size)
    axes.set_xlim(-0.7, BANKS - 0.3)
    axes.set_ylim(0, deepest + 0.1)
    axes.set_xticks(range(0, BANKS, 4))
    axes.set_yticks([])
    axes.tick_params(colors=INK, labelsize=8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.set_title(f"{name}: {_busiest(request)}", fontsize=9.5, color=INK, loc="left")


def _lane_names(lanes: list[int]) -> str:
    """'3', '0, 1', or '0–15' where they are many neighbours."""
    if len(lanes) > 2:
        return f"{lanes[0]}–{lanes[-1]}" if lanes == list(range(lanes[0], lanes[-1] + 1)) else f"{len(lanes)}×"
    return ",".join(map(str, lanes))
