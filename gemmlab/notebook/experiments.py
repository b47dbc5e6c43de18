"""Experiments on a student's kernel, for the notebook: what its warps ask for, what would happen without a line of it.

Nothing here is an attempt: the student's file and progress stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from gemmlab.course.lesson import Kernel, Lesson
from gemmlab.errors import UserError
from gemmlab.pictures.output import Markdown, escape, show, show_picture
from gemmlab.trials.variant import Body, compiled, variant

if TYPE_CHECKING:
    from gemmlab.kernel.verdict import Verdict
    from gemmlab.trials.warp_requests import WarpRequest

Shape = tuple[int, int, int]


def show_machine(solved: bool) -> None:
    """What this machine offers, as a table; in a solved notebook, whose outputs are kept, only that it stands here."""
    from gemmlab.doctor import examine

    if solved:
        show(Markdown("In your own copy of this notebook, a table here says what your machine offers."))
        return
    rows = [f"| {item.name} | {'yes' if item.ok else 'no'} | {escape(item.text)} |" for item in examine()]
    show(Markdown("\n".join(["| part | there | what |", "|:--|:--|:--|", *rows])))


def show_roofline(example: tuple[float, float] | None) -> None:
    """The naive kernel under the roof of an example, in GFLOPS and GB/s; without one, of this machine's GPU, or of the
    recorded one where there is none. Caches are for later lessons."""
    from gemmlab.models.simulator import traffic_naive
    from gemmlab.pictures.speed.roofline import Ceilings, Point, roofline
    from gemmlab.records.ceilings import ceilings_here

    ceilings = Ceilings(*example, "an example, not a measurement") if example else ceilings_here()
    ceilings = ceilings and replace(ceilings, nearer=())
    show_picture(roofline([Point("naive", traffic_naive(1, 1, 1).intensity)], ceilings))


def show_grid(kernel: Kernel, source: str, shape: Shape, tx: int) -> None:
    """The grid over C, and the element of C that thread (tx, 0) of block (0, 0) stores, as its kernel does."""
    from gemmlab.pictures.tiles.grid import grid_picture

    launch = kernel.launch.at(*shape)
    if tx not in range(min(launch.block[0], 32)):
        raise UserError(f"tx is one of 0 to {min(launch.block[0], 32) - 1} here; {tx!r} is none of them")
    store = next((one for one in _requests(kernel, source, shape) if one.is_store), None)
    if store is None or store.offsets[tx] is None:
        raise UserError(f"thread ({tx}, 0) of block (0, 0) stores nothing at this shape")
    show_picture(grid_picture(shape, launch, tx, divmod(store.offsets[tx] // 4, store.cols)))


def show_requests(kernel: Kernel, source: str, shape: Shape) -> None:
    """One warp request each to A, B and C, drawn over the sectors, and in figures."""
    from gemmlab.pictures.warps.warp import request_table, warp_picture

    requests = _requests(kernel, source, shape)
    title = f"Warp 0 of block (0, 0) of {kernel.name}, one request each, at M, N, K = {', '.join(map(str, shape))}"
    show_picture(warp_picture(requests, title))
    show(Markdown(request_table(requests)))


def _requests(kernel: Kernel, source: str, shape: Shape) -> list[WarpRequest]:
    from gemmlab.trials.warp_requests import requests_of

    return requests_of(compiled(kernel, source), kernel.launch.at(*shape), shape)


def show_what_if(kernel: Kernel, source: str, bodies: Mapping[str, Body]) -> Verdict:
    """The check of the kernel with other bodies in some of its blanks."""
    from gemmlab.check.check import check_kernel
    from gemmlab.pictures.verdict import VerdictReport

    changed = variant(kernel.starter, source, bodies)
    verdict = check_kernel(kernel, changed, kernel.path.name)
    show(Markdown(f"Your kernel, {_in_words(bodies)}. Your file stays as it is."))
    show(VerdictReport(verdict, changed))
    return verdict


def show_timeline(kernel: Kernel, source: str, bodies: Mapping[str, str], k_tiles: int = 3) -> None:
    """Fill, use and barriers of the kernel's loop over the K tiles, in two orders of its warps."""
    from gemmlab.pictures.warps.timeline import part_names, timeline
    from gemmlab.trials.tile_loop import loop_parts, play

    changed = variant(kernel.starter, source, bodies)
    parts = loop_parts(compiled(kernel, changed), kernel.launch.kernel)
    show(Markdown(f"Your kernel, {_in_words(bodies)}: {part_names(parts)}, and again."))
    show_picture(timeline(play(parts, kernel.tile, k_tiles)))


def show_recorded_races() -> None:
    """How many launches gave wrong numbers without one of the barriers, on each GPU that was recorded."""
    from gemmlab.records.races import race_table, recorded_races

    for record in recorded_races():
        show(Markdown(race_table(record)))


def show_edges(kernel: Kernel, shape: Shape) -> None:
    """Which tiles hang over the edges of A, B and C."""
    from gemmlab.models.edges import edges_of
    from gemmlab.pictures.tiles.edges import edge_picture

    show_picture(edge_picture(edges_of(shape, kernel.tile), shape, kernel.tile))


def source_of(other: Lesson) -> str:
    """The kernel of another lesson as the student wrote it, or as it was handed out where it has no blank."""
    from gemmlab.check.check import read_kernel
    from gemmlab.course.blanks import open_blanks

    text = read_kernel(other.kernel_path) if other.kernel_path.is_file() else other.starter
    if open_blanks(text):
        raise UserError(f"lesson {other.number} is not solved yet: fill in its blanks first")
    return text


def _in_words(bodies: Mapping[str, Body]) -> str:
    if not bodies:
        return "as it is"
    left_out = [name for name, body in bodies.items() if isinstance(body, str) and not body.strip()]
    return ", ".join(
        f"{'without' if name in left_out else 'with other code for'} **{escape(name)}**" for name in bodies
    )
