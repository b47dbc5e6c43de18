"""Occupancy as a function of registers and shared memory, for blocks of so many threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemmlab.kernel.limits import REGISTERS_PER_THREAD, limits_for, occupancy
from gemmlab.models.occupancy import BlockUse
from gemmlab.pictures.picture import INK, PAPER, Picture, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REGISTERS = range(16, REGISTERS_PER_THREAD + 1, 8)
_SHARED_STEP = 4096  # bytes


def occupancy_picture(use: BlockUse, arch: str, name: str = "this block") -> Picture:
    """A map of the share of an SM's warps that are in use; the cross is `use`."""
    limits = limits_for(arch)
    shared = range(0, limits.shared_opt_in + 1, _SHARED_STEP)
    shares = [[occupancy(use.threads, r, s, arch).fraction for r in _REGISTERS] for s in shared]
    figure = new_figure(7.6, 4.6)
    axes = figure.subplots()
    image = axes.pcolormesh(_REGISTERS, np.array(shared) / 1024, 100 * np.array(shares), cmap="cividis", vmin=0)
    figure.colorbar(image, ax=axes, label="occupancy (% of the SM's warps)")
    _draw_use(axes, use, name)
    axes.set_xlabel("registers a thread", color=INK)
    axes.set_ylabel("shared memory a block (KiB)", color=INK)
    axes.tick_params(colors=INK)
    axes.set_title(f"{arch}, blocks of {use.threads:,} threads", fontsize=10, color=INK)
    return Picture(figure, describe_occupancy(use, arch, name))


def describe_occupancy(use: BlockUse, arch: str, name: str = "this block") -> str:
    """The cross in words."""
    found = occupancy(use.threads, use.registers, use.shared_bytes, arch)
    takes = (
        f"On {arch}, {name} with {use.threads:,} threads, {use.registers} registers a thread and {use.shared_bytes:,} "
        "bytes of shared memory"
    )
    if not found.blocks_per_sm:
        return f"{takes} does not fit an SM: {' and '.join(found.limited_by)}."
    blocks = "1 block" if found.blocks_per_sm == 1 else f"{found.blocks_per_sm} blocks"
    return (
        f"{takes}: {blocks} an SM, {found.warps_per_sm} warps, {100 * found.fraction:.0f} % occupancy; limited by "
        f"{' and '.join(found.limited_by)}."
    )


def _draw_use(axes: Axes, use: BlockUse, name: str) -> None:
    place = (use.registers, use.shared_bytes / 1024)
    axes.plot(*place, marker="P", markersize=13, color=PAPER, markeredgecolor=INK, markeredgewidth=1.4)
    axes.annotate(
        name,
        place,
        xytext=(10, 10),
        textcoords="offset points",
        fontsize=9,
        color=INK,
        bbox={"boxstyle": "round,pad=0.2", "facecolor": PAPER, "edgecolor": INK},
    )
