"""The profile of a kernel: what it moves (computed and counted), what the compiler made of it, how fast it is."""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import TYPE_CHECKING

from gemmlab.kernel.elements import FLOAT32
from gemmlab.markdown import escape, plain
from gemmlab.models.simulator import Traffic, traffic_naive, traffic_register_tiled, traffic_tiled

if TYPE_CHECKING:
    from gemmlab.cuda.sizes import Sizes
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.elements import Element
    from gemmlab.kernel.program import Resources
    from gemmlab.kernel.timing import Timing
    from gemmlab.models.ceilings import Ceilings
    from gemmlab.pictures.picture import Picture

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def traffic_table(
    shape: tuple[int, int, int], tile: int, sizes: Sizes | None = None, element: Element = FLOAT32
) -> str:
    """Naive and tiled side by side, as a Markdown table; naive alone for tiles of one element. `shape` is (M, N, K).

    `sizes` are those of a kernel whose threads, or warps, compute several elements each; it has the last column.
    `element` is what A and B hold. How often tensor cores read shared memory is not computed: it is counted.
    """
    columns = _columns(shape, tile, sizes, element)
    has_shared = tile > 1 and element is FLOAT32
    rows = [_row(name, value, tuple(columns.values())) for name, value in _ROWS if has_shared or "shared" not in name]
    head = f"| computed at M, N, K = {', '.join(map(str, shape))} | {' | '.join(columns)} |"
    return "\n".join([head, "|:--|" + "--:|" * len(columns), *rows])


def _columns(
    shape: tuple[int, int, int], tile: int, sizes: Sizes | None, element: Element = FLOAT32
) -> dict[str, Traffic]:
    """The kernels up to the lesson's own, by name, all with matrices of the same elements."""
    of = "" if element is FLOAT32 else f" {element.name}"
    columns = {f"naive{of}": traffic_naive(*shape)}
    if tile > 1 and element is FLOAT32:
        columns[f"tiled, T = {tile}"] = traffic_tiled(*shape, tile)
    if sizes is not None:
        each = f", {sizes.TM}×{sizes.TN} each" if sizes.results > 1 else ""
        columns[f"{sizes.BM}×{sizes.BN}{each}{of}"] = traffic_register_tiled(*shape, *astuple(sizes))
    return {name: replace(traffic, element_bytes=element.size) for name, traffic in columns.items()}


_ROWS = (
    ("work", lambda traffic: scaled(traffic.flops, "FLOP")),
    ("read from global memory", lambda traffic: scaled(traffic.global_load_bytes, "B")),
    ("intensity", lambda traffic: f"{plain(traffic.intensity)} FLOP/B"),
    ("written to global memory", lambda traffic: scaled(traffic.global_store_bytes, "B")),
    ("read from shared memory", lambda traffic: scaled(traffic.shared_load_bytes, "B")),
)


def _row(name: str, value, columns: tuple[Traffic, ...]) -> str:
    return f"| {name} | {' | '.join(value(column) for column in columns)} |"


def scaled(number: float, unit: str) -> str:
    """8589934592, 'B' -> '8.59 GB', by powers of 1000."""
    size, prefix = next(((size, prefix) for size, prefix in _PREFIXES if number >= size), (1.0, ""))
    return f"{plain(number / size)} {prefix}{unit}"


def counters_table(source: str, counters: Counters, shape: tuple[int, int, int]) -> str:
    """What the emulator counted for each line that multiplies or touches memory, as a Markdown table."""
    text = source.splitlines()
    columns = [*_COUNTERS, *(one for one in _BETWEEN_DEVICES if one[1](counters.totals))]
    rows = [
        [f"{line}", in_code(text[line - 1]), *(_count(value(counts)) for _, value in columns)]
        for line, counts in counters.lines.items()
        if line and any(value(counts) for _, value in columns)
    ]
    heads = ["line", f"counted at M, N, K = {', '.join(map(str, shape))}", *(name for name, _ in columns)]
    rows += [["", "all lines", *(_count(value(counters.totals)) for _, value in columns)]]
    table = [heads, ["--:", ":--", *["--:"] * len(columns)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table)


_COUNTERS = (
    ("multiply-adds", lambda counts: counts.fma + counts.tensor_fma),
    ("global requests", lambda counts: counts.global_load_requests + counts.global_store_requests),
    ("sectors", lambda counts: counts.global_load_sectors + counts.global_store_sectors),
    ("shared requests", lambda counts: counts.widened_load_requests + counts.widened_store_requests),
    ("wavefronts", lambda counts: counts.widened_load_wavefronts + counts.widened_store_wavefronts),
)

_BETWEEN_DEVICES = (
    ("requests to peers", lambda counts: counts.peer_store_requests + counts.peer_atomic_requests),
    ("bytes to peers", lambda counts: counts.peer_store_bytes + counts.peer_atomic_bytes),
    ("bytes from peers", lambda counts: counts.peer_load_bytes),
)


def in_code(line: str) -> str:
    """A line of a kernel for a cell of a Markdown table."""
    return "`" + line.strip().replace("`", "'").replace("|", r"\|") + "`"


def _count(value: int) -> str:
    return f"{value:,}" if value else ""


def resources_text(resources: Resources, arch: str, smem: int = 0) -> str:
    """Registers, shared memory and spills, in Markdown; `smem` are the bytes of a block that the launch asks for."""
    spilled, shared = resources.spill_store_bytes + resources.spill_load_bytes, resources.shared_bytes + smem
    return (
        f"Your kernel, compiled for {escape(arch)}: {resources.registers} registers a thread, {shared:,} bytes of "
        f"shared memory a block, {spilled} bytes spilled."
    )


def speed_text(timing: Timing) -> str:
    """The measurement in Markdown, with what it was measured on and how far it scatters."""
    low, high = (100 * ratio for ratio in timing.spread)
    return (
        f"**Measured on {escape(timing.gpu)}** at M, N, K = {', '.join(map(str, timing.shape))}: your kernel takes "
        f"{timing.kernel_ms:.3g} ms, {timing.gflops:,.0f} GFLOPS; cuBLAS takes {timing.cublas_ms:.3g} ms, "
        f"{timing.cublas_gflops:,.0f} GFLOPS. That is **{100 * timing.ratio:.1f} % of cuBLAS** "
        f"({low:.1f} to {high:.1f} %, {timing.repeats} pairs of launches in turns, caches cold){_beside(timing)}. "
        f"cuBLAS computes in {timing.math_mode}."
    )


def _beside(timing: Timing) -> str:
    """The figure with warm caches and the clock, where they were measured."""
    warm = f"; with warm caches {100 * timing.warm.ratio:.1f} %" if timing.warm else ""
    return warm + (f"; SM clock {timing.sm_clock_mhz:,.0f} MHz" if timing.sm_clock_mhz else "")


def intensities(
    shape: tuple[int, int, int],
    tile: int,
    gflops: float | None,
    sizes: Sizes | None = None,
    ceilings: Ceilings | None = None,
    element: Element = FLOAT32,
) -> Picture:
    """The roofline with the kernels of `traffic_table`; the last, the lesson's, has its GFLOPS where it was timed."""
    from gemmlab.models.ceilings import Point
    from gemmlab.pictures.speed.roofline import roofline

    kernels = _columns(shape, tile, sizes, element)
    *before, own = (Point(name, traffic.intensity) for name, traffic in kernels.items())
    return roofline([*before, replace(own, gflops=gflops)], ceilings)
