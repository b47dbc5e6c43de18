"""lesson.profile()"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemmlab.errors import UserError
from gemmlab.kernel.elements import FLOAT32
from gemmlab.notebook.arguments import COUNTED_SHAPE, TIMED_SHAPE, Shape, sizes, target
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show, show_picture
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.cuda.sizes import Sizes
    from gemmlab.kernel.counters import Counters
    from gemmlab.kernel.timing import Timing


@verb
def profile(desk: Desk, shape: Shape = TIMED_SHAPE) -> None:
    """What the multiplication moves; once the kernel passes, also what the compiler made of it, the time that a model
    predicts for an H200 and why, and its speed on this machine's GPU."""
    from gemmlab.models.ceilings import intensities as level_intensities
    from gemmlab.pictures.speed.profile import intensities, traffic_table
    from gemmlab.pictures.speed.roofline import hierarchy
    from gemmlab.records.ceilings import ceilings_here

    shape = sizes(shape)
    if desk.not_predicted(desk.lesson.predictions):
        show(Markdown("Make your predictions first: the profile holds the same numbers."))
        return
    tile, element, patch = desk.lesson.tile, desk.lesson.kernel.element, own_sizes(desk)
    show(Markdown(traffic_table(shape, tile, patch, element)))
    counters, gflops = _measured(desk, shape)
    ceilings = ceilings_here()
    ceilings = ceilings and ceilings.on_tensor_cores(element.name)
    if counters and ceilings:
        levels = level_intensities(counters.totals, COUNTED_SHAPE, shape, element.size)
        show_picture(hierarchy("your kernel", levels, ceilings, gflops))
    of_own = gflops if patch or not desk.lesson.kernel.whole else None
    show_picture(intensities(shape, tile, of_own, patch, ceilings, element))


def own_sizes(desk: Desk) -> Sizes | None:
    """The tiles of the lesson's own kernel, where they are more than the lesson's tile; of a file that is all the
    student's, those that its #define lines give, None where it has none."""
    from gemmlab.cuda.sizes import register_sizes, sizes_of

    kernel = desk.lesson.kernel
    text = desk.source() if kernel.whole and kernel.path.is_file() else kernel.starter
    try:
        return register_sizes(text) if kernel.element is FLOAT32 else sizes_of(text)
    except UserError:
        return None


def _measured(desk: Desk, shape: Shape) -> tuple[Counters | None, float | None]:
    """Show what the kernel does to memory, what the compiler made of it, the predicted time and, on a GPU, its speed.

    What was counted, None before the check has passed, and the GFLOPS, None where there is no GPU.
    """
    from gemmlab.check.profile import profile_source
    from gemmlab.pictures.speed.profile import counters_table

    lesson, source = desk.lesson, desk.source()
    if not desk.has_passed():
        show(Markdown("Pass the check: then your kernel's counts, registers and, on a GPU, speed stand here too."))
        return None, None
    candidate = Candidate(source, lesson.kernel_path.name, lesson.kernel.launches_of(source))
    counters = profile_source(source, candidate.filename, candidate.launch, COUNTED_SHAPE).counters
    show(Markdown(counters_table(source, counters, COUNTED_SHAPE)))
    show_resources(candidate, shape)
    _show_predicted(candidate, shape)
    timing = _timed(desk, candidate, shape)
    return counters, timing.gflops if timing else None


def show_resources(candidate: Candidate, shape: Shape) -> None:
    """The compiler's report on each launched kernel, with the shared memory that its first launch asks for."""
    from gemmlab.pictures.speed.profile import resources_text

    program = candidate.compiled(target(), shapes=[shape])
    dynamic = {launch.kernel: launch.smem for launch in reversed(candidate.launches(shape))}
    for name in candidate.kernels([shape]):
        of_kernel = f"`{name}`: " if len(dynamic) > 1 else ""
        show(Markdown(of_kernel + resources_text(program.resources[name], program.arch, dynamic[name])))


def _show_predicted(candidate: Candidate, shape: Shape) -> None:
    """The time that the model predicts, the reasons, and the lines that they come from; or why it cannot."""
    from gemmlab.model import predict
    from gemmlab.pictures.speed.prediction import lines_table, prediction_text, reasons_picture

    prediction = predict(candidate, shape)
    show(Markdown(prediction_text(prediction)))
    if picture := reasons_picture(prediction):
        show_picture(picture)
    if table := lines_table(candidate.text, prediction):
        show(Markdown(table))


def _timed(desk: Desk, candidate: Candidate, shape: Shape) -> Timing | None:
    """Show the kernel's speed where there is a GPU, and keep it."""
    from gemmlab import gpu
    from gemmlab.gpu import bench
    from gemmlab.kernel.plan import Ranks
    from gemmlab.pictures.speed.profile import speed_text

    if not gpu.available():
        show(Markdown("No time was measured: this machine has no NVIDIA GPU."))
        return None
    work = candidate.launch.at(*shape)
    if isinstance(work, Ranks):
        show(Markdown("No time was measured: here a kernel is timed on one GPU alone."))
        return None
    timing = bench.time_kernel(candidate.compiled(target(), shapes=[shape]), work, shape)
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
