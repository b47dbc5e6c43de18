"""lesson.profile()"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.notebook.arguments import COUNTED_SHAPE, TIMED_SHAPE, Shape, sizes, target
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture

if TYPE_CHECKING:
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.timing import Timing


@verb
def profile(desk: Desk, shape: Shape = TIMED_SHAPE) -> None:
    """What the multiplication moves; once the kernel passes, also what the compiler made of it and its speed."""
    from gemmlab.cuda.sizes import register_sizes
    from gemmlab.models.ceilings import intensities as level_intensities
    from gemmlab.pictures.speed.profile import intensities, traffic_table
    from gemmlab.pictures.speed.roofline import hierarchy
    from gemmlab.records.ceilings import ceilings_here

    shape = sizes(shape)
    if desk.not_predicted(desk.lesson.predictions):
        show(Markdown("Make your predictions first: the profile holds the same numbers."))
        return
    tile, patch = desk.lesson.tile, register_sizes(desk.lesson.starter)
    show(Markdown(traffic_table(shape, tile, patch)))
    counters, gflops = _measured(desk, shape)
    element, ceilings = desk.lesson.kernel.element, ceilings_here()
    ceilings = ceilings and ceilings.on_tensor_cores(element.name)
    if counters and ceilings:
        levels = level_intensities(counters.totals, COUNTED_SHAPE, shape, element.size)
        show_picture(hierarchy("your kernel", levels, ceilings, gflops))
    show_picture(intensities(shape, tile, gflops, patch, ceilings))


def _measured(desk: Desk, shape: Shape) -> tuple[Counters | None, float | None]:
    """Show what the kernel does to memory, what the compiler made of it and, on a GPU, how fast it is.

    What was counted, None before the check has passed, and the GFLOPS, None where there is no GPU.
    """
    from gemmlab.check.profile import profile_source
    from gemmlab.pictures.speed.profile import counters_table

    lesson, source = desk.lesson, desk.source()
    if not desk.has_passed():
        show(Markdown("Pass the check: then your kernel's counts, registers and, on a GPU, speed stand here too."))
        return None, None
    counters = profile_source(
        source, lesson.kernel_path.name, lesson.kernel.launches_of(source), COUNTED_SHAPE
    ).counters
    show(Markdown(counters_table(source, counters, COUNTED_SHAPE)))
    timing = _timed(desk, source, shape)
    return counters, timing.gflops if timing else None


def _timed(desk: Desk, source: str, shape: Shape) -> Timing | None:
    """Show the compiler's report, and the kernel's speed where there is a GPU."""
    from gemmlab import gpu
    from gemmlab.gpu import bench
    from gemmlab.kernel.plan import Ranks
    from gemmlab.pictures.speed.profile import resources_text, speed_text
    from gemmlab.trials.candidate import Candidate

    lesson = desk.lesson
    candidate = Candidate(source, lesson.kernel_path.name, lesson.kernel.launches_of(source))
    program, kernels = candidate.compiled(target(), shapes=[shape]), candidate.kernels([shape])
    for name in kernels:
        of_kernel = f"`{name}`: " if len(kernels) > 1 else ""
        show(Markdown(of_kernel + resources_text(program.resources[name], program.arch)))
    if not gpu.available():
        show(Markdown("No time was measured: this machine has no NVIDIA GPU."))
        return None
    work = candidate.launch.at(*shape)
    if isinstance(work, Ranks):
        show(Markdown("No time was measured: here a kernel is timed on one GPU alone."))
        return None
    timing = bench.time_kernel(program, work, shape)
    show(Markdown(speed_text(timing)))
    desk.note(
        "timing",
        shape=list(shape),
        gflops=timing.gflops,
        cublas_gflops=timing.cublas_gflops,
        ratio=timing.ratio,
        gpu=timing.gpu,
    )
    return timing
