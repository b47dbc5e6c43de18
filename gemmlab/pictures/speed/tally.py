"""Kernels side by side: what the emulator counted for each, and what the compiler made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gemmlab.kernel.limits import occupancy
from gemmlab.markdown import escape, plain
from gemmlab.models.tally import Tally


def tally_table(tallies: Mapping[str, Tally]) -> str:
    """A Markdown table with one column a kernel. All tallies are of one shape and one architecture."""
    first = next(iter(tallies.values()))
    shape, arch = first.shape, escape(first.arch)
    head = f"| counted at M, N, K = {', '.join(map(str, shape))} | {' | '.join(tallies)} |"
    rows = [_row(name, value, tallies) for name, value in _COUNTS]
    rows += [_row(f"{name} on {arch}", value, tallies) for name, value in _RESOURCES]
    return "\n".join([head, "|:--|" + "--:|" * len(tallies), *rows])


_COUNTS: tuple[tuple[str, Callable[[Tally], str]], ...] = (
    ("sizes", lambda tally: str(tally.sizes)),
    ("elements read from shared memory for a multiply-add", lambda tally: plain(tally.reads_per_fma)),
    ("reads of shared memory, of any width, in the source", lambda tally: plain(tally.reads_written_per_fma)),
    ("the same as executed: ptxas joins neighbours", lambda tally: plain(tally.read_instructions_per_fma)),
    ("wavefronts of shared memory for the multiply-adds of 32 threads", lambda tally: plain(tally.wavefronts_per_fma)),
    ("wavefronts that are due to bank conflicts", lambda tally: f"{tally.conflicts:,}"),
    ("requests to global memory", lambda tally: f"{tally.global_requests:,}"),
    ("sectors of global memory", lambda tally: f"{tally.sectors:,}"),
    ("barriers a K tile", lambda tally: plain(tally.barriers_per_k_tile)),
    ("instructions for the multiply-adds of 32 threads", lambda tally: plain(tally.instructions_per_fma)),
)


def _occupancy(tally: Tally) -> str:
    resources = tally.resources
    found = occupancy(tally.sizes.threads, resources.registers, resources.shared_bytes, tally.arch)
    return f"{100 * found.fraction:.0f} %"


_RESOURCES: tuple[tuple[str, Callable[[Tally], str]], ...] = (
    ("shared memory a block, in bytes,", lambda tally: f"{tally.resources.shared_bytes:,}"),
    ("registers a thread", lambda tally: f"{tally.resources.registers}"),
    ("occupancy", _occupancy),
)


def _row(name: str, value: Callable[[Tally], str], tallies: Mapping[str, Tally]) -> str:
    return f"| {name} | {' | '.join(map(value, tallies.values()))} |"
