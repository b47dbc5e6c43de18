"""Experiments of lesson 09 for the notebook: how a warp lies over the tile, the search space, the search itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gemmlab.course.lesson import Kernel
from gemmlab.cuda.sizes import Sizes, sizes_of, with_sizes
from gemmlab.errors import UserError
from gemmlab.kernel.program import Resources
from gemmlab.kernel.warp import WARP
from gemmlab.models import autotune
from gemmlab.models.autotune import RULES, Estimate, Rule, pruned_by, space
from gemmlab.models.warp_tile import WarpTile, warp_tile
from gemmlab.pictures.output import Markdown, escape, show, show_picture

if TYPE_CHECKING:
    from gemmlab.gpu.bench import Bench

Shape = tuple[int, int, int]
LANE_PREDICTIONS = ("order_floats", "rows_floats", "rows_wavefronts")  # what the costs of the arrangements give away
IN_ORDER, BY_ROWS = "threads in order, as in lesson 08", "4 rows of 8 lanes, row by row"
_SEED = 9
_SEARCH_SECONDS = 0.5  # of timed launches for each configuration
_CHECKED = 3  # of the best are run in the emulator, at a ragged shape


def arrangements(sizes: Sizes) -> dict[str, WarpTile]:
    """Two ways to lay out a warp: by the number of the thread in its block, and in LANES."""
    across, (_, wide) = sizes.block[0], autotune.LANES

    def laid_out(columns: int) -> WarpTile:
        rows = tuple(lane // columns * sizes.TM for lane in range(WARP))
        return WarpTile(sizes, rows, tuple(lane % columns * sizes.TN for lane in range(WARP)))

    return {IN_ORDER: laid_out(across), BY_ROWS: laid_out(wide)}


def show_lanes(kernel: Kernel, source: str | None, costs: bool) -> None:
    """The arrangements, and that of the source where there is one; with `costs` what they read, else only drawn."""
    from gemmlab.pictures.warps.warp_tile import warp_picture, warp_table

    tiles = arrangements(sizes_of(kernel.starter))
    if source is not None:
        tiles["your kernel"] = warp_tile(kernel, source)
    show_picture(warp_picture(tiles, costs))
    if costs:
        show(Markdown(warp_table(tiles)))


def show_space(expressions: Mapping[str, str | None], solved: bool) -> bool:
    """Each rule's expression compared with the right one over the whole space; then what the rules leave. True if all
    are right."""
    rows = [_rule_row(rule, rule.expression if solved else expressions[rule.name]) for rule in RULES]
    head = ["| what | at most | your expression | |", "|:--|--:|:--|:--|"]
    show(Markdown("\n".join(head + [f"| {' | '.join(row)} |" for row, _ in rows])))
    right = all(is_right for _, is_right in rows)
    if right:
        show(Markdown(_left()))
    return right


def _rule_row(rule: Rule, expression: str | None) -> tuple[list[str], bool]:
    start = [rule.what, f"{rule.most:,}"]
    if expression is None:
        return [*start, "", "not attempted"], False
    if not isinstance(expression, str):
        raise UserError(f"{expression!r} is no expression: write it in quotes, such as 'BM * BN'")
    candidates = space()
    wrong = [sizes for sizes in candidates if autotune.value_of(expression, sizes) != rule.value(sizes)]
    said = f"right for all {len(candidates)} configurations"
    if wrong:
        yours, real = autotune.value_of(expression, wrong[0]), rule.value(wrong[0])
        said = f"wrong for {len(wrong)} of {len(candidates)}; for {wrong[0]} it gives {yours:,} and should be {real:,}"
    return [*start, f"`{expression}`", said], not wrong


def _left() -> str:
    reasons = [pruned_by(sizes) for sizes in space()]
    parts = [f"{reasons.count(reason)} by {reason}" for reason in dict.fromkeys(filter(None, reasons))]
    return f"Of {len(reasons)} configurations {reasons.count(None)} are left. Ruled out are {', '.join(parts)}."


@dataclass(frozen=True)
class Found:
    """One configuration of the search: why it was left out, or its estimate, and its GFLOPS where it was timed."""

    sizes: Sizes
    left_out: str | None = None
    estimate: Estimate | None = None
    gflops: float | None = None

    @property
    def speed(self) -> float | None:
        """GFLOPS where measured, else the inverse of the model's cycles."""
        return self.gflops or (1 / self.estimate.cycles if self.estimate else None)


def show_search(
    kernel: Kernel, source: str, shape: Shape, depths: Sequence[int], tick: Callable[[], None] = lambda: None
) -> Found | None:
    """Search, show the landscape and the table, check the best in the emulator. The best that is right.

    `tick` is called after each configuration that was compiled, and again after each that was timed.
    """
    from gemmlab import gpu
    from gemmlab.gpu.bench import Bench
    from gemmlab.pictures.speed.landscape import landscape
    from gemmlab.pictures.speed.search import search_table

    device = gpu.device() if gpu.available() else None
    arch = device.arch if device else "sm_90"
    found = search(kernel, source, shape, depths, arch, tick)
    if device:
        with Bench() as bench:
            found = [_timed(one, kernel, source, shape, bench, tick) for one in found]
    model = f"by the model, for {arch} with {autotune.SMS} SMs; nothing was timed"
    title = f"M, N, K = {', '.join(map(str, shape))}, {f'measured on {device.name}' if device else model}"
    show_picture(landscape(title, {one.sizes: _cell(one) for one in found}))
    ranked = sorted((one for one in found if one.speed), key=lambda one: -one.speed)
    show(Markdown(search_table(ranked)))
    best = next((one for one in ranked[:_CHECKED] if _is_right(kernel, source, one.sizes)), None)
    show(Markdown(_conclusion(best)))
    return best


def search(
    kernel: Kernel,
    source: str,
    shape: Shape,
    depths: Sequence[int],
    arch: str,
    tick: Callable[[], None] = lambda: None,
) -> list[Found]:
    """Every configuration of these depths: ruled out, or compiled and estimated."""
    lanes, found = warp_tile(kernel, source), []
    for sizes in space(depths):
        found.append(_looked_at(sizes, kernel, source, lanes, shape, arch))
        tick()
    return found


def _looked_at(sizes: Sizes, kernel: Kernel, source: str, lanes: WarpTile, shape: Shape, arch: str) -> Found:
    reason = pruned_by(sizes)
    if reason:
        return Found(sizes, reason)
    resources = _resources(with_sizes(source, sizes), kernel, arch)
    if resources is None:
        return Found(sizes, "no room")
    estimate = autotune.estimate(sizes, resources, lanes, shape, arch)
    return Found(sizes, estimate=estimate) if estimate.cycles else Found(sizes, "registers")


def _resources(source: str, kernel: Kernel, arch: str) -> Resources | None:
    from gemmlab.compiler.compile import CompileError, compile_source

    try:
        return compile_source(source, kernel.path.name, arch=arch).resources.get(kernel.launch.kernel)
    except CompileError:
        raise UserError("with other sizes the kernel does not compile: leave its #define lines as they are") from None


def _timed(one: Found, kernel: Kernel, source: str, shape: Shape, bench: Bench, tick: Callable[[], None]) -> Found:
    from gemmlab.compiler.compile import compile_source

    if one.estimate is None:
        return one
    program = compile_source(with_sizes(source, one.sizes), kernel.path.name, arch=bench.arch)
    timing = bench.time(program, autotune.launch_spec(one.sizes).at(*shape), shape, seconds=_SEARCH_SECONDS)
    tick()
    return replace(one, gflops=timing.gflops)


def show_recorded(shape: Shape, depths: Sequence[int]) -> None:
    """The landscapes of recorded searches at that shape."""
    from gemmlab.pictures.speed.landscape import Cell, landscape
    from gemmlab.records.landscapes import cublas, label, measured, recorded_landscapes

    for record in recorded_landscapes():
        speeds = measured(record, shape)
        if speeds is None:
            shapes = "; ".join(", ".join(map(str, search["shape"])) for search in record["searches"])
            raise UserError(f"no search was recorded at that shape; there are {shapes}")
        cells = {}
        for sizes in space(depths):
            speed = speeds.get(sizes)
            left_out = pruned_by(sizes) or "registers"
            cells[sizes] = Cell(speed, f"{speed / 1000:.1f} TFLOPS") if speed else Cell(None, left_out)
        show_picture(landscape(f"M, N, K = {', '.join(map(str, shape))}, {label(record)}", cells))
        best = max(speeds[sizes] for sizes in cells if sizes in speeds)
        show(Markdown(f"The fastest reaches {100 * best / cublas(record, shape):.0f} % of cuBLAS there."))


def show_recorded_lanes() -> None:
    """What the arrangements of a warp were worth."""
    from gemmlab.records.landscapes import lanes_table, recorded_landscapes

    for record in recorded_landscapes():
        show(Markdown(lanes_table(record)))


def _cell(one: Found):
    from gemmlab.pictures.speed.landscape import Cell

    if one.estimate is None:
        return Cell(None, one.left_out)
    return Cell(one.speed, f"{one.estimate.resources.registers} registers")


def _is_right(kernel: Kernel, source: str, sizes: Sizes) -> bool:
    """Whether the emulator finds nothing wrong with these sizes, at a shape in which every tile is ragged."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.emulator import EmulatorExecutor
    from gemmlab.kernel.tolerance import compare, make_inputs

    shape = (sizes.BM + 3, sizes.BN + 5, 2 * sizes.BK + 1)
    A, B = make_inputs("integer", shape, _SEED)
    program = compile_source(with_sizes(source, sizes), kernel.path.name, arch="sm_90")
    outcome = EmulatorExecutor().run(program, autotune.launch_spec(sizes).at(*shape), A, B, shape)
    if any(finding.is_error for finding in outcome.findings) or outcome.C is None:
        return False
    return compare(outcome.C, A, B, "integer", outcome.written).ok


def _conclusion(best: Found | None) -> str:
    if best is None:
        return "None of the fastest is right at a ragged shape: a fast kernel that is wrong wins nothing."
    return f"The fastest that the emulator passes, at a ragged shape, is **{escape(str(best.sizes))}**."
