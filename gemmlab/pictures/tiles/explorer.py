"""One barrier interval of a block: what of A and B goes into shared memory, and what one thread reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from gemmlab.models.block_story import FROM_A, FROM_B, ZERO, BlockStory, Interval, Origin, SharedArray, Touch
from gemmlab.pictures.picture import COLOR, FAINT, INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EMPTY, _OTHER = "#e4e4e4", "#b5b5b5"
_MATRICES = {"A": (0, 2), "B": (2, 1), "C": (0, 1)}  # which of M, N, K are the rows and the columns
_DOTS = 40  # rows or columns of an array up to which a thread's elements are marked one by one
_MOST_NAMED = 4  # elements that a sentence names


def explorer_picture(story: BlockStory, number: int, thread: int) -> Picture:
    """The interval with this number. `thread` counts along x first."""
    interval = story.intervals[number]
    figure = new_figure(11.5, 5.6)
    left, right = figure.subfigures(1, 2, width_ratios=(1, 1.15))
    _draw_matrices(left.subplots(), story, interval, thread)
    panels = right.subplots(1, len(story.arrays), squeeze=False, width_ratios=[_width(a) for a in story.arrays])[0]
    for axes, array in zip(panels, story.arrays, strict=True):
        _draw_array(axes, story, interval, array, thread)
    figure.suptitle(_title(story, interval), fontsize=11, color=INK)
    shown = [_state(story, interval, array) for array in story.arrays]
    figure.legend(
        handles=_legend(shown), loc="outside lower center", ncols=4, frameon=False, fontsize=9, labelcolor=INK
    )
    return Picture(figure, describe_interval(story, number, thread))


def describe_interval(story: BlockStory, number: int, thread: int) -> str:
    """The picture in words: the block, then the thread."""
    interval = story.intervals[number]
    parts = [f"{_title(story, interval)}."]
    for array in story.arrays:
        writes = interval.of(array.name, writes=True)
        if writes:
            parts.append(_filling(array, writes))
        conflicts = interval.conflicts(array.name)
        if conflicts:
            parts.append(
                f"{len(conflicts)} elements of {array.name} are touched by two threads or more, one of them writing, "
                "and no barrier lies between them: a race."
            )
    if interval.outside:
        parts.append(f"{interval.outside} accesses lie outside of every array.")
    parts.append(f"Thread {_thread_name(story, thread)} {_deeds(story, interval, thread)}.")
    return " ".join(parts)


def _title(story: BlockStory, interval: Interval) -> str:
    row, col = story.place
    last = len(story.intervals) - 1
    return f"Block (x, y) = ({col}, {row}), barrier interval {interval.number} of 0…{last}: {interval.title()}"


def _filling(array: SharedArray, writes: Sequence[Touch]) -> str:
    """How many slots are written, from where."""
    origins = {touch.element: touch.origin.what for touch in writes if touch.origin}
    counts = {what: sum(found == what for found in origins.values()) for what in (FROM_A, FROM_B, ZERO)}
    words = [f"{count} from {what}" for what, count in counts.items() if count and what != ZERO]
    words += [f"{counts[ZERO]} with 0"] if counts[ZERO] else []
    words += [f"{len(origins) - sum(counts.values())} with other values"] if sum(counts.values()) < len(origins) else []
    return f"Of {array.name}'s {array.rows * array.cols} slots the block fills {', '.join(words)}."


def _thread_name(story: BlockStory, thread: int) -> str:
    across = story.launch.block[0]
    return f"(tx, ty) = ({thread % across}, {thread // across})"


def _deeds(story: BlockStory, interval: Interval, thread: int) -> str:
    """'writes As[3][5] from A[35][21]; reads As[3][0…15] and Bs[0…15][5]'."""
    written = [
        f"{array.name_of(touch.element)}{_whence(touch.origin, story)}"
        for array in story.arrays
        for touch in interval.of(array.name, True, thread)
        if touch.origin
    ]
    read = [text for array in story.arrays for text in _read_names(interval, array, thread)]
    stored = [f"C{_index(touch.element, story.shape[1])}" for touch in interval.of("C", True, thread)]
    deeds = (("writes", _listed(written)), ("reads", " and ".join(read)), ("writes", _listed(stored)))
    return "; ".join(f"{verb} {what}" for verb, what in deeds if what) or "touches no memory"


def _listed(names: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    if len(names) <= _MOST_NAMED:
        return " and ".join(names)
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"


def _whence(origin: Origin, story: BlockStory) -> str:
    _, N, K = story.shape
    if origin.what in (FROM_A, FROM_B):
        return f" from {origin.what}{_index(origin.index, K if origin.what == FROM_A else N)}"
    return " with 0" if origin.what == ZERO else ""


def _index(element: int, cols: int) -> str:
    return f"[{element // cols}][{element % cols}]"


def _read_names(interval: Interval, array: SharedArray, thread: int) -> list[str]:
    """The elements that it reads, as rows and columns where they are many: 'As[3][0…15]', 'Bs[0…15][5]'."""
    elements = sorted({touch.element for touch in interval.of(array.name, False, thread)})
    if not elements:
        return []
    rows = sorted({element // array.cols for element in elements})
    cols = sorted({element % array.cols for element in elements})
    if len(rows) * len(cols) == len(elements):
        return [f"{array.name}[{_runs(rows)}][{_runs(cols)}]"]
    return [f"{len(elements)} elements of {array.name}"]


def _runs(numbers: Iterable[int]) -> str:
    """'0…15' or '3' or '0, 4, 8'."""
    runs = [[n for _, n in group] for _, group in groupby(enumerate(numbers), key=lambda entry: entry[1] - entry[0])]
    return ", ".join(f"{run[0]}…{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


# ---- the matrices


def _draw_matrices(axes: Axes, story: BlockStory, interval: Interval, thread: int) -> None:
    """A below left, B above right, C between them: what the block touches in colour, what the thread touches in ink."""
    M, N, K = story.shape
    gap = 0.14 * (max(M, N) + K)
    corner = {"A": (0, K + gap), "B": (K + gap, 0), "C": (K + gap, K + gap)}
    for name, (down, across) in _MATRICES.items():
        rows, cols = story.shape[down], story.shape[across]
        x, y = corner[name]
        axes.imshow(_matrix_pixels(story, interval, name, thread), extent=(x, x + cols, y + rows, y), zorder=2)
        _frame(axes, x, y, rows, cols)
        axes.text(x, y - 0.8, f"$\\bf{{{name}}}$  {rows}×{cols}", ha="left", va="bottom", fontsize=11, color=INK)
    _draw_tile_lines(axes, story, corner)
    axes.set_xlim(-0.02 * (K + gap), K + gap + N + 1)
    axes.set_ylim(K + gap + M + 1, -0.6 * gap)
    axes.set_aspect("equal")
    axes.axis("off")


def _matrix_pixels(story: BlockStory, interval: Interval, name: str, thread: int) -> np.ndarray:
    """White; light where shared memory holds the element or C is this block's; full where the block touches it now."""
    from matplotlib.colors import to_rgba

    rows, cols = (story.shape[side] for side in _MATRICES[name])
    pixels = np.ones((rows * cols, 4))
    light, full = to_rgba(_lighter(COLOR[name])), to_rgba(COLOR[name])
    pixels[_held_elements(story, interval, name)] = light
    touched = interval.of(name, writes=name == "C")
    pixels[[touch.element for touch in touched]] = full
    pixels[_elements_of_thread(interval, name, thread)] = to_rgba(INK)
    return pixels.reshape(rows, cols, 4)


def _held_elements(story: BlockStory, interval: Interval, name: str) -> list[int]:
    if name == "C":
        return sorted({touch.element for one in story.intervals for touch in one.of("C", writes=True)})
    held = [story.contents(array.name, interval.number) for array in story.arrays]
    return [origin.index for slots in held for origin in slots.values() if origin.what == name]


def _elements_of_thread(interval: Interval, name: str, thread: int) -> list[int]:
    """Elements that the thread touches itself, or whose copies in shared memory it reads."""
    direct = [touch.element for touch in interval.of(name, name == "C", thread)]
    read = [
        touch.origin.index
        for touch in interval.touches
        if touch.thread == thread and not touch.writes and touch.origin and touch.origin.what == name
    ]
    return direct + read


def _draw_tile_lines(axes: Axes, story: BlockStory, corner: dict) -> None:
    """Where the K tiles begin, and the block's rows of A and C and columns of B and C."""
    M, N, K = story.shape
    style: dict[str, Any] = {"color": FAINT, "linewidth": 0.6, "linestyle": (0, (4, 3)), "zorder": 3}
    for k in range(story.k_step, K, story.k_step):
        axes.plot([k, k], [corner["A"][1], corner["A"][1] + M], **style)
        axes.plot([corner["B"][0], corner["B"][0] + N], [k, k], **style)
    label: dict[str, Any] = {"fontsize": 8, "color": INK, "textcoords": "offset points"}
    for k in range(0, K, story.k_step):
        number, middle = f"{k // story.k_step}", (k + min(k + story.k_step, K)) / 2
        axes.annotate(number, (middle, corner["A"][1] + M), xytext=(0, -3), ha="center", va="top", **label)
        axes.annotate(number, (corner["B"][0], middle), xytext=(-4, 0), ha="right", va="center", **label)
    axes.annotate("K tile →", (0, corner["A"][1] + M), xytext=(0, -15), ha="left", va="top", **label)
    axes.annotate("K tile ↓", (corner["B"][0], 0), xytext=(-16, 0), ha="right", va="top", **label)


def _frame(axes: Axes, x: float, y: float, rows: int, cols: int) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), cols, rows, fill=False, edgecolor=INK, linewidth=1.4, zorder=4))


# ---- the arrays in shared memory


def _width(array: SharedArray) -> float:
    return max(0.4, min(2.5, array.cols / array.rows))


def _state(story: BlockStory, interval: Interval, array: SharedArray) -> dict[int, str]:
    """What to draw in each slot: the origin of what it holds and when that came, or that it is in a race."""
    states = {element: f"old {held.what}" for element, held in story.contents(array.name, interval.number).items()}
    written = interval.of(array.name, writes=True)
    states.update({touch.element: f"new {touch.origin.what}" for touch in written if touch.origin})
    states.update(dict.fromkeys(interval.conflicts(array.name), "race"))
    return states


def _colors() -> dict[str, tuple[str, str, str]]:
    """State -> colour, hatch, and words for the legend."""
    full = {what: COLOR[what] for what in (FROM_A, FROM_B)}
    return {
        "none": (_EMPTY, "", "nothing yet"),
        **{f"new {what}": (color, "", f"filled now, from {what}") for what, color in full.items()},
        **{f"old {what}": (_lighter(color), "", f"holds an element of {what}") for what, color in full.items()},
        "new 0": (PAPER, "////", "0, filled now"),
        "old 0": (PAPER, "//", "holds 0"),
        "new ?": (_OTHER, "", "another value"),
        "old ?": (_OTHER, "", "another value"),
        "race": (COLOR["wrong"], "xx", "race: two threads, no barrier"),
    }


def _lighter(color: str) -> str:
    """The colour on white, at a third of its strength."""
    from matplotlib.colors import to_hex, to_rgb

    return to_hex([1 - (1 - part) / 3 for part in to_rgb(color)])


def _draw_array(axes: Axes, story: BlockStory, interval: Interval, array: SharedArray, thread: int) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    colors, states = _colors(), _state(story, interval, array)
    pixels = np.tile(to_rgba(_EMPTY), (array.rows * array.cols, 1))
    for element, state in states.items():
        if 0 <= element < len(pixels):
            pixels[element] = to_rgba(colors[state][0])
    axes.imshow(pixels.reshape(array.rows, array.cols, 4), zorder=1)
    for state, (_, hatch, _) in colors.items():
        if hatch:
            cells = sorted(element for element, own in states.items() if own == state)
            for row, col, width in _in_rows(cells, array.cols):
                place = (col - 0.5, row - 0.5)
                axes.add_patch(
                    Rectangle(place, width, 1, fill=False, edgecolor=FAINT, hatch=hatch, linewidth=0, zorder=2)
                )
    _draw_thread(axes, interval, array, thread)
    axes.set_xlim(-0.5, array.cols - 0.5)
    axes.set_ylim(array.rows - 0.5, -0.5)
    axes.set_xticks([0, array.cols - 1])
    axes.set_yticks([0, array.rows - 1])
    axes.tick_params(labelsize=8, colors=INK)
    axes.set_title(f"{array.name}  {array.rows}×{array.cols}", fontsize=10, color=INK, fontweight="bold")


def _in_rows(cells: Sequence[int], cols: int) -> list[tuple[int, int, int]]:
    """Row, first column and width of each run of neighbours, from sorted places in an array of so many columns."""
    runs: list[list[int]] = []
    for cell in cells:
        row, col = divmod(cell, cols)
        if runs and runs[-1][0] == row and sum(runs[-1][1:]) == col:
            runs[-1][2] += 1
        else:
            runs.append([row, col, 1])
    return [(row, col, width) for row, col, width in runs]


def _draw_thread(axes: Axes, interval: Interval, array: SharedArray, thread: int) -> None:
    """Dots where the thread reads, squares where it writes."""
    is_small = max(array.rows, array.cols) > _DOTS
    style: dict[str, Any] = {"linestyle": "none", "color": INK, "markeredgecolor": PAPER, "zorder": 5}
    for writes, marker, size in ((False, "o", 1.6 if is_small else 3.2), (True, "s", 3.4 if is_small else 6.0)):
        elements = [touch.element for touch in interval.of(array.name, writes, thread)]
        rows, cols = [e // array.cols for e in elements], [e % array.cols for e in elements]
        edge = 0.8 if writes or not is_small else 0
        axes.plot(cols, rows, marker=marker, markersize=size, markeredgewidth=edge, **style)


def _legend(shown: Sequence[dict[int, str]]) -> list:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    there = {state for states in shown for state in states.values()}
    handles, named = [], set()
    for state, (color, hatch, words) in _colors().items():
        if state in there and words not in named:
            handles.append(Patch(facecolor=color, edgecolor=FAINT, hatch=hatch, label=words))
            named.add(words)
    mark: dict[str, Any] = {"linestyle": "none", "color": INK, "markeredgecolor": PAPER}
    return handles + [
        Patch(facecolor=INK, label="left: what this thread touches"),
        Line2D([], [], marker="o", markersize=5, label="this thread reads", **mark),
        Line2D([], [], marker="s", markersize=8, label="this thread writes", **mark),
    ]
