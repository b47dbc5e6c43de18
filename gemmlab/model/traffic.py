"""What each memory instruction of the machine code costs: passes through the load/store unit, bytes from the L2 cache,
bytes from memory. The emulator counted them at the line of the PTX that the instruction was made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np

from gemmlab.kernel.counters import LineCounters
from gemmlab.kernel.layout import Layout
from gemmlab.kernel.warp import SECTOR_BYTES, WARP
from gemmlab.model import sass
from gemmlab.model.sample import FLOAT_BYTES, Sampled
from gemmlab.model.sass import Instruction

LINE_BYTES = 128
_PAST_L1 = 16  # bytes a lane of an asynchronous copy that the L1 cache does not keep
_WRITTEN_BACK = 8  # bytes a lane that registers take in a cycle


@dataclass(frozen=True)
class Reuse:
    """Of each array, and under "" of all that is loaded: `misses` is the share of the sectors that loads ask for which
    the L1 cache does not have. `fresh` is that of the bytes from the L2 cache which nobody had asked for before, so
    that they come from memory; `late` that of the requests which wait for memory, their own or another SM's. `waits` is
    the share of the requests for what is new to their block that find it under way no more, but there. `along` are the
    arrays in which the k follow one another, and `depth` how many k the block sums over."""

    misses: dict[str, float]
    fresh: float
    late: float
    waits: float = 1.0
    along: frozenset[str] = frozenset()
    depth: float = 0.0


@dataclass(frozen=True)
class Request:
    """What a warp's access costs on average: `port` cycles of the load/store unit, `l2` bytes that leave the SM's own
    cache, `fresh` of them from memory. Of the times that it is made, the share `misses` waits for them: it is the
    `first` of each `turn` steps along k."""

    port: float
    l2: float = 0.0
    fresh: float = 0.0
    misses: float = 0.0
    turn: float = 1.0
    first: float = 0.0


def request(one: Instruction, block: Sampled, reuse: Reuse) -> Request:
    """The cost of an access by the machine code's instruction."""
    counted = block.lines.get(one.ptx, LineCounters())
    if one.never or not (one.always or counted.instructions):
        return Request(0.0)  # switched off, all lanes: nothing is asked for
    if one.unit == sass.SHARED:
        return Request(_shared(one, counted, block.totals))
    if one.unit == sass.LOCAL:
        return Request(max(1.0, one.width / FLOAT_BYTES), 0.0)
    return _global(one, counted, block, reuse)


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


def _global(one: Instruction, counted: LineCounters, block: Sampled, reuse: Reuse) -> Request:
    kind = "atomic" if one.base in sass.ATOMICS else "store" if one.base == sass.STG else "load"
    requests, sectors = (getattr(counted, f"global_{kind}_{what}") for what in ("requests", "sectors"))
    if not requests and not one.always:
        return Request(0.0)
    if not requests:
        sectors, requests = WARP * one.width / SECTOR_BYTES, 1
    sectors_each = sectors / requests
    touched = block.touched.get(one.ptx)
    passes = touched.in_a_bank if touched else block.cache_lines.get(one.ptx, 0)
    port = max(1.0, passes, sectors_each * SECTOR_BYTES / LINE_BYTES, one.width / _WRITTEN_BACK)
    if kind != "load" or one.strong:
        return Request(port, SECTOR_BYTES * sectors_each, 0.0, 1.0)
    array = touched.array if touched else ""
    sent = SECTOR_BYTES * sectors_each * reuse.misses.get(array, reuse.misses[""])
    if one.unit == sass.COPY:
        port = _copied(one, counted, max(1, block.cache_lines.get(one.ptx, 0)))
    new, turn, first = 1.0, 1.0, 0.0
    if touched and array in reuse.along:
        new = min(1.0, touched.words * FLOAT_BYTES / (SECTOR_BYTES * sectors_each))
        turn, first = block.steps(one.ptx, reuse.depth, one.width)
    return Request(port, sent, sent * reuse.fresh, new * reuse.waits, turn, first)


def _copied(one: Instruction, counted: LineCounters, cache_lines: int) -> float:
    """Cycles of an asynchronous copy. One of 16 bytes a lane passes by the L1 cache and is written as a store of 16
    bytes is; a smaller one is written line by line, as they arrive. Both take their addresses before."""
    requests = counted.async_copy_requests
    wavefronts = counted.async_copy_wavefronts / requests if requests else one.width / FLOAT_BYTES
    if one.width == _PAST_L1:
        return 1 + max(1.0, wavefronts / 2)
    return 2 + cache_lines * wavefronts


@dataclass(frozen=True)
class Resident:
    """How the blocks of a grid lie on the SMs: as many `together` on each, in so many `rounds`; `cache_bytes` of each
    SM's L1 cache are left for them, and the L2 cache has `l2_bytes`."""

    sms: int
    together: int
    rounds: float
    cache_bytes: float
    l2_bytes: float = float("inf")


def reuse_of(block: Sampled, shape: tuple[int, int, int], layout: Layout, resident: Resident) -> Reuse:
    """How often what a launch loads was loaded before, by its block or by another: from what a product must read.

    A block that sums a tile of C over some of the k needs as many numbers of each of its rows of A and columns of B at
    least once. Blocks of one SM that have rows or columns in common find each other's, as long as they keep step. In
    the first round of blocks all wait for memory, for they ask for the same at one time; after it, and after the first
    tile of a block that has several, the L2 cache has most.
    """
    M, N, K = layout.product(shape)
    loaded = block.loaded  # bytes of each array, those of all under ""
    needed = _needed(block, layout.element_bytes("A"))
    alone = {name: min(needed[name], loaded.get(name, 0.0)) for name in ("A", "B")}
    unknown = min(1.0, sum(needed.values()) / loaded[""]) if loaded[""] else 1.0
    other = unknown * (loaded[""] - sum(loaded.get(name, 0.0) for name in alone))
    together, apart = _shares(block, (M, N), layout.element_bytes("A"), resident)
    first = 1 / max(1.0, resident.rounds)
    share = {name: first * together[name] + (1 - first) * apart[name] for name in alone}
    misses = {name: share[name] * alone[name] / loaded[name] for name in alone if loaded.get(name)}
    least = block.blocks * (sum(share[name] * alone[name] for name in alone) + other)
    everything = (M * K + K * N) * layout.element_bytes("A")
    again = everything > resident.l2_bytes  # what one wave of blocks read is driven out before the next asks for it
    read = max(everything, _waves(block, (M, N, K), layout.element_bytes("A"), resident)) if again else everything
    fresh = min(1.0, read / least) if least else 1.0
    missed = sum(alone.values())
    waits = first + (1 - first) * (sum(apart[name] * alone[name] for name in alone) / missed if missed else 1.0)
    along = frozenset(name for name in alone if (name == "A") != (name in layout.transposed))
    late = 1.0 if again else max(fresh, 1 / ceil(max(1.0, resident.rounds) * max(1.0, block.tile.pieces)))
    return Reuse(misses | {"": unknown}, fresh, late, waits, along, block.depth)


def _waves(one: Sampled, shape: tuple[int, int, int], element_bytes: int, resident: Resident) -> float:
    """Bytes that come from memory where each wave of blocks asks for all of its rows of A and columns of B anew. Tiles
    are taken to follow one another along a row."""
    if not one.tile.elements:
        return 0.0
    M, N, K = shape
    wave = min(one.blocks, resident.sms * resident.together)
    across = min(wave, ceil(N / one.tile.columns))
    rows, columns = min(M, ceil(wave / across) * one.tile.rows), min(N, across * one.tile.columns)
    return one.blocks / wave * one.tile.pieces * (rows + columns) * min(K, one.depth) * element_bytes


def _needed(one: Sampled, element_bytes: int) -> dict[str, float]:
    """Bytes of A and B, in whole sectors where a row is narrow."""
    if not one.depth:
        return dict.fromkeys("AB", float("inf"))
    each = _each_k(one.tile.rows, one.tile.columns, element_bytes)
    return {name: one.tile.pieces * one.depth * bytes_of for name, bytes_of in zip("AB", each)}


def _each_k(rows: int, columns: int, element_bytes: int) -> tuple[float, float]:
    """Bytes of A and of B for one k."""
    return rows * element_bytes, max(SECTOR_BYTES, columns * element_bytes)


def _shares(
    one: Sampled, size: tuple[int, int], element_bytes: int, resident: Resident
) -> tuple[dict[str, float], dict[str, float]]:
    """The share of what blocks need of A and of B that an SM asks the L2 cache for, where its blocks need the same:
    while they keep step, as those do that start together, and while they do not, as those of later rounds. Then they
    find what another needed as far as the L1 cache holds the last of it."""
    if not one.depth or resident.together < 2:
        return dict.fromkeys("AB", 1.0), dict.fromkeys("AB", 1.0)
    window = resident.cache_bytes / (resident.together * sum(_each_k(one.tile.rows, one.tile.columns, element_bytes)))
    together = dict(zip("AB", _distinct(one, size, resident)))
    apart = {name: 1 - (1 - share) * min(1.0, (1 / share - 1) * window / one.depth) for name, share in together.items()}
    return together, apart


_STARTS = 16  # SMs that are looked at


def _distinct(one: Sampled, size: tuple[int, int], resident: Resident) -> tuple[float, float]:
    """Of the rows of C, and of its columns, that the blocks of one SM work on, the share that is not twice the same.

    Blocks go to the SMs in turns. Where a block of some number works is known where tiles follow one another along a
    row or along a column; else nothing is shared.
    """
    across, down = ceil(size[1] / one.tile.columns), ceil(size[0] / one.tile.rows)
    row, column = one.tile.top // one.tile.rows, one.tile.left // one.tile.columns
    if one.number % (across * down) == row * across + column:
        place = partial(_row_and_column, across=across)
    elif one.number % (across * down) == column * down + row:
        place = partial(_row_and_column, down=down)
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


def _row_and_column(number: int, across: int = 0, down: int = 0) -> tuple[int, int]:
    """Of the block with this number, where so many lie side by side, or one under the other."""
    if across:
        return number // across, number % across
    return number % down, number // down
