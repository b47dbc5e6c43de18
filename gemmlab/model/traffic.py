"""What each memory instruction of the machine code costs: passes through the load/store unit, bytes from the L2 cache,
bytes from memory. The emulator counted them at the line of the PTX that the instruction was made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gemmlab.kernel.counters import LineCounters
from gemmlab.kernel.elements import Element
from gemmlab.kernel.warp import SECTOR_BYTES, WARP
from gemmlab.model import sass
from gemmlab.model.sample import Sampled
from gemmlab.model.sass import Instruction

LINE_BYTES = 128
FLOAT_BYTES = 4
_SPARSE = 0.5  # of the bytes of its sectors that a request uses: with less, each sector lies in a line of its own


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
    return _global(one, counted, reuse)


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


def _global(one: Instruction, counted: LineCounters, reuse: Reuse) -> Request:
    kind = "atomic" if one.base in sass.ATOMICS else "store" if one.base == sass.STG else "load"
    requests, sectors, asked = (getattr(counted, f"global_{kind}_{what}") for what in ("requests", "sectors", "bytes"))
    if not requests and not one.always:
        return Request(0.0)
    if not requests:
        sectors, requests, asked = WARP * one.width / SECTOR_BYTES, 1, WARP * one.width
    sectors_each = sectors / requests
    is_sparse = asked < _SPARSE * SECTOR_BYTES * sectors
    lines = sectors_each if is_sparse else sectors_each * SECTOR_BYTES / LINE_BYTES
    port = max(1.0, lines, one.width / FLOAT_BYTES if asked / requests > WARP * FLOAT_BYTES else 1.0)
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


def reuse_of(block: Sampled, shape: tuple[int, int, int], element: Element, rounds: int) -> Reuse:
    """How often what a launch loads was loaded before, by its block or by another: from what a product must read.

    A block that writes R rows and S columns of C with F multiply-adds has summed over F / (R·S) of the k, and needs as
    many numbers of each of its rows of A and columns of B at least once. In the first of the `rounds` of blocks all
    wait for memory, for they ask for the same at one time; after it the L2 cache has most.
    """
    element_bytes = np.dtype(element.storage).itemsize
    each = block.totals.global_load_sectors * SECTOR_BYTES
    loaded, least = block.blocks * each, block.blocks * min(_needed(block, element_bytes), each)
    M, N, K = shape
    everything = (M * K + K * N) * element_bytes
    misses = least / loaded if loaded else 1.0
    fresh = min(1.0, everything / least) if least else 1.0
    return Reuse(misses, fresh, max(fresh, 1 / rounds))


def _needed(one: Sampled, element_bytes: int) -> float:
    """Bytes of A and B, in whole sectors where a row is narrow."""
    if not one.rows * one.columns or not one.totals.fma:
        return float("inf")
    depth = one.totals.fma / (one.rows * one.columns)
    row = max(SECTOR_BYTES, one.columns * element_bytes)
    return depth * (one.rows * element_bytes + row)
