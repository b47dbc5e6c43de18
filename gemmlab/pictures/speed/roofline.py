"""The roofline: where a kernel stands under the ceilings of a machine, by its FLOP a byte, and how fast it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gemmlab.models.ceilings import IF_COUNTED_SO, Ceilings, Point
from gemmlab.pictures.picture import COLOR, FAINT, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_MARKERS = "osD^vPX"  # as many as the board has shapes
_DASHES = ("--", "-.", ":")  # of the memories between the GPU's and the registers
_MARGIN = 6.0  # beside the least and the greatest intensity
_NO_SCALE = 0.75
_LEGEND_LINE = 0.19  # inches
_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 8.5, "labelcolor": INK, "handlelength": 1.8}


def roofline(points: Sequence[Point], ceilings: Ceilings | None = None) -> Picture:
    """Both axes logarithmic. Without ceilings only the intensities are drawn, and the picture says so."""
    lines = max(len(points), 2 + len(ceilings.nearer) if ceilings else 0)
    figure = new_figure(8.4, (4.4 if ceilings else 1.5) + _LEGEND_LINE * lines)
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_xlim(*_x_limits(points, ceilings))
    where = "read from global memory" if {point.level for point in points} == {"memory"} else "at that level of memory"
    axes.set_xlabel(f"intensity (FLOP per byte {where})", color=INK)
    axes.xaxis.set_major_formatter("{x:g}")
    figure.suptitle(_title(ceilings), fontsize=9, color=INK)
    axes.tick_params(colors=INK)
    if ceilings:
        _draw_roof(axes, ceilings)
        figure.legend(handles=[*axes.lines], loc="outside lower left", **_LEGEND)
    else:
        axes.set_ylim(0, 1)
        axes.set_yticks([])
    drawn = [_draw_point(axes, point, _MARKERS[n % len(_MARKERS)], ceilings) for n, point in enumerate(points)]
    figure.legend(handles=drawn, loc="outside lower right" if ceilings else "outside lower left", **_LEGEND)
    return Picture(figure, describe_roofline(points, ceilings))


def hierarchy(name: str, intensities: Mapping[str, float], ceilings: Ceilings, gflops: float | None = None) -> Picture:
    """One kernel at every level of memory: `intensities` by level, each under the slope of its own level."""
    points = [
        Point(f"{name}, {level}", intensity, gflops, level, IF_COUNTED_SO[level])
        for level, intensity in intensities.items()
    ]
    return roofline(points, ceilings)


def describe_roofline(points: Sequence[Point], ceilings: Ceilings | None = None) -> str:
    """The picture in words."""
    kernels = "; ".join(_in_words(point, ceilings) for point in points)
    return f"Roofline. {_title(ceilings)}. {kernels}."


def _in_words(point: Point, ceilings: Ceilings | None) -> str:
    """'naive: 0.25 FLOP/B, 125 GFLOPS if nothing is cached': what the ceiling of its level gives, and what it takes."""
    text = f"{point.label}: {point.intensity:.3g} FLOP/B"
    if point.gflops is not None:
        text += f", measured {point.gflops:,.0f} GFLOPS"
    if ceilings and point.gflops is None:
        text += f", {ceilings.attainable(point.intensity, point.level):,.0f} GFLOPS {point.condition}"
    return text


def _title(ceilings: Ceilings | None) -> str:
    if ceilings is None:
        return "No ceilings were measured here: intensities only"
    return f"Ceilings: {ceilings.source}"


def _x_limits(points: Sequence[Point], ceilings: Ceilings | None) -> tuple[float, float]:
    known = [point.intensity for point in points] + ([ceilings.ridge] if ceilings else [])
    return min(known) / _MARGIN, max(known) * _MARGIN


def _draw_point(axes: Axes, point: Point, marker: str, ceilings: Ceilings | None) -> Line2D:
    """Filled where it was measured; open on the roof, or on the line, where its intensity is all that is known."""
    y = _NO_SCALE
    if ceilings:
        y = point.gflops or ceilings.attainable(point.intensity, point.level)
        axes.axvline(point.intensity, color=COLOR["A"], linewidth=1, linestyle=":")
    style = {"marker": marker, "markersize": 9, "color": COLOR["A"], "fillstyle": "full" if point.gflops else "none"}
    (drawn,) = axes.plot(point.intensity, y, linestyle="none", label=_in_words(point, ceilings), **style)
    return drawn


def _draw_roof(axes: Axes, ceilings: Ceilings) -> None:
    """The flat roof of the arithmetic and the slope of each memory, which meet at its ridge."""
    left, right = axes.get_xlim()
    axes.set_yscale("log")
    axes.set_ylim(0.4 * ceilings.attainable(left), 2.5 * ceilings.gflops)
    axes.set_ylabel("GFLOPS", color=INK)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(True, which="major", color=FAINT, alpha=0.3)
    roof = f"{ceilings.what}: {ceilings.gflops:,.0f} GFLOPS"
    axes.plot([ceilings.ridge, right], [ceilings.gflops] * 2, color=COLOR["C"], linewidth=2.2, label=roof)
    for number, (name, gbs) in enumerate(ceilings.nearer[::-1]):
        style = {"color": COLOR["note"], "linewidth": 1.4, "linestyle": _DASHES[number % len(_DASHES)]}
        _draw_slope(axes, ceilings, name, gbs, style)
    _draw_slope(axes, ceilings, "memory", ceilings.gbs, {"color": COLOR["B"], "linewidth": 2.2})


def _draw_slope(axes: Axes, ceilings: Ceilings, name: str, gbs: float, style: Mapping[str, Any]) -> None:
    """From the left edge up to the ridge; nothing of it is seen where that lies further left."""
    left, ridge = axes.get_xlim()[0], ceilings.gflops / gbs
    start = min(left, ridge)
    axes.plot([start, ridge], [start * gbs, ceilings.gflops], label=f"{name}: {gbs:,.0f} GB/s", **style)
