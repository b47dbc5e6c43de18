"""lesson.fastest((64, 128, 16, 8, 8))"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.cuda.sizes import Sizes, with_sizes
from gemmlab.errors import UserError
from gemmlab.models import autotune
from gemmlab.notebook import arguments
from gemmlab.notebook.arguments import TIMED_SHAPE, Shape, target
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show

if TYPE_CHECKING:
    from gemmlab.kernel.launch import LaunchSpec
    from gemmlab.kernel.verdict import Verdict

_FOLDER = "fastest"  # beside the kernels: what is handed in keeps the lesson's sizes


@verb
def fastest(desk: Desk, sizes: Sequence[int] | None = None, shape: Shape = TIMED_SHAPE) -> None:
    """Your kernel with other sizes (BM, BN, BK, TM, TN), those that the last search found where none are given: written
    to a file of its own, checked, and timed where there is a GPU."""
    from gemmlab.pictures.verdict import VerdictReport

    if desk.owes(*desk.lesson.predictions):
        return
    if not desk.has_passed():
        show(Markdown("Not attempted: pass the check first, then run this cell again."))
        return
    chosen = arguments.tile_sizes(tuple(sizes)) if sizes else _of_the_search(desk)
    if reason := autotune.pruned_by(chosen):
        raise UserError(f"{chosen} is ruled out: {reason}")
    source, launch = with_sizes(desk.source(), chosen), autotune.launch_spec(chosen)
    name = _written(desk, source)
    verdict = _verdict(desk, source, launch, chosen)
    show(VerdictReport(verdict, source, f"The file is {name}, your kernel with {chosen}."))
    if verdict.passed:
        _time(desk, source, launch, arguments.sizes(shape))


def _of_the_search(desk: Desk) -> Sizes:
    found = desk.last("search")
    if found is None:
        raise UserError("no search has found a best one yet: search first, or give BM, BN, BK, TM and TN")
    return Sizes(*found["sizes"])


def _written(desk: Desk, source: str) -> str:
    """Write the file, and give its name for people."""
    from gemmlab.files import write_whole

    kernel = desk.lesson.kernel_path
    path = kernel.parent / _FOLDER / kernel.name
    path.parent.mkdir(exist_ok=True)
    write_whole(path, source)
    return f"kernels/{_FOLDER}/{path.name}"


def _verdict(desk: Desk, source: str, launch: LaunchSpec, sizes: Sizes) -> Verdict:
    """Checked at the lesson's cases, and at a shape in which every tile of these sizes is ragged."""
    from gemmlab.check.check import check_source
    from gemmlab.course.lesson import Case

    ragged = Case((sizes.BM + 3, sizes.BN + 5, 2 * sizes.BK + 1), "integer", 1, "ragged")
    cases = (*desk.lesson.cases, ragged)
    verdict = check_source(source, desk.lesson.kernel_path.name, launch, cases, "emulator")
    return replace(verdict, resources=None)  # those of the page's architecture stand below


def _time(desk: Desk, source: str, launch: LaunchSpec, shape: Shape) -> None:
    from gemmlab import gpu
    from gemmlab.compiler.compile import compile_source
    from gemmlab.gpu import bench
    from gemmlab.pictures.speed.profile import resources_text, speed_text

    program = compile_source(source, desk.lesson.kernel_path.name, arch=target())
    show(Markdown(resources_text(program.resources[launch.kernel], program.arch)))
    if not gpu.available():
        show(Markdown("No time was measured: this machine has no NVIDIA GPU."))
        return
    show(Markdown(speed_text(bench.time_kernel(program, launch.at(*shape), shape))))
