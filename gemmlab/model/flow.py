"""How often each instruction of the machine code runs, from how often each instruction of the PTX did.

The emulator counts PTX. The compiler moves, joins, unrolls and drops instructions on the way to machine code, but
says of
each one from which line of the PTX it comes. The counts of the basic blocks follow: what flows into a block flows out,
and the copies of a PTX instruction, taken together, run as often as it did. Where that leaves a choice, as between an
unrolled loop and its remainder, the way with fewer instructions, and with fewer jumps back, is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median_low

import numpy as np

from gemmlab.model import sass
from gemmlab.model.sass import Instruction

# Weights of the kinds of equations. Where an instruction is guarded, its PTX may have stood in a branch and have run
# less
# often; where it is arithmetic, the compiler may have moved it out of a loop.
_FLOW, _ANCHOR, _GUARDED, _ARITHMETIC = 30.0, 1.0, 0.1, 0.03
_SHORT = 1e-7  # what an instruction costs
BACK = 40  # instructions, what a jump back costs beside; set by hand
_ANCHORS = (sass.FMA, sass.SHARED, sass.GLOBAL, sass.COPY, sass.BARRIER, sass.DOUBLE, sass.TENSOR, sass.LOCAL)
_ROUNDS, _PATIENCE = 400, 3  # of exchanges; how often all change sides without fewer being wrong
_LOOPS = 6
_TIMES, _OFF = 5, 0.02  # how often the equations are weighed anew; by what share a count may be off to keep its weight
_DUE = 0.98  # turns of a way that make it due
_FLAT = 1e-10  # of the largest right side: a slope that is none
_STEADY = 1e-12  # of the largest square: keeps equations that say the same from having no solution
_LEAST = 1e-3  # of a run of a warp: less is none


@dataclass(frozen=True)
class Block:
    """Instructions start..end - 1, which run one after another, and the blocks that may follow."""

    start: int
    end: int
    following: tuple[int, ...]


@dataclass(frozen=True)
class Flow:
    """`counts[b]` is how often a warp runs block b, `edges[b]` how often it goes from there to each that follows."""

    blocks: tuple[Block, ...]
    counts: tuple[float, ...]
    edges: tuple[tuple[float, ...], ...]


def basic_blocks(code: Sequence[Instruction]) -> tuple[Block, ...]:
    starts = {0}
    for at, one in enumerate(code):
        if one.target is not None or one.ends:
            starts |= {at + 1, *([one.target] if one.target is not None else [])}
    ordered = sorted(start for start in starts if 0 <= start < len(code))
    number = {start: n for n, start in enumerate(ordered)}
    ends = [*ordered[1:], len(code)]
    return tuple(
        Block(start, end, tuple(number[to] for to in _next(code[end - 1], end) if to in number))
        for start, end in zip(ordered, ends)
    )


def _next(last: Instruction, end: int) -> list[int]:
    if last.target is not None:
        return [end, last.target] if last.conditional else [last.target]
    return [] if last.ends and last.always else [end]


def solved(code: Sequence[Instruction], executed: dict[int, float]) -> Flow:
    """The flow of one warp, where `executed` says how often a warp executes each line of the PTX."""
    blocks = basic_blocks(code)
    ways = _open(code, blocks, executed)
    rows, right, trust = _equations(code, blocks, ways, executed)
    cost = _SHORT * np.array([_length(blocks, start, to) for start, to in ways], float)
    weights, flow = trust, None
    for _ in range(_TIMES):
        flow = _entered(rows, right, weights, cost, ways, flow)
        off = np.abs(rows @ flow - right) / np.maximum(1.0, right)
        weights = np.where(trust >= _FLOW, trust, trust / (1 + (off / _OFF) ** 2))
        if off.max() < _OFF:
            break
    assert flow is not None
    often = dict(zip(ways, flow.tolist()))
    edges = [tuple(often.get((n, to), 0.0) for to in block.following) for n, block in enumerate(blocks)]
    counts = [float(sum(flow[w] for w, way in enumerate(ways) if way[0] == n)) for n in range(len(blocks))]
    return Flow(blocks, tuple(counts), tuple(edges))


def _length(blocks: tuple[Block, ...], start: int, to: int) -> int:
    """Instructions of a way, and more for one back: a loop within a loop is entered in each turn of the outer one, and
    not once for all turns together."""
    return blocks[start].end - blocks[start].start + (BACK if 0 <= to <= start else 0)


def _open(code: Sequence[Instruction], blocks: tuple[Block, ...], executed: dict[int, float]) -> list[tuple[int, int]]:
    """The ways from block to block, and to the end (-1), without those to blocks that did not run: they hold an access
    or a multiply-add under no condition, and its line of the PTX never ran."""
    ran = [
        all(executed.get(one.ptx) for one in code[block.start : block.end] if one.ptx and _trust(one) == _ANCHOR)
        for block in blocks
    ]
    ways = [(n, to) for n, block in enumerate(blocks) for to in block.following if ran[n] and ran[to]]
    reached = _closure(0, ways)
    ways = [way for way in ways if way[0] in reached]
    return ways + [(n, -1) for n in sorted(reached) if code[blocks[n].end - 1].ends]


def _entered(
    rows: np.ndarray,
    right: np.ndarray,
    weights: np.ndarray,
    cost: np.ndarray,
    ways: list[tuple[int, int]],
    flow: np.ndarray | None,
) -> np.ndarray:
    """The ways' counts, such that no loop runs that nobody entered; looked for from `flow` on."""
    matrix, target = weights[:, None] * rows, weights * right
    for _ in range(_LOOPS):
        flow = non_negative(matrix, target, cost, flow)
        cut_off = _entrances(ways, flow)
        if not cut_off:
            break
        matrix = np.vstack([matrix, _FLOW * np.array(cut_off)])
        target = np.concatenate([target, np.full(len(cut_off), _FLOW)])
    return flow


def _entrances(ways: list[tuple[int, int]], flow: np.ndarray) -> list[np.ndarray]:
    """For each loop that runs and is never entered, the ways into it: somebody has to go there once."""
    going = [way for way, often in zip(ways, flow) if often > _LEAST and way[1] >= 0]
    reached = _closure(0, going)
    lost = {start for start, _ in going} - reached
    found = []
    while lost:
        loop = _closure(next(iter(lost)), going)
        inward = np.array([to in loop and start not in loop for start, to in ways], float)
        if inward.any():
            found.append(inward)
        lost -= loop
    return found


def _closure(start: int, going: list[tuple[int, int]]) -> set[int]:
    """The blocks that are reached from there."""
    after: dict[int, list[int]] = defaultdict(list)
    for one, to in going:
        after[one].append(to)
    seen, todo = set(), [start]
    while todo:
        n = todo.pop()
        if n not in seen:
            seen.add(n)
            todo += after[n]
    return seen


def _equations(
    code: Sequence[Instruction],
    blocks: tuple[Block, ...],
    ways: list[tuple[int, int]],
    executed: dict[int, float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, right sides and weights. Unknown is how often each way is gone; a block runs as often as it is left."""
    leaving, entering = np.zeros((len(blocks), len(ways))), np.zeros((len(blocks), len(ways)))
    for w, (start, to) in enumerate(ways):
        leaving[start, w] = 1
        if to >= 0:
            entering[to, w] = 1
    reached = sorted(_closure(0, [way for way in ways if way[1] >= 0]))
    rows = [leaving[n] - entering[n] for n in reached]
    right, weights = [float(n == 0) for n in reached], [_FLOW] * len(reached)
    for count, trust, places in _known(code, blocks, executed):
        rows.append(sum(leaving[n] * times for n, times in places.items()))
        right.append(count)
        weights.append(trust / max(1.0, count) ** 0.5)
    return np.array(rows), np.array(right), np.array(weights)


def _known(
    code: Sequence[Instruction], blocks: tuple[Block, ...], executed: dict[int, float]
) -> Iterator[tuple[float, float, dict[int, int]]]:
    """(count, weight, how often each block counts for it). Lines of the PTX whose instruction stays what it is; of each
    block, the most that a guarded one ran, and the median of its arithmetic, where its lines are in no other block."""
    kinds: dict[int, float] = {}
    for one in code:
        if one.ptx and not one.never:
            kinds[one.ptx] = max(kinds.get(one.ptx, 0.0), _trust(one))
    where: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for n, block in enumerate(blocks):
        for one in code[block.start : block.end]:
            # What stands beside it for the same line, such as the jump behind a load, may run elsewhere as well.
            if one.ptx and not one.never and _trust(one) == kinds[one.ptx]:
                where[one.ptx][n] += 1
    alone: dict[tuple[int, float], list[float]] = defaultdict(list)
    for line, places in where.items():
        if kinds[line] == _ANCHOR:
            yield executed.get(line, 0.0), _ANCHOR, places
        elif len(places) == 1:
            alone[next(iter(places)), kinds[line]].append(executed.get(line, 0.0))
    # A guard that is never true says nothing of what stands beside it.
    ran = {n for line, places in where.items() if kinds[line] == _ANCHOR and executed.get(line) for n in places}
    telling = {key: counts for key, counts in alone.items() if key[1] != _GUARDED or key[0] not in ran or any(counts)}
    for (n, trust), counts in telling.items():
        yield max(counts) if trust == _GUARDED else median_low(counts), trust, {n: 1}


def _trust(one: Instruction) -> float:
    if one.unit not in _ANCHORS:
        return _ARITHMETIC
    return _ANCHOR if one.always else _GUARDED


def non_negative(
    matrix: np.ndarray, right: np.ndarray, cost: np.ndarray, start: np.ndarray | None = None
) -> np.ndarray:
    """The x without negative numbers that makes |matrix·x - right|² / 2 + cost·x least.

    By exchanging: x is the best with some of its numbers free and the others 0. All that turn out wrong, negative or
    wrongly 0, change sides together; where that does not make them fewer, the last of them changes alone. Free at first
    are those that `start` has above 0. Source: Kim and Park, SIAM Journal on Scientific Computing 33 (2011).
    """
    columns = matrix.shape[1]
    gram, target = matrix.T @ matrix, matrix.T @ right - cost
    gram += _STEADY * gram.diagonal().max(initial=1.0) * np.eye(columns)
    flat = _FLAT * max(1.0, abs(target).max(initial=0.0))
    free = np.ones(columns, bool) if start is None else start > 0
    fewest, patience = columns + 1, _PATIENCE
    for _ in range(_ROUNDS):
        x = np.zeros(columns)
        x[free] = np.linalg.solve(gram[np.ix_(free, free)], target[free])
        wrong = np.flatnonzero(np.where(free, x < 0, target - gram @ x > flat))
        if not len(wrong):
            break
        if len(wrong) < fewest:
            fewest, patience = len(wrong), _PATIENCE
        elif patience:
            patience -= 1
        else:
            wrong = wrong[-1:]
        free[wrong] = ~free[wrong]
    return np.maximum(x, 0.0)


def path(flow: Flow, most: int) -> list[int]:
    """The blocks that a warp runs, in order, at most so many instructions. Each rarer way is taken when its turn has
    come: one in eight, every eighth time."""
    credit = [[0.0] * len(way) for way in flow.edges]
    at, taken, found = 0, 0, []
    while taken < most:
        block = flow.blocks[at]
        found.append(at)
        taken += block.end - block.start
        way = _way(credit[at], flow.edges[at], flow.counts[at])
        if way is None:
            break
        at = block.following[way]
    return found


def _way(credit: list[float], shares: tuple[float, ...], count: float) -> int | None:
    """Which way is next; None where the warp ends."""
    if sum(shares) < max(_LEAST, 0.5 * count):
        return None
    for w, share in enumerate(shares):
        credit[w] += share / sum(shares)
    usual = max(range(len(shares)), key=shares.__getitem__)
    rare = max(range(len(shares)), key=lambda w: credit[w] if w != usual else -1.0)
    way = rare if credit[rare] > _DUE else usual
    credit[way] -= 1
    return way
