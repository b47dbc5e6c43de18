"""A product on several devices, on this machine's GPUs: one for each rank, or fewer, which the ranks then share.

Each product is done twice on the same flags, with A turned the second time; in between the host waits for all ranks.
A copy of C that is queued behind a rank's last kernel shows what the next kernel there would have read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gemmlab.gpu.child import guards as gpu_guards
from gemmlab.gpu.child import sentences as say
from gemmlab.gpu.child.guards import Images
from gemmlab.gpu.child.request import request_of
from gemmlab.kernel.executor import Outcome, farthest
from gemmlab.kernel.plan import Ranks, bound, refused, stored
from gemmlab.kernel.program import Program
from gemmlab.kernel.terms import Terms
from gemmlab.kernel.verdict import Finding

Launch = Callable[[Program, dict, Images], tuple[Images, float]]
Shape = tuple[int, int, int]


class RanksOnGpu:
    """Runs the work of all ranks by `launch`, which asks the worker. `devices` are the GPUs to use at most, None for as
    many as there are."""

    def __init__(self, launch: Launch, devices: int | None = None) -> None:
        self._launch, self._devices = launch, devices

    def run(self, program: Program, work: Ranks, A: np.ndarray, B: np.ndarray, shape: Shape, terms: Terms) -> Outcome:
        """Both products. KernelFault where one of them does not end, UserError where the machine is at fault."""
        if faults := [fault for plan in work.plans for fault in refused(plan, program)]:
            return Outcome(None, faults[:1])
        request = self._request(program, work, shape, terms)
        before = _images(work, A, B, terms, None)
        after, seconds = self._launch(program, request, before)
        outcome = _outcome(work, before, after, seconds, terms.product(A, B))
        if not outcome.has_error:
            other = terms.turned(A)
            turned = _images(work, other, B, terms, after)
            last, seconds = self._launch(program, {**request, "again": True}, turned)
            outcome.again = _outcome(work, turned, last, seconds, terms.product(other, B)).turned_back(terms)
        return outcome

    def _request(self, program: Program, work: Ranks, shape: Shape, terms: Terms) -> dict:
        asked = [request_of(program, bound(plan, terms), shape, shape) for plan in work.plans]
        return {
            **asked[0],
            "do": "ranks",
            "devices": self._devices,
            "ranks": [one["steps"] for one in asked],
            "buffers": [one["buffers"] for one in asked],
        }


def _images(work: Ranks, A: np.ndarray, B: np.ndarray, terms: Terms, before: Images | None) -> Images:
    """The arrays of all ranks, A_0, B_0, C_0, flags_0, next_0, A_1, …; the flags as `before` has them, else down."""
    rows_cols = len(A), B.shape[1]
    words: dict[str, np.ndarray] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for rank, plan in enumerate(work.plans):
        mine = stored(plan, *work.devices.shares(A, B, rank))
        one = gpu_guards.with_whole_C(gpu_guards.make_images(*mine, terms=terms), rows_cols)
        named = {**one.words, "next": one.words["C"].copy()}
        named["flags"] = gpu_guards.flag_words(work.flags) if before is None else before.words[f"flags_{rank}"]
        words |= {f"{name}_{rank}": array for name, array in named.items()}
        sizes |= {f"{name}_{rank}": size for name, size in one.sizes.items()}
    return Images(words, sizes)


def _of_rank(images: Images, rank: int) -> Images:
    """A, B and C of one rank, and a bias where there is one."""
    names = {name: name.rpartition("_")[0] for name in images.sizes if name.endswith(f"_{rank}")}
    return Images(
        {short: images.words[name] for name, short in names.items()},
        {short: images.sizes[name] for name, short in names.items()},
    )


def _outcome(work: Ranks, before: Images, after: Images, seconds: float, product: np.ndarray) -> Outcome:
    found: list[Finding] = []
    ranks = [_of_rank(after, rank) for rank in range(len(work.plans))]
    for rank, mine in enumerate(ranks):
        faults = gpu_guards.write_findings(_of_rank(before, rank), mine)
        faults += _read_too_early(after.words[f"next_{rank}"], mine, rank)
        found += [_on_device(finding, rank) for finding in faults]
    of_ranks = tuple(mine.C.copy() for mine in ranks)
    written = np.logical_and.reduce([gpu_guards.written(mine) for mine in ranks])
    return Outcome(farthest(of_ranks, product), found, written, seconds=seconds, of_ranks=of_ranks)


def _read_too_early(next_words: np.ndarray, mine: Images, rank: int) -> list[Finding]:
    """Where C, as the next kernel in the rank's stream reads it, is not yet what it becomes."""
    read = replace(mine, words={**mine.words, "C": next_words})
    early = np.argwhere(read.inside("C") != mine.inside("C"))
    if not len(early):
        return []
    row, col = early[0].tolist()
    message = say.READ_TOO_EARLY(row=row, col=col, count=len(early))
    return [Finding("race", message, count=len(early), details={"array": "C", "index": [row, col], "device": rank})]


def _on_device(finding: Finding, rank: int) -> Finding:
    message = say.ON_DEVICE(device=rank, message=finding.message)
    return replace(finding, message=message, details={**finding.details, "device": rank})
