"""The roofline: how fast a kernel can be at most, by its operations a byte, and how fast it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gemmlab.models.ceilings import Ceilings, Point
from gemmlab.pictures.picture import COLOR, FAINT, INK, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vP"
_MARGIN, _RIGHT_MARGIN = 6.0, 20.0  # labels stand to the right of their points
_NO_SCALE = 0.75


def roofline(points: Sequence[Point], ceilings: Ceilings | None = None) -> Picture:
    """Both axes logarithmic. Without ceilings only the intensities are drawn, and the picture says so."""
    figure = new_figure(7.4, 4.6 if ceilings else 2.0)
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
    else:
        axes.set_ylim(0, 1)
        axes.set_yticks([])
    for number, point in enumerate(points):
        _draw_point(axes, point, _MARKERS[number % len(_MARKERS)], ceilings)
    return Picture(figure, describe_roofline(points, ceilings))


def hierarchy(name: str, intensities: Mapping[str, float], ceilings: Ceilings, gflops: float | None = None) -> Picture:
    """One kernel at every level of memory: `intensities` by level, each under the slope of its own level."""
    points = [Point(f"{name}: {level}", intensity, gflops, level) for level, intensity in intensities.items()]
    return roofline(points, ceilings)


def describe_roofline(points: Sequence[Point], ceilings: Ceilings | None = None) -> str:
    """The picture in words."""
    kernels = "; ".join(_in_words(point, ceilings) for point in points)
    return f"Roofline. {_title(ceilings)}. {kernels}."


def _in_words(point: Point, ceilings: Ceilings | None) -> str:
    text = f"{point.label}: {point.intensity:g} FLOP/B"
    if point.gflops is not None:
        text += f", measured {point.gflops:,.0f} GFLOPS"
    if ceilings:
        most = ceilings.attainable(point.intensity, point.level)
        text += f", at most {most:,.0f} GFLOPS where every byte comes from {point.level}"
    return text


def _title(ceilings: Ceilings | None) -> str:
    if ceilings is None:
        return "No ceilings were measured here: intensities only"
    return f"Ceilings: {ceilings.source}"


def _x_limits(points: Sequence[Point], ceilings: Ceilings | None) -> tuple[float, float]:
    known = [point.intensity for point in points] + ([ceilings.ridge] if ceilings else [])
    return min(known) / _MARGIN, max(known) * _RIGHT_MARGIN


def _draw_point(axes: Axes, point: Point, marker: str, ceilings: Ceilings | None) -> None:
    """Filled where it was measured; open on the roof, or on the line, where its intensity is all that is known."""
    label, y = f"{point.label}\n{point.intensity:.3g} FLOP/B", _NO_SCALE
    if ceilings:
        y = point.gflops or ceilings.attainable(point.intensity, point.level)
        axes.axvline(point.intensity, color=COLOR["A"], linewidth=1, linestyle=":")
    if point.gflops or ceilings:
        label += f"\n{point.gflops:,.0f} GFLOPS" if point.gflops else f"\n{y:,.0f} GFLOPS if nothing is cached"
    fill = "full" if point.gflops else "none"
    axes.plot(point.intensity, y, marker=marker, markersize=9, color=COLOR["A"], fillstyle=fill)
    axes.annotate(
        label,
        (point.intensity, y),
        xytext=(9, -4),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=9,
        color=INK,
        linespacing=1.3,
    )


def _draw_roof(axes: Axes, ceilings: Ceilings) -> None:
    """The slope of the memory and the flat roof of the arithmetic, which meet at the ridge."""
    left, right = axes.get_xlim()
    axes.set_yscale("log")
    axes.set_ylim(0.4 * ceilings.attainable(left), 2.5 * ceilings.gflops)
    axes.set_ylabel("GFLOPS", color=INK)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(True, which="major", color=FAINT, alpha=0.3)
    axes.plot([left, ceilings.ridge], [left * ceilings.gbs, ceilings.gflops], color=COLOR["B"], linewidth=2.2)
    axes.plot([ceilings.ridge, right], [ceilings.gflops] * 2, color=COLOR["C"], linewidth=2.2)
    for name, gbs in ceilings.nearer:
        ridge = ceilings.gflops / gbs
        if ridge > left:
            axes.plot([left, ridge], [left * gbs, ceilings.gflops], color=COLOR["note"], linewidth=1.4, linestyle="--")
        axes.annotate(
            f"{name}: {gbs:,.0f} GB/s",
            (left, min(ceilings.gflops, left * gbs)),
            xytext=(4, 12),
            textcoords="offset points",
            fontsize=8,
            color=INK,
        )
    style: dict[str, Any] = {"fontsize": 9, "color": INK, "textcoords": "offset points"}
    axes.annotate(f"memory: {ceilings.gbs:,.0f} GB/s", (left, left * ceilings.gbs), xytext=(18, 2), ha="left", **style)
    roof = f"float32 multiply-adds: {ceilings.gflops:,.0f} GFLOPS"
    axes.annotate(roof, (right, ceilings.gflops), xytext=(-4, 6), ha="right", **style)
