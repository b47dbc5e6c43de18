"""What each memory instruction of the machine code costs: passes through the load/store unit, bytes from the L2 cache,
bytes from memory. The emulator counted them at the line of the PTX that the instruction was made from."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from gemmlab.kernel.counters import LineCounters
from gemmlab.kernel.elements import Element
from gemmlab.kernel.warp import SECTOR_BYTES, WARP
from gemmlab.model import sass
from gemmlab.model.sample import Sampled
from gemmlab.model.sass import Instruction

LINE_BYTES = 128
FLOAT_BYTES = 4
_WRITTEN_BACK = 8  # bytes a lane that registers take in a cycle


@dataclass(frozen=True)
class Reuse:
    """`misses` is the share of the sectors that loads ask for which the L1 cache does not have; `fresh` that of the
    bytes from the L2 cache which nobody had asked for before, so that they come from memory; `late` that of the
    requests
    which wait for memory, their own or another SM's."""

    misses: float
    fresh: float
    late: float


@dataclass(frozen=True)
class Request:
    """What a warp's access costs on average: `port` cycles of the load/store unit, `l2` bytes that leave the SM's own
    cache, `fresh` of them from memory."""

    port: float
    l2: float = 0.0
    fresh: float = 0.0
    misses: float = 0.0


def request(one: Instruction, block: Sampled, reuse: Reuse) -> Request:
    """The cost of an access by the machine code's instruction."""
    counted = block.lines.get(one.ptx, LineCounters())
    if one.never or not (one.always or counted.instructions):
        return Request(0.0)  # switched off, all lanes: nothing is asked for
    if one.unit == sass.SHARED:
        return Request(_shared(one, counted, block.totals))
    if one.unit == sass.LOCAL:
        return Request(max(1.0, one.width / FLOAT_BYTES), 0.0)
    return _global(one, counted, block.cache_lines.get(one.ptx, 0), reuse)


def _shared(one: Instruction, counted: LineCounters, totals: LineCounters) -> float:
    """Wavefronts of one request: as counted at its own line, else as of the whole kernel."""
    least = 2.0 if one.width == 16 else 1.0  # what 32 lanes get of 16 bytes each takes two cycles to hand out
    kind = "store" if one.base == sass.STS else "load"
    for source in (counted, totals):
        for name in ("widened", "shared"):
            requests = getattr(source, f"{name}_{kind}_requests")
            if requests:
                return max(least, getattr(source, f"{name}_{kind}_wavefronts") / requests)
    return least


def _global(one: Instruction, counted: LineCounters, cache_lines: int, reuse: Reuse) -> Request:
    kind = "atomic" if one.base in sass.ATOMICS else "store" if one.base == sass.STG else "load"
    requests, sectors, asked = (getattr(counted, f"global_{kind}_{what}") for what in ("requests", "sectors", "bytes"))
    if not requests and not one.always:
        return Request(0.0)
    if not requests:
        sectors, requests, asked = WARP * one.width / SECTOR_BYTES, 1, WARP * one.width
    sectors_each = sectors / requests
    lines = max(cache_lines, sectors_each * SECTOR_BYTES / LINE_BYTES)
    port = max(1.0, lines, one.width / _WRITTEN_BACK)
    if kind == "load":
        sent = SECTOR_BYTES * sectors_each * reuse.misses
        fresh = sent * reuse.fresh
        if one.unit == sass.COPY:
            port += _writes(one, counted)
        return Request(port, sent, fresh, 1 - (1 - reuse.misses) ** max(1.0, sectors_each))
    return Request(port, SECTOR_BYTES * sectors_each, 0.0, 1.0)


def _writes(one: Instruction, counted: LineCounters) -> float:
    """An asynchronous copy writes into shared memory piece by piece, as its sectors arrive."""
    if not counted.async_copy_requests:
        return one.width / FLOAT_BYTES
    return 2.5 * counted.async_copy_wavefronts / counted.async_copy_requests


@dataclass(frozen=True)
class Resident:
    """How the blocks of a grid lie on the SMs: as many `together` on each, in so many `rounds`; `cache_bytes` of each
    SM's L1 cache are left for them."""

    sms: int
    together: int
    rounds: float
    cache_bytes: float


def reuse_of(block: Sampled, shape: tuple[int, int, int], element: Element, resident: Resident) -> Reuse:
    """How often what a launch loads was loaded before, by its block or by another: from what a product must read.

    A block that sums a tile of C over some of the k needs as many numbers of each of its rows of A and columns of B at
    least once. Blocks of one SM that have rows or columns in common find each other's, as long as they keep step. In
    the first round of blocks all wait for memory, for they ask for the same at one time; after it the L2 cache has most.
    """
    element_bytes = np.dtype(element.storage).itemsize
    each = block.totals.global_load_sectors * SECTOR_BYTES
    alone = block.blocks * min(_needed(block, element_bytes), each)
    loaded, least = block.blocks * each, alone * _kept_step(block, element_bytes, shape, resident)
    M, N, K = shape
    everything = (M * K + K * N) * element_bytes
    misses = least / loaded if loaded else 1.0
    fresh = min(1.0, everything / least) if least else 1.0
    return Reuse(misses, fresh, max(fresh, 1 / ceil(resident.rounds)))


def _needed(one: Sampled, element_bytes: int) -> float:
    """Bytes of A and B, in whole sectors where a row is narrow."""
    if not one.depth:
        return float("inf")
    return one.tile.pieces * one.depth * sum(_each_k(one.tile.rows, one.tile.columns, element_bytes))


def _each_k(rows: int, columns: int, element_bytes: int) -> tuple[float, float]:
    """Bytes of A and of B for one k."""
    return rows * element_bytes, max(SECTOR_BYTES, columns * element_bytes)


def _kept_step(one: Sampled, element_bytes: int, shape: tuple[int, int, int], resident: Resident) -> float:
    """The share of what blocks need that an SM asks the L2 cache for, where its blocks need the same.

    Blocks that start together keep step. Those of later rounds start one by one: they meet what another needed as far
    as the L1 cache holds the last of it.
    """
    if not one.depth or resident.together < 2:
        return 1.0
    of_a, of_b = _each_k(one.tile.rows, one.tile.columns, element_bytes)
    share_a, share_b = _distinct(one, shape, resident)
    together = (share_a * of_a + share_b * of_b) / (of_a + of_b)
    window = resident.cache_bytes / (resident.together * (of_a + of_b))
    others = 1 / together - 1
    apart = 1 - (1 - together) * min(1.0, others * window / one.depth)
    first = 1 / max(1.0, resident.rounds)
    return first * together + (1 - first) * apart


_STARTS = 16  # SMs that are looked at


def _distinct(one: Sampled, shape: tuple[int, int, int], resident: Resident) -> tuple[float, float]:
    """Of the rows of C, and of its columns, that the blocks of one SM work on, the share that is not twice the same.

    Blocks go to the SMs in turns. Where a block of some number works is known where tiles follow one another along a
    row or along a column; else nothing is shared.
    """
    across, down = ceil(shape[1] / one.tile.columns), ceil(shape[0] / one.tile.rows)
    row, column = one.tile.top // one.tile.rows, one.tile.left // one.tile.columns
    if one.number % (across * down) == row * across + column:
        place = lambda n: divmod(n, across)  # noqa: E731
    elif one.number % (across * down) == column * down + row:
        place = lambda n: divmod(n, down)[::-1]  # noqa: E731
    else:
        return 1.0, 1.0
    rows = columns = 0
    for start in range(_STARTS):
        numbers = (np.arange(resident.together) * resident.sms + start) % one.blocks
        slices = numbers // (across * down)
        places = [(*place(number % (across * down)), k) for number, k in zip(numbers.tolist(), slices.tolist())]
        rows += len({(r, k) for r, _, k in places})
        columns += len({(c, k) for _, c, k in places})
    return rows / (_STARTS * resident.together), columns / (_STARTS * resident.together)
